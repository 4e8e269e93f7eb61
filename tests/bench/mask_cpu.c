/* Lets the library of a process believe that the processor has fewer instruction sets (mask_cpu.py).

Each CPUID instruction at the addresses given becomes UD2, which is as long; the handler of SIGILL answers for it, with the bits of what is
hidden cleared. x86-64 Linux. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define PLACES 256
#define BIT(n) (1u << (n))

/* Registers in the order of CPUID's answer. */
enum { EAX, EBX, ECX, EDX };

/* What each instruction set needs beyond the one before it: leaf, subleaf, register, bits. Names are those of npu_rt bench --isa. */
struct feature {
    const char *isa;
    unsigned leaf, subleaf, reg, bits;
};

static const struct feature features[] = {
    {"sse4.1", 0, 0, 0, 0},
    {"avx2", 1, 0, ECX, BIT(12) | BIT(28) | BIT(29)}, /* FMA, AVX, F16C */
    {"avx2", 7, 0, EBX, BIT(5)},
    {"avxvnni", 7, 1, EAX, BIT(4)},
    {"avx512", 7, 0, EBX, BIT(16) | BIT(17) | BIT(21) | BIT(28) | BIT(30) | BIT(31)}, /* F, DQ, IFMA, CD, BW, VL */
    {"avx512vnni", 7, 0, ECX, BIT(11)},
    {"avx512vbmi", 7, 0, ECX, BIT(1) | BIT(6) | BIT(8) | BIT(12) | BIT(14)}, /* VBMI, VBMI2, GFNI, BITALG, VPOPCNTDQ */
    {"avx512vbmi", 7, 0, EDX, BIT(8)},                                      /* VP2INTERSECT */
    {"avx512vbmi", 7, 1, EAX, BIT(5)},                                      /* BF16 */
    {"amx-int8", 7, 0, EDX, BIT(22) | BIT(23) | BIT(24) | BIT(25)},         /* AMX-BF16, AVX-512-FP16, AMX */
    {"later", 7, 1, EAX, BIT(21) | BIT(23)},                                /* AMX-FP16, AVX-IFMA */
    {"later", 7, 1, EDX, BIT(4) | BIT(5) | BIT(8) | BIT(10) | BIT(19)},     /* AVX-VNNI-INT8, NE-CONVERT, AMX-COMPLEX, VNNI-INT16, AVX10 */
};

static uint8_t *place[PLACES];
static size_t places;
static size_t shown; /* features before this one stay visible */

static int same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++, b++;
    }
    return *a == *b;
}

static void answer(int signal_number, siginfo_t *info, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
    size_t i = 0;

    (void)info;
    while (i < places && place[i] != (uint8_t *)g[REG_RIP]) {
        i++;
    }
    if (i == places) {
        signal(signal_number, SIG_DFL); /* another's: it happens again, and ends the process */
        return;
    }
    unsigned leaf = (unsigned)g[REG_RAX], subleaf = (unsigned)g[REG_RCX], r[4];
    __cpuid_count(leaf, subleaf, r[EAX], r[EBX], r[ECX], r[EDX]);
    for (i = shown; i < sizeof features / sizeof *features; i++) {
        if (features[i].leaf == leaf && (leaf != 7 || features[i].subleaf == subleaf)) {
            r[features[i].reg] &= ~features[i].bits;
        }
    }
    g[REG_RAX] = r[EAX], g[REG_RBX] = r[EBX], g[REG_RCX] = r[ECX], g[REG_RDX] = r[EDX];
    g[REG_RIP] += 2;
}

/* How many instructions answer as a processor whose best instruction set is `isa`; -1 where that is unknown or a place holds no CPUID. */
int mask_cpu(const char *isa, void **addresses, size_t count)
{
    const long page = sysconf(_SC_PAGESIZE);
    struct sigaction action = {0};

    shown = 0;
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        shown = same(features[i].isa, isa) ? i + 1 : shown;
    }
    if (shown == 0 || count > PLACES) {
        return -1;
    }
    action.sa_sigaction = answer;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGILL, &action, NULL);
    for (size_t i = 0; i < count; i++) {
        uint8_t *at = addresses[i];
        uint8_t *first = (uint8_t *)((uintptr_t)at & ~(uintptr_t)(page - 1));
        if (at[0] != 0x0F || at[1] != 0xA2 || mprotect(first, (size_t)(at + 2 - first), PROT_READ | PROT_WRITE | PROT_EXEC)) {
            return -1;
        }
        place[places++] = at;
        at[1] = 0x0B;
        mprotect(first, (size_t)(at + 2 - first), PROT_READ | PROT_EXEC);
    }
    return (int)count;
}
