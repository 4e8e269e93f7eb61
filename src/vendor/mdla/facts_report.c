/* The tables of the guide as a report prints them, for one version. */
#include "mdla.h"

#if NPU__HAS_MDLA && NPU__HAS_REPORTS

typedef struct npu__mdla_list {
    const npu__facts *out;
    const char       *table, *section;
} npu__mdla_list;

NPU__FN void npu__mdla_fact(const npu__mdla_list *l, const char *id, const char *fmt, ...) {
    char    value[512];
    va_list args;
    va_start(args, fmt);
    npu__vformat(value, sizeof value, fmt, args);
    va_end(args);
    l->out->add(l->out->user, l->table, id, l->section, value);
}

NPU__FN npu__mdla_list npu__mdla_table(const npu__facts *out, const char *table, const char *section) {
    npu__mdla_list l;
    l.out = out;
    l.table = table;
    l.section = section;
    return l;
}

NPU__FN void npu__mdla_facts_types(const npu__facts *out, int32_t version) {
    npu__mdla_list l = npu__mdla_table(out, "MACs per cycle", NPU__MDLA_S_VERSIONS);
#define NPU__X(v, int8, int16, fp16) \
    if (version == v) { \
        npu__mdla_fact(&l, "macs.int8", "%d", int8); \
        npu__mdla_fact(&l, "macs.int16", "%d", int16); \
        npu__mdla_fact(&l, "macs.fp16", "%d", fp16); \
    }
    NPU__MDLA_MACS(NPU__X)
#undef NPU__X
    l = npu__mdla_table(out, "Types of data", NPU__MDLA_S_TYPES);
#define NPU__X(name, guide, bits, rate, v15, v20, v30) \
    npu__mdla_fact(&l, "type." #name, "%s: %s", guide, \
                   npu__mdla_type_by(NPU__MDLA_T_##name, version) == NPU__MDLA_H ? "hardware" : "software");
    NPU__MDLA_TYPES(NPU__X)
#undef NPU__X
    l = npu__mdla_table(out, "Quantization by channel", NPU__MDLA_S_CHANNEL);
#define NPU__X(w, d, v15, v20, v30) \
    npu__mdla_fact(&l, "by_channel." #w "." #d, "%s weights, %s data: %s", npu__mdla_type_name(NPU__MDLA_T_##w), \
                   npu__mdla_type_name(NPU__MDLA_T_##d), \
                   npu__mdla_by_channel(NPU__MDLA_T_##w, NPU__MDLA_T_##d, version) ? "yes" : "no");
    NPU__MDLA_CHANNEL(NPU__X)
#undef NPU__X
    l = npu__mdla_table(out, "Layouts", NPU__MDLA_S_LAYOUTS);
#define NPU__X(name, most, channels_8, channels_16, width_8, width_16) \
    npu__mdla_fact(&l, "layout." #name, "%s; channels a multiple of %d (16 bits: %d), width of %d (16 bits: %d)", \
                   (most) ? "4 channels or less" : "any number of channels", channels_8, channels_16, width_8, width_16);
    NPU__MDLA_LAYOUTS(NPU__X)
#undef NPU__X
}

NPU__FN void npu__mdla_facts_rates(const npu__facts *out, int32_t version) {
    npu__mdla_list l = npu__mdla_table(out, "Utilisation of the MAC units", NPU__MDLA_S_CONV);
#define NPU__X(name, guide, v15, v20, v30) \
    npu__mdla_fact(&l, "urate." #name, "%s: %g %%", guide, (double)npu__mdla_conv_rate(NPU__MDLA_U_##name, version) / 10.0);
    NPU__MDLA_CONV_RATES(NPU__X)
#undef NPU__X
    npu__mdla_fact(&l, "urate.TRANSPOSE_CONV", "%s", version == 30 ? "not in hardware" : NPU__MDLA_TCONV_HW);
    npu__mdla_fact(&l, "urate.MTK_TRANSPOSE_CONV", "%s", NPU__MDLA_TCONV_SW);
#define NPU__X(of, what, before_8, before_16, v30_8, v30_16) \
    npu__mdla_fact(&l, "small." #of, "lower where %s <= %d (int8), <= %d (int16, FP16)", what, \
                   npu__mdla_small(NPU__MDLA_U_##of == NPU__MDLA_U_DEPTHWISE, 8, version), \
                   npu__mdla_small(NPU__MDLA_U_##of == NPU__MDLA_U_DEPTHWISE, 16, version));
    NPU__MDLA_SMALL(NPU__X)
#undef NPU__X
    l = npu__mdla_table(out, "Output channels", NPU__MDLA_S_OPS);
    npu__mdla_fact(&l, "channels",
                   "utilisation at most OC / %d up to %d channels, OC / (%d * ceil(OC / %d)) above (which holds when is "
                   "assumed)", NPU__MDLA_OC_SMALL, NPU__MDLA_OC_SMALL, NPU__MDLA_OC_STEP, NPU__MDLA_OC_STEP);
}

/* Only the row that counts for the version: earlier ones are those of earlier versions. */
NPU__FN void npu__mdla_facts_math(const npu__facts *out, int32_t version) {
    npu__mdla_list l = npu__mdla_table(out, "Pixels per cycle (Sym8, Asym8, Sym16, FP16)", NPU__MDLA_S_MATH);
    static const int32_t types[] = {NPU__MDLA_T_SYM_I8, NPU__MDLA_T_ASYM_U8, NPU__MDLA_T_SYM_I16, NPU__MDLA_T_FP16};
    int32_t last = NPU__MDLA_R_NONE;
#define NPU__X(row, guide, from, sym8, asym8, sym16, fp16) \
    if (last != NPU__MDLA_R_##row && from <= version) { \
        last = NPU__MDLA_R_##row; \
        npu__mdla_fact(&l, "math." #row, "%s: %d, %d, %d, %d", guide, npu__mdla_math_rate(last, types[0], version), \
                       npu__mdla_math_rate(last, types[1], version), npu__mdla_math_rate(last, types[2], version), \
                       npu__mdla_math_rate(last, types[3], version)); \
    }
    NPU__MDLA_MATH(NPU__X)
#undef NPU__X
    l = npu__mdla_table(out, "Cycles of a pool for a tile, times TC (Sym8, Asym8, Sym16, FP16; 0: not available)",
                        NPU__MDLA_S_POOL);
#define NPU__X(row, guide, sym8, asym8, sym16, fp16) \
    npu__mdla_fact(&l, "pool." #row, "%s: %d, %d, %d, %d", guide, npu__mdla_pool_factor(NPU__MDLA_R_##row, types[0]), \
                   npu__mdla_pool_factor(NPU__MDLA_R_##row, types[1]), npu__mdla_pool_factor(NPU__MDLA_R_##row, types[2]), \
                   npu__mdla_pool_factor(NPU__MDLA_R_##row, types[3]));
    NPU__MDLA_POOLS(NPU__X)
#undef NPU__X
    npu__mdla_fact(&l, "pool.formula", "%s", NPU__MDLA_POOL_FORMULA);
    l = npu__mdla_table(out, "RESIZE_BILINEAR", NPU__MDLA_S_RESIZE);
    npu__mdla_fact(&l, "resize.up", "points per cycle: %d (SYM8, ASYM8), %d (SYM16, FP16)", NPU__MDLA_RESIZE_UP_8,
                   NPU__MDLA_RESIZE_UP_16);
    npu__mdla_fact(&l, "resize.down", "not stated");
}

NPU__FN void npu__mdla_facts_fusion(const npu__facts *out, int32_t version) {
    npu__mdla_list l = npu__mdla_table(out, "Groups of the fusion rules", NPU__MDLA_S_GROUPS);
#define NPU__X(name, ops) npu__mdla_fact(&l, "group." #name, "%s", ops);
    NPU__MDLA_GROUPS(NPU__X)
#undef NPU__X
    l = npu__mdla_table(out, "Fusion rules", NPU__MDLA_S_FUSION);
#define NPU__X(rule, from, text, order) \
    if (from <= version) npu__mdla_fact(&l, "fusion." #rule, "%s%s%s", text, (order)[0] ? "; proven: " : "", order);
    NPU__MDLA_FUSION(NPU__X)
#undef NPU__X
#define NPU__X(id, text) npu__mdla_fact(&l, "fusion.C." id, "%s", text);
    NPU__MDLA_RULE_C(NPU__X)
#undef NPU__X
    if (version < 30) return;
    l = npu__mdla_table(out, "Deep layer fusion", NPU__MDLA_S_FUSION);
#define NPU__X(id, text) npu__mdla_fact(&l, "dlf." id, "%s", text);
    NPU__MDLA_DLF(NPU__X)
#undef NPU__X
}

NPU__FN void npu__mdla_facts_statements(const npu__facts *out, const npu__profile *profile) {
    npu__mdla_list l = npu__mdla_table(out, "What becomes of quantize operations", NPU__MDLA_S_MIXED);
#define NPU__X(id, text) npu__mdla_fact(&l, id, "%s", text);
    NPU__MDLA_MAPPING(NPU__X)
#undef NPU__X
#define NPU__X(id, section, text, profiles) \
    l = npu__mdla_table(out, "Statements", section); \
    if (NPU__MDLA_##profiles & profile->bit) npu__mdla_fact(&l, id, "%s", text);
    NPU__MDLA_STATEMENTS(NPU__X)
#undef NPU__X
    l = npu__mdla_table(out, "Statements", NPU__MDLA_S_OPS);
    npu__mdla_fact(&l, "pad.most", "PAD is fused into the convolution or pool behind it up to %d", NPU__MDLA_PAD_MOST);
}

NPU__FN void npu__mdla_facts(const npu__backend *b, const npu__facts *out) {
    const int32_t  version = npu__mdla_version(b->target);
    npu__mdla_list l;
    npu__mdla_facts_types(out, version);
    npu__mdla_facts_rates(out, version);
    npu__mdla_facts_math(out, version);
    npu__mdla_facts_fusion(out, version);
    npu__mdla_facts_statements(out, b->profile);
#define NPU__X(name, section, from, why) \
    l = npu__mdla_table(out, "Rows that no operator of a model reaches", section); \
    if (NPU__MDLA_P_##from & b->profile->bit) npu__mdla_fact(&l, "not_reached." name, "%s", why);
    NPU__MDLA_NOT_REACHED(NPU__X)
#undef NPU__X
}

#endif
