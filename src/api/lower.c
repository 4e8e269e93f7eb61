/* npu_model_lower: the programs that a vendor would run for the operators it takes. */
#include "../legal/report.h"
#include "../plan/view.h"

#if NPU__HAS_REPORTS

NPU__FN npu_status npu__lower_none(const npu__backend *b, npu_diag *diag) {
    return npu__diag_fail(diag, NPU_UNSUPPORTED, "lower.analysis_only", "npu_rt makes no programs for %s: use "
                          "npu_check for what it takes", b->target->name);
}

#if !NPU__HAS_LOWERING

NPU__FN npu_status npu__lower_model(npu_plan *plan, const npu__backend *b, npu__program_ask *ask, const npu_writer *writer, npu_diag *diag) {
    (void)plan;
    (void)ask;
    (void)writer;
    return npu__lower_none(b, diag);
}

#else

NPU__FN void npu__lower_open(npu__text *t, const npu__seg *seg, const npu__program_ask *ask) {
    const npu__node *first = seg->nodes[0]->node, *last = seg->nodes[seg->n_nodes - 1]->node;
    if (ask->format == NPU_FORMAT_JSON) {
        npu__json_open(t, NULL, '{');
        npu__json_int(t, "segment", ask->number);
        npu__json_int(t, "subgraph", first->subgraph);
        npu__json_open(t, "operators", '[');
        for (int32_t i = 0; i < seg->n_nodes; i++) npu__json_int(t, NULL, seg->nodes[i]->node->index);
        npu__json_close(t, ']');
    } else if (ask->format == NPU_FORMAT_DOT) {
        npu__text_f(t, "  subgraph cluster_%d {\n  label=\"segment %d: operators %d to %d of subgraph %d\";\n", ask->number, ask->number,
                    first->index, last->index, first->subgraph);
    } else {
        npu__text_f(t, "%ssegment %d: %d operators, %d to %d of subgraph %d\n", ask->number ? "\n" : "", ask->number, seg->n_nodes,
                    first->index, last->index, first->subgraph);
    }
}

NPU__FN void npu__lower_write(npu__text *t, npu__subplan *subs, int32_t n, const npu__backend *b, npu__program_ask *ask) {
    if (ask->format == NPU_FORMAT_JSON) {
        npu__json_open(t, NULL, '{');
        npu__json_z(t, "backend", b->target->name);
        npu__json_z(t, "profile", b->profile->name);
        npu__json_open(t, "segments", '[');
    } else if (ask->format == NPU_FORMAT_DOT) {
        npu__text_f(t, "digraph lowered {\n  node [shape=box, fontname=\"monospace\"];\n");
    }
    for (int32_t s = 0; s < n; s++) {
        for (int32_t k = 0; k < subs[s].n_segs; k++, ask->number++) {
            npu__lower_open(t, &subs[s].segs[k], ask);
            b->vendor->program(t, &subs[s].segs[k], ask);
            if (ask->format == NPU_FORMAT_JSON) npu__json_close(t, '}');
            if (ask->format == NPU_FORMAT_DOT) npu__text_f(t, "  }\n");
        }
    }
    if (ask->format == NPU_FORMAT_JSON) {
        npu__json_close(t, ']');
        npu__json_close(t, '}');
    } else if (ask->format == NPU_FORMAT_DOT) {
        npu__text_f(t, "}\n");
    } else if (ask->number == 0) {
        npu__text_f(t, "%s takes no operator of this model\n", b->target->name);
    }
}

/* All are lowered before a word is written: a failure is an error, not half a report. */
NPU__FN npu_status npu__lower_all(npu__subplan *subs, npu__env *env, const npu__placement *p) {
    for (int32_t s = 0; s < env->plan->model->n_subgraphs; s++) {
        NPU__TRY(npu__segments_of(&subs[s], env, p, s));
        for (int32_t k = 0; k < subs[s].n_segs; k++) {
            npu__seg  *seg = &subs[s].segs[k];
            npu_status status;
            env->n_slots = 0;
            status = p->backend.vendor->lower(seg);
            if (env->stopped) status = NPU_LIMIT; /* whatever the vendor made of it */
            if (status != NPU_OK) {
                return NPU__FAIL(&seg->ctx, status, "segment.lower", "%s cannot compile the %d operators from here on",
                                 p->backend.vendor->name, seg->n_nodes);
            }
        }
    }
    return NPU_OK;
}

NPU__FN npu_status npu__lower_placed(npu_plan *plan, const npu__placement *p, npu__program_ask *ask, const npu_writer *writer,
                                     npu_diag *diag) {
    npu__subplan *subs = (npu__subplan *)npu__pool_alloc(&plan->pool, (size_t)plan->model->n_subgraphs, sizeof *subs);
    npu__env      env;
    npu__text     t;
    memset(&env, 0, sizeof env);
    env.diag = diag;
    env.plan = plan;
    env.isa = plan->isa;
    env.fold_isa = plan->isa;
    env.threads = plan->threads;
    env.machine = plan->machine;
    if (!subs) return npu__plan_no_memory(plan, NULL, diag);
    NPU__TRY(npu__lower_all(subs, &env, p));
    npu__text_init(&t, writer);
    npu__lower_write(&t, subs, plan->model->n_subgraphs, &p->backend, ask);
    return npu__text_end(&t, diag);
}

NPU__FN npu_status npu__lower_model(npu_plan *plan, const npu__backend *b, npu__program_ask *ask, const npu_writer *writer, npu_diag *diag) {
    npu__pool      *pool = &plan->pool; /* all of it lives as long as the plan */
    npu__plan_view  view;
    npu__nodes      nodes;
    npu__placement  p;
    if (!b->vendor->lower || !b->vendor->program) return npu__lower_none(b, diag);
    if (!npu__view_for(&nodes, &view, plan, b->profile, pool)) return npu__plan_no_memory(plan, NULL, diag);
    NPU__TRY(npu__placement_make(&p, pool, b, &nodes, diag));
    return npu__lower_placed(plan, &p, ask, writer, diag);
}

#endif

NPU_API npu_status npu_model_lower(const npu_model *model, const npu_lower_desc *desc, npu_format format, const npu_writer *writer,
                                   npu_diag *diag) {
    npu__program_ask ask;
    npu__backend     b;
    npu_plan_desc    pd;
    npu_plan        *plan;
    npu_status       s;
    uint64_t         left;
    npu__diag_clear(diag);
    if (!model || !desc || !writer || !writer->write ||
        (format != NPU_FORMAT_TEXT && format != NPU_FORMAT_JSON && format != NPU_FORMAT_DOT)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_model_lower: needs a model, a description, a writer and the "
                              "format TEXT, JSON or DOT");
    }
    memset(&ask, 0, sizeof ask);
    if (desc->runtime && !npu__runtime_version(desc->runtime, &ask.runtime)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "lower.runtime", NPU__RUNTIME_FORM, desc->runtime);
    }
    left = ((uint64_t)1 << 16) + 16 * (uint64_t)model->n_bytes; /* constants are hashed twice at most, unless they are shared */
    ask.format = format;
    ask.left = &left;
    NPU__TRY(npu__backend_find(&b, desc->backend, desc->profile, diag));
    memset(&pd, 0, sizeof pd);
    pd.allocator = model->desc.allocator;
    NPU__TRY(npu__analyze(&plan, model, &pd, diag));
    s = npu__lower_model(plan, &b, &ask, writer, diag);
    npu_plan_destroy(plan);
    return s;
}

#endif
