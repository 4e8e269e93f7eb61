/* Tensors as people and programs want to see them: description, top values, statistics. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

void cli_type_text(char *out, size_t cap, npu_type type) {
    const char *name = npu_type_name(type);
    size_t      i;
    for (i = 0; name[i] && i + 1 < cap; i++) out[i] = (char)tolower((unsigned char)name[i]);
    out[i] = '\0';
}

void cli_shape_text(char *out, size_t cap, int32_t rank, const int32_t *dims) {
    size_t  n = (size_t)snprintf(out, cap, "[");
    int32_t i;
    for (i = 0; i < rank && n < cap; i++) n += (size_t)snprintf(out + n, cap - n, "%s%d", i ? "," : "", (int)dims[i]);
    if (n < cap) snprintf(out + n, cap - n, "]");
}

static size_t count(const npu_tensor *t) {
    size_t  n = 1;
    int32_t i;
    for (i = 0; i < t->rank; i++) n *= (size_t)t->dims[i];
    return t->data || t->bytes ? n : 0;
}

void cli_show_tensor(FILE *to, const char *label, const npu_tensor *t) {
    char shape[128], type[32];
    cli_shape_text(shape, sizeof shape, t->rank, t->dims);
    cli_type_text(type, sizeof type, t->type);
    fprintf(to, "%s%s%s ", cli_bold(), label, cli_plain());
    cli_text(to, t->name, t->name_len);
    fprintf(to, " %s%s", type, shape);
    if (t->quant.count == 1)
        fprintf(to, " scale %.9g zero_point %d", (double)t->quant.scale[0], (int)t->quant.zero_point[0]);
    else if (t->quant.count > 1)
        fprintf(to, " quantized per channel, %d along axis %d", (int)t->quant.count, (int)t->quant.axis);
}

/* ---- values ---- */

static double f16_value(uint16_t h) {
    int    e = h >> 10 & 31, m = h & 0x3FF;
    double v = e == 0 ? ldexp(m, -24) : e == 31 ? (m ? (double)NAN : (double)INFINITY) : ldexp(m + 1024, e - 25);
    return h & 0x8000 ? -v : v;
}

#define READ(type)                                     \
    {                                                  \
        type v;                                        \
        memcpy(&v, p + i * sizeof v, sizeof v);        \
        return (double)v;                              \
    }

/* Element `i` as it is stored; NaN for types that have no single number. */
static double stored(const npu_tensor *t, size_t i) {
    const uint8_t *p = (const uint8_t *)t->data;
    uint16_t       h;
    uint32_t       b;
    float          f;
    int            small;
    switch (t->type) {
    case NPU_FLOAT32: READ(float)
    case NPU_FLOAT64: READ(double)
    case NPU_INT8: READ(int8_t)
    case NPU_UINT8: case NPU_BOOL: READ(uint8_t)
    case NPU_INT16: READ(int16_t)
    case NPU_UINT16: READ(uint16_t)
    case NPU_INT32: READ(int32_t)
    case NPU_UINT32: READ(uint32_t)
    case NPU_INT64: READ(int64_t)
    case NPU_UINT64: READ(uint64_t)
    case NPU_FLOAT16:
    case NPU_BFLOAT16:
        memcpy(&h, p + 2 * i, 2);
        if (t->type == NPU_FLOAT16) return f16_value(h);
        b = (uint32_t)h << 16;
        memcpy(&f, &b, 4);
        return (double)f;
    case NPU_INT4: small = p[i / 2] >> (4 * (i & 1)) & 15; return small > 7 ? small - 16 : small;
    case NPU_UINT4: return p[i / 2] >> (4 * (i & 1)) & 15;
    case NPU_INT2: small = p[i / 4] >> (2 * (i & 3)) & 3; return small > 1 ? small - 4 : small;
    default: return (double)NAN;
    }
}
#undef READ

static double real(const npu_tensor *t, double q) {
    return t->quant.count == 1 ? (double)t->quant.scale[0] * (q - t->quant.zero_point[0]) : q;
}

static int has_numbers(const npu_tensor *t) {
    return t->type != NPU_STRING && t->type != NPU_VARIANT && t->type != NPU_RESOURCE && t->type != NPU_COMPLEX64 &&
           t->type != NPU_COMPLEX128 && npu_type_bits(t->type) > 0 && t->type != NPU_FLOAT8_E4M3FN &&
           t->type != NPU_FLOAT8_E5M2;
}

static void take_top(const npu_tensor *t, cli_summary *s, size_t i, double v) {
    int k = s->n_top;
    while (k > 0 && v > stored(t, s->top[k - 1])) k--; /* of equal values the first one leads */
    if (k == CLI_TOP) return;
    if (s->n_top < CLI_TOP) s->n_top++;
    memmove(s->top + k + 1, s->top + k, sizeof s->top[0] * (size_t)(s->n_top - 1 - k));
    s->top[k] = i;
}

int cli_sum_up(const npu_tensor *t, cli_summary *s) {
    size_t  i;
    int32_t d, wide = 0;
    memset(s, 0, sizeof *s);
    s->elems = count(t);
    for (d = 0; d < t->rank; d++) wide += t->dims[d] > 1;
    s->vector = wide <= 1;
    if (!has_numbers(t)) return 1;
    for (i = 0; i < s->elems; i++) {
        double q = stored(t, i), v = real(t, q);
        if (cli_time_is_up_at(i)) return 0;
        if (!isfinite(v)) continue;
        if (s->finite == 0 || v < s->min) s->min = v;
        if (s->finite == 0 || v > s->max) s->max = v;
        s->mean += v;
        s->finite++;
        if (s->vector) take_top(t, s, i, q);
    }
    if (s->finite) s->mean /= (double)s->finite;
    return 1;
}

int cli_summarize(cli_run *run) {
    npu_tensor t;
    int32_t    i;
    run->summaries = calloc((size_t)run->n_outputs + 1, sizeof *run->summaries);
    if (!run->summaries) return cli_no_memory();
    for (i = 0; i < run->n_outputs; i++)
        if (npu_session_output_of(run->session, run->subgraph, i, &t) == NPU_OK && !cli_sum_up(&t, &run->summaries[i]))
            return cli_check_time("while summing up the outputs");
    return CLI_OK;
}

void cli_show_values(FILE *to, const npu_tensor *t, const cli_summary *s) {
    int k;
    if (s->elems == 0) {
        fputs("    empty\n", to);
        return;
    }
    if (t->type == NPU_STRING) {
        cli_show_strings(to, t);
        return;
    }
    if (!has_numbers(t)) {
        fprintf(to, "    %lu elements\n", (unsigned long)s->elems);
        return;
    }
    for (k = 0; s->vector && k < s->n_top; k++) {
        double q = stored(t, s->top[k]);
        fprintf(to, "    [%lu] %.9g", (unsigned long)s->top[k], real(t, q));
        if (t->quant.count == 1) fprintf(to, " (%.0f)", q);
        fputc('\n', to);
    }
    if (!s->vector) fprintf(to, "    min %.6g  max %.6g  mean %.6g\n", s->min, s->max, s->mean);
    if (s->finite < s->elems)
        fprintf(to, "    %lu of %lu values are NaN or infinite\n", (unsigned long)(s->elems - s->finite),
                (unsigned long)s->elems);
}

/* ---- JSON ---- */

void cli_json_tensor(FILE *to, const npu_tensor *t) {
    char    type[32];
    int32_t i;
    cli_type_text(type, sizeof type, t->type);
    fputs("\"name\":", to);
    cli_json_string(to, t->name, t->name_len);
    fprintf(to, ",\"type\":\"%s\",\"shape\":[", type);
    for (i = 0; i < t->rank; i++) fprintf(to, "%s%d", i ? "," : "", (int)t->dims[i]);
    fputs("],\"quantization\":", to);
    if (t->quant.count < 1) {
        fputs("null", to);
        return;
    }
    fputs("{\"scale\":[", to);
    for (i = 0; i < t->quant.count; i++) {
        if (i) fputc(',', to);
        cli_json_number(to, (double)t->quant.scale[i]);
    }
    fputs("],\"zero_point\":[", to);
    for (i = 0; i < t->quant.count; i++) fprintf(to, "%s%d", i ? "," : "", (int)t->quant.zero_point[i]);
    fprintf(to, "],\"axis\":%d}", (int)t->quant.axis);
}

void cli_json_values(FILE *to, const npu_tensor *t, const cli_summary *s) {
    int k;
    fprintf(to, "\"elements\":%lu,\"min\":", (unsigned long)s->elems);
    cli_json_number(to, s->finite ? s->min : (double)NAN);
    fputs(",\"max\":", to);
    cli_json_number(to, s->finite ? s->max : (double)NAN);
    fputs(",\"mean\":", to);
    cli_json_number(to, s->finite ? s->mean : (double)NAN);
    fputs(",\"top\":[", to);
    for (k = 0; k < s->n_top; k++) {
        double q = stored(t, s->top[k]);
        fprintf(to, "%s{\"index\":%lu,\"value\":", k ? "," : "", (unsigned long)s->top[k]);
        cli_json_number(to, real(t, q));
        fputs(",\"stored\":", to);
        cli_json_number(to, q);
        fputc('}', to);
    }
    fputc(']', to);
    if (t->type == NPU_STRING) cli_json_strings(to, t);
}
