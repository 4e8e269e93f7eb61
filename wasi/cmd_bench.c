/* npu_rt bench: how long a model takes, as a whole and op by op, and what memory it needs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "rows.h"

static const char HELP[] =
    "usage: npu_rt bench MODEL [options]\n"
    "\n"
    "Times a .tflite model (- reads it from stdin) on inputs made from a seed.\n"
    "\n"
    "  --warmup N          untimed invokes after the first one (default 3)\n"
    "  --runs N            timed invokes (default: for one second, but at least 10 and at most 1000)\n"
    "  --profile           one row an op: time of one invoke, share, MACs, GMAC/s, kernel; then one for each type of op\n"
    "  --sort ORDER        the rows of --profile by order (that of the model, the default), time, name, macs or kernel\n"
    "  --json              print one JSON object instead of text\n"
    "  --threads N         use up to N threads (default 1)\n"
    "  --isa NAME          use this instruction set instead of the best one\n"
    "  --time-limit S      stop with exit code 1 when S seconds have passed, with the figures of the runs until then\n"
    "  --max-memory MIB    refuse what needs more memory (default 1024)\n"
    "  --max-work STEPS    stop an invoke that takes more steps of computing (default 2^40, about a nanosecond each)\n"
    "  --input, --resize, --seed, --signature, --normalize, --backend, --rules, --runtime, --exact-float32,\n"
    "  --fallback          as in npu_rt run\n"
    "\n"
    "load: reading and verifying the file. prepare: planning, packing weights, taking memory.\n"
    "first: the first invoke. mean: with the standard deviation of one invoke. Copying inputs in is not counted. peak_rss: of the whole process\n"
    "(under WASI: the size of the linear memory).\n";

typedef struct bench_args {
    cli_args run;
    long     warmup, runs; /* runs 0: by time */
    int      profile;
    int      sort; /* one of cli_order */
} bench_args;

typedef struct timings {
    double  first, min, median, p95, mean, deviation;
    double *all;
    long    n, cap;
} timings;

static int by_time(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int add_time(timings *t, double ms) {
    if (t->n == t->cap) {
        long    cap = t->cap ? t->cap * 2 : 256;
        double *more = realloc(t->all, sizeof *more * (size_t)cap);
        if (!more) return cli_no_memory();
        t->all = more;
        t->cap = cap;
    }
    t->all[t->n++] = ms;
    return CLI_OK;
}

/* NaN where no timed run came to its end. */
static void summarize(timings *t) {
    long i;
    double sum = 0, squares = 0;
    t->min = t->median = t->p95 = t->mean = t->deviation = (double)NAN;
    if (t->n == 0) return;
    qsort(t->all, (size_t)t->n, sizeof t->all[0], by_time);
    t->min = t->all[0];
    t->median = t->n % 2 ? t->all[t->n / 2] : (t->all[t->n / 2 - 1] + t->all[t->n / 2]) / 2;
    t->p95 = t->all[(t->n * 95 + 99) / 100 - 1]; /* nearest rank */
    for (i = 0; i < t->n; i++) sum += t->all[i];
    t->mean = sum / (double)t->n;
    for (i = 0; i < t->n; i++) squares += (t->all[i] - t->mean) * (t->all[i] - t->mean);
    t->deviation = t->n > 1 ? sqrt(squares / (double)(t->n - 1)) : 0; /* of a sample */
}

static int warm_up(cli_run *run, const bench_args *args, timings *t) {
    char   which[64];
    double ms;
    long   i;
    int    code = cli_run_invoke(run, "the first run", &t->first);
    for (i = 0; i < args->warmup && code == CLI_OK; i++) {
        snprintf(which, sizeof which, "warm-up run %ld of %ld", i + 1, args->warmup);
        code = cli_run_invoke(run, which, &ms);
    }
    return code;
}

static int measure(cli_run *run, const bench_args *args, timings *t) {
    char   which[64];
    double ms, start;
    long   i;
    int    code = warm_up(run, args, t);
    if (code == CLI_OK) npu_session_profile_clear(run->session);
    start = cli_now_ms();
    for (i = 0; code == CLI_OK; i++) {
        if (args->runs ? i >= args->runs : i >= 1000 || (i >= 10 && cli_now_ms() - start >= 1000)) break;
        if (args->runs) snprintf(which, sizeof which, "timed run %ld of %ld", i + 1, args->runs);
        else snprintf(which, sizeof which, "timed run %ld", i + 1);
        code = cli_run_invoke(run, which, &ms);
        if (code == CLI_OK) code = add_time(t, ms);
    }
    summarize(t);
    return code;
}

static void text_bytes(const char *label, double bytes) {
    if (bytes >= 1024.0 * 1024.0) printf("%-10s %10.2f MiB (%.0f bytes)\n", label, bytes / 1024 / 1024, bytes);
    else printf("%-10s %10.2f KiB (%.0f bytes)\n", label, bytes / 1024, bytes);
}

static void print_text(const cli_run *run, const bench_args *args, const timings *t, const cli_rows *rows) {
    npu_memory m;
    npu_plan_memory(run->plan, &m);
    printf("%-10s %10s, %d thread%s\n", "isa", npu_isa_name(npu_plan_isa(run->plan)), args->run.threads,
           args->run.threads == 1 ? "" : "s");
    printf("%-10s %10.3f ms\n%-10s %10.3f ms\n%-10s %10.3f ms\n", "load", run->load_ms, "prepare", run->prepare_ms,
           "first", t->first);
    if (t->n > 0)
        printf("%-10s %s%10.3f ms%s median, %.3f ms min, %.3f ms p95, %.3f ms +- %.3f mean, %ld runs\n", "invoke", cli_bold(),
               t->median, cli_plain(), t->min, t->p95, t->mean, t->deviation, t->n);
    else printf("%-10s no timed run came to its end\n", "invoke");
    cli_show_backend(run);
    text_bytes("arena", (double)m.arena_bytes);
    text_bytes("packed", (double)m.packed_bytes);
    text_bytes("peak rss", (double)cli_peak_rss());
    cli_show_memory(run);
    if (args->profile) cli_rows_show(rows);
}

static void json_time(const char *key, double ms, const char *after) {
    printf("\"%s\":", key);
    cli_json_number(stdout, ms);
    fputs(after, stdout);
}

static void print_json(const cli_run *run, const bench_args *args, const timings *t, const cli_rows *rows, int stopped) {
    npu_memory m;
    npu_plan_memory(run->plan, &m);
    cli_json_started();
    fputc('{', stdout);
    json_time("load_ms", run->load_ms, ",");
    json_time("prepare_ms", run->prepare_ms, ",");
    json_time("first_ms", t->first, ",\"invoke_ms\":{");
    json_time("min", t->min, ",");
    json_time("median", t->median, ",");
    json_time("p95", t->p95, ",");
    json_time("mean", t->mean, ",");
    json_time("stddev", t->deviation, "");
    printf("},\"runs\":%ld,\"time_limit_reached\":%s,", t->n, stopped ? "true" : "false");
    printf("\"arena_bytes\":%llu,\"packed_bytes\":%llu,", (unsigned long long)m.arena_bytes,
           (unsigned long long)m.packed_bytes);
    cli_json_backend(run);
    fputc(',', stdout);
    cli_json_memory(run);
    fputc(',', stdout);
    printf("\"peak_rss_bytes\":%llu,\"isa\":\"%s\",\"threads\":%d,\"ops\":[", (unsigned long long)cli_peak_rss(),
           npu_isa_name(npu_plan_isa(run->plan)), args->run.threads);
    if (args->profile) cli_rows_json(rows);
    fputs("],\"op_types\":[", stdout);
    if (args->profile) cli_types_json(rows);
    fputs("],", stdout);
    cli_json_error(); /* the time limit, or none */
    fputs("}\n", stdout);
}

static int bench_model(void *given) {
    const bench_args *args = given;
    cli_run           run;
    timings           t = {0};
    cli_rows          rows;
    int               stopped, code = cli_run_open(&run, &args->run, args->profile);
    memset(&rows, 0, sizeof rows);
    if (code == CLI_OK) code = measure(&run, args, &t);
    /* What was measured until the time was up stands, as long as it is something. */
    stopped = code == CLI_FAILED && run.finished > 0 && cli_limit.seconds > 0 && cli_time_is_up(NULL);
    if ((code == CLI_OK || stopped) && args->profile && cli_rows_take(&rows, run.session, run.model, t.n, args->sort) != CLI_OK) {
        code = CLI_FAILED;
        stopped = 0;
    }
    if ((code == CLI_OK || stopped) && args->run.json) print_json(&run, args, &t, &rows, stopped);
    else if (code == CLI_OK || stopped) print_text(&run, args, &t, &rows);
    cli_rows_free(&rows);
    cli_run_close(&run);
    free(t.all);
    return code;
}

static int set(void *args, int opt, char *value) {
    bench_args *a = args;
    switch (opt) {
    case CLI_OPT_PROFILE: a->profile = 1; return CLI_OK;
    case CLI_OPT_SORT: a->profile = 1; return cli_parse_order(value, &a->sort);
    case CLI_OPT_WARMUP: return cli_parse_int(value, 0, 1000000, "--warmup", &a->warmup) ? CLI_OK : CLI_USAGE;
    case CLI_OPT_RUNS: return cli_parse_int(value, 1, 1000000, "--runs", &a->runs) ? CLI_OK : CLI_USAGE;
    default: return cli_session_option(&a->run, opt, value);
    }
}

int cmd_bench(int argc, char **argv) {
    static const int takes[] = {CLI_OPT_SESSION, CLI_OPT_WARMUP, CLI_OPT_RUNS, CLI_OPT_PROFILE, CLI_OPT_SORT, CLI_OPT_END};
    bench_args       args;
    memset(&args, 0, sizeof args);
    args.warmup = 3;
    return cli_session_command(argc, argv, HELP, takes, set, bench_model, &args.run);
}
