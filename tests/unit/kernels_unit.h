/* The kernels alone, as one unit: what the kernel test and the kernel benchmark compile. */
#ifndef NPU_TESTS_KERNELS_UNIT_H
#define NPU_TESTS_KERNELS_UNIT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/npu.h"
#include "../../src/base/base.h"
#include "../../src/base/format.c"
#include "../../src/base/diag.c"
#include "../../src/base/alloc.c"
#include "../../src/base/sort.c"
#include "../../src/base/cpu.c"
#include "../../src/kernels/ref_quant.c"
#include "../../src/kernels/pack.c"
#include "../../src/kernels/i8_avx2.c"
#include "../../src/kernels/f32_avx2.c"
#include "../../src/kernels/dw_avx2.c"
#include "../../src/kernels/i8_vnni.c"
#include "../../src/kernels/f32_avx512.c"
#include "../../src/kernels/i8_neon.c"
#include "../../src/kernels/i8_dot.c"
#include "../../src/kernels/f32_neon.c"
#include "../../src/kernels/i8_wasm.c"
#include "../../src/kernels/f32_wasm.c"
#include "../../src/kernels/select.c"
#include "../../src/kernels/sum8_avx2.c"
#include "../../src/kernels/pointwise.c"

#ifndef NPU_TEST_CAN_RUN
#define NPU_TEST_CAN_RUN(isa) npu_isa_available(isa)
#endif

#endif
