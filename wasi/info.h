/* The parts of npu_rt info. */
#ifndef NPU_RT_INFO_H
#define NPU_RT_INFO_H

#include "npu_rt.h"

/* Prints the #define lines (TEXT) or compiler flags (JSON) that keep just the operators of `n` models. Returns an exit code: 4 when
 * this build lacks some, which stderr lists. */
int cli_info_ops(char **paths, int n, npu_format format);

#endif
