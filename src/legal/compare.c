/* One model on several NPUs, as text, JSON and Markdown. */
#include "compare.h"

#if NPU__HAS_REPORTS

/* ---- what the forms share ---- */

NPU__FN const char *npu__compared_unknown(const npu_fit *f) { return f->check.ops_placed > 0 ? "unknown" : "-"; }

/* To two digits behind the point: more would promise what estimates do not hold. */
NPU__FN double npu__compared_round(double v) { return v < 1e13 ? (double)(int64_t)(v * 100 + 0.5) / 100 : v; }

NPU__FN size_t npu__compared_macs(char *out, size_t cap, const npu_fit *f) {
    if (f->check.macs == 0) return npu__format(out, cap, "-");
    return npu__format(out, cap, "%g %%", npu__compared_round(100.0 * (double)f->check.macs_placed / (double)f->check.macs));
}

NPU__FN size_t npu__compared_time(char *out, size_t cap, const npu_fit *f) {
    if (f->estimated) return npu__format(out, cap, "%g ms", npu__compared_round(1e3 * f->cost.seconds));
    if (!f->bounded || f->bound.cycles == 0) return npu__format(out, cap, "%s", npu__compared_unknown(f));
    if (f->bound.seconds > 0) return npu__format(out, cap, ">= %g ms", npu__compared_round(1e3 * f->bound.seconds));
    return npu__format(out, cap, ">= %k cycles", f->bound.cycles);
}

NPU__FN size_t npu__compared_slow(char *out, size_t cap, const npu_fit *f) {
    if (f->estimated) return npu__format(out, cap, "%b %s", f->cost.store_bytes, f->store);
    if (f->bounded) return npu__format(out, cap, ">= %b moved", f->bound.external_bytes_chained);
    return npu__format(out, cap, "%s", npu__compared_unknown(f));
}

NPU__FN int64_t npu__compared_left(const npu_fit *f) {
    return (int64_t)f->check.ops - f->check.ops_placed - f->check.ops_dropped;
}

NPU__FN void npu__compared_notes(npu__text *t, const npu__compared *list, int32_t n, npu__compared_note *note) {
    char text[320];
    int  any = 0;
    for (int32_t i = 0; i < n; i++) {
        const npu_fit *f = &list[i].fit;
        if (!f->estimated) continue;
        if (!any++) note(t, "Estimates, not measurements, of the ops that the NPU takes; the CPU's are not in them.");
        npu__format(text, sizeof text, "%s: %g MHz, %s; %s", f->backend, npu__compared_round(f->clock_hz / 1e6), f->memory_mode,
                    f->accuracy ? f->accuracy : "not validated");
        note(t, text);
    }
    for (int32_t i = 0, bounds = 0; i < n; i++) {
        const npu_fit *f = &list[i].fit;
        if (!f->bounded) continue;
        if (!bounds++) {
            note(t, ">=: lower bounds by the rates that the vendor's document states, not validated; what no rate is stated for counts "
                 "nothing. moved: bytes that ops read and write in external memory, fused as far as they can be; plan says more.");
        }
        npu__format(text, sizeof text, "%s: not validated, %k of %k placed ops without a stated rate; ", f->backend,
                    (int64_t)f->bound.ops_unknown, (int64_t)f->bound.ops_placed);
        if (f->clock_hz > 0) npu__format(text + strlen(text), sizeof text - strlen(text), "%g MHz, as given", f->clock_hz / 1e6);
        else npu__format(text + strlen(text), sizeof text - strlen(text), "no clock stated (--clock MHZ)");
        note(t, text);
    }
}

/* ---- columns of TEXT and MARKDOWN ---- */

#define NPU__COMPARED_HEADS(X) \
    X("NPU") X("rules") X("ops") X("MACs") X("partitions") X("switches") X("time (est.)") X("fast memory") X("slow memory") \
    X("with FP32 as FP16")

enum { NPU__COMPARED_CELL = 40 };
enum {
#define NPU__X(head) +1
    NPU__COMPARED_COLUMNS = 0 NPU__COMPARED_HEADS(NPU__X)
#undef NPU__X
};

typedef struct npu__compared_cells {
    char cell[NPU__COMPARED_COLUMNS][NPU__COMPARED_CELL];
} npu__compared_cells;

#define NPU__X(head) head,
static const char *const npu__compared_heads[NPU__COMPARED_COLUMNS] = {NPU__COMPARED_HEADS(NPU__X)};
#undef NPU__X

NPU__FN void npu__compared_memory(char *out, size_t cap, const npu_fit *f) {
    if (f->estimated) npu__format(out, cap, "%b%s", f->cost.sram_bytes, f->fits < 0 ? "" : f->fits ? ", fits" : ", TOO MUCH");
    else npu__format(out, cap, "%s", npu__compared_unknown(f));
}

NPU__FN void npu__compared_row(npu__compared_cells *row, const npu_fit *f) {
    const size_t cap = NPU__COMPARED_CELL;
    npu__format(row->cell[0], cap, "%s", f->backend);
    npu__format(row->cell[1], cap, "%s", f->profile);
    npu__format(row->cell[2], cap, "%d of %d", f->check.ops_placed, f->check.ops);
    npu__compared_macs(row->cell[3], cap, f);
    npu__format(row->cell[4], cap, "%d", f->check.partitions);
    npu__format(row->cell[5], cap, "%d", f->check.switches);
    npu__compared_time(row->cell[6], cap, f);
    npu__compared_memory(row->cell[7], cap, f);
    npu__compared_slow(row->cell[8], cap, f);
    if (f->relaxed_profile) npu__format(row->cell[9], cap, "--relax-fp32: %d of %d", f->relaxed.ops_placed, f->relaxed.ops);
    else row->cell[9][0] = 0;
}

/* How many columns these rows have: the last one is there where one of them says something in it. */
NPU__FN int npu__compared_columns(const npu__compared *list, int32_t n) {
    for (int32_t i = 0; i < n; i++) if (list[i].fit.relaxed_profile) return NPU__COMPARED_COLUMNS;
    return NPU__COMPARED_COLUMNS - 1;
}

/* ---- text ---- */

NPU__FN void npu__compared_note_line(npu__text *t, const char *text) { npu__text_f(t, "%s\n", text); }

NPU__FN void npu__compared_reasons_text(npu__text *t, const npu_fit *f) {
    const int32_t listed = NPU__MIN(f->n_reasons, NPU_FIT_REASONS);
    if (npu__compared_left(f) == 0) return;
    npu__text_f(t, "\n%s leaves %l %s to the CPU", f->backend, npu__compared_left(f), npu__compared_left(f) == 1 ? "op" : "ops");
    if (f->relaxed_profile) npu__text_f(t, " (with --relax-fp32: %d of %d are taken)", f->relaxed.ops_placed, f->relaxed.ops);
    npu__text_f(t, ":\n");
    for (int32_t i = 0; i < listed; i++) {
        const npu_fit_reason *r = &f->reasons[i];
        npu__text_f(t, "  %l  %s: %s; allowed: %s\n     %s\n", r->ops, r->rule, r->text, r->limit, r->hint);
    }
    if (f->n_reasons > listed) npu__text_f(t, "  and %d more: check --backend %s\n", f->n_reasons - listed, f->backend);
}

NPU__FN void npu__compared_text(npu__text *t, const npu__compared *list, int32_t n) {
    const int columns = npu__compared_columns(list, n);
    size_t    width[NPU__COMPARED_COLUMNS];
    for (int k = 0; k < columns; k++) width[k] = strlen(npu__compared_heads[k]);
    for (int32_t i = 0; i < n; i++) {
        npu__compared_cells row;
        npu__compared_row(&row, &list[i].fit);
        for (int k = 0; k < columns; k++) width[k] = NPU__MAX(width[k], strlen(row.cell[k]));
    }
    for (int32_t i = -1; i < n; i++) {
        npu__compared_cells row;
        if (i >= 0) npu__compared_row(&row, &list[i].fit);
        for (int k = 0; k < columns; k++) {
            const char *cell = i < 0 ? npu__compared_heads[k] : row.cell[k];
            npu__text_f(t, "%s", cell);
            if (k + 1 < columns && (k + 2 < NPU__COMPARED_COLUMNS || i < 0 || row.cell[k + 1][0])) npu__text_pad(t, strlen(cell), width[k] + 2);
        }
        npu__text_f(t, "\n");
    }
    for (int32_t i = 0; i < n; i++) npu__compared_reasons_text(t, &list[i].fit);
    npu__text_f(t, "\n");
    npu__compared_notes(t, list, n, npu__compared_note_line);
}

/* ---- Markdown ---- */

NPU__FN void npu__compared_note_item(npu__text *t, const char *text) { npu__text_f(t, "- %s\n", text); }

NPU__FN void npu__compared_markdown(npu__text *t, const npu__compared *list, int32_t n, const char *title) {
    const int columns = npu__compared_columns(list, n);
    npu__str  name = npu__str_of(title ? title : "");
    if (title) npu__text_f(t, "## %S\n\n", &name);
    for (int k = 0; k < columns; k++) npu__text_f(t, "| %s ", npu__compared_heads[k]);
    npu__text_f(t, "| refused most by |\n");
    for (int k = 0; k <= columns; k++) npu__text_f(t, k > 1 && k < columns ? "|---:" : "|---");
    npu__text_f(t, "|\n");
    for (int32_t i = 0; i < n; i++) {
        const npu_fit      *f = &list[i].fit;
        npu__compared_cells row;
        npu__compared_row(&row, f);
        for (int k = 0; k < columns; k++) npu__text_f(t, "| %s ", row.cell[k]);
        npu__text_f(t, "| ");
        for (int32_t k = 0; k < NPU__MIN(f->n_reasons, NPU_FIT_REASONS); k++) {
            npu__text_f(t, "%s`%s` x%l", k ? ", " : "", f->reasons[k].rule, f->reasons[k].ops);
        }
        npu__text_f(t, " |\n");
    }
    npu__text_f(t, "\n");
    npu__compared_notes(t, list, n, npu__compared_note_item);
}

/* ---- JSON ---- */

NPU__FN void npu__compared_estimate_json(npu__text *t, const npu_fit *f) {
    if (!f->estimated) {
        npu__json_key(t, "estimate");
        npu__text_f(t, "null");
        return;
    }
    npu__json_open(t, "estimate", '{');
    npu__json_int(t, "cycles", f->cost.cycles);
    npu__json_num(t, "seconds", f->cost.seconds);
    npu__json_num(t, "utilisation", f->cost.utilisation);
    npu__json_z(t, "memory_mode", f->memory_mode);
    npu__json_int(t, "sram_bytes", f->cost.sram_bytes);
    npu__json_z(t, "store", f->store);
    npu__json_int(t, "store_bytes", f->cost.store_bytes);
    npu__json_z(t, "accuracy", f->accuracy ? f->accuracy : "not validated");
    npu__json_close(t, '}');
}

/* Of a planner: no estimate. */
NPU__FN void npu__compared_bound_json(npu__text *t, const npu_fit *f) {
    if (!f->bounded) {
        npu__json_key(t, "lower_bound");
        npu__text_f(t, "null");
        return;
    }
    npu__json_open(t, "lower_bound", '{');
    npu__json_int(t, "cycles", f->bound.cycles);
    npu__json_key(t, "seconds");
    if (f->clock_hz > 0) npu__text_f(t, "%g", f->bound.seconds);
    else npu__text_f(t, "null");
    npu__json_int(t, "external_bytes", f->bound.external_bytes_chained);
    npu__json_int(t, "ops_unknown", f->bound.ops_unknown);
    npu__json_z(t, "accuracy", f->clock_hz > 0 ? "not validated" : "not validated, no clock stated");
    npu__json_close(t, '}');
}

NPU__FN void npu__compared_relaxed_json(npu__text *t, const npu_fit *f) {
    if (!f->relaxed_profile) {
        npu__json_key(t, "with_relax_fp32");
        npu__text_f(t, "null");
        return;
    }
    npu__json_open(t, "with_relax_fp32", '{');
    npu__json_z(t, "profile", f->relaxed_profile);
    npu__json_int(t, "ops_placed", f->relaxed.ops_placed);
    npu__json_int(t, "macs_placed", f->relaxed.macs_placed);
    npu__json_int(t, "partitions", f->relaxed.partitions);
    npu__json_int(t, "switches", f->relaxed.switches);
    npu__json_close(t, '}');
}

NPU__FN void npu__compared_row_json(npu__text *t, const npu_fit *f) {
    npu__json_open(t, NULL, '{');
    npu__json_z(t, "backend", f->backend);
    npu__json_z(t, "profile", f->profile);
    npu__json_int(t, "ops", f->check.ops);
    npu__json_int(t, "ops_placed", f->check.ops_placed);
    npu__json_int(t, "ops_dropped", f->check.ops_dropped);
    npu__json_int(t, "macs", f->check.macs);
    npu__json_int(t, "macs_placed", f->check.macs_placed);
    npu__json_int(t, "partitions", f->check.partitions);
    npu__json_int(t, "switches", f->check.switches);
    npu__json_int(t, "warnings", f->n_warnings);
    npu__compared_estimate_json(t, f);
    npu__compared_bound_json(t, f);
    npu__compared_relaxed_json(t, f);
    npu__json_key(t, "sram_limit");
    if (f->sram_limit > 0) npu__text_f(t, "%l", f->sram_limit);
    else npu__text_f(t, "null");
    npu__json_key(t, "fits");
    npu__text_f(t, f->fits < 0 ? "null" : f->fits ? "true" : "false");
    npu__json_int(t, "reasons", f->n_reasons);
    npu__json_open(t, "first_reasons", '[');
    for (int32_t i = 0; i < NPU__MIN(f->n_reasons, NPU_FIT_REASONS); i++) {
        const npu_fit_reason *r = &f->reasons[i];
        npu__json_open(t, NULL, '{');
        npu__json_z(t, "rule", r->rule);
        npu__json_z(t, "text", r->text);
        npu__json_z(t, "limit", r->limit);
        npu__json_z(t, "hint", r->hint);
        npu__json_int(t, "ops", r->ops);
        npu__json_close(t, '}');
    }
    npu__json_close(t, ']');
    npu__json_close(t, '}');
}

NPU__FN void npu__compared_json(npu__text *t, const npu__compared *list, int32_t n, const char *title) {
    npu__json_open(t, NULL, '{');
    if (title) npu__json_z(t, "title", title);
    npu__json_open(t, "npus", '[');
    for (int32_t i = 0; i < n; i++) npu__compared_row_json(t, &list[i].fit);
    npu__json_close(t, ']');
    npu__json_close(t, '}');
}

NPU__FN npu_status npu__report_compared(npu__compared *list, int32_t n, const char *title, npu_format format,
                                        const npu_writer *writer, npu_diag *diag) {
    npu__text t;
    npu__text_init(&t, writer);
    switch (format) {
    case NPU_FORMAT_JSON: npu__compared_json(&t, list, n, title); break;
    case NPU_FORMAT_MARKDOWN: npu__compared_markdown(&t, list, n, title); break;
    case NPU_FORMAT_HTML: npu__compared_html(&t, list, n, title); break;
    default: npu__compared_text(&t, list, n); break;
    }
    return npu__text_end(&t, diag);
}

#endif
