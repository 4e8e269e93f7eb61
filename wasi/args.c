/* Options: which there are, getopt_long with our own messages, numbers with bounds, names checked against the lists they
 * come from. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const struct row {
    int         id;
    const char *name;
    int         value, now; /* now: the option that this is a former name of; 0: none */
} rows[] = {
#define CLI_X(id, name, value) {CLI_OPT_##id, name, value, 0},
    CLI_OPTIONS(CLI_X)
#undef CLI_X
#define CLI_X(id, name, now) {CLI_OPT_##id, name, 0, CLI_OPT_##now},
    CLI_FORMER_OPTIONS(CLI_X)
#undef CLI_X
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static const struct row *row_of(int id) {
    int i = ROWS - 1;
    while (i > 0 && rows[i].id != id) i--;
    return &rows[i];
}

static struct option option_table[ROWS + 1]; /* of the command that is running; a row of zeros ends it */

int cli_has_option(const char *name) {
    const struct option *o;
    for (o = option_table; o->name; o++)
        if (strcmp(o->name, name) == 0) return 1;
    return 0;
}

static int is_taken(const int *takes, int id) {
    while (*takes != CLI_OPT_END && *takes != id) takes++;
    return *takes != CLI_OPT_END || id == CLI_OPT_HELP;
}

/* Is this former name that of another option now, which the command takes? */
static int is_reused(const int *takes, const struct row *former) {
    int i;
    for (i = 0; i < ROWS; i++)
        if (!rows[i].now && strcmp(rows[i].name, former->name) == 0 && is_taken(takes, rows[i].id)) return 1;
    return 0;
}

static void make_table(const int *takes) {
    struct option *o = option_table;
    int            i;
    for (i = 0; i < ROWS; i++) {
        const struct row *now = rows[i].now ? row_of(rows[i].now) : &rows[i];
        if (!is_taken(takes, now->id) || (rows[i].now && is_reused(takes, &rows[i]))) continue;
        o->name = rows[i].name;
        o->has_arg = now->value ? required_argument : no_argument;
        o++->val = rows[i].id;
    }
    o->name = NULL;
}

/* getopt_long with our own messages. Returns CLI_OK and *opt, 0 after the last one, or CLI_USAGE (reported). */
static int next_option(int argc, char **argv, int *opt) {
    opterr = 0;
    *opt = getopt_long(argc, argv, ":h", option_table, NULL);
    if (*opt == 'h') *opt = CLI_OPT_HELP;
    if (*opt == -1) *opt = CLI_OPT_END;
    if (*opt == ':')
        return cli_error(CLI_USAGE, "option %s needs a value; see npu_rt %s --help", argv[optind - 1], argv[0]);
    if (*opt == '?' && optopt > 0 && optopt < 256)
        return cli_error(CLI_USAGE, "unknown option -%c; see npu_rt %s --help", optopt, argv[0]);
    if (*opt == '?')
        return cli_error(CLI_USAGE, "%s option %s; see npu_rt %s --help", optopt ? "unexpected value in" : "unknown",
                         argv[optind - 1], argv[0]);
    return CLI_OK;
}

int cli_parse(int argc, char **argv, const char *help, const int *takes, cli_set *set, void *args) {
    int opt, code;
    make_table(takes);
    while ((code = next_option(argc, argv, &opt)) == CLI_OK && opt != CLI_OPT_END) {
        const struct row *row = row_of(opt);
        if (opt == CLI_OPT_HELP) {
            fputs(help, stdout);
            return CLI_OK;
        }
        if (row->now)
            cli_note("--%s is called --%s now; the former name goes with the next version", row->name,
                     row_of(row->now)->name);
        code = set(args, row->now ? row->now : opt, optarg);
        if (code != CLI_OK) return code;
    }
    return code == CLI_OK ? CLI_GO_ON : code;
}

int cli_take_model(int argc, char **argv, const char **model) {
    if (optind == argc)
        return cli_error(CLI_USAGE, "which model? Give a .tflite file, or - for stdin: npu_rt %s MODEL", argv[0]);
    if (optind + 1 < argc)
        return cli_error(CLI_USAGE, "one model at a time: %s is one too many; see npu_rt %s --help", argv[optind + 1],
                         argv[0]);
    *model = argv[optind];
    return CLI_OK;
}

int cli_parse_int(const char *text, long min, long max, const char *option, long *out) {
    char *end;
    errno = 0;
    *out = strtol(text, &end, 10);
    if (end == text || *end || errno || *out < min || *out > max) {
        cli_error(CLI_USAGE, "%s takes a whole number from %ld to %ld, not '%s'", option, min, max, text);
        return 0;
    }
    return 1;
}

int cli_parse_u64(const char *text, const char *option, uint64_t *out) {
    char              *end;
    unsigned long long v;
    errno = 0;
    v = strtoull(text, &end, 0);
    if (end == text || *end || errno || strchr(text, '-')) {
        cli_error(CLI_USAGE, "%s takes a whole number from 0 to 18446744073709551615, not '%s'", option, text);
        return 0;
    }
    *out = v;
    return 1;
}

size_t cli_add_name(char *list, size_t cap, size_t n, const char *name) {
    return n < cap ? n + (size_t)snprintf(list + n, cap - n, "%s%s", n ? ", " : "", name) : n;
}

int cli_parse_isa(const char *text, int any, npu_isa *out) {
    char   list[256] = "";
    size_t n = 0;
    int    i, known = 0;
    for (i = 0; i < NPU_ISA_COUNT; i++) {
        const char *name = npu_isa_name((npu_isa)i);
        if (!name) continue;
        if (any || npu_isa_available((npu_isa)i)) {
            if (strcmp(name, text) == 0) {
                *out = (npu_isa)i;
                return CLI_OK;
            }
            n = cli_add_name(list, sizeof list, n, name);
        }
        known |= strcmp(name, text) == 0;
    }
    return cli_error(CLI_USAGE, "%s '%s'; here you can choose: %s",
                     known ? "this build or machine cannot use the instruction set" : "unknown instruction set", text,
                     list);
}

static int parse_normalize(const char *text, cli_args *args) {
    char *end, *end2;
    args->mean = strtod(text, &end);
    if (end == text || *end != ',') end = NULL;
    args->std = end ? strtod(end + 1, &end2) : 0;
    if (!end || end2 == end + 1 || *end2 || !isfinite(args->mean) || !isfinite(args->std) || args->std <= 0)
        return cli_error(CLI_USAGE, "--normalize takes MEAN,STD with STD above 0, for example 127.5,127.5; not '%s'",
                         text);
    args->has_normalize = 1;
    return CLI_OK;
}

static int add_file(cli_args *args, const char *value) {
    const char   *eq = strchr(value, '=');
    const char  **more;
    if (!eq || eq == value || !strrchr(value, '=')[1])
        return cli_error(CLI_USAGE, "--input takes REF=FILE, for example 0=input.npy; not '%s'", value);
    more = realloc(args->files, sizeof *more * (size_t)(args->n_files + 1));
    if (!more) return cli_no_memory();
    args->files = more;
    more[args->n_files++] = value;
    return CLI_OK;
}

int cli_session_option(cli_args *args, int opt, char *value) {
    long v;
    switch (opt) {
    case CLI_OPT_JSON: args->json = 1; return CLI_OK;
    case CLI_OPT_RESIZE: args->resize = 1; return CLI_OK;
    case CLI_OPT_INPUT: return add_file(args, value);
    case CLI_OPT_SEED: return cli_parse_u64(value, "--seed", &args->seed) ? CLI_OK : CLI_USAGE;
    case CLI_OPT_SIGNATURE: args->signature = value; return CLI_OK;
    case CLI_OPT_ISA: return cli_parse_isa(value, 0, &args->isa);
    case CLI_OPT_FALLBACK: args->fallback = 1; return CLI_OK;
    case CLI_OPT_NORMALIZE: return parse_normalize(value, args);
    case CLI_OPT_THREADS:
        if (!cli_parse_int(value, 1, 64, "--threads", &v)) return CLI_USAGE;
#ifndef NPU_RT_THREADS
        if (v > 1) cli_note("this build has no threads: running with 1");
        v = 1;
#endif
        args->threads = (int)v;
        return CLI_OK;
    default: return cli_backend_option(&args->backend, opt, value);
    }
}

int cli_session_command(int argc, char **argv, const char *help, const int *takes, cli_set *set,
                        int (*body)(void *args), cli_args *args) {
    int code;
    args->threads = 1;
    code = cli_parse(argc, argv, help, takes, set, args);
    if (code == CLI_GO_ON) {
        code = cli_take_model(argc, argv, &args->model);
        if (code == CLI_OK && args->fallback && !args->backend.name)
            code = cli_error(CLI_USAGE, "--fallback is about a backend: name it with --backend");
        if (code == CLI_OK) code = cli_check_backend(&args->backend, NULL);
        if (code == CLI_OK) code = body(args);
    }
    free(args->files);
    return code;
}
