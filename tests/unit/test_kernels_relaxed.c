/* The kernel test with WebAssembly's relaxed dot product in C: runs its rows on machines whose engines have it otherwise. Of signed and
 * unsigned bytes; -DNPU_TEST_SDOT: of signed ones. */
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>

#ifdef NPU_TEST_SDOT
typedef int8_t npu_test_byte;
#define NPU_TEST_CAN_RUN(isa) ((isa) == NPU_ISA_WASM_SDOT)
#else
typedef uint8_t npu_test_byte;
#define NPU_TEST_CAN_RUN(isa) ((isa) == NPU_ISA_WASM_USDOT)
#endif
__attribute__((target("ssse3,sse4.1"))) static __m128i npu_test_dot8(__m128i sum, __m128i w, __m128i a) {
    uint32_t      sums[4];
    int8_t        x[16];
    npu_test_byte y[16];
    memcpy(sums, &sum, 16);
    memcpy(x, &w, 16);
    memcpy(y, &a, 16);
    for (int i = 0; i < 16; i++) sums[i / 4] += (uint32_t)(x[i] * y[i]);
    memcpy(&sum, sums, 16);
    return sum;
}
#define NPU__V_DOT8(sum, w, a) npu_test_dot8(sum, w, a)
#include "test_kernels.c"
#else
#include <stdio.h>
int main(void) {
    printf("left out: these rows are built on x86, or for WebAssembly\n0 passed, 0 failed\n");
    return 0;
}
#endif
