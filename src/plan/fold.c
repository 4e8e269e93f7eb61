/* Constant folding: a node whose inputs are all constant runs once, while planning. Float16 and sparse weights are
 * unpacked this way, and shape arithmetic becomes shapes. */
#include "plan.h"

#define NPU__FOLD_MAX_MACS ((int64_t)1 << 28) /* planning must stay quick */

NPU__FN npu_status npu__fold_slots(npu__env *env, npu__ctx *c, void **slots) {
    for (int32_t i = 0; i < env->n_slots; i++) {
        slots[i] = env->plan->pool.allocator.alloc(env->plan->pool.allocator.user, env->slots[i].bytes, 64);
        if (!slots[i]) return NPU__FAIL(c, NPU_OUT_OF_MEMORY, "plan.memory", "no memory to fold this constant");
        memset(slots[i], 0, env->slots[i].bytes);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__fold_run(npu__env *env, npu__step *step, uint8_t *data) {
    npu__ctx  *c = &step->ctx;
    void      *slots[NPU__MAX_SLOTS];
    npu_status s;
    memset(slots, 0, sizeof slots);
    s = npu__fold_slots(env, c, slots);
    for (int32_t i = 0; i < c->n_out; i++) {
        c->out[i]->data = data;
        data += npu__align_up(c->out[i]->bytes, 64);
    }
    env->temp_slots = slots;
    if (s == NPU_OK) s = c->node->def->eval(c);
    env->temp_slots = NULL;
    for (int32_t i = env->n_slots; i-- > 0;) {
        if (slots[i]) env->plan->pool.allocator.free(env->plan->pool.allocator.user, slots[i], env->slots[i].bytes);
    }
    if (s != NPU_OK) return s;
    step->kind = NPU__STEP_FOLDED;
    return NPU_OK;
}

NPU__FN npu_status npu__plan_fold(npu__env *env, npu__step *step) {
    npu__ctx  *c = &step->ctx;
    size_t     bytes = 0;
    uint8_t   *data;
    npu_status s;
    for (int32_t i = 0; i < c->n_out; i++) {
        if (!npu__add_size(bytes, npu__align_up(c->out[i]->bytes, 64), &bytes)) return NPU_OK;
    }
    if (bytes > env->plan->max_memory - env->plan->folded_bytes) return NPU_OK;
    env->may_pack = 0;
    s = c->node->def->prepare(c);
    if (s != NPU_OK) return s;
    for (int32_t i = 0; i < env->n_slots; i++) if (env->slots[i].kind == NPU__SLOT_STATE) return NPU_OK;
    if (npu__node_work(c).steps > NPU__FOLD_MAX_MACS) return NPU_OK;
    data = (uint8_t *)npu__pool_alloc_aligned64(&env->plan->pool, bytes);
    if (!data) return NPU__FAIL(c, NPU_OUT_OF_MEMORY, "plan.memory", "no memory to fold this constant");
    s = npu__fold_run(env, step, data);
    if (s == NPU_OK) env->plan->folded_bytes += bytes;
    return s;
}
