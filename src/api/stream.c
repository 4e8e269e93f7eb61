/* npu_model_stream: the programs of a model that a vendor's compiler made, as text or JSON. */
#include "../vendor/vendor.h"

#if NPU__HAS_REPORTS

/* What is wrong, in the listing itself too: it may be read without the diagnostic. */
NPU__FN void npu__stream_error(npu__text *t, int json, const npu__list_error *err) {
    if (json) {
        npu__json_open(t, "error", '{');
        npu__json_z(t, "rule", err->rule);
        npu__json_int(t, "word", err->word);
        npu__json_z(t, "text", err->text);
        npu__json_close(t, '}');
    } else if (err->word >= 0) {
        npu__text_f(t, "  %s at word %l: %s\n", err->rule, err->word, err->text);
    } else {
        npu__text_f(t, "  %s: %s\n", err->rule, err->text);
    }
}

NPU__FN npu_status npu__stream_fail(npu_diag *diag, npu_status s, const npu__node *node, const npu__list_error *err) {
    const npu__str name = npu__node_name(node);
    npu__diag_about(diag, node);
    if (err->word < 0) {
        return npu__diag_fail(diag, s, err->rule, "%S (subgraph %d, operator %d): %s", &name, node->subgraph, node->index,
                              err->text);
    }
    return npu__diag_fail(diag, s, err->rule, "%S (subgraph %d, operator %d): %s (word %l of the command stream's "
                          "tensor)", &name, node->subgraph, node->index, err->text, err->word);
}

/* The error of the whole listing, where programs look for errors of every command. */
NPU__FN void npu__stream_error_json(npu__text *t, npu_status s, const npu__node *node, const npu__list_error *err) {
    npu__json_open(t, "error", '{');
    npu__json_z(t, "status", npu_status_name(s));
    npu__json_z(t, "rule", err->rule);
    npu__json_z(t, "message", err->text);
    npu__json_int(t, "subgraph", node->subgraph);
    npu__json_int(t, "index", node->index);
    npu__json_str(t, "op", npu__node_name(node));
    npu__json_int(t, "word", err->word);
    npu__json_int(t, "exit_code", npu_status_exit_code(s));
    npu__json_close(t, '}');
}

NPU__FN npu_status npu__stream_list(npu__text *t, int json, const npu_model *m, const npu__vendor *v, const npu__node *node,
                                    uint64_t *left, npu__list_error *err) {
    npu_status s;
    if (json) {
        npu__json_open(t, NULL, '{');
        npu__json_int(t, "subgraph", node->subgraph);
        npu__json_int(t, "op", node->index);
    } else {
        npu__text_f(t, "subgraph %d, operator %d\n", node->subgraph, node->index);
    }
    s = v->list(t, json, m, node, left, err);
    if (s != NPU_OK) npu__stream_error(t, json, err);
    if (json) npu__json_close(t, '}');
    return s;
}

/* Every operator's stream; the first damaged one decides the status, the others are listed all the same. */
NPU__FN npu_status npu__stream_model(npu__text *t, int json, const npu_model *m, int32_t *n, npu_diag *diag) {
    npu_status       s = NPU_OK;
    npu__list_error  first, err;
    const npu__node *at = NULL;
    /* All listings share a budget: a file may name one stream by many operators, and the report must not grow with their
     * product. */
    uint64_t         left = 8 * (uint64_t)m->n_bytes;
    for (int32_t g = 0; g < m->n_subgraphs; g++) {
        for (int32_t i = 0; i < m->subgraphs[g].n_nodes; i++) {
            const npu__node   *node = &m->subgraphs[g].nodes[i];
            const npu__vendor *v = npu__vendor_of(node);
            npu_status         one;
            if (!v || !v->list) continue;
            /* Opened at the first one: a model without streams writes nothing, its caller gets an error only. */
            if (*n == 0 && json) {
                npu__json_open(t, NULL, '{');
                npu__json_open(t, "streams", '[');
            }
            *n += 1;
            one = npu__stream_list(t, json, m, v, node, &left, &err);
            if (s != NPU_OK || one == NPU_OK) continue;
            s = one;
            first = err;
            at = node;
        }
    }
    if (*n && json) {
        npu__json_close(t, ']');
        if (at) npu__stream_error_json(t, s, at, &first);
        npu__json_close(t, '}');
    }
    return at ? npu__stream_fail(diag, s, at, &first) : s;
}

/* The first vendor whose programs can be listed; NULL: this build has none. */
NPU__FN const npu__vendor *npu__stream_vendor(void) {
    const npu__vendor *v;
    for (int32_t i = 0; (v = npu__vendor_at(i)) != NULL && !v->list;) i++;
    return v;
}

/* "this build does not know A, B: ..." */
NPU__FN npu_status npu__stream_no_vendor(npu_diag *diag) {
    char   names[96];
    size_t n = 0;
/* All vendors there are, built or not: those are the ones to choose from. */
#define NPU__X(id, name, title, option) \
    if (n < sizeof names) n += npu__format(names + n, sizeof names - n, "%s%s", n ? ", " : "", title);
    NPU__VENDORS_KNOWN(NPU__X)
#undef NPU__X
    return npu__diag_fail(diag, NPU_UNSUPPORTED, "stream.build", "this build does not know %s: define its "
                          "vendor's NPU_RT_BACKEND_..., or NPU_RT_BACKEND_ALL", names);
}

NPU_API npu_status npu_model_stream(const npu_model *model, npu_format format, const npu_writer *writer,
                                    npu_diag *diag) {
    const npu__vendor *v;
    npu__text          t;
    npu_status         s, ended;
    int32_t            n = 0;
    npu__diag_clear(diag);
    if (!model || !writer || !writer->write || (format != NPU_FORMAT_TEXT && format != NPU_FORMAT_JSON)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_model_stream: needs a model, a writer and "
                              "the format TEXT or JSON");
    }
    v = npu__stream_vendor();
    if (!v) return npu__stream_no_vendor(diag);
    npu__text_init(&t, writer);
    s = npu__stream_model(&t, format == NPU_FORMAT_JSON, model, &n, diag);
    ended = npu__text_end(&t, diag);
    if (n == 0) return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, v->list_none_rule, "%s", v->list_none_text);
    /* A stream's own error goes before the writer's: it was first. */
    return s != NPU_OK ? s : ended;
}

#endif
