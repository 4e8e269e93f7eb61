/* mask_cpu: what a CPUID instruction answers before and after, instruction set by instruction set. */
#include "mask_cpu.c"
#include <stdio.h>

/* One instruction for each try: a replaced one stays so. */
#define ASK(NAME)                                                                                                      \
    __attribute__((noinline)) static unsigned NAME(unsigned leaf, unsigned reg, uint8_t **at)                          \
    {                                                                                                                  \
        unsigned r[4] = {leaf, 0, 0, 0};                                                                               \
        __asm__ volatile("lea 1f(%%rip), %4\n1: cpuid" : "+a"(r[0]), "=b"(r[1]), "+c"(r[2]), "=d"(r[3]), "=&r"(*at)); \
        return r[reg];                                                                                                 \
    }
ASK(first)
ASK(second)

static int failed;
static void check(int ok, const char *what)
{
    if (!ok) {
        printf("%s\n", what);
        failed = 1;
    }
}

int main(void)
{
    const unsigned avx = BIT(12) | BIT(28) | BIT(29), avx512 = BIT(16) | BIT(30) | BIT(31);
    uint8_t       *at[2];
    void          *place_of[1];
    const unsigned before = first(1, ECX, &at[0]), wide = second(7, EBX, &at[1]);

    check(mask_cpu("avx9", NULL, 0) == -1, "an unknown name is taken");
    place_of[0] = (void *)main;
    check(mask_cpu("avx2", place_of, 1) == -1, "another instruction is replaced");
    place_of[0] = at[0];
    check(mask_cpu("sse4.1", place_of, 1) == 1, "sse4.1 is refused");
    check(first(1, ECX, &at[0]) == (before & ~avx), "sse4.1 leaves AVX, or takes more");
    place_of[0] = at[1];
    check(mask_cpu("avx2", place_of, 1) == 1, "avx2 is refused");
    check(first(1, ECX, &at[0]) == before, "avx2 hides itself");
    check((second(7, EBX, &at[1]) & avx512) == 0 && (second(7, EBX, &at[1]) & BIT(5)) == (wide & BIT(5)), "avx2 leaves AVX-512, or takes AVX2");
    return failed;
}
