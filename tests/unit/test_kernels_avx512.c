/* The kernel test with the x86 intrinsics emulated: runs the AVX-512 rows on any machine. */
#include "avx512_simde.h"
#include "test_kernels.c"
