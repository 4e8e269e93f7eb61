/* One model on several NPUs, as a report. */
#ifndef NPU__LEGAL_COMPARE_H
#define NPU__LEGAL_COMPARE_H

#include "../base/text.h"
#include "../vendor/place.h"
#include "reasons.h"

#if NPU__HAS_REPORTS

/* An NPU, and all that is known of the model on it. */
typedef struct npu__compared {
    npu_fit        fit;
    npu__placement placement;
    npu__nodes     nodes; /* as the profile looks at them */
    npu__reasons   why[2];
    npu__scene     scene; /* a copy, for the form that goes through verdicts again */
} npu__compared;

/* `list` has n entries, n >= 1. TEXT, JSON, MARKDOWN or HTML. */
NPU__FN npu_status npu__report_compared(npu__compared *list, int32_t n, const char *title, npu_format format,
                                        const npu_writer *writer, npu_diag *diag);

/* What the forms share: MACs taken, time and slow memory of an estimate, or as far as they are bounded. They return the length. */
NPU__FN size_t npu__compared_macs(char *out, size_t cap, const npu_fit *f);
NPU__FN size_t npu__compared_time(char *out, size_t cap, const npu_fit *f);
NPU__FN size_t npu__compared_slow(char *out, size_t cap, const npu_fit *f);
NPU__FN const char *npu__compared_unknown(const npu_fit *f); /* in the place of a figure, where there is none */
/* What figures are, once for each way they were made. */
typedef void npu__compared_note(npu__text *t, const char *text);
NPU__FN void npu__compared_notes(npu__text *t, const npu__compared *list, int32_t n, npu__compared_note *note);
/* Ops that stay with the CPU. */
NPU__FN int64_t npu__compared_left(const npu_fit *f);
/* compare_html.c */
NPU__FN void npu__compared_html(npu__text *t, npu__compared *list, int32_t n, const char *title);

#endif
#endif
