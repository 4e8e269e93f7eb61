/* A WAV file (PCM of 8 to 32 bits, or float) as an input: mono in [-1, 1], cut or padded to the input's length. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "media.h"
#include "metadata.h"

typedef struct wav {
    int            is_float, bits, channels;
    uint32_t       rate;
    const uint8_t *data;
    size_t         frames;
    char           why[96]; /* for messages with numbers */
} wav;

static uint32_t u16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static uint32_t u32(const uint8_t *p) { return u16(p) | u16(p + 2) << 16; }

int wav_is(const uint8_t *p, size_t n) {
    return n >= 12 && memcmp(p, "RIFF", 4) == 0 && memcmp(p + 8, "WAVE", 4) == 0;
}

static const char *parse_format(const uint8_t *p, size_t n, wav *out) {
    uint32_t tag;
    if (n < 16) return "its format chunk is cut short";
    tag = u16(p);
    if (tag == 0xFFFE) { /* extensible: the real tag opens a GUID further on */
        if (n < 26) return "its format chunk is cut short";
        tag = u16(p + 24);
    }
    out->channels = (int)u16(p + 2);
    out->rate = u32(p + 4);
    out->bits = (int)u16(p + 14);
    out->is_float = tag == 3;
    if (out->channels < 1) return "it has no channels";
    if (tag != 1 && tag != 3) return "it is compressed: only PCM and float samples are read";
    if (tag == 1 && out->bits != 8 && out->bits != 16 && out->bits != 24 && out->bits != 32)
        return "its PCM samples are not of 8, 16, 24 or 32 bits";
    if (tag == 3 && out->bits != 32 && out->bits != 64) return "its float samples are not of 32 or 64 bits";
    return NULL;
}

static const char *cut_short(wav *out, const char *what, size_t wanted, size_t left) {
    snprintf(out->why, sizeof out->why, "it is cut short: %s should have %zu bytes, %zu are left", what, wanted, left);
    return out->why;
}

static const char *wav_parse(const uint8_t *p, size_t n, wav *out) {
    size_t at = 12;
    memset(out, 0, sizeof *out);
    while (at <= n && n - at >= 8) {
        size_t         size = u32(p + at + 4), left = n - at - 8;
        const uint8_t *body = p + at + 8;
        const char    *why;
        if (memcmp(p + at, "data", 4) == 0) {
            size_t frame = (size_t)out->channels * (size_t)out->bits / 8;
            if (!frame) return "its samples come before their format";
            /* Recorders that stream leave the size at 0 or all ones: then the file's end is the end. */
            if (size == 0 || size == 0xFFFFFFFFu) size = left;
            if (size > left) return cut_short(out, "its samples", size, left);
            out->data = body;
            out->frames = size / frame;
            return out->frames ? NULL : "it has no samples";
        }
        if (size > left) return cut_short(out, "a chunk", size, left);
        if (memcmp(p + at, "fmt ", 4) == 0 && (why = parse_format(body, size, out)) != NULL) return why;
        at += 8 + size + (size & 1);
    }
    return "it has no samples";
}

static double sample(const wav *w, const uint8_t *p) {
    float  f;
    double d;
    if (w->is_float && w->bits == 32) {
        memcpy(&f, p, 4);
        return (double)f;
    }
    if (w->is_float) {
        memcpy(&d, p, 8);
        return d;
    }
    switch (w->bits) {
    case 8: return ((double)p[0] - 128) / 128;
    case 16: return (double)(int16_t)u16(p) / 32768;
    case 24: return (double)(int32_t)(u16(p) << 8 | (uint32_t)p[2] << 24) / 2147483648.0;
    default: return (double)(int32_t)u32(p) / 2147483648.0;
    }
}

static double frame_mono(const wav *w, size_t i) {
    size_t step = (size_t)w->bits / 8;
    double sum = 0;
    int    c;
    for (c = 0; c < w->channels; c++) sum += sample(w, w->data + (i * (size_t)w->channels + (size_t)c) * step);
    sum /= w->channels;
    return isfinite(sum) ? (sum < -1 ? -1 : sum > 1 ? 1 : sum) : 0;
}

/* Which dimension holds the samples: the only one that is not 1, else the last that the model leaves open (an open
 * batch comes first), else the last. -1 when several are not 1. */
static int sample_dim(const npu_tensor *t) {
    int d, found = -1;
    for (d = 0; d < t->rank; d++) {
        if (t->dims[d] == 1 && t->dims_signature[d] >= 0) continue;
        if (found >= 0 && t->dims[found] != 1) {
            if (t->dims[d] == 1) continue;
            return -1;
        }
        found = d;
    }
    return found < 0 && t->rank > 0 ? t->rank - 1 : found;
}

static void warn_rate(const cli_run *run, int32_t index, const wav *w, const char *path) {
    uint32_t rate, channels;
    if (!cli_metadata_audio(run->model, run->subgraph, index, &rate, &channels)) return;
    if (rate != 0 && rate != w->rate)
        cli_note("%s has %u samples a second but the model expects %u: resample it for meaningful results", path,
                 (unsigned)w->rate, (unsigned)rate);
}

int wav_input(cli_run *run, int32_t index, const uint8_t *file, size_t n, const char *path) {
    cli_input        *in = &run->inputs[index];
    const npu_tensor *t = &in->declared;
    wav               w;
    const char       *why;
    size_t            i, want, used;
    int               d = sample_dim(t);
    if (t->type != NPU_FLOAT32 || d < 0)
        return cli_error(CLI_BAD_INPUT,
                         "%s: input %d takes no audio: it is not a one-dimensional float32 tensor; give a .npy "
                         "file", path, (int)index);
    if ((why = wav_parse(file, n, &w)) != NULL)
        return cli_error(CLI_BAD_INPUT, "%s: unreadable WAV file: %s", path, why);
    in->rank = t->rank;
    memcpy(in->dims, t->dims, sizeof in->dims);
    if (t->dims_signature[d] < 0 && w.frames <= INT32_MAX) in->dims[d] = (int32_t)w.frames;
    want = (size_t)in->dims[d];
    used = w.frames < want ? w.frames : want;
    if (cli_check_memory((uint64_t)want * sizeof(float), path) != CLI_OK) return CLI_BAD_INPUT;
    in->bytes = want * sizeof(float);
    in->data = calloc(want ? want : 1, sizeof(float));
    if (!in->data) return cli_error(CLI_FAILED, "%s: out of memory", path);
    for (i = 0; i < used; i++) {
        float f = (float)frame_mono(&w, i);
        memcpy(in->data + i * sizeof f, &f, sizeof f);
    }
    snprintf(in->how, sizeof in->how, "%lu samples of %d-bit %s, %d channel%s at %u Hz, mono in [-1, 1], %s %lu",
             (unsigned long)w.frames, w.bits, w.is_float ? "float" : "PCM", w.channels, w.channels == 1 ? "" : "s",
             (unsigned)w.rate,
             w.frames < want ? "padded with silence to" : w.frames > want ? "cut to" : "exactly the input's",
             (unsigned long)want);
    cli_note("input %d: %s: %s", (int)index, path, in->how);
    warn_rate(run, index, &w, path);
    return CLI_OK;
}
