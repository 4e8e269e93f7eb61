/* Accelerators, memories and memory modes of the cost estimate.
 *
 * Rates, latencies and bursts are those of the system configurations that Vela 5.2 takes when none is named, so that
 * the figures can be held against its own: Ethos-U55 "High End Embedded" with flash, Ethos-U65 "Client Server" and
 * Ethos-U85 "SYS DRAM Mid" with DRAM. A board has others: this compares networks, not boards. */
#include "../hardware.h"
#include "cost.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

#define NPU__COST_CACHE_NONE (1 << 30) /* no mode limits it */

/* X(name, model in SRAM, arena in slow memory, bytes of the cache) */
#define NPU__COST_MODES(X) \
    X("sram-only",           1, 0, NPU__COST_CACHE_NONE) \
    X("shared-sram",         0, 0, NPU__COST_CACHE_NONE) \
    X("dedicated-sram-256k", 0, 1, 262144)  \
    X("dedicated-sram-384k", 0, 1, 393216)  \
    X("dedicated-sram-512k", 0, 1, 524288)

NPU__FN int npu__cost_machine_find(npu__cost_machine *out, const char *name) {
    memset(out, 0, sizeof *out);
#define NPU__IS(text, prod, core_macs, n_cores) \
    if (name && strcmp(name, text) == 0) { \
        out->name = text; \
        out->product = NPU__ETHOSU_##prod; \
        out->macs = core_macs; \
        out->cores = n_cores; \
        out->decoders = 1;
#define NPU__X(text, prod, core_macs, n_cores, n_banks, h, w, d, step, wide) \
    NPU__IS(text, prod, core_macs, n_cores) \
        out->block_h = h; \
        out->block_w = w; \
        out->block_d = d; \
        out->banks = n_banks; \
        out->bank_step = step; \
        out->wide_step = wide; \
    }
    NPU__ETHOSU_WITH_SHRAM(NPU__X)
#undef NPU__X
#define NPU__X(text, prod, core_macs, n_cores, decode, in, acc, ob, cb, maps, weights, scales, copies, fast, n, \
               h0, w0, d0, h1, w1, d1, h2, w2, d2) \
    NPU__IS(text, prod, core_macs, n_cores) \
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
    NPU__ETHOSU_WITH_CHAINS(NPU__X)
#undef NPU__X
#undef NPU__IS
    return out->macs > 0;
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
    NPU__ETHOSU_SYSTEMS(NPU__X)
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

#undef NPU__COST_MODES

NPU__FN int npu__ethosu_cost_of(npu__cost_plan *out, const npu__target *target, const char *mode) {
    npu__cost_system s;
    if (!target->accelerator || !npu__cost_system_make(&s, target->accelerator, mode)) return 0;
    out->accelerator = s.machine.name;
    out->memory_mode = s.memory_mode;
    out->store_name = s.store_name;
    out->clock_hz = s.clock_hz;
    out->macs_per_cycle = s.machine.macs * s.machine.cores;
    out->model_in_sram = s.model_in_sram;
    out->sram_limit = s.cache_bytes < NPU__COST_CACHE_NONE ? s.cache_bytes : 0;
#define NPU__X(p, found) if (s.machine.product == NPU__ETHOSU_##p) out->accuracy = found;
    NPU__ETHOSU_ACCURACY(NPU__X)
#undef NPU__X
    return 1;
}

#endif
