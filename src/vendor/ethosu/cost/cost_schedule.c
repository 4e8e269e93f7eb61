/* A schedule: stripes, copies and memory of a row of operations, then the estimate of each. */
#include "cost.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* The range is in use at a step. */
NPU__FN void npu__cost_touch(npu__cost_range *r, int32_t step) {
    if (r->first > r->last) r->first = r->last = step;
    r->first = NPU__MIN(r->first, step);
    r->last = NPU__MAX(r->last, step);
}

NPU__FN void npu__cost_touch_outside(npu__cost_range *r, int32_t step) {
    if (r->touched_first > r->touched_last) r->touched_first = r->touched_last = step;
    r->touched_first = NPU__MIN(r->touched_first, step);
    r->touched_last = NPU__MAX(r->touched_last, step);
}

/* Tells the maps of a step where their ranges are. */
NPU__FN void npu__cost_locate(const npu__cost_schedule *w, npu__cost_op *op) {
    npu__cost_map *maps[5];
    maps[0] = &op->in[0];
    maps[1] = &op->in[1];
    maps[2] = &op->out;
    maps[3] = &op->also[0];
    maps[4] = &op->also[1];
    for (int32_t k = 0; k < 5; k++) {
        if (maps[k]->range >= 0) maps[k]->where = w->ranges[maps[k]->range].where;
    }
}

/* Who reads and writes what, before anything is decided. */
NPU__FN void npu__cost_users(npu__cost_schedule *w) {
    for (int32_t i = 0; i < w->n_ranges; i++) {
        npu__cost_range *r = &w->ranges[i];
        r->where = w->system->arena_in_store ? NPU__COST_STORE : NPU__COST_SRAM;
        r->readers = r->writers = 0;
        r->first = r->touched_first;
        r->last = r->touched_last;
    }
    for (int32_t i = 0; i < w->n_steps; i++) {
        npu__cost_step *p = &w->steps[i];
        p->time = 2 * i;
        p->cascade = -1;
        p->rows = p->op.out.h;
        for (int32_t k = 0; k < 4; k++) {
            const npu__cost_map *in = k < 2 ? &p->op.in[k] : &p->op.also[k - 2];
            npu__cost_range     *r = in->range >= 0 ? &w->ranges[in->range] : NULL;
            if (!r || in->h < 1 || (k == 1 && p->op.in[0].range == in->range)) continue;
            r->readers++;
            r->reader = i;
            npu__cost_touch(r, i);
        }
        if (p->op.out.range < 0) continue;
        w->ranges[p->op.out.range].writers++;
        w->ranges[p->op.out.range].writer = i;
        npu__cost_touch(&w->ranges[p->op.out.range], i);
    }
}

/* Cycles of computing, without copies. */
NPU__FN void npu__cost_time_step(npu__cost_schedule *w, int32_t i) {
    npu__cost_step *p = &w->steps[i];
    npu__cost_copy  none;
    if (p->op.kind == NPU__COST_CPU) return;
    memset(&none, 0, sizeof none);
    npu__cost_locate(w, &p->op);
    npu__cost_estimate(&p->cost, w->system, &p->op, &none, 1e18);
    p->slack = (double)p->cost.npu / p->op.repeat;
}

NPU__FN void npu__cost_plan_steps(npu__cost_schedule *w, double *worth) {
    int64_t limit = w->system->cache_bytes;
    int32_t time = 0;
    npu__cost_users(w);
    if (w->system->machine.n_shapes > 0) {
        npu__cost_chain(w);
        npu__cost_users(w);
    }
    for (int32_t i = 0; i < w->n_steps; i++) {
        npu__cost_step *p = &w->steps[i];
        if (p->op.kind == NPU__COST_CPU) continue;
        npu__cost_choose_block(&p->cost, &w->system->machine, &p->op, p->rows);
        npu__cost_time_step(w, i);
        p->room = limit;
    }
    if (w->system->arena_in_store) npu__cost_cascades(w);
    for (int32_t i = 0; i < w->n_steps; i++) {
        npu__cost_step *p = &w->steps[i];
        if (p->cascade >= 0) npu__cost_time_step(w, i);
        p->room = p->op.kind == NPU__COST_CPU ? 0 : NPU__MAX(limit - w->fast[p->time], 0);
        npu__cost_propose(w, i, limit);
    }
    for (int32_t i = 0; i < w->n_steps; i++) { /* times without gaps */
        npu__cost_step *p = &w->steps[i];
        if (i > 0 && (p->cascade < 0 || w->steps[i - 1].cascade != p->cascade)) time += 2;
        p->time = time;
        for (int32_t k = 0; k < 2; k++) {
            int32_t in = npu__cost_range_root(w, p->op.in[k].range);
            double  n = (double)p->op.out.h * p->op.out.w * p->op.out.c;
            if (p->op.kind == NPU__COST_CPU || in < 0 || p->op.in[k].h < 1) continue;
            if (p->cascade >= 0 && i > 0 && w->steps[i - 1].cascade == p->cascade) n = 1e15;
            else if (p->op.kind != NPU__COST_ELEMENTWISE) {
                n = npu__cost_read_bytes(&p->op, &p->cost, p->op.out.c) * 8 / p->op.in[0].bits;
            }
            worth[in] += n;
        }
        if (p->op.out.range >= 0) {
            worth[npu__cost_range_root(w, p->op.out.range)] += (double)p->op.out.h * p->op.out.w * p->op.out.c;
        }
    }
    npu__cost_place(w, worth);
    for (int32_t i = 0; i < w->n_steps; i++) {
        npu__cost_step *p = &w->steps[i];
        p->live = NPU__MAX(w->fast[p->time], w->fast[p->time + 1]);
        if (p->op.kind == NPU__COST_CPU) continue;
        npu__cost_locate(w, &p->op);
        npu__cost_estimate(&p->cost, w->system, &p->op, &p->copy, i > 0 ? w->steps[i - 1].slack : 0);
    }
}

#endif
