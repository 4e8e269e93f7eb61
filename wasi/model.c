/* From a path to a session that is ready to be invoked, and the way back. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int cli_open_model(const char *path, uint8_t **file, size_t *n, npu_model **model) {
    npu_model_desc desc;
    npu_diag       diag;
    int            code = cli_read_file(path, file, n);
    *model = NULL;
    if (code != CLI_OK) return code;
    memset(&desc, 0, sizeof desc);
    desc.max_memory_bytes = cli_limit.memory_bytes;
    if (npu_model_open(model, *file, *n, &desc, &diag) == NPU_OK) return CLI_OK;
    code = cli_diag(path, &diag);
    free(*file);
    *file = NULL;
    return code;
}

static int unknown_signature(const cli_run *run) {
    npu_signature s;
    int32_t       i, n = npu_model_signature_count(run->model);
    if (n == 0)
        return cli_error(CLI_USAGE, "--signature %s: the model has no signatures; leave the option out",
                         run->args->signature);
    cli_error(CLI_USAGE, "--signature %s: the model has no such signature; say one of these:", run->args->signature);
    for (i = 0; i < n; i++) {
        if (npu_model_signature(run->model, i, &s) != NPU_OK) break;
        fputs("  ", stderr);
        cli_text(stderr, s.key, s.key_len);
        fputc('\n', stderr);
    }
    return CLI_USAGE;
}

/* Which subgraph runs, and which signature names its inputs. */
static int choose_entry(cli_run *run) {
    npu_signature s;
    int32_t       i;
    const char   *key = run->args->signature;
    run->signature = -1;
    run->subgraph = key ? npu_model_find_signature(run->model, key) : 0;
    if (run->subgraph < 0) return unknown_signature(run);
    for (i = 0; npu_model_signature(run->model, i, &s) == NPU_OK && run->signature < 0; i++)
        if (key ? s.key_len == strlen(key) && memcmp(s.key, key, s.key_len) == 0 : s.subgraph == 0)
            run->signature = i;
    return CLI_OK;
}

static int declare_inputs(cli_run *run) {
    int32_t i;
    run->n_inputs = npu_model_input_count(run->model, run->subgraph);
    run->n_outputs = npu_model_output_count(run->model, run->subgraph);
    if (run->n_inputs < 0 || run->n_outputs < 0)
        return cli_error(3, "%s: it has no subgraph to run", run->args->model);
    run->inputs = calloc((size_t)run->n_inputs + 1, sizeof *run->inputs);
    if (!run->inputs) return cli_no_memory();
    for (i = 0; i < run->n_inputs; i++) {
        cli_input *in = &run->inputs[i];
        if (npu_model_input(run->model, run->subgraph, i, &in->declared) != NPU_OK)
            return cli_error(CLI_FAILED, "input %d vanished", (int)i);
        in->rank = in->declared.rank;
        memcpy(in->dims, in->declared.dims, sizeof in->dims);
    }
    return CLI_OK;
}

static int same_shape(const cli_input *in) {
    return in->rank == in->declared.rank &&
           memcmp(in->dims, in->declared.dims, sizeof(int32_t) * (size_t)in->rank) == 0;
}

static int takes(const cli_input *in) {
    int32_t i;
    if (in->rank != in->declared.rank) return 0;
    for (i = 0; i < in->rank; i++)
        if (in->dims[i] != in->declared.dims[i] && in->declared.dims_signature[i] != -1) return 0;
    return 1;
}

/* The shapes of the files are to blame: which files, and what would have been right. */
static int wrong_shapes(const cli_run *run, const npu_diag *diag) {
    int         fixed = strcmp(diag->rule, "plan.input_fixed") == 0, code;
    const char *path = run->args->model;
    char        want[128], got[128];
    int32_t     i;
    for (i = run->n_inputs; i-- > 0;)
        if (run->inputs[i].path && !(fixed ? takes(&run->inputs[i]) : same_shape(&run->inputs[i])))
            path = run->inputs[i].path;
    code = cli_diag(path, diag);
    for (i = 0; i < run->n_inputs; i++) {
        const cli_input *in = &run->inputs[i];
        if (!in->path || same_shape(in)) continue;
        cli_shape_text(want, sizeof want, in->declared.rank, in->declared.dims);
        cli_shape_text(got, sizeof got, in->rank, in->dims);
        cli_note("%s has the shape %s; input %d is declared as %s", in->path, got, (int)i, want);
    }
    if (fixed) cli_note("reshape the array, or give --resize, which plans the model for the file's shape all the same");
    return code;
}

/* What a file's shape changed is said where the input is described. */
static void say_resized(cli_input *in) {
    char   want[128], got[128];
    size_t n = strlen(in->how);
    cli_shape_text(want, sizeof want, in->declared.rank, in->declared.dims);
    cli_shape_text(got, sizeof got, in->rank, in->dims);
    snprintf(in->how + n, sizeof in->how - n, ", input resized from %s to %s", want, got);
}

/* The names that the message had no room for. */
static void list_missing(const npu_model *model) {
    npu_missing_op list[64];
    int32_t        i, n = npu_model_missing(model, list, 64);
    cli_remember_missing(model);
    for (i = 0; i < n && n > 3; i++)
        cli_note("no kernel for %.*s%s x%lld, first in subgraph %d, operator %d",
                 (int)(list[i].name_len < 80 ? list[i].name_len : 80), list[i].name, list[i].custom ? " (custom)" : "", (long long)list[i].count, (int)list[i].subgraph,
                 (int)list[i].op);
}

static int make_plan(cli_run *run) {
    npu_plan_desc    desc;
    npu_diag         diag;
    npu_input_shape *shapes = calloc((size_t)run->n_inputs + 1, sizeof *shapes);
    int32_t          i, n = 0;
    int              code = CLI_OK;
    if (!shapes) return cli_no_memory();
    for (i = 0; i < run->n_inputs; i++) {
        if (same_shape(&run->inputs[i])) continue;
        shapes[n].subgraph = run->subgraph;
        shapes[n].input = i;
        shapes[n].rank = run->inputs[i].rank;
        memcpy(shapes[n].dims, run->inputs[i].dims, sizeof shapes[n].dims);
        say_resized(&run->inputs[i]);
        n++;
    }
    memset(&desc, 0, sizeof desc);
    desc.input_shapes = n ? shapes : NULL;
    desc.n_input_shapes = n;
    desc.resize_fixed = run->args->resize;
    desc.isa = run->args->isa;
    desc.threads = run->args->threads;
    desc.backend = run->args->backend.name;
    desc.profile = run->args->backend.rules;
    desc.fallback = run->args->fallback;
    desc.keep_values = run->args->keep_values;
    desc.max_memory_bytes = cli_limit.memory_bytes;
    if (npu_plan_create(&run->plan, run->model, &desc, &diag) != NPU_OK)
        code = diag.status == NPU_BAD_INPUT ? wrong_shapes(run, &diag) : cli_diag(run->args->model, &diag);
    if (code == npu_status_exit_code(NPU_UNSUPPORTED)) list_missing(run->model);
    free(shapes);
    return code;
}

int cli_run_open(cli_run *run, const cli_args *args, int profile) {
    npu_session_desc desc;
    npu_diag         diag;
    double           start = cli_now_ms();
    int              code;
    memset(run, 0, sizeof *run);
    run->args = args;
    code = cli_open_model(args->model, &run->file, &run->file_bytes, &run->model);
    run->load_ms = cli_now_ms() - start;
    if (code == CLI_OK) code = cli_check_time("while opening the model");
    if (code == CLI_OK) code = choose_entry(run);
    if (code == CLI_OK) code = declare_inputs(run);
    if (code == CLI_OK) code = cli_inputs_read(run);
    if (code == CLI_OK) code = cli_check_time("while reading the inputs");
    if (code != CLI_OK) return code;
    start = cli_now_ms();
    code = make_plan(run);
    if (code == CLI_OK) code = cli_check_time("while planning");
    if (code != CLI_OK) return code;
    memset(&desc, 0, sizeof desc);
    desc.profile = profile || args->profile;
    desc.observe = args->observe;
    desc.observe_user = args->observe_user;
    desc.max_work = cli_limit.work;
    desc.cancel = cli_limit.seconds > 0 ? cli_time_is_up : NULL;
    code = cli_driver_open(run, &desc);
    if (code != CLI_OK) return code;
    if (npu_session_create(&run->session, run->plan, &desc, &diag) != NPU_OK) return cli_diag(args->model, &diag);
    run->prepare_ms = cli_now_ms() - start;
    code = cli_check_time("while preparing");
    return code == CLI_OK ? cli_inputs_fill(run) : code;
}

/* Where the time limit stopped an invoke: the operator, and how much of the run's work it is. */
static int stopped(const cli_run *run, const char *which, const npu_diag *diag) {
    npu_op_profile p;
    char           where[256], done[64] = "";
    size_t         n = (size_t)snprintf(where, sizeof where, "in %s", which);
    double         total = 0, own = 0;
    int32_t        i, ops = npu_session_op_count(run->session, diag->subgraph);
    for (i = 0; i < ops && npu_session_op_profile(run->session, diag->subgraph, i, &p) == NPU_OK; i++) {
        total += (double)p.steps;
        if (p.op == diag->op) own = (double)p.steps;
    }
    if (diag->op >= 0 && n < sizeof where)
        n += (size_t)snprintf(where + n, sizeof where - n, ": subgraph %d, operator %d %s", (int)diag->subgraph,
                              (int)diag->op, diag->op_name);
    if (diag->op >= 0 && total > 0 && n < sizeof where)
        snprintf(where + n, sizeof where - n, " (about %.0f %% of the work of its subgraph)", 100 * own / total);
    if (run->finished > 0)
        snprintf(done, sizeof done, "%ld run%s before it finished", run->finished, run->finished == 1 ? "" : "s");
    return cli_time_error(where, done);
}

int cli_run_invoke(cli_run *run, const char *which, double *ms) {
    npu_diag   diag;
    npu_tensor t;
    npu_status status;
    double     start;
    int32_t    i;
    if (cli_time_is_up(NULL)) { /* between two invokes, so in no operator */
        memset(&diag, 0, sizeof diag);
        diag.op = diag.subgraph = -1;
        return stopped(run, which, &diag);
    }
    for (i = 0; i < run->n_inputs; i++) {
        if (npu_session_input_of(run->session, run->subgraph, i, &t) != NPU_OK)
            return cli_error(CLI_FAILED, "input %d vanished", (int)i);
        if (run->inputs[i].items) {
            status = npu_session_set_strings_of(run->session, run->subgraph, i, run->inputs[i].items, run->inputs[i].lengths,
                                                run->inputs[i].bytes, &diag);
            if (status != NPU_OK) return cli_diag(run->args->model, &diag);
            continue;
        }
        if (t.bytes != 0) memcpy(t.data, run->inputs[i].data, t.bytes);
    }
    start = cli_now_ms();
    status = npu_session_invoke_subgraph(run->session, run->subgraph, &diag);
    *ms = cli_now_ms() - start;
    if (status == NPU_CANCELLED) return stopped(run, which, &diag);
    if (status != NPU_OK) return cli_diag(run->args->model, &diag);
    run->finished++;
    return CLI_OK;
}

void cli_run_close(cli_run *run) {
    int32_t i;
    for (i = 0; run->inputs && i < run->n_inputs; i++) {
        free(run->inputs[i].data);
        free(run->inputs[i].items);
        free(run->inputs[i].lengths);
    }
    free(run->inputs);
    free(run->summaries);
    npu_session_destroy(run->session);
    cli_driver_close(run);
    npu_plan_destroy(run->plan);
    npu_model_close(run->model);
    free(run->file);
}
