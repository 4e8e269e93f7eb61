/* Constant folding: a node whose inputs are all constant runs once, while planning. Float16 and sparse weights are
 * unpacked this way, and shape arithmetic becomes shapes. */
#include "plan.h"

/* Planning must stay quick: steps that all folding of a plan may take, and those of a node that is always folded because
 * other nodes' shapes may hang on it. What is left out runs with the rest, at run time. */
#define NPU__FOLD_MAX_WORK ((int64_t)1 << 30)
#define NPU__FOLD_SMALL_WORK 4096

NPU__FN npu_status npu__fold_slots(npu__env *env, npu__pool *temp, void **slots) {
    npu__slots_most(env);
    for (int32_t i = 0; i < env->n_slots; i++) {
        slots[i] = npu__pool_alloc_aligned64(temp, env->slots[i].bytes);
        if (!slots[i]) return npu__plan_no_memory(env->plan, temp, env->diag);
        memset(slots[i], 0, env->slots[i].bytes);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__fold_run(npu__env *env, npu__step *step, uint8_t *data) {
    npu__ctx  *c = &step->ctx;
    void      *slots[NPU__MAX_SLOTS];
    npu__pool  temp;
    npu_status s;
    memset(slots, 0, sizeof slots);
    npu__pool_init_within(&temp, &env->plan->pool);
    s = npu__fold_slots(env, &temp, slots);
    for (int32_t i = 0; i < c->n_out; i++) {
        c->out[i]->data = data;
        data += npu__align_up(c->out[i]->bytes, 64);
    }
    env->temp_slots = slots;
    if (s == NPU_OK && !npu__node_idle(c)) {
#if NPU__HAS_DEBUG
        npu__check_at_eval(c);
#endif
        s = c->node->def->eval(c);
    }
    env->temp_slots = NULL;
    npu__pool_free(&temp);
    for (int32_t i = 0; s != NPU_OK && i < c->n_out; i++) c->out[i]->data = NULL;
    if (s == NPU_OK) step->kind = NPU__STEP_FOLDED;
    return s;
}

/* Is it worth its memory and time? Both are bounded for the whole plan. */
NPU__FN int npu__fold_pays(const npu__env *env, const npu__ctx *c, size_t bytes) {
    const npu_plan *p = env->plan;
    const int64_t   work = npu__node_work(c).steps;
    for (int32_t i = 0; i < env->n_slots; i++) {
        if (env->slots[i].kind == NPU__SLOT_STATE || !npu__add_size(bytes, env->slots[i].bytes, &bytes)) return 0;
    }
    if (work <= NPU__FOLD_SMALL_WORK) return 1; /* where memory is short, planning fails rather than changes its mind */
    if (bytes > (p->pool.limit - p->pool.total_bytes) / 2) return 0; /* the rest of the plan needs some, too */
    return work <= NPU__FOLD_MAX_WORK - p->fold_work;
}

NPU__FN npu_status npu__plan_fold(npu__env *env, npu__step *step) {
    npu__ctx  *c = &step->ctx;
    size_t     bytes = 0;
    uint8_t   *data;
    npu_status s;
    for (int32_t i = 0; i < c->n_out; i++) {
        if (!npu__add_size(bytes, npu__align_up(c->out[i]->bytes, 64), &bytes)) return NPU_OK;
    }
    env->may_pack = 0;
    env->machine = NPU_MACHINE_THIS; /* it runs here, whatever the rest of the plan is for */
    env->isa = env->fold_isa;
    s = c->node->def->prepare(c);
    env->machine = env->plan->machine;
    env->isa = env->plan->isa;
    if (s != NPU_OK) return s;
    if (!npu__fold_pays(env, c, bytes)) return NPU_OK;
    step->work = npu__node_work(c).steps;
    if (step->work > NPU__FOLD_SMALL_WORK) env->plan->fold_work += step->work;
    data = (uint8_t *)npu__pool_alloc_aligned64(&env->plan->pool, bytes);
    if (!data) return npu__plan_no_memory(env->plan, NULL, env->diag);
    s = npu__fold_run(env, step, data);
    if (s == NPU_OK) env->plan->folded_bytes += bytes;
    return s;
}
