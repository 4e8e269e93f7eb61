/* Which core a thread is on, and away from it. */
#include "core.h"

NPU__FN int32_t npu__core(void) {
#if NPU__HAS_CORES
    uint32_t number = UINT32_MAX;
    (void)npu__linux(NPU__SYS_GETCPU, (long)(intptr_t)&number, 0, NULL);
    return (int32_t)number;
#else
    return -1;
#endif
}

NPU__FN void npu__core_leave(int32_t number) {
#if NPU__HAS_CORES
    uint64_t   allowed[64], others[64]; /* 4096 cores; where there are more, this is not allowed */
    const long bytes = npu__linux(NPU__SYS_GETAFFINITY, 0, (long)sizeof allowed, allowed);
    /* A negative number of bytes is an error; more than there is room for is what compilers fear. */
    if (number < 0 || number / 8 >= bytes || bytes > (long)sizeof allowed) return;
    memcpy(others, allowed, (size_t)bytes);
    others[number / 64] &= ~((uint64_t)1 << number % 64);
    (void)npu__linux(NPU__SYS_SETAFFINITY, 0, bytes, others);
    (void)npu__linux(NPU__SYS_SETAFFINITY, 0, bytes, allowed);
#else
    (void)number;
#endif
}
