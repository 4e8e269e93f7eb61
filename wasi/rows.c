/* The rows of bench --profile: operators in an order of the user's choice, and totals by type. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

int cli_parse_order(const char *text, int *order) {
    static const char *const names[] = {
#define CLI_X(id, name) name,
        CLI_ORDERS(CLI_X)
#undef CLI_X
    };
    char   list[128] = "";
    size_t n = 0;
    for (*order = 0; *order < CLI_ORDER_COUNT; (*order)++) {
        if (strcmp(names[*order], text) == 0) return CLI_OK;
        n = cli_add_name(list, sizeof list, n, names[*order]);
    }
    return cli_error(CLI_USAGE, "--sort takes one of %s, not '%s'", list, text);
}

static int by_text(const char *a, size_t na, const char *b, size_t nb) {
    int d = memcmp(a, b, na < nb ? na : nb);
    return d ? d : (na > nb) - (na < nb);
}

static int by_order(const cli_row *x, const cli_row *y) {
    return x->p.subgraph != y->p.subgraph ? x->p.subgraph - y->p.subgraph : x->p.op - y->p.op;
}

static int by_name(const cli_row *x, const cli_row *y) { return by_text(x->p.name, x->p.name_len, y->p.name, y->p.name_len); }

static int by_number(double x, double y) { return (x < y) - (x > y); } /* the largest first */

/* Equal rows stay in the order of the model. */
#define BY(name, first)                                   \
    static int sort_##name(const void *a, const void *b) { \
        const cli_row *x = a, *y = b;                     \
        int            d = (first);                       \
        return d ? d : by_order(x, y);                    \
    }
BY(model, 0)
BY(time, by_number(x->total_ms, y->total_ms))
BY(name, by_name(x, y))
BY(macs, by_number((double)x->p.macs, (double)y->p.macs))
BY(kernel, strcmp(x->p.kernel ? x->p.kernel : "", y->p.kernel ? y->p.kernel : ""))
#undef BY

static int types_by_time(const void *a, const void *b) {
    const cli_type_row *x = a, *y = b;
    int                 d = by_number(x->ms, y->ms);
    return d ? d : by_text(x->name, x->name_len, y->name, y->name_len);
}

/* `r->rows` are sorted by name: neighbours are of one type. */
static int take_types(cli_rows *r) {
    cli_type_row *t = calloc((size_t)r->n + 1, sizeof *t);
    long          i;
    if (!t) return cli_no_memory();
    r->types = t;
    for (i = 0; i < r->n; i++) {
        const cli_row *row = &r->rows[i];
        if (i == 0 || by_name(row, row - 1) != 0) {
            t = &r->types[r->n_types++];
            t->name = row->p.name;
            t->name_len = row->p.name_len;
        }
        t->ops++;
        t->ms += row->total_ms / (double)r->invokes;
        t->macs += row->p.macs;
        t->share += r->total_ms > 0 ? row->total_ms / r->total_ms : 0;
    }
    qsort(r->types, (size_t)r->n_types, sizeof *r->types, types_by_time);
    return CLI_OK;
}

int cli_rows_take(cli_rows *r, const npu_session *session, const npu_model *model, long invokes, int sort) {
    npu_op_profile p;
    int32_t        g, i;
    long           n = 0;
    int            code;
    for (g = 0; g < npu_model_subgraph_count(model); g++) n += npu_session_op_count(session, g);
    r->rows = calloc((size_t)n + 1, sizeof *r->rows);
    r->sort = sort;
    r->invokes = invokes > 0 ? invokes : 1;
    if (!r->rows) return cli_no_memory();
    for (g = 0; g < npu_model_subgraph_count(model); g++) {
        for (i = 0; npu_session_op_profile(session, g, i, &p) == NPU_OK; i++) {
            cli_row *row = &r->rows[r->n];
            if (p.runs == 0) continue; /* of a subgraph that did not run */
            row->p = p;
            row->total_ms = (double)p.total_ns / 1e6;
            row->ms = row->total_ms / (double)p.runs;
            row->gmacs = row->ms > 0 ? (double)p.macs / row->ms / 1e6 : 0;
            r->total_ms += row->total_ms;
            r->n++;
        }
    }
    qsort(r->rows, (size_t)r->n, sizeof *r->rows, sort_name);
    code = take_types(r);
    if (sort == CLI_ORDER_TIME) qsort(r->rows, (size_t)r->n, sizeof *r->rows, sort_time);
    else if (sort == CLI_ORDER_MACS) qsort(r->rows, (size_t)r->n, sizeof *r->rows, sort_macs);
    else if (sort == CLI_ORDER_KERNEL) qsort(r->rows, (size_t)r->n, sizeof *r->rows, sort_kernel);
    else if (sort == CLI_ORDER_MODEL) qsort(r->rows, (size_t)r->n, sizeof *r->rows, sort_model);
    return code;
}

void cli_rows_free(cli_rows *r) {
    free(r->rows);
    free(r->types);
    memset(r, 0, sizeof *r);
}

/* ---- text ---- */

static void show_name(const char *name, size_t n) {
    cli_text(stdout, name, n);
    printf("%*s", n < 28 ? (int)(28 - n) : 0, "");
}

void cli_rows_show(const cli_rows *r) {
    int32_t g = 0;
    long    i;
    printf("\n%s%4s %-28s %10s %7s %12s %8s  %s%s\n", cli_bold(), "op", "name", "ms", "share", "MACs", "GMAC/s", "kernel", cli_plain());
    for (i = 0; i < r->n; i++) {
        const cli_row *row = &r->rows[i];
        if (row->p.subgraph != g) printf("subgraph %d\n", (int)(g = row->p.subgraph));
        printf("%4d ", (int)row->p.op);
        show_name(row->p.name, row->p.name_len);
        printf(" %10.4f %6.1f%%", row->ms, r->total_ms > 0 ? 100.0 * row->total_ms / r->total_ms : 0);
        if (row->p.macs > 0) printf(" %12lld %8.2f", (long long)row->p.macs, row->gmacs);
        else printf(" %12s %8s", "-", "-");
        printf("  %s\n", row->p.kernel ? row->p.kernel : "-");
    }
    printf("\n%s%4s %-28s %10s %7s %12s%s\n", cli_bold(), "ops", "type", "ms", "share", "MACs", cli_plain());
    for (i = 0; i < r->n_types; i++) {
        const cli_type_row *t = &r->types[i];
        printf("%4ld ", t->ops);
        show_name(t->name, t->name_len);
        printf(" %10.4f %6.1f%%", t->ms, 100.0 * t->share);
        if (t->macs > 0) printf(" %12lld\n", (long long)t->macs);
        else printf(" %12s\n", "-");
    }
}

/* ---- JSON ---- */

void cli_rows_json(const cli_rows *r) {
    long i;
    for (i = 0; i < r->n; i++) {
        const npu_op_profile *p = &r->rows[i].p;
        printf("%s\n{\"subgraph\":%d,\"index\":%d,\"op\":", i ? "," : "", (int)p->subgraph, (int)p->op);
        cli_json_string(stdout, p->name, p->name_len);
        fputs(",\"kernel\":", stdout);
        cli_json_string(stdout, p->kernel ? p->kernel : "", p->kernel ? strlen(p->kernel) : 0);
        printf(",\"runs\":%llu,\"ms\":", (unsigned long long)p->runs);
        cli_json_number(stdout, r->rows[i].ms);
        fputs(",\"share\":", stdout);
        cli_json_number(stdout, r->total_ms > 0 ? r->rows[i].total_ms / r->total_ms : 0);
        printf(",\"macs\":%lld,\"gmacs_per_s\":", (long long)p->macs);
        cli_json_number(stdout, r->rows[i].gmacs);
        fputc('}', stdout);
    }
}

void cli_types_json(const cli_rows *r) {
    long i;
    for (i = 0; i < r->n_types; i++) {
        const cli_type_row *t = &r->types[i];
        printf("%s\n{\"op\":", i ? "," : "");
        cli_json_string(stdout, t->name, t->name_len);
        printf(",\"count\":%ld,\"ms\":", t->ops);
        cli_json_number(stdout, t->ms);
        fputs(",\"share\":", stdout);
        cli_json_number(stdout, t->share);
        printf(",\"macs\":%lld}", (long long)t->macs);
    }
}
