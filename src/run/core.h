/* Leaving a core. The system may start or wake a worker on the core of who works already, and there it waits until one of them is moved,
 * for milliseconds: longer than many a network takes. The worker moves itself, and may use all its cores again afterwards.
 * Linux's calls directly: no C library has them without extensions that must be asked for before the first header. */
#ifndef NPU__RUN_CORE_H
#define NPU__RUN_CORE_H

#include "../base/base.h"

#if defined(__linux__) && defined(__GNUC__) && ((defined(__x86_64__) && !defined(__ILP32__)) || (defined(__aarch64__) && defined(__LP64__)))
#  define NPU__HAS_CORES 1
#else
#  define NPU__HAS_CORES 0
#endif

#if NPU__HAS_CORES
#  if defined(__x86_64__)
enum { NPU__SYS_SETAFFINITY = 203, NPU__SYS_GETAFFINITY = 204, NPU__SYS_GETCPU = 309 };
NPU__INLINE long npu__linux(long call, long a, long b, void *c) {
    long answer;
    __asm__ __volatile__("syscall" : "=a"(answer) : "0"(call), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return answer;
}
#  else
enum { NPU__SYS_SETAFFINITY = 122, NPU__SYS_GETAFFINITY = 123, NPU__SYS_GETCPU = 168 };
NPU__INLINE long npu__linux(long call, long a, long b, void *c) {
    register long  x8 __asm__("x8") = call;
    register long  x0 __asm__("x0") = a;
    register long  x1 __asm__("x1") = b;
    register void *x2 __asm__("x2") = c;
    __asm__ __volatile__("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
}
#  endif
#endif

/* Number of the core that this thread is on; -1: unknown. */
NPU__FN int32_t npu__core(void);
/* Moves this thread away from core `number`, if it may be on others: the system refuses to leave it none. */
NPU__FN void npu__core_leave(int32_t number);

#endif
