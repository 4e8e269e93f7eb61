/* Counting operators by name, and saying which of them this build lacks. */
#include "kinds.h"

NPU__FN int npu__kind_is(int32_t code, npu__str kind, const npu__node *node) {
    npu__str name = npu__node_name(node);
    if (code != node->code || (kind.n != name.n && NPU__MIN(kind.n, name.n) < NPU__KIND_NAME)) return 0;
    return kind.p == name.p || memcmp(kind.p, name.p, NPU__MIN(name.n, (size_t)NPU__KIND_NAME)) == 0;
}

NPU__FN void npu__kinds_add(npu__kind *kinds, int32_t *n, const npu__node *node) {
    npu__str name = npu__node_name(node);
    int32_t  k = 0;
    while (k < *n && !npu__kind_is(kinds[k].code, kinds[k].name, node)) k++;
    if (k == NPU__MAX_KINDS) k--;
    if (k == *n) {
        kinds[k].name = k == NPU__MAX_KINDS - 1 ? npu__str_of("(others)") : name;
        kinds[k].count = 0;
        kinds[k].code = node->code;
        kinds[k].subgraph = node->subgraph;
        kinds[k].op = node->index;
        kinds[k].known = node->def != NULL;
        *n += 1; /* bounded: by the list's length */
    }
    kinds[k].count++;
}

NPU__FN int32_t npu__model_kinds(const npu_model *m, int missing, npu__kind *kinds) {
    int32_t n = 0;
    for (int32_t i = 0; i < m->n_subgraphs; i++) {
        for (int32_t k = 0; k < m->subgraphs[i].n_nodes; k++) {
            const npu__node *node = &m->subgraphs[i].nodes[k];
            if (!missing || !node->def) npu__kinds_add(kinds, &n, node);
        }
    }
    return n;
}

NPU_API int32_t npu_model_missing(const npu_model *model, npu_missing_op *out, int32_t cap) {
    npu__kind kinds[NPU__MAX_KINDS];
    int32_t   n = npu__model_kinds(model, 1, kinds);
    for (int32_t i = 0; out && i < n && i < cap; i++) {
        out[i].name = kinds[i].name.p;
        out[i].name_len = kinds[i].name.n;
        out[i].custom = kinds[i].code == 32;
        out[i].subgraph = kinds[i].subgraph;
        out[i].op = kinds[i].op;
        out[i].count = kinds[i].count;
    }
    return n;
}

#if NPU__HAS_STRINGS
/* "SIGN x3, custom operator "Mine", LRN" as far as it fits, then how many more there are. */
NPU__FN void npu__kinds_text(char *out, size_t cap, const npu__kind *kinds, int32_t n) {
    char   item[112];
    size_t used = 0, k;
    for (int32_t i = 0; i < n; i++) {
        int      custom = kinds[i].code == 32;
        npu__str name = kinds[i].name;
        name.n = NPU__MIN(name.n, (size_t)40);
        k = npu__format(item, sizeof item, "%s%s%S%s", i ? ", " : "", custom ? "custom operator \"" : "", &name,
                        custom ? "\"" : "");
        if (kinds[i].count > 1) k += npu__format(item + k, sizeof item - k, " x%l", kinds[i].count); /* bounded: it fits */
        if (k + (i + 1 < n ? 16u : 1u) > cap - used) { /* room for the words below */
            npu__format(out + used, cap - used, " and %d more", n - i);
            return;
        }
        memcpy(out + used, item, k + 1);
        used += k; /* bounded: by the room just looked at */
    }
}
#endif

/* `first`: the first node without a kernel. */
NPU__FN npu_status npu__missing_fail(const npu_model *m, const npu__node *first, npu_diag *diag) {
    npu__kind kinds[NPU__MAX_KINDS];
    int32_t   n;
    if (!diag || diag->status != NPU_OK) return NPU_UNSUPPORTED;
    n = npu__model_kinds(m, 1, kinds);
    npu__diag_about(diag, first);
#if NPU__HAS_STRINGS
    {
        static const char advice[] = "; register your own: npu_model_desc.operators";
        char              list[152], many[24] = "";
        size_t            used;
        npu__kinds_text(list, sizeof list, kinds, n);
        if (n > 1) npu__format(many, sizeof many, "%d operators: ", n);
        npu__diag_fail(diag, NPU_UNSUPPORTED, "op.unknown", "%s (subgraph %d, operator %d): this build has no kernel for %s%s",
                       diag->op_name, diag->subgraph, diag->op, many, list);
        used = strlen(diag->text);
        /* The names say more, where there is no room for both. */
        if (used + sizeof advice <= sizeof diag->text) memcpy(diag->text + used, advice, sizeof advice);
        return NPU_UNSUPPORTED;
    }
#else
    return npu__diag_fail(diag, NPU_UNSUPPORTED, "op.unknown", "%d", n);
#endif
}

NPU__FN npu_status npu__model_complete(const npu_model *m, npu_diag *diag) {
    for (int32_t i = 0; i < m->n_subgraphs; i++) {
        for (int32_t k = 0; k < m->subgraphs[i].n_nodes; k++) {
            const npu__node *node = &m->subgraphs[i].nodes[k];
            if (!node->def) return npu__missing_fail(m, node, diag);
        }
    }
    return NPU_OK;
}
