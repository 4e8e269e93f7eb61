/* npu_model_raw, npu_raw_pack, npu_raw_unpack: inputs and outputs as an NPU has them. */
#include "../base/fp16.h"
#include "../plan/view.h"
#include "../vendor/planner.h"
#include "check.h"

#if NPU__HAS_REPORTS

NPU__FN npu_status npu__raw_of(const npu_plan *plan, const npu__backend *b, const npu__planner *planner, const npu_plan_report_desc *desc,
                               int32_t subgraph, int output, int32_t i, npu_raw *out, npu_diag *diag) {
    npu__pool      pool;
    npu__plan_view view;
    npu__nodes     nodes;
    npu__placement p;
    npu_status     s = NPU_OK;
    npu__pool_init_within(&pool, &plan->pool);
    if (!npu__view_for(&nodes, &view, plan, b->profile, &pool)) {
        s = npu__diag_fail(diag, NPU_OUT_OF_MEMORY, "plan.memory", "no memory for the plan");
    }
    if (s == NPU_OK) s = npu__placement_make(&p, &pool, b, &nodes, diag);
    npu__view_planned(&nodes, &view, plan);
    if (s == NPU_OK) s = planner->raw(desc, &p, &nodes, &pool, subgraph, output, i, out, diag);
    npu__pool_free(&pool);
    return s;
}

NPU_API npu_status npu_model_raw(const npu_model *model, const npu_plan_report_desc *desc, int32_t subgraph, int32_t output, int32_t i,
                                 npu_raw *out, npu_diag *diag) {
    const npu__planner  *planner;
    const npu__subgraph *g;
    npu__backend         b;
    npu_plan            *plan;
    npu_plan_desc        pd;
    npu_status           s;
    npu__diag_clear(diag);
    if (!model || !desc || !out || subgraph < 0 || subgraph >= model->n_subgraphs) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.raw", "npu_model_raw: needs a model, a descriptor and one of its "
                              "subgraphs");
    }
    g = &model->subgraphs[subgraph];
    if (i < 0 || i >= (output ? g->n_out : g->n_in)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.raw", "npu_model_raw: there is no %s %d", output ? "output" : "input", i);
    }
    s = npu__backend_find(&b, desc->backend, desc->profile, diag);
    if (s != NPU_OK) return s;
    planner = npu__planner_of(b.vendor);
    if (!planner) {
        return npu__diag_fail(diag, NPU_UNSUPPORTED, "plan.backend", "npu_rt has no planner for %s: how its tensors lie is not known",
                              b.target->name);
    }
    memset(&pd, 0, sizeof pd);
    pd.allocator = model->desc.allocator;
    s = npu__analyze(&plan, model, &pd, diag);
    if (s != NPU_OK) return s;
    s = npu__raw_of(plan, &b, planner, desc, subgraph, output, i, out, diag);
    npu_plan_destroy(plan);
    return s;
}

/* One element, from or to the device. */
NPU__FN void npu__raw_element(const npu_raw *r, uint8_t *dense, uint8_t *device, int pack) {
    uint16_t h;
    float    f;
    if (r->device_type == NPU_FLOAT16 && r->type == NPU_FLOAT32) {
        memcpy(pack ? (void *)&f : (void *)&h, pack ? dense : device, pack ? sizeof f : sizeof h);
        if (pack) h = npu__f16_from_f32(f);
        else f = npu__f16_to_f32(h);
        memcpy(pack ? device : dense, pack ? (void *)&h : (void *)&f, pack ? sizeof h : sizeof f);
    } else if (r->device_type != r->type) { /* int8 as uint8: value and zero point go up by 128 */
        *(pack ? device : dense) = (uint8_t)(*(pack ? dense : device) ^ 0x80u);
    } else {
        memcpy(pack ? device : dense, pack ? dense : device, (size_t)npu_type_bits(r->type) / 8);
    }
}

NPU__FN npu_status npu__raw_move(const npu_raw *r, void *dense, size_t dense_bytes, void *device, size_t bytes, int pack) {
    const size_t from = (size_t)npu_type_bits(r ? r->type : NPU_INT8) / 8, to = (size_t)npu_type_bits(r ? r->device_type : NPU_INT8) / 8;
    uint8_t     *a = (uint8_t *)dense, *b = (uint8_t *)device;
    /* bounded, here and below: bytes of a tensor, which npu_model_raw counted */
    if (!r || !dense || !device || bytes != r->bytes) return NPU_INVALID_ARGUMENT;
    if (dense_bytes / from != (size_t)r->rows * (size_t)r->width * (size_t)r->channels) return NPU_INVALID_ARGUMENT;
    if (pack) memset(device, 0, bytes);
    for (int64_t row = 0; row < r->rows; row++, b += (size_t)r->padded_width * (size_t)r->padded_channels * to) {
        for (int32_t x = 0; x < r->width; x++) {
            uint8_t *pixel = b + (size_t)x * (size_t)r->padded_channels * to;
            for (int32_t k = 0; k < r->channels; k++, a += from, pixel += to) npu__raw_element(r, a, pixel, pack);
        }
    }
    return NPU_OK;
}

NPU_API npu_status npu_raw_pack(const npu_raw *raw, const void *data, size_t data_bytes, void *out, size_t bytes) {
    return npu__raw_move(raw, (void *)(uintptr_t)data, data_bytes, out, bytes, 1);
}

NPU_API npu_status npu_raw_unpack(const npu_raw *raw, const void *bytes, size_t n, void *data, size_t data_bytes) {
    return npu__raw_move(raw, data, data_bytes, (void *)(uintptr_t)bytes, n, 0);
}

#endif
