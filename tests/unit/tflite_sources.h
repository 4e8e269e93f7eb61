/* The base and tflite layers alone, for tests that need no graph. */
#ifndef TESTS_UNIT_TFLITE_SOURCES_H
#define TESTS_UNIT_TFLITE_SOURCES_H

#define NPU_RT_IMPLEMENTATION
#include "../../src/npu.h"
#include "../../src/base/base.h"
#include "../../src/base/format.c"
#include "../../src/base/diag.c"
#include "../../src/base/alloc.c"
#include "../../src/base/sort.c"
#include "../../src/base/cpu.c"
#include "../../src/base/text.c"
#include "../../src/tflite/schema.c"
#include "../../src/tflite/identify.c"
#include "../../src/tflite/verify.c"
#include "../../src/tflite/flexbuf.c"
#include "../../src/tflite/flexbuf_print.c"

#endif
