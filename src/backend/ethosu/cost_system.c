/* Accelerators, memories and memory modes of the cost estimate.
 *
 * Rates, latencies and bursts are those of the system configurations that Vela 5.2 takes when none is named, so that
 * the figures can be held against its own: Ethos-U55 "High End Embedded" with flash, Ethos-U65 "Client Server" and
 * Ethos-U85 "SYS DRAM Mid" with DRAM. A board has others: this compares networks, not boards. */
#include "accelerators.h"
#include "cost.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* What a core of so many MACs is built of:
 * X(MACs, smallest output block H W D, banks of internal memory, bank step, step of 40-bit accumulators) */
#define NPU__COST_CORES(X) \
    X(32,  1, 1, 4, 16, 2, 4)  \
    X(64,  1, 1, 8, 16, 2, 8)  \
    X(128, 1, 2, 8, 24, 4, 12) \
    X(256, 2, 2, 8, 48, 8, 20)

/* Of Ethos-U85: X(MACs, weight decoders, bytes for inputs, for accumulators, for outputs and between operations,
 * reads of 16 bytes under way: for
 * maps, weights, scales, copies, weights stored as they are; number of smallest blocks, H W D of each) */
#define NPU__COST_U85(X) \
    X(128,  1, 8192,  8192, 2048, 768,   104, 128, 16, 64,  128, 2, 1, 2, 8,  1, 1, 16, 1, 1, 16) \
    X(256,  1, 16384, 16384, 2048, 1536,  128, 128, 16, 104, 128, 3, 1, 2, 16, 1, 4, 8,  2, 2, 8)  \
    X(512,  2, 16384, 32768, 4096, 3072,  128, 256, 16, 128, 256, 2, 2, 2, 16, 1, 4, 16, 1, 4, 16) \
    X(1024, 4, 16384, 65536, 4096, 6144,  256, 416, 16, 256, 208, 3, 2, 2, 32, 1, 4, 32, 2, 4, 16) \
    X(2048, 4, 32768, 131072, 8192, 12288, 256, 512, 16, 256, 256, 3, 2, 2, 64, 1, 4, 64, 4, 4, 16)

/* X(product, clock in MHz, name of the slow memory,
 *   SRAM: bytes per cycle, burst, read and write latency; slow memory: likewise; usual memory mode) */
#define NPU__COST_SYSTEMS(X) \
    X(U55, 500,  "flash", 8,  32, 32, 32, 1,  128, 64,  0,   "shared-sram") \
    X(U65, 1000, "dram",  16, 32, 32, 32, 12, 128, 500, 250, "dedicated-sram-384k") \
    X(U85, 1000, "dram",  32, 64, 32, 32, 12, 128, 500, 250, "dedicated-sram-384k")

/* X(name, model in SRAM, arena in slow memory, bytes of the cache) */
#define NPU__COST_MODES(X) \
    X("sram-only",           1, 0, 1 << 30) \
    X("shared-sram",         0, 0, 1 << 30) \
    X("dedicated-sram-256k", 0, 1, 262144)  \
    X("dedicated-sram-384k", 0, 1, 393216)  \
    X("dedicated-sram-512k", 0, 1, 524288)

NPU__FN int npu__cost_machine_find(npu__cost_machine *out, const char *name) {
    memset(out, 0, sizeof *out);
#define NPU__X(text, prod, all_macs, n_cores) \
    if (name && strcmp(name, text) == 0) { \
        out->name = text; \
        out->product = NPU__ETHOSU_##prod; \
        out->cores = n_cores; \
        out->macs = all_macs / n_cores; \
    }
    NPU__ETHOSU_ACCELERATORS(NPU__X)
#undef NPU__X
#define NPU__X(core_macs, h, w, d, n_banks, step, wide) \
    if (out->macs == core_macs) { \
        out->block_h = h; \
        out->block_w = w; \
        out->block_d = d; \
        out->banks = n_banks; \
        out->bank_step = step; \
        out->wide_step = wide; \
    }
    NPU__COST_CORES(NPU__X)
#undef NPU__X
    out->decoders = 1;
    if (out->product != NPU__ETHOSU_U85) return out->banks > 0;
    out->banks = 0;
#define NPU__X(all_macs, decode, in, acc, ob, cb, maps, weights, scales, copies, fast, n, h0, w0, d0, h1, w1, d1, h2, w2, d2) \
    if (out->macs == all_macs) { \
        static const int32_t shapes[3][3] = {{h0, w0, d0}, {h1, w1, d1}, {h2, w2, d2}}; \
        static const int32_t under_way[NPU__COST_CHANNELS] = {maps, weights, scales, copies, copies, 0, fast}; \
        out->decoders = decode; \
        out->in_bytes = in; \
        out->accumulator_bytes = acc; \
        out->out_bytes = ob; \
        out->between_bytes = cb; \
        memcpy(out->under_way, under_way, sizeof under_way); \
        out->n_shapes = n; \
        memcpy(out->shapes, shapes, sizeof shapes); \
    }
    NPU__COST_U85(NPU__X)
#undef NPU__X
    return out->n_shapes > 0;
}

typedef struct npu__cost_mode {
    const char *name;
    int32_t     model_in_sram, arena_in_store;
    int64_t     cache_bytes;
} npu__cost_mode;

NPU__FN const npu__cost_mode *npu__cost_mode_at(int32_t i) {
    static const npu__cost_mode modes[] = {
#define NPU__X(name, model, arena, cache) {name, model, arena, cache},
        NPU__COST_MODES(NPU__X)
#undef NPU__X
    };
    return i >= 0 && i < NPU__COUNT(modes) ? &modes[i] : NULL;
}

NPU__FN const char *npu__cost_mode_name(int32_t i) {
    const npu__cost_mode *m = npu__cost_mode_at(i);
    return m ? m->name : NULL;
}

NPU__FN void npu__cost_memory_set(npu__cost_memory *m, double rate, int32_t burst, int32_t read, int32_t write) {
    m->bytes_per_cycle = rate;
    m->burst = burst;
    m->read_latency = read;
    m->write_latency = write;
}

NPU__FN int npu__cost_system_make(npu__cost_system *out, const char *accelerator, const char *mode) {
    memset(out, 0, sizeof *out);
    if (!npu__cost_machine_find(&out->machine, accelerator)) return 0;
#define NPU__X(p, mhz, store, r0, b0, lr0, lw0, r1, b1, lr1, lw1, usual) \
    if (out->machine.product == NPU__ETHOSU_##p) { \
        out->clock_hz = mhz * 1e6; \
        out->store_name = store; \
        npu__cost_memory_set(&out->memory[NPU__COST_SRAM], r0, b0, lr0, lw0); \
        npu__cost_memory_set(&out->memory[NPU__COST_STORE], r1, b1, lr1, lw1); \
        if (!mode) mode = usual; \
    }
    NPU__COST_SYSTEMS(NPU__X)
#undef NPU__X
    if (out->machine.product == NPU__ETHOSU_U85) { /* so many transactions at once */
        out->memory[NPU__COST_SRAM].most = 20.48;
        out->memory[NPU__COST_STORE].most = 10.4857;
    }
    for (int32_t i = 0; mode; i++) {
        const npu__cost_mode *m = npu__cost_mode_at(i);
        if (!m) return 0;
        if (strcmp(m->name, mode) != 0) continue;
        out->memory_mode = m->name;
        out->model_in_sram = m->model_in_sram;
        out->arena_in_store = m->arena_in_store;
        out->cache_bytes = m->cache_bytes;
        return 1;
    }
    return 0;
}

#undef NPU__COST_CORES
#undef NPU__COST_U85
#undef NPU__COST_SYSTEMS
#undef NPU__COST_MODES

#endif
