/* Reports on backends: the placement of a model, and the ops a backend supports. */
#ifndef NPU__LEGAL_REPORT_H
#define NPU__LEGAL_REPORT_H

#include "../base/text.h"
#include "../vendor/place.h"

#if NPU__HAS_REPORTS

/* A member of a JSON object: the hardware a backend's name stands for, or null. */
NPU__FN void npu__report_accelerator(npu__text *t, const npu__backend *b);
/* TEXT or JSON. Work memory comes from `pool`. */
NPU__FN npu_status npu__report_placement(const npu__placement *p, const npu__nodes *nodes, npu__pool *pool, int only_refused,
                                         npu_format format, const npu_writer *writer, npu_diag *diag);
/* TEXT, JSON or MARKDOWN. */
NPU__FN npu_status npu__report_ops(const npu__backend *b, npu_format format, const npu_writer *writer,
                                   npu_diag *diag);

#endif
#endif
