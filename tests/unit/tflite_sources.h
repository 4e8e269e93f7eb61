/* The base and tflite layers alone, for tests that need no graph. */
#ifndef TESTS_UNIT_TFLITE_SOURCES_H
#define TESTS_UNIT_TFLITE_SOURCES_H

#define NPU__LAYERS (1 + 2) /* base, tflite */
#include "../../src/npu_rt.c"

#endif
