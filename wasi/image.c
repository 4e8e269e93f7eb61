/* An image file as an input: decoded by stb_image (Debian: libstb-dev), scaled, then turned into the numbers the
 * model wants. Which numbers: --normalize, else the model's metadata, else what the input's type suggests. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "media.h"
#include "metadata.h"

#if defined(__has_include)
#  if __has_include(<stb/stb_image.h>)
#    define STB_IMAGE <stb/stb_image.h>
#  elif __has_include(<stb_image.h>)
#    define STB_IMAGE <stb_image.h>
#  endif
#endif

int image_is(const uint8_t *p, size_t n) {
    return (n >= 8 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0) || (n >= 3 && memcmp(p, "\xff\xd8\xff", 3) == 0) ||
           (n >= 26 && p[0] == 'B' && p[1] == 'M');
}

#ifndef STB_IMAGE

int image_input(cli_run *run, int32_t index, const uint8_t *file, size_t n, const char *path) {
    (void)run;
    (void)index;
    (void)file;
    (void)n;
    return cli_error(CLI_BAD_INPUT,
                     "%s: this build reads no images: install stb (Debian: libstb-dev) and build again, or "
                     "give a .npy file", path);
}

#else

#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_NO_THREAD_LOCALS
#define STBI_MAX_DIMENSIONS IMAGE_MAX_SIDE
#include STB_IMAGE

/* What an image may ask for. Its header alone decides how much memory decoding takes, so it is read first:
 * - no coding packs more than 1032 * 8 pixels into a byte (deflate, one bit a pixel), so a file that promises more is cut
 *   short: what a small file can cost stays small;
 * - a progressive JPEG goes over the picture once a scan, and a scan takes a dozen bytes: both together have a limit. */
enum { IMAGE_MAX_PIXELS = 1 << 27, IMAGE_PIXELS_A_BYTE = 1032 * 8, IMAGE_MAX_SCANS = 64 };

static size_t count_scans(const uint8_t *p, size_t n) {
    size_t i, scans = 0;
    if (p[0] != 0xFF) return 1;
    for (i = 0; i + 1 < n; i++) scans += p[i] == 0xFF && p[i + 1] == 0xDA;
    return scans;
}

/* NULL, or the reason why it is not decoded, as a sentence's end. */
static const char *refuse(const uint8_t *p, size_t n, uint64_t *bytes) {
    int         w, h, channels;
    uint64_t    pixels;
    const char *why = n > INT32_MAX ? "too large" : jpeg_refused(p, n);
    if (why) return why;
    if (!stbi_info_from_memory(p, (int)n, &w, &h, &channels)) return stbi_failure_reason();
    if (w < 1 || h < 1 || w > IMAGE_MAX_SIDE || h > IMAGE_MAX_SIDE) return "a side is longer than 16384 pixels";
    pixels = (uint64_t)w * (uint64_t)h;
    if (pixels > IMAGE_MAX_PIXELS) return "it has more than 134 million pixels";
    if (pixels / IMAGE_PIXELS_A_BYTE > n) return "it is cut short: it has fewer bytes than its size needs";
    if (count_scans(p, n) > IMAGE_MAX_SCANS && count_scans(p, n) * pixels > (uint64_t)IMAGE_MAX_PIXELS * 4)
        return "it draws the picture too many times over";
    *bytes = pixels * 4; /* decoded, at up to four channels */
    return NULL;
}

/* Where height, width and channels lie among the input's dimensions. */
typedef struct layout {
    int h, w, c;
} layout;

static int find_layout(const npu_tensor *t, layout *l) {
    int r = t->rank, first = r - 3;
    if (r != 3 && r != 4) return 0;
    if (r == 4 && t->dims[0] != 1) return 0;
    if (t->dims[r - 1] == 1 || t->dims[r - 1] == 3) {
        l->h = first;
        l->w = first + 1;
        l->c = first + 2;
        return 1;
    }
    l->c = first;
    l->h = first + 1;
    l->w = first + 2;
    return t->dims[first] == 1 || t->dims[first] == 3;
}

/* real = (pixel - mean) / std per channel; then quantized where the input is. `direct`: stored = pixel - zero. */
typedef struct rule {
    cli_normalization norm;
    int               direct;
    int               zero;
    char              text[120];
} rule;

static void set_rule(rule *r, double mean, double std, const char *why) {
    r->norm.n = 1;
    r->norm.mean[0] = (float)mean;
    r->norm.std[0] = (float)std;
    snprintf(r->text, sizeof r->text, "(pixel - %g) / %g, %s", mean, std, why);
}

static void choose_rule(const cli_run *run, int32_t index, rule *r) {
    const npu_tensor *t = &run->inputs[index].declared;
    memset(r, 0, sizeof *r);
    if (run->args->has_normalize) {
        set_rule(r, run->args->mean, run->args->std, "from --normalize");
    } else if (t->type == NPU_UINT8) {
        r->direct = 1;
        snprintf(r->text, sizeof r->text, "pixels as they are, because the input is uint8");
    } else if (cli_metadata_normalization(run->model, run->subgraph, index, &r->norm)) {
        snprintf(r->text, sizeof r->text, "(pixel - %g) / %g%s, from the model's metadata", (double)r->norm.mean[0],
                 (double)r->norm.std[0], r->norm.n > 1 ? " (first channel)" : "");
    } else if (t->type == NPU_INT8) {
        r->direct = 1;
        r->zero = 128;
        if (t->quant.count == 1)
            snprintf(r->text, sizeof r->text, "pixel - 128, the whole range of its quantization: real %.3g to %.3g",
                     (double)t->quant.scale[0] * (-128.0 - t->quant.zero_point[0]),
                     (double)t->quant.scale[0] * (127.0 - t->quant.zero_point[0]));
        else
            snprintf(r->text, sizeof r->text, "pixel - 128, because the input is int8");
    } else {
        set_rule(r, 127.5, 127.5, "a guess, as the model says nothing: see --normalize");
    }
}

/* Nearest integer, halves away from zero, then the zero point; within the type's range. */
static int32_t quantize(double real, const npu_quant *q, int32_t lo, int32_t hi) {
    double v = q->count > 0 ? real / (double)q->scale[0] : real;
    v = (v < 0 ? ceil(v - 0.5) : floor(v + 0.5)) + (q->count > 0 ? q->zero_point[0] : 0);
    return v < lo ? lo : v > hi ? hi : (int32_t)v;
}

static void store(const rule *r, const npu_tensor *t, int pixel, int channel, uint8_t *to, size_t at) {
    int     k = channel < r->norm.n ? channel : 0;
    double  real = r->direct ? 0 : ((double)pixel - (double)r->norm.mean[k]) / (double)r->norm.std[k];
    float   f = (float)real;
    int16_t s;
    switch (t->type) {
    case NPU_FLOAT32: memcpy(to + 4 * at, &f, 4); break;
    case NPU_INT16:
        s = (int16_t)quantize(real, &t->quant, -32768, 32767);
        memcpy(to + 2 * at, &s, 2);
        break;
    case NPU_INT8: to[at] = (uint8_t)(r->direct ? pixel - r->zero : quantize(real, &t->quant, -128, 127)); break;
    default: to[at] = (uint8_t)(r->direct ? pixel : quantize(real, &t->quant, 0, 255)); break;
    }
}

static void convert(const rule *r, cli_input *in, const layout *l, const uint8_t *pixels) {
    int    h = in->dims[l->h], w = in->dims[l->w], channels = in->dims[l->c], y, x, c;
    size_t i = 0;
    for (y = 0; y < h; y++)
        for (x = 0; x < w; x++)
            for (c = 0; c < channels; c++, i++) {
                size_t at = l->c < l->h ? ((size_t)c * (size_t)h + (size_t)y) * (size_t)w + (size_t)x : i;
                store(r, &in->declared, pixels[i], c, in->data, at);
            }
}

/* A height or width the model leaves open takes the image's own. */
static void settle_size(cli_input *in, const layout *l, int w, int h) {
    const npu_tensor *t = &in->declared;
    in->rank = t->rank;
    memcpy(in->dims, t->dims, sizeof in->dims);
    if (t->dims_signature[l->h] < 0) in->dims[l->h] = h;
    if (t->dims_signature[l->w] < 0) in->dims[l->w] = w;
}

static int fill(cli_input *in, const layout *l, const rule *r, const uint8_t *pixels, int w, int h) {
    int      new_w = in->dims[l->w], new_h = in->dims[l->h], channels = in->dims[l->c];
    int      same = w == new_w && h == new_h;
    size_t   n = (size_t)new_h * (size_t)new_w * (size_t)channels;
    uint8_t *fitted = same ? NULL : malloc(n);
    int      ok = same || (fitted && image_resample(pixels, w, h, channels, fitted, new_w, new_h));
    in->bytes = n * ((size_t)npu_type_bits(in->declared.type) / 8);
    in->data = malloc(in->bytes);
    ok = ok && in->data;
    if (ok) convert(r, in, l, same ? pixels : fitted);
    free(fitted);
    return ok;
}

int image_input(cli_run *run, int32_t index, const uint8_t *file, size_t n, const char *path) {
    cli_input  *in = &run->inputs[index];
    npu_tensor *t = &in->declared;
    layout      l;
    rule        r;
    uint8_t    *pixels;
    const char *why;
    uint64_t    bytes = 0;
    int         w, h, channels, new_w, new_h, ok;
    if ((t->type != NPU_FLOAT32 && t->type != NPU_UINT8 && t->type != NPU_INT8 && t->type != NPU_INT16) ||
        !find_layout(t, &l))
        return cli_error(CLI_BAD_INPUT,
                         "%s: input %d takes no image: it is not [1, height, width, 1 or 3] of float32, uint8, "
                         "int8 or int16; give a .npy file", path, (int)index);
    if (t->quant.count > 1 || (t->quant.count == 1 && !(t->quant.scale[0] > 0)))
        return cli_error(CLI_BAD_INPUT, "%s: input %d has no plain quantization; give a .npy file", path, (int)index);
    if ((why = refuse(file, n, &bytes)) != NULL)
        return cli_error(CLI_BAD_INPUT, "%s: no readable image: %s", path, why);
    if (cli_check_memory(bytes, path) != CLI_OK) return CLI_BAD_INPUT;
    pixels = stbi_load_from_memory(file, (int)n, &w, &h, &channels, t->dims[l.c]);
    if (!pixels) return cli_error(CLI_BAD_INPUT, "%s: no readable image: %s", path, stbi_failure_reason());
    settle_size(in, &l, w, h);
    new_w = in->dims[l.w];
    new_h = in->dims[l.h];
    if (new_w < 1 || new_h < 1 || new_w > IMAGE_MAX_SIDE || new_h > IMAGE_MAX_SIDE) {
        stbi_image_free(pixels);
        return cli_error(CLI_BAD_INPUT, "%s: input %d is no sensible size for an image: %dx%d", path, (int)index,
                         new_w, new_h);
    }
    if (cli_check_memory((uint64_t)new_w * (uint64_t)new_h * 12, path) != CLI_OK) { /* three float32 a pixel at most */
        stbi_image_free(pixels);
        return CLI_BAD_INPUT;
    }
    choose_rule(run, index, &r);
    ok = fill(in, &l, &r, pixels, w, h);
    stbi_image_free(pixels);
    if (!ok) return cli_error(CLI_FAILED, "%s: out of memory", path);
    if (w == new_w && h == new_h) snprintf(in->how, sizeof in->how, "%dx%d image, %s", w, h, r.text);
    else snprintf(in->how, sizeof in->how, "%dx%d image resized to %dx%d, %s", w, h, new_w, new_h, r.text);
    cli_note("input %d: %s: %s", (int)index, path, in->how);
    return CLI_OK;
}

#endif
