/* Inputs and outputs as the MDLA has them, where conversions are suppressed: NHWC with width and channels padded as the layout says
 * (assumed: the guide gives the alignments, and NHWC). */
#include "plan.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

NPU__FN int npu__mdla_raw_of(const npu__mdla_plan *plan, const npu__mdla_tensor *t, int output, npu_raw *out) {
    const uint8_t   mdla = 1 << NPU__MDLA_ON_MDLA;
    int32_t         layout = t->layout;
    npu__mdla_image m;
    if (!t->v || !t->data || t->layout == NPU__MDLA_DENSE || t->constant || (t->read_by & ~mdla)) return 0;
    if (output ? t->made_by != NPU__MDLA_ON_MDLA : !(t->read_by & mdla)) return 0;
    if (output && !(t->read_by & mdla)) layout = NPU__MDLA_DENSE; /* without pitch, unless the MDLA reads it again */
    memset(out, 0, sizeof *out);
    m = npu__mdla_image_of(&t->v->shape);
    out->layout = layout == NPU__MDLA_DENSE ? "NHWC" : layout == NPU__MDLA_4C ? "4C" : "16C";
    out->type = (npu_type)t->v->type;
    out->device_type = t->type == NPU__MDLA_T_FP32 ? NPU_FLOAT16 : out->type;
    if (t->type == NPU__MDLA_T_ASYM_I8 && plan->version == 15) out->device_type = NPU_UINT8;
    out->rows = m.rows;
    out->width = out->padded_width = m.w;
    out->channels = out->padded_channels = m.c;
#define NPU__X(name, most, channels_8, channels_16, width_8, width_16) \
    if (layout == NPU__MDLA_##name) { \
        out->padded_channels = (int32_t)npu__mdla_up(m.c, t->bits == 8 ? channels_8 : channels_16); \
        out->padded_width = (int32_t)npu__mdla_up(m.w, t->bits == 8 ? width_8 : width_16); \
    }
    NPU__MDLA_LAYOUTS(NPU__X)
#undef NPU__X
    out->bytes = (size_t)NPU__MIN(npu__mdla_layout_bytes(&t->v->shape, t->bits, layout), (int64_t)(SIZE_MAX / 2));
    return 1;
}

NPU__FN npu_status npu__mdla_raw(const npu_plan_report_desc *desc, const npu__placement *p, const npu__nodes *nodes, npu__pool *pool,
                                 int32_t subgraph, int output, int32_t i, npu_raw *out, npu_diag *diag) {
    const npu__subgraph *g = &nodes->model->subgraphs[subgraph];
    npu__mdla_plan       plan;
    npu_status           s;
    memset(&plan, 0, sizeof plan);
    plan.desc = desc;
    plan.p = p;
    plan.nodes = nodes;
    plan.pool = pool;
    plan.scene = p->scene;
    plan.version = npu__mdla_version(p->backend.target);
    s = npu__mdla_plan_make(&plan, diag);
    if (s != NPU_OK) return s;
    if (npu__mdla_raw_of(&plan, &plan.graphs[subgraph].tensors[output ? g->out[i] : g->in[i]], output, out)) return NPU_OK;
    return npu__diag_fail(diag, NPU_UNSUPPORTED, "plan.raw", "%s %d is not the device's alone: its conversion cannot be suppressed",
                          output ? "output" : "input", i);
}

#endif
