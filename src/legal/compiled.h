/* What vendors' compilers put into a network. */
#ifndef NPU__LEGAL_COMPILED_H
#define NPU__LEGAL_COMPILED_H

#include "../vendor/vendor.h"

#if NPU__HAS_REPORTS

/* Says of every compiled operator of the model which accelerator it is for and what it does: lines of text (none, where the
 * model has no such operator), or the JSON member "compiled", a list. */
NPU__FN void npu__report_compiled(npu__text *t, int json, const npu_model *m);

#endif
#endif
