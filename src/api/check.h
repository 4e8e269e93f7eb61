/* What the reports of this layer share. */
#ifndef NPU__API_CHECK_H
#define NPU__API_CHECK_H

#include "../base/base.h"

#if NPU__HAS_REPORTS

/* May results go there, in that format? */
NPU__FN int npu__check_writer_ok(const npu_writer *writer, npu_format format, npu_format last);

#endif
#endif
