/* The kernels alone, as one unit: what the kernel test and the kernel benchmark compile. */
#ifndef NPU_TESTS_KERNELS_UNIT_H
#define NPU_TESTS_KERNELS_UNIT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NPU__LAYERS (1 + 4) /* base, kernels */
#include "../../src/npu_rt.c"

#ifndef NPU_TEST_CAN_RUN
#define NPU_TEST_CAN_RUN(isa) npu_isa_available(isa)
#endif

#endif
