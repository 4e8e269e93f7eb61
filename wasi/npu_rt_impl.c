/* The one file of the CLI that holds the runtime itself. */
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"
