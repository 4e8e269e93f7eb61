/* NPUs on the command line: the options that name one, its library for a session, and who runs what. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef NPU_RT_NEURON_DLOPEN
#include <dlfcn.h>
#endif

#include "cli.h"

int cli_backend_option(cli_backend *b, int opt, char *value) {
    switch (opt) {
    case CLI_OPT_BACKEND: b->name = value; return CLI_OK;
    case CLI_OPT_RULES: b->rules = value; return CLI_OK;
    case CLI_OPT_RUNTIME: b->runtime = value; return CLI_OK;
    case CLI_OPT_EXACT: b->exact = 1; return CLI_OK;
    default: return cli_limit_option(opt, value);
    }
}

int cli_parse_clock(const char *text, double *hz) {
    char *end;
    errno = 0;
    *hz = strtod(text, &end) * 1e6;
    if (end != text && !*end && !errno && *hz >= 1e3 && *hz <= 1e11) return CLI_OK;
    return cli_error(CLI_USAGE, "--clock takes a number of MHz from 0.001 to 100000, not '%s'", text);
}

static int check_rules(const cli_backend *b) {
    char        list[128] = "";
    size_t      n = 0;
    int32_t     i;
    const char *have;
    for (i = 0; (have = npu_backend_profile(b->name, i)) != NULL; i++) {
        if (!b->rules || strcmp(have, b->rules) == 0) return CLI_OK;
        n = cli_add_name(list, sizeof list, n, have);
    }
    return cli_error(CLI_USAGE, "unknown rules '%s'; backend %s has: %s", b->rules, b->name, list);
}

int cli_check_backend(const cli_backend *b, const char *command) {
    char        list[256] = "";
    size_t      n = 0;
    int32_t     i;
    const char *have;
    for (i = 0; (have = npu_backend_name(i)) != NULL; i++) {
        if (b->name && strcmp(have, b->name) == 0) return check_rules(b);
        n = cli_add_name(list, sizeof list, n, have);
    }
    if (b->name) return cli_error(CLI_USAGE, "unknown backend '%s'; this build has: %s", b->name, list);
    if (command) return cli_error(CLI_USAGE, "npu_rt %s needs --backend NAME; this build has: %s", command, list);
    if (!b->rules && !b->runtime && !b->exact) return CLI_OK;
    return cli_error(CLI_USAGE, "%s is about a backend: name it with --backend; this build has: %s",
                     b->rules ? "--rules" : b->runtime ? "--runtime" : "--exact-float32", list);
}

int cli_relax(cli_backend *b) {
    const char *relaxed = npu_backend_relaxed(b->name, b->rules);
    if (!relaxed)
        return cli_error(CLI_USAGE, "--relax-fp32 is nothing that the rules %s of %s know",
                         b->rules ? b->rules : npu_backend_profile(b->name, 0), b->name);
    b->rules = relaxed;
    return CLI_OK;
}

/* ---- for a session ---- */

/* The library of this machine, in builds that may load it; where there is none, its software stands in, which is said. */
static void load_library(cli_run *run) {
#ifdef NPU_RT_NEURON_DLOPEN
    npu_diag diag;
    if (npu_neuron_load(&run->neuron, &run->library, &diag) != NPU_OK)
        cli_note("%s; the software adapter stands in", diag.text);
#else
    (void)run;
#endif
}

int cli_driver_open(cli_run *run, npu_session_desc *desc) {
    const cli_backend *b = &run->args->backend;
    if (!b->name || strcmp(b->name, "neuron") != 0) {
        if (!b->runtime && !b->exact) return CLI_OK;
        return cli_error(CLI_USAGE, "%s is for a backend whose library runs operators: neuron, not %s",
                         b->runtime ? "--runtime" : "--exact-float32", b->name);
    }
    load_library(run);
    run->neuron.runtime = b->runtime;
    run->neuron_options = npu_neuron_usual_options();
    run->neuron_options.exact_float32 = b->exact;
    run->neuron.options = &run->neuron_options;
    run->driver.vendor = b->name;
    run->driver.functions = &run->neuron;
    desc->drivers = &run->driver;
    desc->n_drivers = 1;
    return CLI_OK;
}

void cli_driver_close(cli_run *run) {
#ifdef NPU_RT_NEURON_DLOPEN
    if (run->library) dlclose(run->library);
#endif
    run->library = NULL;
}

/* ---- who runs what ---- */

typedef struct share {
    int ops, taken, segments; /* operators that run, those of them that the backend runs, and in how many pieces */
} share;

static share share_of(const cli_run *run) {
    npu_op_profile p;
    share          s = {0, 0, 0};
    int32_t        g, i;
    for (g = 0; g < npu_model_subgraph_count(run->model); g++) {
        for (i = 0; npu_session_op_profile(run->session, g, i, &p) == NPU_OK; i++) {
            s.ops++;
            s.taken += p.vendor != NULL;
            s.segments += p.vendor != NULL && p.segment == p.op;
        }
    }
    return s;
}

void cli_show_backend(const cli_run *run) {
    const char *name = run->args->backend.name;
    share       s;
    if (!name || strcmp(name, "none") == 0) return;
    s = share_of(run);
    printf("%-10s %s runs %d of %d operators, in %d segment%s%s\n", "backend", name, s.taken, s.ops, s.segments,
           s.segments == 1 ? "" : "s", s.taken && run->driver.vendor && !run->library ? " (software adapter)" : "");
}

void cli_json_backend(const cli_run *run) {
    const cli_backend *b = &run->args->backend;
    share              s;
    fputs("\"backend\":", stdout);
    if (!b->name) {
        fputs("null", stdout);
        return;
    }
    s = share_of(run);
    printf("{\"name\":\"%s\",\"rules\":\"%s\",\"software\":%s,\"ops\":%d,\"ops_placed\":%d,\"segments\":%d}", b->name,
           b->rules ? b->rules : npu_backend_profile(b->name, 0), !run->driver.vendor ? "null" : run->library ? "false" : "true",
           s.ops, s.taken, s.segments);
}
