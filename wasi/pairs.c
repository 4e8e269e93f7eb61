/* How far two tensors are apart, for npu_rt compare: as text, as a row, as JSON. */
#include "pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tensor of the same shape with what t stands for. False: reported by the caller. */
static int reals_of(const npu_tensor *t, npu_tensor *out, npu_diag *diag) {
    size_t  n = 1;
    int32_t i;
    memset(diag, 0, sizeof *diag);
    for (i = 0; i < t->rank; i++) n *= (size_t)t->dims[i];
    if (n > SIZE_MAX / 8) return 0;
    *out = *t;
    out->type = NPU_FLOAT32;
    out->bytes = n * sizeof(float);
    out->data = malloc(out->bytes ? out->bytes : 1);
    memset(&out->quant, 0, sizeof out->quant);
    if (!out->data) return 0;
    if (npu_tensor_dequantize(t, out->data, n, diag) == NPU_OK) return 1;
    free(out->data);
    return 0;
}

int cli_pair_compare(cli_pair *pair, const npu_tensor *a, const npu_tensor *b) {
    npu_tensor x = *a, y = *b;
    npu_diag   diag;
    memset(&diag, 0, sizeof diag);
    pair->a = *a;
    pair->as_reals = a->type != b->type;
    if (cli_check_time("while comparing") != CLI_OK) return CLI_FAILED;
    if (pair->as_reals && !reals_of(a, &x, &diag)) {
        snprintf(pair->why, sizeof pair->why, "%s", diag.text[0] ? diag.text : "out of memory");
        return CLI_OK;
    }
    if (pair->as_reals && !reals_of(b, &y, &diag)) {
        free(x.data);
        snprintf(pair->why, sizeof pair->why, "%s", diag.text[0] ? diag.text : "out of memory");
        return CLI_OK;
    }
    pair->known = npu_tensor_compare(&x, &y, &pair->d, &diag) == NPU_OK;
    if (!pair->known) snprintf(pair->why, sizeof pair->why, "%s", diag.text);
    if (pair->as_reals) {
        free(x.data);
        free(y.data);
    }
    return CLI_OK;
}

int cli_pair_differs(const cli_pair *pair, double tolerance) { return !pair->known || !(pair->d.max_abs <= tolerance); }

/* ---- text ---- */

/* The k-th bin of the histogram: "0", "3-4", "more". */
static const char *bin_text(char *text, size_t cap, int k) {
    const unsigned long top = k ? 1ul << (k - 1) : 0;
    if (k == NPU_DIFFERENCE_BINS - 1) snprintf(text, cap, "more");
    else if (k < 3) snprintf(text, cap, "%lu", top);
    else snprintf(text, cap, "%lu-%lu", top / 2 + 1, top);
    return text;
}

static void number(char *text, size_t cap, double v) {
    if (isfinite(v)) snprintf(text, cap, "%.6g", v);
    else snprintf(text, cap, "endless");
}

/* "[0,3,1]" of an element's number in C order. */
static void place_text(char *text, size_t cap, const npu_tensor *t, size_t i) {
    size_t  at[NPU_MAX_RANK], n = 0;
    int32_t d;
    if (t->type == NPU_COMPLEX64 || t->type == NPU_COMPLEX128) i /= 2; /* parts were counted */
    for (d = t->rank; d-- > 0;) {
        const size_t size = t->dims[d] > 0 ? (size_t)t->dims[d] : 1;
        at[d] = i % size;
        i /= size;
    }
    n = (size_t)snprintf(text, cap, "[");
    for (d = 0; d < t->rank && n < cap; d++) n += (size_t)snprintf(text + n, cap - n, "%s%lu", d ? "," : "", (unsigned long)at[d]);
    if (n < cap) snprintf(text + n, cap - n, "]");
}

static void show_histogram(FILE *to, const npu_difference *d) {
    char text[32];
    int  k, n = 0;
    fprintf(to, "    %s apart:", d->ulps ? "units in the last place" : "steps");
    for (k = 0; k < NPU_DIFFERENCE_BINS; k++)
        if (d->histogram[k])
            fprintf(to, "%s %s: %lu", n++ ? "," : "", bin_text(text, sizeof text, k), (unsigned long)d->histogram[k]);
    fputc('\n', to);
}

void cli_pair_show(FILE *to, const cli_pair *pair) {
    const npu_difference *d = &pair->d;
    char                  most[32], place[256];
    cli_show_tensor(to, "", &pair->a);
    if (!pair->known) {
        fputs("\n    cannot be compared: ", to);
        cli_text(to, pair->why, strlen(pair->why));
        fputc('\n', to);
        return;
    }
    if (d->differing == 0 && d->max_abs == 0) {
        fprintf(to, "\n    equal, %lu elements%s\n", (unsigned long)d->elements, pair->as_reals ? ", compared as reals" : "");
        return;
    }
    number(most, sizeof most, d->max_abs);
    place_text(place, sizeof place, &pair->a, d->max_index);
    fprintf(to, "\n    %lu of %lu elements differ%s, by %s at most, at %s\n", (unsigned long)d->differing, (unsigned long)d->elements,
            pair->as_reals ? " (compared as reals)" : "", most, place);
    if (d->nans) fprintf(to, "    %lu are NaN on one side only\n", (unsigned long)d->nans);
    show_histogram(to, d);
}

void cli_pair_row(FILE *to, const cli_pair *pair) {
    char most[32] = "-", bin[32] = "-";
    int  k = NPU_DIFFERENCE_BINS - 1;
    if (pair->known) {
        number(most, sizeof most, pair->d.max_abs);
        while (k > 0 && pair->d.histogram[k] == 0) k--;
        bin_text(bin, sizeof bin, k);
    }
    fprintf(to, "%5d %-24s %12s %12lu %12lu %14s  ", (int)pair->op, pair->op_name, most, (unsigned long)pair->d.differing,
            (unsigned long)pair->d.elements, bin);
    cli_text(to, pair->a.name, pair->a.name_len < 60 ? pair->a.name_len : 60);
    fputc('\n', to);
}

/* ---- JSON ---- */

static void json_histogram(FILE *to, const npu_difference *d) {
    int k, n = 0;
    fprintf(to, "\"unit\":\"%s\",\"histogram\":[", d->ulps ? "ulp" : "step");
    for (k = 0; k < NPU_DIFFERENCE_BINS; k++) {
        const unsigned long top = k ? 1ul << (k - 1) : 0;
        if (!d->histogram[k]) continue;
        fprintf(to, "%s{\"from\":%lu,\"to\":", n++ ? "," : "", k < 3 ? top : top / 2 + 1);
        if (k == NPU_DIFFERENCE_BINS - 1) fputs("null", to);
        else fprintf(to, "%lu", top);
        fprintf(to, ",\"count\":%lu}", (unsigned long)d->histogram[k]);
    }
    fputc(']', to);
}

void cli_pair_json(FILE *to, const cli_pair *pair) {
    const npu_difference *d = &pair->d;
    fprintf(to, "{\"index\":%d,\"op\":", (int)pair->op);
    if (pair->op_name[0]) cli_json_string(to, pair->op_name, strlen(pair->op_name));
    else fputs("null", to);
    fprintf(to, ",\"tensor\":%d,", (int)pair->tensor);
    cli_json_tensor(to, &pair->a);
    fprintf(to, ",\"compared\":%s,\"as_reals\":%s,\"reason\":", pair->known ? "true" : "false", pair->as_reals ? "true" : "false");
    if (pair->known) fputs("null", to);
    else cli_json_string(to, pair->why, strlen(pair->why));
    fprintf(to, ",\"elements\":%lu,\"differing\":%lu,\"nans\":%lu,\"endless\":%s,\"max_abs\":", (unsigned long)d->elements,
            (unsigned long)d->differing, (unsigned long)d->nans, pair->known && isinf(d->max_abs) ? "true" : "false");
    cli_json_number(to, pair->known ? d->max_abs : (double)NAN);
    fprintf(to, ",\"max_index\":%lu,", (unsigned long)d->max_index);
    json_histogram(to, d);
    fputc('}', to);
}
