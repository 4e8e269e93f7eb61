/* The Ethos-U accelerators one can buy, in the vendor's names: the one table that rules, cost and command streams read. */
#ifndef NPU__VENDOR_ETHOSU_HARDWARE_H
#define NPU__VENDOR_ETHOSU_HARDWARE_H

#include "../vendors.h"

/* Is the software device in this build? */
#if NPU__HAS_ETHOSU && NPU__HAS_SOFTWARE_DEVICE
#  define NPU__HAS_EU_DEVICE 1
#else
#  define NPU__HAS_EU_DEVICE 0
#endif

/* As a compiled network's configuration word has them. */
enum { NPU__ETHOSU_U55 = 0, NPU__ETHOSU_U65 = 1, NPU__ETHOSU_U85 = 2 };

/* X(name, product, MACs per cycle of one core, cores, of one core: KiB of SHRAM (banks of 1 KiB), smallest output block H W D,
 * bank step, step of 40-bit accumulators) */
#define NPU__ETHOSU_WITH_SHRAM(X) \
    X("ethos-u55-32",  U55, 32,  1, 16, 1, 1, 4, 2, 4)  \
    X("ethos-u55-64",  U55, 64,  1, 16, 1, 1, 8, 2, 8)  \
    X("ethos-u55-128", U55, 128, 1, 24, 1, 2, 8, 4, 12) \
    X("ethos-u55-256", U55, 256, 1, 48, 2, 2, 8, 8, 20) \
    X("ethos-u65-256", U65, 256, 1, 48, 2, 2, 8, 8, 20) \
    X("ethos-u65-512", U65, 256, 2, 48, 2, 2, 8, 8, 20)

/* X(name, product, MACs per cycle, cores, weight decoders, bytes for inputs, for accumulators, for outputs and between
 * operations, reads of 16 bytes under way: for maps, weights, scales, copies, weights stored as they are; number of smallest
 * blocks, H W D of each) */
#define NPU__ETHOSU_WITH_CHAINS(X) \
    X("ethos-u85-128",  U85, 128,  1, 1, 8192,  8192,   2048, 768,   104, 128, 16, 64,  128, 2, 1, 2, 8,  1, 1, 16, 1, 1, 16) \
    X("ethos-u85-256",  U85, 256,  1, 1, 16384, 16384,  2048, 1536,  128, 128, 16, 104, 128, 3, 1, 2, 16, 1, 4, 8,  2, 2, 8)  \
    X("ethos-u85-512",  U85, 512,  1, 2, 16384, 32768,  4096, 3072,  128, 256, 16, 128, 256, 2, 2, 2, 16, 1, 4, 16, 1, 4, 16) \
    X("ethos-u85-1024", U85, 1024, 1, 4, 16384, 65536,  4096, 6144,  256, 416, 16, 256, 208, 3, 2, 2, 32, 1, 4, 32, 2, 4, 16) \
    X("ethos-u85-2048", U85, 2048, 1, 4, 32768, 131072, 8192, 12288, 256, 512, 16, 256, 256, 3, 2, 2, 64, 1, 4, 64, 4, 4, 16)

/* All of them: X(name, product, MACs per cycle of one core, cores, and what the lists above have more) */
#define NPU__ETHOSU_ACCELERATORS(X) NPU__ETHOSU_WITH_SHRAM(X) NPU__ETHOSU_WITH_CHAINS(X)

/* MACs per cycle of the one that stands for its product where NPUs are compared. */
#define NPU__ETHOSU_USUAL_U55 128
#define NPU__ETHOSU_USUAL_U65 256
#define NPU__ETHOSU_USUAL_U85 256

/* What estimates were held against: Vela 5.2's own, network by network (src/notes/ethosu_cost.md). X(product, what was found) */
#define NPU__ETHOSU_ACCURACY(X) \
    X(U55, "cycles against Vela 5.2's own estimate: median 0.24 % off, worst 37 %") \
    X(U65, "cycles against Vela 5.2's own estimate: median 0.38 % off, worst 39 %") \
    X(U85, "cycles against Vela 5.2's own estimate: median 0.5 % off, worst 81 %")

/* X(product, clock in MHz, name of the slow memory,
 *   SRAM: bytes per cycle, burst, read and write latency; slow memory: likewise; usual memory mode) */
#define NPU__ETHOSU_SYSTEMS(X) \
    X(U55, 500,  "flash", 8,  32, 32, 32, 1,  128, 64,  0,   "shared-sram") \
    X(U65, 1000, "dram",  16, 32, 32, 32, 12, 128, 500, 250, "dedicated-sram-384k") \
    X(U85, 1000, "dram",  32, 64, 32, 32, 12, 128, 500, 250, "dedicated-sram-384k")

#endif
