/* What goes into a model: files by --input, and for every other input numbers made from the seed. */
#include <stdlib.h>
#include <string.h>

#include "media.h"
#include "npy.h"
#include "seed.h"

/* ---- which input --input means ---- */

static int name_is(const char *name, size_t len, const char *ref, size_t ref_len) {
    return len == ref_len && (len == 0 || memcmp(name, ref, len) == 0);
}

/* Position of the input called `ref`: a number, else a name of the signature, else a tensor's name; -1 if none is. */
static int32_t find_input(const cli_run *run, const char *ref, size_t len) {
    const char *name;
    size_t      name_len, i;
    int32_t     k, position;
    uint32_t    number = 0;
    for (i = 0; i < len && i < 9 && ref[i] >= '0' && ref[i] <= '9'; i++)
        number = number * 10 + (uint32_t)(ref[i] - '0');
    if (i == len && (int32_t)number < run->n_inputs) return (int32_t)number;
    for (k = 0; run->signature >= 0; k++) {
        if (npu_model_signature_entry(run->model, run->signature, 0, k, &name, &name_len, &position) != NPU_OK) break;
        if (name_is(name, name_len, ref, len)) return position;
    }
    for (k = 0; k < run->n_inputs; k++)
        if (name_is(run->inputs[k].declared.name, run->inputs[k].declared.name_len, ref, len)) return k;
    return -1;
}

/* Every input with its names in the signature: several entries may name one input, so they are chained by position. */
void cli_print_names(const cli_run *run, FILE *to) {
    const char *name;
    size_t      len;
    int32_t     i, k, n = 0, position, *first, *next;
    while (run->signature >= 0 &&
           npu_model_signature_entry(run->model, run->signature, 0, n, &name, &len, &position) == NPU_OK) n++;
    first = malloc(sizeof *first * ((size_t)run->n_inputs + (size_t)n + 1));
    if (!first) return;
    next = first + run->n_inputs;
    for (i = 0; i < run->n_inputs; i++) first[i] = -1;
    for (k = n; k-- > 0;) {
        next[k] = -1;
        npu_model_signature_entry(run->model, run->signature, 0, k, &name, &len, &position);
        if (position < 0 || position >= run->n_inputs) continue;
        next[k] = first[position];
        first[position] = k;
    }
    for (i = 0; i < run->n_inputs; i++) {
        const npu_tensor *t = &run->inputs[i].declared;
        fprintf(to, "  %d  ", (int)i);
        cli_text(to, t->name, t->name_len);
        for (k = first[i]; k >= 0; k = next[k]) {
            npu_model_signature_entry(run->model, run->signature, 0, k, &name, &len, &position);
            fputs(" = ", to);
            cli_text(to, name, len);
        }
        fputc('\n', to);
    }
    free(first);
}

/* ---- .npy ---- */

/* The dtype a file must have. Sub-byte types travel as bytes, bfloat16 and float8 as ml_dtypes saves them. */
static const char *file_dtype(npu_type type) {
    switch (type) {
    case NPU_BFLOAT16: return "<V2";
    case NPU_FLOAT8_E4M3FN:
    case NPU_FLOAT8_E5M2: return "|V1";
    case NPU_RESOURCE: return "";
    default: return npu_type_dtype(type);
    }
}

/* One value per byte becomes packed nibbles (or pairs of bits), low ones first. -1, or the first value that is too
 * large or small. */
static int64_t pack_small(npu_type type, uint8_t *data, size_t elems) {
    int    bits = npu_type_bits(type), is_signed = type != NPU_UINT4, lo = is_signed ? -(1 << (bits - 1)) : 0;
    int    hi = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1, per_byte = 8 / bits;
    size_t i;
    for (i = 0; i < elems; i++) {
        int     v = is_signed ? (int)(int8_t)data[i] : (int)data[i];
        uint8_t part = (uint8_t)((v & ((1 << bits) - 1)) << (bits * (int)(i % (size_t)per_byte)));
        size_t  at = i / (size_t)per_byte;
        if (v < lo || v > hi) return (int64_t)i;
        data[at] = (uint8_t)(i % (size_t)per_byte ? data[at] | part : part); /* never ahead of what is read */
    }
    return -1;
}

static int npy_input(cli_run *run, int32_t index, const uint8_t *file, size_t n, const char *path) {
    cli_input  *in = &run->inputs[index];
    npy_array   a;
    const char *why = npy_parse(file, n, &a), *want = file_dtype(in->declared.type);
    int         bits = npu_type_bits(in->declared.type);
    size_t      i;
    if (why && a.file_bytes > n)
        return cli_fail(CLI_BAD_INPUT, NULL, "input.npy", "%s: truncated: %lu bytes, its header speaks of %lu", path,
                        (unsigned long)n, (unsigned long)a.file_bytes);
    if (why) return cli_fail(CLI_BAD_INPUT, NULL, "input.npy", "%s: unreadable .npy file: %s", path, why);
    if (run->args->raw_inputs && strcmp(a.dtype, "|u1") == 0 && a.rank == 1) {
        const int code = cli_raw_input(run, index, a.data, a.elems, path);
        if (code != CLI_GO_ON) return code;
    }
    if (in->declared.type == NPU_STRING) return cli_npy_strings(run, index, &a, path);
    if (!want[0])
        return cli_fail(CLI_BAD_INPUT, NULL, "input.dtype", "%s: input %d is of type %s, which no .npy file can hold", path,
                        (int)index, npu_type_name(in->declared.type));
    if (strcmp(a.dtype, want) != 0)
        return cli_fail(CLI_BAD_INPUT, NULL, "input.dtype",
                        "%s: its dtype is %s but input %d needs %s: convert it with array.astype('%s')", path,
                        a.dtype, (int)index, want, want);
    in->rank = a.rank;
    memcpy(in->dims, a.dims, sizeof in->dims);
    in->bytes = a.elems * (size_t)a.item_bytes; /* of the file's own size, as npy_parse has checked */
    in->data = malloc(in->bytes ? in->bytes : 1);
    if (!in->data) return cli_error(CLI_FAILED, "%s: out of memory", path);
    npy_copy(&a, in->data);
    if (in->declared.type == NPU_BOOL)
        for (i = 0; i < in->bytes; i++) in->data[i] = in->data[i] != 0;
    if (bits < 8) {
        int64_t bad = pack_small(in->declared.type, in->data, a.elems);
        if (bad >= 0)
            return cli_fail(CLI_BAD_INPUT, NULL, "input.range", "%s: element %lld is outside the range of %s", path,
                            (long long)bad, npu_type_name(in->declared.type));
        in->bytes = (a.elems * (size_t)bits + 7) / 8;
    }
    snprintf(in->how, sizeof in->how, ".npy file");
    return CLI_OK;
}

/* ---- --input ---- */

static int unknown_input(const cli_run *run, const char *arg) {
    cli_error(CLI_USAGE, "--input %s: the model has no such input; say one of these, by number or name:", arg);
    cli_print_names(run, stderr);
    return CLI_USAGE;
}

static int unknown_file(const char *path, const uint8_t *file, size_t n) {
    const char *next, *what = npu_file_kind(file, n, &next);
    if (n == 0) return cli_error(CLI_BAD_INPUT, "%s: the file is empty", path);
    if (!what) return cli_error(CLI_BAD_INPUT, "%s: unknown kind of file: an input is a .npy, PNG, JPEG, BMP or WAV file", path);
    return cli_error(CLI_BAD_INPUT, "%s: this is %s, but an input is a .npy, PNG, JPEG, BMP or WAV file", path, what);
}

static int read_input(cli_run *run, int32_t index, const char *path) {
    uint8_t *file;
    size_t   n;
    int      code = cli_read_file(path, &file, &n);
    if (code != CLI_OK) return code;
    if (npy_is(file, n)) code = npy_input(run, index, file, n, path);
    else if (wav_is(file, n)) code = wav_input(run, index, file, n, path);
    else if (image_is(file, n)) code = image_input(run, index, file, n, path);
    else code = unknown_file(path, file, n);
    free(file);
    return code;
}

int cli_inputs_read(cli_run *run) {
    int i;
    for (i = 0; i < run->args->n_files; i++) {
        const char *arg = run->args->files[i], *eq = arg;
        int32_t     index = -1;
        int         code;
        /* Names and paths may hold '=' themselves: the first one that ends a known name counts. */
        while (index < 0 && (eq = strchr(eq, '=')) != NULL) index = find_input(run, arg, (size_t)(eq++ - arg));
        if (index < 0) return unknown_input(run, arg);
        if (run->inputs[index].path)
            return cli_error(CLI_USAGE, "--input %s: input %d is given twice", arg, (int)index);
        run->inputs[index].path = eq;
        code = strncmp(eq, "text:", 5) == 0 ? cli_text_input(run, index, eq + 5) : read_input(run, index, eq);
        if (code != CLI_OK) return code;
    }
    return CLI_OK;
}

/* ---- seeded values ---- */

/* A multiple of every element's size, filled between two looks at the clock. */
enum { PIECE = 1 << 18 };

/* CLI_OK, CLI_FAILED (reported) when the time limit came first, or 4 for a type without such values (not reported). */
static int fill_seeded(npu_type type, uint64_t state, uint8_t *data, size_t bytes) {
    size_t at, n;
    for (at = 0; at < bytes; at += n) {
        n = bytes - at < PIECE ? bytes - at : PIECE;
        if (cli_time_is_up(NULL)) return cli_check_time("while making up the inputs");
        if (!seed_fill(type, &state, data + at, n)) return 4;
    }
    return npu_type_bits(type) ? CLI_OK : 4;
}

int cli_inputs_fill(cli_run *run) {
    int32_t i;
    int     code;
    for (i = 0; i < run->n_inputs; i++) {
        cli_input *in = &run->inputs[i];
        npu_tensor t;
        if (npu_session_input_of(run->session, run->subgraph, i, &t) != NPU_OK)
            return cli_error(CLI_FAILED, "input %d vanished", (int)i);
        if (in->path) {
            if (in->items || t.bytes == in->bytes) continue;
            return cli_error(CLI_BAD_INPUT, "%s: it gives %lu bytes but input %d takes %lu", in->path,
                             (unsigned long)in->bytes, (int)i, (unsigned long)t.bytes);
        }
        if (t.type == NPU_STRING)
            return cli_error(4, "input %d takes strings, which no seed makes: give them, as --input %d=text:WORDS or as a .npy file",
                             (int)i, (int)i);
        in->bytes = t.bytes;
        in->data = malloc(t.bytes ? t.bytes : 1);
        if (!in->data) return cli_no_memory();
        code = fill_seeded(t.type, seed_start(run->args->seed, i), in->data, in->bytes);
        if (code == 4)
            return cli_error(4, "input %d is of type %s: this program can neither read nor make up such values",
                             (int)i, npu_type_name(t.type));
        if (code != CLI_OK) return code;
        snprintf(in->how, sizeof in->how, "seed %llu", (unsigned long long)run->args->seed);
    }
    return CLI_OK;
}
