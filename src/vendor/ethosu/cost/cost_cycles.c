/* Cycles and traffic of an operation whose blocks are chosen. */
#include "cost_block.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* Hostile shapes give large numbers; sums of them stay within int64. */
NPU__FN int64_t npu__cost_whole(double v) { return v < 1e15 ? (int64_t)v : (int64_t)1000000000000000; }

/* ---- the MAC units ---- */

/* Steps for one window of up to 8x8: a step is one pass over the block, with 4 (16-bit: 2) window positions of a group
 * of channels at once, or with one position of up to 32 channels. */
NPU__FN int64_t npu__cost_window_steps(const npu__cost_machine *m, const npu__cost_op *op, int part_kernel,
                                       int64_t size) {
    if (size == 0) return 0;
    switch (op->kind) {
    case NPU__COST_POOL: return NPU__MAX(size, 4) * (m->macs == 32 ? 1 : op->in[0].bits / 2);
    case NPU__COST_DEPTHWISE: return npu__cost_ceil(size, 4);
    default: return part_kernel ? npu__cost_ceil(size, op->in[0].bits == 16 ? 2 : 4) : size;
    }
}

/* Larger windows are taken apart into pieces of 8x8. */
NPU__FN int64_t npu__cost_steps(const npu__cost_machine *m, const npu__cost_op *op, int part_kernel) {
    int64_t ny = op->kernel_h / 8, nx = op->kernel_w / 8, ry = op->kernel_h % 8, rx = op->kernel_w % 8;
    return ny * nx * npu__cost_window_steps(m, op, part_kernel, 64) +
           ny * npu__cost_window_steps(m, op, part_kernel, 8 * rx) +
           nx * npu__cost_window_steps(m, op, part_kernel, 8 * ry) +
           npu__cost_window_steps(m, op, part_kernel, ry * rx);
}

typedef struct npu__cost_tiles {
    int32_t h, w, d;      /* block, no larger than the output */
    int64_t area, deep;   /* smallest blocks in it: over height and width; over channels */
    double  blocks;       /* of this size in the output, counted in smallest blocks */
} npu__cost_tiles;

NPU__FN npu__cost_tiles npu__cost_tile(const npu__cost_op *op, const npu__cost *c) {
    npu__cost_tiles t;
    int32_t         bh = c->smallest[0], bw = c->smallest[1], bd = c->smallest[2];
    if (bh == 2 && op->kind == NPU__COST_CONV && op->out.h == 1 && op->kernel_h == 1 && op->out.w % 2 == 0) {
        bh = 1; /* a single row is computed four wide */
        bw = 4;
    }
    t.h = NPU__MIN(c->block[0], op->out.h);
    t.w = NPU__MIN(c->block[1], op->out.w);
    t.d = NPU__MIN(c->block[2], op->out.c);
    t.area = npu__cost_ceil(t.h, bh) * npu__cost_ceil(t.w, bw);
    t.deep = npu__cost_ceil(t.d, bd);
    t.blocks = (double)(npu__cost_ceil(op->out.h, bh) * npu__cost_ceil(op->out.w, bw)) *
               (double)npu__cost_ceil(op->out.c, bd) / (double)(t.area * t.deep);
    return t;
}

/* What an Ethos-U85 waits beside it: steps on a single smallest block are too short to hide the next one's start. */
NPU__FN int64_t npu__cost_delay(const npu__cost_machine *m, const npu__cost_op *op, const npu__cost *c,
                                const npu__cost_tiles *t) {
    int64_t pieces = npu__cost_ceil(op->kernel_h, 8) * npu__cost_ceil(op->kernel_w, 8), steps, delay;
    if (m->n_shapes < 1 || t->area > 1) return 0;
    steps = op->kind == NPU__COST_POOL ? pieces : npu__cost_steps(m, op, c->part_kernel);
    delay = op->in[0].bits == 16 && m->macs <= 128 ? 3 : 2;
    delay *= t->deep == 1 ? steps : NPU__MAX(steps - pieces, 0) * t->deep;
    return c->part_kernel ? delay * npu__cost_ceil(c->in_block[2], 8) : delay;
}

/* MAC cycles of one block. A smallest block takes 4 cycles a step; the next weights take longer than that to arrive
 * when the block has few of them. */
NPU__FN double npu__cost_mac_cycles(const npu__cost_machine *m, const npu__cost_op *op, const npu__cost *c,
                                    const npu__cost_tiles *t) {
    int64_t steps = npu__cost_steps(m, op, c->part_kernel), pass = 4 * t->area, in_d, delay;
    delay = npu__cost_delay(m, op, c, t);
    if (op->kind == NPU__COST_POOL) return (double)(steps * t->area * t->deep + delay) / m->cores;
    if (op->kind == NPU__COST_DEPTHWISE) pass *= op->in[0].bits / 8;
    in_d = NPU__MIN(c->in_block[2], op->in[0].c);
    if (m->n_shapes > 0 && op->kind != NPU__COST_DEPTHWISE && !c->part_kernel) {
        pass = t->area * NPU__MAX(in_d / 8, 1) * (op->in[0].bits / 8);
    }
    pass = NPU__MAX(pass, 4 * c->smallest[2] / m->decoders) * steps * t->deep;
    if (op->kind == NPU__COST_DEPTHWISE) return (double)(pass + delay) / m->cores;
    if (c->part_kernel) pass *= npu__cost_ceil(in_d, 8);
    if (op->sparse) pass /= 2;
    return (double)(pass + delay) * (double)npu__cost_ceil(op->in[0].c, in_d) / m->cores;
}

/* ---- the output unit ---- */

/* Cycles an element. The output unit grows with the MACs, so everything is in proportion to `unit`, but for what 32-bit
 * values and lookups cost beside it. */
NPU__FN double npu__cost_out_cycles(const npu__cost_machine *m, const npu__cost_op *op) {
    double unit = 64.0 / m->macs, cycles = unit;
    int    elementwise = op->kind == NPU__COST_ELEMENTWISE;
    if (m->n_shapes > 0) { /* Ethos-U85: wide values alone are slower */
        int32_t own = op->chained ? op->first_bits : op->out.bits;
        int32_t bits = NPU__MAX(own, elementwise && op->in[1].h > 0 ? op->in[0].bits : 8);
        if (bits == 32 && op->chained) return 2 * unit + op->chain_cycles;
        if (op->chained) unit += op->chain_cycles;
        if (bits == 32) return unit * (elementwise && op->in[1].h > 0 ? NPU__MAX(m->decoders, 2) : m->decoders);
        return bits == 16 && m->macs >= 1024 ? unit + 64.0 / m->macs : unit;
    }
    if (elementwise && op->in[0].bits == 32) {
        cycles = 0.5 + unit / 2 + (m->macs == 32 ? 0.5 : 0) + (op->in[1].h > 0 ? 0.5 : 0);
    } else if ((elementwise && op->unit == NPU__COST_MUL) || npu__cost_wide(op)) {
        cycles = 1.5 * unit;
    } else if (op->unit == NPU__COST_ADD) {
        cycles = 3 * unit;
    } else if (op->unit == NPU__COST_MAX) {
        cycles = unit / 2;
    }
    if (op->activation == NPU__COST_ACT_LOOKUP) cycles = NPU__MAX(cycles, 1);
    if (op->activation == NPU__COST_ACT_CLAMP) cycles = NPU__MAX(cycles, NPU__MIN(unit, 1));
    return cycles / m->cores;
}

/* ---- memory ---- */

/* Bytes that `elements` of a map cost, when blocks of `w` x `d` of it move at a time: short bursts waste the rest. */
NPU__FN double npu__cost_moved(const npu__cost_system *s, const npu__cost_map *map, int32_t w, int32_t d, int write,
                               double elements) {
    const npu__cost_memory *memory = &s->memory[map->where];
    int32_t                 size = map->bits / 8;
    int64_t                 run;
    if (!map->linear) run = 16 * (int64_t)size * w;
    else if (d == map->c && (!write || d <= 16)) run = (int64_t)size * w * d;
    else if (write) run = NPU__MIN(NPU__MIN(64, 16 * size * s->machine.cores), d * size);
    else run = (int64_t)size * d;
    run = NPU__MAX(NPU__MIN(run, memory->burst), 1);
    return elements * size * memory->burst / (double)run;
}

NPU__FN double npu__cost_channels(const npu__cost_map *map) {
    return map->linear ? map->c : npu__cost_round(map->c, 16);
}

/* Cycles to read (write) one block; `d` as stored. */
NPU__FN double npu__cost_block_move(const npu__cost_system *s, const npu__cost_map *map, int32_t h, int32_t w,
                                    int32_t d, int write) {
    const npu__cost_memory *memory = &s->memory[map->where];
    double                  n = (double)NPU__MIN(h, map->h) * NPU__MIN(w, map->w) * NPU__MIN(d, map->c);
    return (write ? memory->write_latency : memory->read_latency) +
           npu__cost_moved(s, map, w, d, write, n) / memory->bytes_per_cycle;
}

typedef struct npu__cost_bytes {
    double of[2][NPU__COST_CHANNELS]; /* NPU__COST_SRAM, NPU__COST_STORE */
} npu__cost_bytes;

/* Bytes a cycle of one channel: where few reads are under way at once, latency limits it (a fifth is lost to gaps). */
NPU__FN double npu__cost_rate(const npu__cost_system *s, int where, int channel) {
    const npu__cost_memory *m = &s->memory[where];
    int32_t                 reads = channel == NPU__COST_WRITES ? 0 : s->machine.under_way[channel];
    double                  rate = m->most > 0 ? NPU__MIN(m->most, m->bytes_per_cycle) : m->bytes_per_cycle;
    return reads > 0 ? NPU__MIN(rate, 0.8 * 16 * reads / m->read_latency) : rate;
}

NPU__FN double npu__cost_read_cycles(const npu__cost_system *s, int where, int channel, double bytes) {
    return bytes / npu__cost_rate(s, where, channel) + s->memory[where].read_latency;
}

NPU__FN double npu__cost_copy_cycles(const npu__cost_system *s, double bytes) {
    double read = npu__cost_read_cycles(s, NPU__COST_STORE, NPU__COST_COPIES, bytes);
    double write = bytes / npu__cost_rate(s, NPU__COST_SRAM, NPU__COST_WRITES) + s->memory[NPU__COST_SRAM].write_latency;
    return floor(NPU__MAX(read, write));
}

/* The channels share the memory. */
NPU__FN double npu__cost_transfer(const npu__cost_system *s, const npu__cost_bytes *b, int where) {
    double cycles = 0, bytes = 0;
    for (int channel = 0; channel < NPU__COST_CHANNELS; channel++) {
        bytes += b->of[where][channel];
        cycles = NPU__MAX(cycles, b->of[where][channel] / npu__cost_rate(s, where, channel));
    }
    return NPU__MAX(cycles, bytes / s->memory[where].bytes_per_cycle);
}

NPU__FN double npu__cost_refetch(const npu__cost_op *op, const npu__cost *c) {
    return (double)(npu__cost_ceil(op->out.h, NPU__MIN(c->block[0], op->out.h)) *
                    npu__cost_ceil(op->out.w, NPU__MIN(c->block[1], op->out.w)));
}

/* Elements of the first input that blocks of the output, of `depth` channels, read. */
NPU__FN double npu__cost_window_reads(const npu__cost_op *op, const npu__cost *c, int32_t depth) {
    const npu__cost_map *in = &op->in[0];
    int64_t passes = npu__cost_ceil(op->kernel_h, 8) * npu__cost_ceil(op->kernel_w, 8);
    double  n = (double)NPU__MIN(c->in_block[0], in->h) * NPU__MIN(c->in_block[1], in->w) * npu__cost_channels(in);
    n *= (double)passes * npu__cost_refetch(op, c);
    return npu__cost_equal_depth(op) ? n : n * (double)npu__cost_ceil(depth, NPU__MIN(c->block[2], depth));
}

NPU__FN double npu__cost_read_bytes(const npu__cost_op *op, const npu__cost *c, int32_t depth) {
    return npu__cost_window_reads(op, c, depth) * op->in[0].bits / 8;
}

NPU__FN void npu__cost_read_maps(const npu__cost_system *s, const npu__cost_op *op, const npu__cost *c,
                                 npu__cost_bytes *b) {
    double out = (double)op->out.h * op->out.w * npu__cost_channels(&op->out);
    for (int32_t i = 0; i < 2; i++) {
        const npu__cost_map *in = &op->in[i];
        int    channel = npu__cost_uses_window(op) ? NPU__COST_MAPS : NPU__COST_STREAMS;
        double n = out;
        if (in->h == 0 || in->constant) continue;
        if (npu__cost_uses_window(op)) n = npu__cost_window_reads(op, c, op->out.c);
        else if (s->machine.n_shapes > 0) n = (double)in->h * in->w * npu__cost_channels(in);
        if (op->thin_in) n = n * 8 / in->bits;
        b->of[in->where][channel] += npu__cost_moved(s, in, c->in_block[1], c->in_block[2], 0, n);
    }
    if (op->thin_out) out = out * 8 / op->out.bits;
    for (int32_t i = 0; i < op->chained && i < 2; i++) {
        const npu__cost_map *in = &op->also[i];
        double               n = (double)in->h * in->w * npu__cost_channels(in);
        if (in->h == 0 || in->constant) continue;
        b->of[in->where][NPU__COST_STREAMS] += npu__cost_moved(s, in, c->in_block[1], c->in_block[2], 0, n);
    }
    if (op->run > 0) {
        double burst = s->memory[op->out.where].burst, run = NPU__MIN((double)op->run * op->out.bits / 8, burst);
        b->of[op->out.where][NPU__COST_WRITES] += out * op->out.bits / 8 * burst / run;
        return;
    }
    b->of[op->out.where][NPU__COST_WRITES] += npu__cost_moved(s, &op->out, c->block[1], c->block[2], 1, out);
}

/* ---- all of it ---- */

NPU__FN double npu__cost_run(const npu__cost_system *s, const npu__cost_op *whole, const npu__cost *c, int32_t depth,
                             int from, int first, int last) {
    const npu__cost_machine *m = &s->machine;
    npu__cost_op   part = *whole, *op = &part;
    npu__cost_tiles t;
    double mac, out, issue, read, write, cycles;
    op->out.c = depth;
    t = npu__cost_tile(op, c);
    mac = npu__cost_mac_cycles(m, op, c, &t);
    out = ceil(npu__cost_out_cycles(m, op) * t.h * t.w * t.d);
    if (op->has_weights) { /* biases and scales: 10 bytes a channel */
        out = NPU__MAX(out, 10.0 / 256 * t.d * s->memory[from].read_latency);
    }
    read = npu__cost_block_move(s, &op->in[0], c->in_block[0], c->in_block[1], c->in_block[2], 0);
    write = npu__cost_block_move(s, &op->out, c->block[0], c->block[1], c->block[2], 1);
    issue = (mac + out + (t.blocks > 1 ? fabs(write - read) : 0)) / 4; /* four blocks at most are under way */
    mac = NPU__MAX(mac, issue);
    out = NPU__MAX(out, issue);
    if (mac > out) cycles = mac * t.blocks + (last ? out : 0);
    else cycles = out * t.blocks + mac;
    return floor(cycles + (first ? read : 0) + (last ? write : 0));
}

/* Weights and scales are read again for every block over height and width: from the store, or weights from a copy. */
NPU__FN void npu__cost_weighted(const npu__cost_system *s, const npu__cost_op *op, npu__cost *c,
                                const npu__cost_copy *copy, double slack, npu__cost_bytes *b) {
    int    store = s->model_in_sram ? NPU__COST_SRAM : NPU__COST_STORE, from = copy->parts > 0 ? NPU__COST_SRAM : store;
    double weights = (double)op->weight_bytes, scales = (double)op->scale_bytes, refetch = npu__cost_refetch(op, c);
    double npu = npu__cost_run(s, op, c, op->out.c, from, 1, 1);
    if (copy->parts > 0) {
        double rest = NPU__MAX(weights - (copy->ahead ? copy->first : 0), 0);
        double wait = NPU__MAX(npu__cost_copy_cycles(s, copy->first) - slack, 0);
        npu = NPU__MAX(npu + wait, npu__cost_copy_cycles(s, weights + scales) - slack + copy->last);
        b->of[NPU__COST_STORE][NPU__COST_COPIES] += rest;
        b->of[NPU__COST_SRAM][NPU__COST_WRITES] += rest;
    }
    b->of[from][NPU__COST_WEIGHTS] += weights * refetch;
    b->of[store][NPU__COST_SCALES] += scales * refetch;
    c->npu = npu__cost_whole(npu);
}

NPU__FN int64_t npu__cost_elementwise_npu(const npu__cost_system *s, const npu__cost_op *op, const npu__cost *c) {
    double n = (double)op->out.h * op->out.w * npu__cost_channels(&op->out);
    double block = (double)c->block[0] * c->block[1] * c->block[2], out = npu__cost_out_cycles(&s->machine, op), move;
    move = npu__cost_block_move(s, &op->out, c->block[0], c->block[1], c->block[2], 1);
    for (int32_t i = 0; i < 2; i++) {
        double read;
        if (op->in[i].h == 0 || op->in[i].constant) continue;
        read = npu__cost_block_move(s, &op->in[i], c->in_block[0], c->in_block[1], c->in_block[2], 0);
        move = NPU__MAX(move, read);
    }
    return npu__cost_whole(ceil(NPU__MAX(out, (move / block + out) / 4) * n));
}

/* Cycles to load a lookup table: the memory for tables of an Ethos-U85 takes a byte a cycle. Tables of operations that
 * join others are there in time. */
NPU__FN double npu__cost_table_cycles(const npu__cost_system *s, int from, double bytes) {
    if (s->machine.n_shapes > 0) return NPU__MAX(npu__cost_read_cycles(s, from, NPU__COST_COPIES, bytes), bytes);
    return bytes / s->memory[from].bytes_per_cycle + s->memory[from].read_latency;
}

NPU__FN void npu__cost_estimate(npu__cost *out, const npu__cost_system *s, const npu__cost_op *op,
                                const npu__cost_copy *copy, double slack) {
    npu__cost_bytes bytes;
    int             from = s->model_in_sram ? NPU__COST_SRAM : NPU__COST_STORE;
    memset(&bytes, 0, sizeof bytes);
    npu__cost_read_maps(s, op, out, &bytes);
    if (op->has_weights) npu__cost_weighted(s, op, out, copy, slack, &bytes);
    else if (npu__cost_uses_window(op)) out->npu = npu__cost_whole(npu__cost_run(s, op, out, op->out.c, from, 1, 1));
    else out->npu = npu__cost_elementwise_npu(s, op, out);
    if (op->table_bytes > 0 && (s->machine.n_shapes == 0 || op->kind == NPU__COST_POOL)) {
        double load = npu__cost_table_cycles(s, from, (double)op->table_bytes);
        out->npu += npu__cost_whole(NPU__MAX(load - slack, 0));
        bytes.of[from][NPU__COST_COPIES] += (double)op->table_bytes;
    }
    out->npu = npu__cost_whole((double)out->npu * op->repeat);
    out->sram = npu__cost_whole(npu__cost_transfer(s, &bytes, NPU__COST_SRAM) * op->repeat);
    out->store = npu__cost_whole(npu__cost_transfer(s, &bytes, NPU__COST_STORE) * op->repeat);
    out->cycles = NPU__MAX(out->npu, NPU__MAX(out->sram, out->store));
}

#endif
