/* The library for the targets that use it as callers do: compiled once, linked to all of them. */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ALL
#define NPU_RT_THREADS
#ifndef FUZZ_OLD_API
#  define NPU_RT_DEBUG
#endif
#include "npu_rt.h"
