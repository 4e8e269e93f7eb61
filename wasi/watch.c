/* What run --trace and --minmax gather while a model runs, and the files it becomes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"

enum { MOST_EVENTS = 1 << 18, MOST_OUTPUTS = 16, NAME = 256 };

int cli_watch_option(cli_watch *w, int opt, const char *value) {
    const char  *eq = strchr(value, '=');
    const char **more;
    if (opt != CLI_OPT_KEEP) {
        *(opt == CLI_OPT_TRACE ? &w->trace : &w->minmax) = value;
        return CLI_OK;
    }
    if (!eq || eq == value || !strrchr(value, '=')[1])
        return cli_error(CLI_USAGE, "--keep takes TENSOR=FILE, for example 12=x.npy, or all=FOLDER; not '%s'", value);
    more = realloc(w->keep, sizeof *more * ((size_t)w->n_keep + 1));
    if (!more) return cli_no_memory();
    w->keep = more;
    more[w->n_keep++] = value;
    return CLI_OK;
}

void cli_watch_close(cli_watch *w) {
    size_t  i;
    int32_t g;
    for (i = 0; i < w->n_events; i++) free(w->events[i].outputs);
    for (g = 0; g < w->n_subgraphs; g++) free(w->ranges[g]);
    free(w->ranges);
    free(w->events);
    free(w->keep);
    memset(w, 0, sizeof *w);
}

/* ---- while it runs ---- */

/* `n` bytes of a name that may be a megabyte long. */
static size_t cut(size_t n) { return n < NAME ? n : NAME; }

/* Shapes as they are in this pass. NULL: no memory, or no operator. */
static int32_t *outputs_of(const npu_observed *seen) {
    const int32_t n = seen->n_tensors < MOST_OUTPUTS ? seen->n_tensors : MOST_OUTPUTS;
    int32_t      *list = seen->op < 0 ? NULL : malloc(sizeof *list * (size_t)(1 + n * (2 + NPU_MAX_RANK))), *at = list, i;
    npu_tensor    t;
    if (!list) return NULL;
    *at++ = n;
    for (i = 0; i < n; i++) {
        if (npu_observed_tensor(seen, i, &t, at) != NPU_OK) break;
        at[1] = t.rank;
        memcpy(at + 2, t.dims, sizeof *at * (size_t)t.rank);
        at += 2 + t.rank;
    }
    list[0] = i;
    return list;
}

static void add_event(cli_watch *w, const npu_observed *seen) {
    npu_op_profile p;
    cli_event     *e;
    if (w->n_events == w->cap_events) {
        size_t     cap = w->cap_events ? w->cap_events * 2 : 256;
        cli_event *more = cap > MOST_EVENTS ? NULL : realloc(w->events, sizeof *more * cap);
        if (!more) {
            w->lost++;
            return;
        }
        w->events = more;
        w->cap_events = cap;
    }
    e = &w->events[w->n_events++];
    memset(e, 0, sizeof *e);
    e->moment = (int32_t)seen->moment;
    e->subgraph = seen->subgraph;
    e->op = seen->op;
    e->depth = seen->depth;
    e->run = w->run;
    e->start_ns = seen->start_ns;
    e->duration_ns = seen->duration_ns;
    e->name = seen->name;
    e->name_len = cut(seen->name_len);
    e->outputs = outputs_of(seen);
    if (seen->op < 0 || npu_session_op_profile(seen->session, seen->subgraph, seen->row, &p) != NPU_OK) return;
    e->macs = p.macs;
    e->kernel = p.kernel;
}

static int is_float(npu_type type) {
    return type == NPU_FLOAT32 || type == NPU_FLOAT16 || type == NPU_BFLOAT16 || type == NPU_FLOAT64;
}

static void add_values(cli_watch *w, int32_t subgraph, int32_t index, const npu_tensor *t) {
    cli_range  *r = &w->ranges[subgraph][index];
    cli_summary s;
    if (!is_float(t->type) || !t->data || w->failed) return;
    if (!cli_sum_up(t, &s)) {
        w->failed = 1;
        return;
    }
    if (s.finite && (r->finite == 0 || s.min < r->min)) r->min = s.min;
    if (s.finite && (r->finite == 0 || s.max > r->max)) r->max = s.max;
    r->values += s.elems;
    r->finite += s.finite;
}

static int make_ranges(cli_watch *w) {
    const npu_model *model = w->runs->model;
    const int32_t    n = npu_model_subgraph_count(model);
    w->ranges = calloc((size_t)n + 1, sizeof *w->ranges);
    if (!w->ranges) return 0;
    w->n_subgraphs = n;
    for (int32_t g = 0; g < n; g++) {
        w->ranges[g] = calloc((size_t)npu_model_tensor_count(model, g) + 1, sizeof *w->ranges[g]);
        if (!w->ranges[g]) return 0;
    }
    return 1;
}

static void see(void *user, const npu_observed *seen) {
    cli_watch *w = user;
    npu_tensor t;
    int32_t    i, index;
    if (seen->moment == NPU_MOMENT_BEGIN && seen->depth == 0 && w->run++ == 0) {
        w->origin_ns = seen->start_ns;
        if (w->minmax && !make_ranges(w)) w->failed = 1;
    }
    if (w->trace && seen->moment != NPU_MOMENT_BEGIN) add_event(w, seen);
    if (!w->minmax || w->failed || seen->moment == NPU_MOMENT_END) return;
    for (i = 0; i < seen->n_tensors; i++)
        if (npu_observed_tensor(seen, i, &t, &index) == NPU_OK) add_values(w, seen->subgraph, index, &t);
}

void cli_watch_ask(cli_watch *w, cli_args *args, const cli_run *run) {
    w->runs = run;
    if (w->n_keep || w->minmax) args->keep_values = 1; /* all values, those between operators that else run as one, too */
    if (w->trace) args->profile = 1;
    if (!w->trace && !w->minmax) return;
    args->observe = see;
    args->observe_user = w;
}

/* ---- the trace ---- */

/* What encloses comes first. */
static int by_start(const void *x, const void *y) {
    const cli_event *a = x, *b = y;
    if (a->start_ns != b->start_ns) return a->start_ns < b->start_ns ? -1 : 1;
    if (a->duration_ns != b->duration_ns) return a->duration_ns > b->duration_ns ? -1 : 1;
    if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
    return (a->op >= 0) - (b->op >= 0);
}

/* Chrome's traces are in microseconds. */
static void times(FILE *f, const cli_watch *w, const cli_event *e) {
    const uint64_t at = e->start_ns - w->origin_ns;
    fprintf(f, "\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%llu.%03u,\"dur\":%llu.%03u", (unsigned long long)(at / 1000), (unsigned)(at % 1000),
            (unsigned long long)(e->duration_ns / 1000), (unsigned)(e->duration_ns % 1000));
}

static void trace_outputs(FILE *f, const cli_watch *w, const cli_event *e) {
    const int32_t *at = e->outputs;
    int32_t        i, d, n = at ? *at++ : 0;
    npu_tensor     t;
    char           type[32];
    for (i = 0; i < n; i++, at += 2 + at[1]) {
        if (npu_model_tensor(w->runs->model, e->subgraph, at[0], &t) != NPU_OK) continue;
        cli_type_text(type, sizeof type, t.type);
        fprintf(f, "%s{\"tensor\":%d,\"name\":", i ? "," : "", (int)at[0]);
        cli_json_string(f, t.name, cut(t.name_len));
        fprintf(f, ",\"type\":\"%s\",\"shape\":[", type);
        for (d = 0; d < at[1]; d++) fprintf(f, "%s%d", d ? "," : "", (int)at[2 + d]);
        fputs("]}", f);
    }
}

static void trace_event(FILE *f, const cli_watch *w, const cli_event *e) {
    if (e->op < 0 && e->depth == 0) {
        fprintf(f, ",\n{\"name\":\"invoke %ld\",\"cat\":\"invoke\",", e->run);
        times(f, w, e);
        fprintf(f, ",\"args\":{\"subgraph\":%d}}", (int)e->subgraph);
    }
    if (e->op < 0) {
        fprintf(f, ",\n{\"name\":\"subgraph %d\",\"cat\":\"subgraph\",", (int)e->subgraph);
        times(f, w, e);
        fputs(",\"args\":{\"name\":", f);
        cli_json_string(f, e->name, e->name_len);
        fprintf(f, ",\"depth\":%d}}", (int)e->depth);
        return;
    }
    fputs(",\n{\"name\":", f);
    cli_json_string(f, e->name, e->name_len);
    fputs(",\"cat\":\"operator\",", f);
    times(f, w, e);
    fprintf(f, ",\"args\":{\"subgraph\":%d,\"op\":%d,\"outputs\":[", (int)e->subgraph, (int)e->op);
    trace_outputs(f, w, e);
    fprintf(f, "],\"macs\":%lld,\"kernel\":", (long long)e->macs);
    cli_json_string(f, e->kernel ? e->kernel : "", e->kernel ? strlen(e->kernel) : 0);
    fputs("}}", f);
}

static int write_trace(cli_watch *w, cli_whole *files) {
    FILE *f = cli_whole_open(files, w->trace);
    size_t i;
    if (!f) return CLI_FAILED;
    if (w->n_events) qsort(w->events, w->n_events, sizeof *w->events, by_start);
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
          "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":", f);
    cli_json_string(f, w->runs->args->model, strlen(w->runs->args->model));
    fputs("}},\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"npu_rt, ", f);
    fprintf(f, "%s\"}}", npu_isa_name(npu_plan_isa(w->runs->plan)));
    for (i = 0; i < w->n_events; i++) trace_event(f, w, &w->events[i]);
    fprintf(f, "\n],\"otherData\":{\"version\":\"npu_rt " NPU_RT_VERSION "\",\"threads\":%d,\"lost_events\":%ld}}\n",
            w->runs->args->threads, w->lost);
    if (w->lost) cli_note("%s: %ld events of the run found no room in it", w->trace, w->lost);
    return cli_whole_close(files, f, CLI_OK);
}

/* ---- ranges ---- */

static void csv_name(FILE *f, const char *p, size_t n) {
    size_t i;
    fputc('"', f);
    for (i = 0; i < n; i++) {
        if (p[i] == '"') fputc('"', f);
        fputc((unsigned char)p[i] < 32 ? ' ' : p[i], f);
    }
    fputc('"', f);
}

static void range_row(FILE *f, int csv, long row, int32_t subgraph, int32_t index, const npu_tensor *t, const cli_range *r) {
    const double nan = (double)NAN;
    int32_t      d;
    char         type[32];
    cli_type_text(type, sizeof type, t->type);
    if (csv) {
        fprintf(f, "%d,%d,", (int)subgraph, (int)index);
        csv_name(f, t->name, cut(t->name_len));
        fprintf(f, ",%s,", type);
        for (d = 0; d < t->rank; d++) fprintf(f, "%s%d", d ? "x" : "", (int)t->dims[d]);
        if (r->finite) fprintf(f, ",%.9g,%.9g,", r->min, r->max);
        else fputs(",,,", f);
        fprintf(f, "%llu,%llu,%d\n", (unsigned long long)r->values, (unsigned long long)(r->values - r->finite), t->data != NULL);
        return;
    }
    fprintf(f, "%s\n{\"subgraph\":%d,\"index\":%d,", row ? "," : "", (int)subgraph, (int)index);
    cli_json_tensor(f, t);
    fputs(",\"min\":", f);
    cli_json_number(f, r->finite ? r->min : nan);
    fputs(",\"max\":", f);
    cli_json_number(f, r->finite ? r->max : nan);
    fprintf(f, ",\"values\":%llu,\"not_finite\":%llu,\"constant\":%s}", (unsigned long long)r->values,
            (unsigned long long)(r->values - r->finite), t->data ? "true" : "false");
}

/* Constants are looked at once, others were while it ran; what no run computed has no row. */
static int range_rows(FILE *f, int csv, cli_watch *w) {
    long       row = 0;
    npu_tensor t, now;
    int32_t    g, i;
    for (g = 0; g < w->n_subgraphs; g++) {
        for (i = 0; npu_model_tensor(w->runs->model, g, i, &t) == NPU_OK; i++) {
            cli_range *r = &w->ranges[g][i];
            if (!is_float(t.type)) continue;
            if (t.data && r->values == 0) add_values(w, g, i, &t);
            if (w->failed) return w->failed;
            if (r->values == 0 && !t.data) continue;
            if (!t.data && npu_session_tensor(w->runs->session, g, i, &now, NULL) == NPU_OK) { /* folded, or the last shape */
                t.rank = now.rank;
                memcpy(t.dims, now.dims, sizeof t.dims);
            }
            range_row(f, csv, row++, g, i, &t, r);
        }
    }
    return 0;
}

static int write_ranges(cli_watch *w, cli_whole *files) {
    const size_t n = strlen(w->minmax);
    const int    csv = n > 4 && strcmp(w->minmax + n - 4, ".csv") == 0;
    FILE        *f = cli_whole_open(files, w->minmax);
    int          code;
    if (!f) return CLI_FAILED;
    if (csv) fputs("subgraph,index,name,type,shape,min,max,values,not_finite,constant\n", f);
    else {
        fputs("{\"model\":", f);
        cli_json_string(f, w->runs->args->model, strlen(w->runs->args->model));
        fprintf(f, ",\"runs\":%ld,\"tensors\":[", w->run);
    }
    code = range_rows(f, csv, w) ? cli_check_time("while looking for the ranges of values") : CLI_OK;
    if (!csv) fputs("]}\n", f);
    return cli_whole_close(files, f, code);
}

int cli_watch_write(cli_watch *w, cli_whole *files) {
    int code = CLI_OK;
    if (w->failed) {
        code = cli_check_time("while looking for the ranges of values");
        if (code == CLI_OK) code = cli_no_memory();
    }
    if (code == CLI_OK && w->trace) code = write_trace(w, files);
    if (code == CLI_OK && w->minmax) code = write_ranges(w, files);
    if (code == CLI_OK && w->n_keep) code = cli_keep(w, files);
    return code;
}
