/* Options: getopt_long with our own messages, numbers with bounds, names checked against the lists they come from. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const struct option *option_table; /* of the command that is running */

int cli_has_option(const char *name) {
    const struct option *o;
    for (o = option_table; o && o->name; o++)
        if (strcmp(o->name, name) == 0) return 1;
    return 0;
}

int cli_next_option(int argc, char **argv, const struct option *options, const char *command) {
    int opt;
    option_table = options;
    opterr = 0;
    opt = getopt_long(argc, argv, ":h", options, NULL);
    if (opt == 'h') return CLI_OPT_HELP;
    if (opt == ':') {
        cli_error(CLI_USAGE, "option %s needs a value; see npu_rt %s --help", argv[optind - 1], command);
        return CLI_OPT_BAD;
    }
    if (opt == '?') {
        if (optopt > 0 && optopt < 256)
            cli_error(CLI_USAGE, "unknown option -%c; see npu_rt %s --help", optopt, command);
        else cli_error(CLI_USAGE, "%s option %s; see npu_rt %s --help", optopt ? "unexpected value in" : "unknown",
                       argv[optind - 1], command);
        return CLI_OPT_BAD;
    }
    return opt;
}

int cli_take_model(int argc, char **argv, const char *command, const char **model) {
    if (optind == argc) {
        cli_error(CLI_USAGE, "which model? Give a .tflite file, or - for stdin: npu_rt %s MODEL", command);
        return 0;
    }
    if (optind + 1 < argc) {
        cli_error(CLI_USAGE, "one model at a time: %s is one too many; see npu_rt %s --help", argv[optind + 1],
                  command);
        return 0;
    }
    *model = argv[optind];
    return 1;
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
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", name);
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
    case CLI_OPT_NORMALIZE: return parse_normalize(value, args);
    case CLI_OPT_THREADS:
        if (!cli_parse_int(value, 1, 64, "--threads", &v)) return CLI_USAGE;
#ifndef NPU_RT_THREADS
        if (v > 1) cli_note("this build has no threads: running with 1");
        v = 1;
#endif
        args->threads = (int)v;
        return CLI_OK;
    default: return cli_limit_option(opt, value);
    }
}

static size_t add_name(char *list, size_t cap, size_t n, const char *name) {
    return n < cap ? n + (size_t)snprintf(list + n, cap - n, "%s%s", n ? ", " : "", name) : n;
}

static int check_profile(const char *backend, const char *profile) {
    char        list[128] = "";
    size_t      n = 0;
    int32_t     i;
    const char *have;
    for (i = 0; (have = npu_backend_profile(backend, i)) != NULL; i++) {
        if (!profile || strcmp(have, profile) == 0) return 1;
        n = add_name(list, sizeof list, n, have);
    }
    cli_error(CLI_USAGE, "unknown profile '%s'; backend %s has: %s", profile, backend, list);
    return 0;
}

int cli_check_backend(const char *name, const char *profile, const char *command) {
    char        list[256] = "";
    size_t      n = 0;
    int32_t     i;
    const char *have;
    for (i = 0; (have = npu_backend_name(i)) != NULL; i++) {
        if (name && strcmp(have, name) == 0) return check_profile(name, profile);
        n = add_name(list, sizeof list, n, have);
    }
    if (name) cli_error(CLI_USAGE, "unknown backend '%s'; this build has: %s", name, list);
    else cli_error(CLI_USAGE, "npu_rt %s needs --backend NAME; this build has: %s", command, list);
    return 0;
}

int cli_help(const char *text) {
    fputs(text, stdout);
    return CLI_OK;
}
