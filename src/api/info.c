/* npu_model_info: what a model is and what it takes, as text or JSON. */
#include "../graph/dump.h"
#include "../graph/kinds.h"
#include "../ops/ops.h"
#include "../plan/plan.h"

#if NPU__HAS_REPORTS

typedef struct npu__info {
    int64_t parameters, constant_bytes, macs, steps, ops;
} npu__info;

/* Parameters: elements of all constant tensors, int32 shape arithmetic and the like included. */
NPU__FN void npu__info_count(const npu_plan *a, npu__info *out) {
    memset(out, 0, sizeof *out);
    for (int32_t i = 0; i < a->model->n_subgraphs; i++) {
        /* Sparse constants count for nothing: they keep no dense contents (graph/ir.h, rule 5). */
        const npu__subplan *sub = &a->subs[i];
        for (int32_t t = 0; t < sub->g->n_tensors; t++) {
            int64_t n = 0;
            if (!sub->g->tensors[t].data) continue;
            if (npu__shape_elems(&sub->g->tensors[t].shape, &n)) out->parameters += n;
            out->constant_bytes += (int64_t)sub->g->tensors[t].data_bytes;
        }
        for (int32_t n = 0; n < sub->g->n_nodes; n++) {
            const npu__step *step = &sub->steps[n];
            out->ops++;
            /* Folded nodes ran while planning, those whose shapes depend on data and those without a kernel have no work to
             * tell. */
            if (step->status == NPU_OK && step->kind == NPU__STEP_RUN && step->ctx.node->def) {
                const npu__work work = npu__node_work(&step->ctx);
                out->macs = npu__sat_add(out->macs, work.macs);
                out->steps = npu__sat_add(out->steps, work.steps);
            }
        }
    }
}

/* Shapes are those that will run, beside the declared signature: a model with open dimensions has both. */
NPU__FN void npu__info_io(npu__text *t, int json, const npu_plan *a, int32_t subgraph, int output) {
    const npu__subgraph *g = &a->model->subgraphs[subgraph];
    int32_t              n = output ? g->n_out : g->n_in;
    if (json) npu__json_open(t, output ? "outputs" : "inputs", '[');
    for (int32_t i = 0; i < n; i++) {
        const npu__val *v = &a->subs[subgraph].vals[output ? g->out[i] : g->in[i]];
        if (json) {
            npu__json_open(t, NULL, '{');
            npu__json_int(t, "index", i);
            npu__json_str(t, "name", v->t->name);
            npu__json_z(t, "type", npu_type_name((npu_type)v->type));
            npu__json_shape(t, "shape", &v->shape);
            npu__json_shape(t, "shape_signature", &v->t->signature);
            npu__json_quant(t, &v->t->quant);
            npu__json_int(t, "bytes", (int64_t)v->bytes);
            npu__json_close(t, '}');
            continue;
        }
        npu__text_f(t, "  %s %d  ", output ? "output" : "input ", i);
        npu__dump_type_shape(t, v->type, &v->shape);
        /* Of several channels the first stands for all; JSON has every one. */
        if (v->t->quant.count > 0) {
            npu__text_f(t, "  scale %g, zero point %d", (double)v->t->quant.scale[0], v->t->quant.zero_point[0]);
        }
        npu__text_f(t, "  \"%S\"\n", &v->t->name);
    }
    if (json) npu__json_close(t, ']');
}

NPU__FN void npu__info_signatures(npu__text *t, int json, const npu_model *m) {
    if (json) npu__json_open(t, "signatures", '[');
    for (int32_t i = 0; i < m->n_sigs; i++) {
        const npu__sig *s = &m->sigs[i];
        if (!json) {
            npu__text_f(t, "signature \"%S\" -> subgraph %d\n", &s->key, s->subgraph);
            continue;
        }
        npu__json_open(t, NULL, '{');
        npu__json_str(t, "key", s->key);
        npu__json_int(t, "subgraph", s->subgraph);
        for (int output = 0; output < 2; output++) {
            npu__json_open(t, output ? "outputs" : "inputs", '[');
            for (int32_t k = 0; k < (output ? s->n_out : s->n_in); k++) {
                npu__json_open(t, NULL, '{');
                npu__json_str(t, "name", output ? s->out[k].name : s->in[k].name);
                npu__json_int(t, "position", output ? s->out[k].position : s->in[k].position);
                npu__json_close(t, '}');
            }
            npu__json_close(t, ']');
        }
        npu__json_close(t, '}');
    }
    if (json) npu__json_close(t, ']');
}

NPU__FN void npu__info_metadata(npu__text *t, int json, const npu_model *m) {
    /* Without a place for the name it only counts. */
    int32_t n = npu_model_metadata(m, 0, NULL, NULL, NULL, NULL);
    if (json) npu__json_open(t, "metadata", '[');
    for (int32_t i = 0; i < n; i++) {
        npu__str    name;
        const void *data;
        size_t      bytes;
        npu_model_metadata(m, i, &name.p, &name.n, &data, &bytes);
        if (json) {
            npu__json_open(t, NULL, '{');
            npu__json_str(t, "name", name);
            npu__json_int(t, "bytes", (int64_t)bytes);
            npu__json_close(t, '}');
        } else {
            npu__text_f(t, "metadata \"%S\", %z bytes\n", &name, bytes);
        }
    }
    if (json) npu__json_close(t, ']');
}

NPU__FN void npu__info_ops(npu__text *t, int json, const npu_model *m) {
    /* Kinds beyond the limit are one row, so that hostile files with thousands of custom names stay short. */
    npu__kind kinds[NPU__MAX_KINDS];
    int32_t   n = npu__model_kinds(m, 0, kinds);
    if (json) npu__json_open(t, "op_counts", '[');
    else npu__text_f(t, "ops:");
    for (int32_t k = 0; k < n; k++) {
        if (!json) {
            npu__text_f(t, " %S x%l%s", &kinds[k].name, kinds[k].count, kinds[k].known ? "" : " (no kernel)");
            continue;
        }
        npu__json_open(t, NULL, '{');
        npu__json_str(t, "op", kinds[k].name);
        npu__json_int(t, "count", kinds[k].count);
        npu__json_bool(t, "known", kinds[k].known);
        npu__json_close(t, '}');
    }
    if (json) npu__json_close(t, ']');
    else npu__text_f(t, "\n");
}

/* What stands between the model and a run; JSON has the list always, as "missing". */
NPU__FN void npu__info_missing(npu__text *t, int json, const npu_model *m) {
    npu__kind kinds[NPU__MAX_KINDS];
    int32_t   n = npu__model_kinds(m, 1, kinds);
    if (json) npu__json_open(t, "missing", '[');
    else if (n) npu__text_f(t, "cannot run here: this build has no kernel for\n");
    for (int32_t k = 0; k < n; k++) {
        int custom = kinds[k].code == 32;
        if (!json) {
            npu__text_f(t, "  %S x%l%s, first in subgraph %d, operator %d\n", &kinds[k].name, kinds[k].count,
                        custom ? " (custom)" : "", kinds[k].subgraph, kinds[k].op);
            continue;
        }
        npu__json_open(t, NULL, '{');
        npu__json_str(t, "op", kinds[k].name);
        npu__json_bool(t, "custom", custom);
        npu__json_int(t, "count", kinds[k].count);
        npu__json_int(t, "subgraph", kinds[k].subgraph);
        npu__json_int(t, "index", kinds[k].op);
        npu__json_close(t, '}');
    }
    if (json) npu__json_close(t, ']');
}

NPU__FN void npu__info_memory(npu__text *t, int json, const npu_memory *m) {
    if (json) {
        npu__json_open(t, "memory", '{');
        npu__json_z(t, "machine", npu_machine_name(m->machine));
        npu__json_z(t, "isa", npu_isa_name(m->isa));
        npu__json_int(t, "session_bytes", (int64_t)m->session_bytes);
        npu__json_int(t, "arena_bytes", (int64_t)m->arena_bytes);
        npu__json_int(t, "packed_bytes", (int64_t)m->packed_bytes);
        npu__json_int(t, "variable_bytes", (int64_t)m->variable_bytes);
        npu__json_int(t, "plan_bytes", (int64_t)m->plan_bytes);
        npu__json_int(t, "folded_bytes", (int64_t)m->folded_bytes);
        npu__json_int(t, "model_bytes", (int64_t)m->model_bytes);
        npu__json_int(t, "limit_bytes", (int64_t)m->limit_bytes);
        npu__json_close(t, '}');
        return;
    }
    /* This machine goes without saying. */
    npu__text_f(t, "memory (%s%s%s): session %z bytes (arena %z, packed weights %z, variables %z); plan %z bytes (folded "
                "constants %z), of at most %l together; model %z bytes\n", m->machine == NPU_MACHINE_THIS ? "" :
                npu_machine_name(m->machine), m->machine == NPU_MACHINE_THIS ? "" : ", ", npu_isa_name(m->isa), m->session_bytes,
                m->arena_bytes, m->packed_bytes, m->variable_bytes, m->plan_bytes, m->folded_bytes, (int64_t)m->limit_bytes,
                m->model_bytes);
}

NPU__FN void npu__info_write(npu__text *t, int json, const npu_model *m, const npu_plan *a, const npu_memory *memory) {
    npu__info counts;
    npu__info_count(a, &counts);
    if (json) {
        npu__json_open(t, NULL, '{');
        npu__json_str(t, "description", m->description);
        npu__json_int(t, "file_bytes", m->root ? (int64_t)m->n_bytes : 0);
        npu__json_int(t, "ops", counts.ops);
        npu__json_int(t, "parameters", counts.parameters);
        npu__json_int(t, "constant_bytes", counts.constant_bytes);
        npu__json_int(t, "macs", counts.macs);
        npu__json_open(t, "subgraphs", '[');
    } else {
        if (m->root) npu__text_f(t, "%z bytes, \"%S\"\n", m->n_bytes, &m->description);
        else npu__text_f(t, "built without a file, \"%S\"\n", &m->description);
        npu__text_f(t, "%l ops, %l parameters (%l bytes of constants), %g million MACs\n", counts.ops, counts.parameters,
                    counts.constant_bytes, (double)counts.macs / 1e6);
    }
    for (int32_t i = 0; i < m->n_subgraphs; i++) {
        if (json) {
            npu__json_open(t, NULL, '{');
            npu__json_str(t, "name", m->subgraphs[i].name);
            npu__json_int(t, "ops", m->subgraphs[i].n_nodes);
        } else {
            npu__text_f(t, "subgraph %d \"%S\", %d ops\n", i, &m->subgraphs[i].name, m->subgraphs[i].n_nodes);
        }
        npu__info_io(t, json, a, i, 0);
        npu__info_io(t, json, a, i, 1);
        if (json) npu__json_close(t, '}');
    }
    if (json) npu__json_close(t, ']');
    npu__info_signatures(t, json, m);
    npu__info_metadata(t, json, m);
    npu__info_ops(t, json, m);
    npu__info_missing(t, json, m);
    if (memory) npu__info_memory(t, json, memory);
    if (json) npu__json_close(t, '}');
}

NPU_API npu_status npu_model_info(const npu_model *model, const npu_plan *plan, npu_format format,
                                  const npu_writer *writer, npu_diag *diag) {
    npu_memory memory;
    if (plan) npu_plan_memory(plan, &memory);
    return npu_model_info_with(model, plan ? &memory : NULL, format, writer, diag);
}

NPU_API npu_status npu_model_info_with(const npu_model *model, const npu_memory *memory, npu_format format,
                                       const npu_writer *writer, npu_diag *diag) {
    npu__text     t;
    npu_plan     *analysis;
    npu_plan_desc desc;
    npu_status    s;
    npu__diag_clear(diag);
    if (!model || !writer || !writer->write || (format != NPU_FORMAT_TEXT && format != NPU_FORMAT_JSON)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_model_info: needs a model, a writer and the "
                              "format TEXT or JSON");
    }
    /* An analysis plans what it can: a model that this build cannot run is exactly what one asks about. */
    memset(&desc, 0, sizeof desc);
    desc.allocator = model->desc.allocator;
    s = npu__analyze(&analysis, model, &desc, diag);
    if (s != NPU_OK) return s;
    npu__text_init(&t, writer);
    npu__info_write(&t, format == NPU_FORMAT_JSON, model, analysis, memory);
    npu_plan_destroy(analysis);
    return npu__text_end(&t, diag);
}

#endif
