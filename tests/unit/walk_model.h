/* Reads all that the schema names in a verified model through the getters of fb.h. Under the sanitizers this proves
 * what the verifier promises. Include after the sources of src/tflite. */
#ifndef TESTS_UNIT_WALK_MODEL_H
#define TESTS_UNIT_WALK_MODEL_H

typedef struct walk_sum {
    uint64_t hash, bytes; /* so that no read can be optimized away; bytes: referred to, shared ones each time */
} walk_sum;

static void walk_bytes(walk_sum *sum, const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++) sum->hash = sum->hash * 31u + p[i];
    sum->bytes += n;
}

static void walk_table(walk_sum *sum, const uint8_t *file, npu__tab t, int32_t table) {
    int32_t                  n_fields;
    const npu__schema_field *f = npu__schema_fields(table, &n_fields);
    for (int32_t i = 0; i < n_fields; i++, f++) {
        const uint8_t *at = npu__tab_field(t, f->slot);
        if (!at) continue;
        if (f->kind < NPU__K_UNION) {
            walk_bytes(sum, at, npu__field_bytes_in(npu__is_circle(file, 8), table, f));
        } else if (f->kind == NPU__K_TAB) {
            walk_table(sum, file, npu__tab_tab(t, f->slot), f->sub);
        } else if (f->kind == NPU__K_UNION) {
            int32_t member = npu__union_table_in(npu__is_circle(file, 8), f->sub, npu__tab_u8(t, f->slot - 1, 0));
            npu__tab value = npu__tab_tab(t, f->slot);
            if (member == NPU__T_NONE) walk_bytes(sum, value, 1);
            else walk_table(sum, file, value, member);
        } else if (f->kind == NPU__K_VTAB) {
            npu__vec v = npu__tab_vec(t, f->slot);
            for (uint32_t k = 0; k < v.n; k++) walk_table(sum, file, npu__vec_tab(v, k), f->sub);
        } else {
            npu__vec v = npu__tab_vec(t, f->slot);
            size_t   bytes = (size_t)v.n * npu__kind_bytes(f->kind) + (f->kind == NPU__K_STR ? 1 : 0);
            if (table != NPU__T_Buffer) walk_bytes(sum, v.p, bytes);
            else if (v.n) sum->hash += (uint64_t)v.p[0] + v.p[v.n - 1]; /* weights: both ends will do */
        }
    }
    if (table == NPU__T_Buffer) {
        npu__span s = npu__buffer_span(file, t);
        if (s.n) sum->hash += (uint64_t)s.p[0] + s.p[s.n - 1];
    }
    if (table == NPU__T_Operator) {
        npu__span s = npu__custom_options_span(file, t);
        if (s.n) sum->hash += (uint64_t)s.p[0] + s.p[s.n - 1];
    }
}

#endif
