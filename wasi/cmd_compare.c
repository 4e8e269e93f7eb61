/* npu_rt compare: the same inputs through two models, instruction sets or backends, or a model against known outputs. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "npy.h"
#include "pairs.h"

static const char HELP[] =
    "usage: npu_rt compare A [B] [options]\n"
    "\n"
    "Runs model A and model B on the same inputs and says how far their outputs are apart and, where both have the same\n"
    "operators, which is the first one whose values differ. B may be a folder with the outputs that are right: 0.npy, 1.npy, ...\n"
    "as npu_rt run --output-dir writes them. Without B, A is compared with itself: give --isa-a, --isa-b, --backend-a or\n"
    "--backend-b; without these the best instruction set is compared with plain C.\n"
    "\n"
    "  --tolerance X       how far values may be apart (default 0): absolute, of the reals that quantized ones stand for\n"
    "  --isa-a, --isa-b NAME          instruction set of one of the two; --isa is that of both\n"
    "  --backend-a, --backend-b NAME  who runs what it takes; --backend runs both\n"
    "  --json              print one JSON object instead of text: all operators, too\n"
    "  --input, --resize, --seed, --signature, --normalize, --threads, --rules, --runtime, --exact-float32, --fallback,\n"
    "  --time-limit, --max-memory, --max-work as in npu_rt run. Where B's inputs are of other types, it gets A's values in these.\n"
    "\n"
    "Outputs of different types are compared as the reals that they stand for. Exit code 0: all outputs are within the\n"
    "tolerance, 6: they are not. A NaN equals a NaN and nothing else. Keeping all values takes as much memory as all tensors\n"
    "of both models together.\n";

typedef struct compare_args {
    cli_args    run;
    const char *b;
    npu_isa     isa[2];
    const char *backend[2];
    double      tolerance;
    int         chosen; /* one of --isa-a ... was given */
} compare_args;

typedef struct compared {
    cli_run   a, b;
    cli_args  args[2];
    int       folder;       /* B is one */
    int       same_ops;     /* both have the same operators */
    cli_pair *outputs, *ops;
    int32_t   n_outputs, n_ops, first; /* first: row of the first operator that differs; -1: none */
    int       equal;
    double    max_abs;
} compared;

/* ---- inputs ---- */

/* Are B's inputs of A's types? Files are read for both then. */
static int same_inputs(const cli_run *a, const char *path, int *same) {
    uint8_t   *file;
    size_t     n;
    npu_model *model;
    npu_tensor t;
    int32_t    i;
    int        code = cli_open_model(path, &file, &n, &model);
    if (code != CLI_OK) return code;
    *same = 1;
    for (i = 0; i < a->n_inputs; i++)
        if (npu_model_input(model, a->subgraph, i, &t) == NPU_OK && t.type != a->inputs[i].declared.type) *same = 0;
    npu_model_close(model);
    free(file);
    return CLI_OK;
}

/* Gives input i of B what A's has. False: B keeps its own. */
static int convert_input(const compared *c, int32_t i) {
    npu_tensor from, to;
    size_t     n = 1;
    int32_t    d;
    float     *reals;
    int        ok;
    if (i >= c->a.n_inputs || c->b.inputs[i].path || npu_session_input_of(c->a.session, c->a.subgraph, i, &from) != NPU_OK ||
        npu_session_input_of(c->b.session, c->b.subgraph, i, &to) != NPU_OK) return 0;
    from.data = c->a.inputs[i].data;
    to.data = c->b.inputs[i].data;
    if (from.rank != to.rank || memcmp(from.dims, to.dims, sizeof from.dims[0] * (size_t)from.rank) != 0) return 0;
    for (d = 0; d < to.rank; d++) n *= (size_t)to.dims[d];
    if (from.type == to.type) {
        memcpy(to.data, from.data, to.bytes);
        return 1;
    }
    reals = n > SIZE_MAX / 8 ? NULL : malloc(n * sizeof *reals + 1);
    ok = reals && npu_tensor_dequantize(&from, reals, n, NULL) == NPU_OK && npu_tensor_quantize(&to, reals, n, NULL) == NPU_OK;
    free(reals);
    return ok;
}

static int open_b(compared *c) {
    int32_t i;
    int     same = 1, code = CLI_OK;
    if (strcmp(c->args[0].model, c->args[1].model) != 0) code = same_inputs(&c->a, c->args[1].model, &same);
    if (!same) c->args[1].n_files = 0;
    if (code == CLI_OK) code = cli_run_open(&c->b, &c->args[1], 0);
    for (i = 0; code == CLI_OK && i < c->b.n_inputs; i++)
        if (!same && !convert_input(c, i))
            cli_note("input %d of %s is unlike that of %s: it gets values of its own from the seed", (int)i, c->args[1].model,
                     c->args[0].model);
    return code;
}

/* ---- what is compared ---- */

static void add_name(cli_pair *pair, const npu_op *op) {
    const size_t n = op->name_len < sizeof pair->op_name ? op->name_len : sizeof pair->op_name - 1;
    size_t       i;
    for (i = 0; i < n; i++) pair->op_name[i] = (unsigned char)op->name[i] < 32 || (unsigned char)op->name[i] > 126 ? '?' : op->name[i];
}

static int have_same_ops(const compared *c) {
    const int32_t n = npu_model_op_count(c->a.model, c->a.subgraph);
    npu_op        x, y;
    int32_t       i;
    if (n != npu_model_op_count(c->b.model, c->b.subgraph)) return 0;
    for (i = 0; i < n; i++) {
        if (npu_model_op(c->a.model, c->a.subgraph, i, &x) != NPU_OK || npu_model_op(c->b.model, c->b.subgraph, i, &y) != NPU_OK ||
            x.n_outputs != y.n_outputs || x.name_len != y.name_len || memcmp(x.name, y.name, x.name_len) != 0) return 0;
    }
    return 1;
}

static int compare_op(compared *c, int32_t i, int32_t cap, double tolerance) {
    npu_op     x, y;
    npu_tensor a, b;
    int32_t    k;
    int        code = CLI_OK;
    if (npu_model_op(c->a.model, c->a.subgraph, i, &x) != NPU_OK || npu_model_op(c->b.model, c->b.subgraph, i, &y) != NPU_OK) return CLI_OK;
    for (k = 0; k < x.n_outputs && c->n_ops < cap && code == CLI_OK; k++) {
        cli_pair *pair = &c->ops[c->n_ops];
        /* What has no value, as an output that is a resource, is not compared. */
        if (npu_session_tensor(c->a.session, c->a.subgraph, x.outputs[k], &a, NULL) != NPU_OK ||
            npu_session_tensor(c->b.session, c->b.subgraph, y.outputs[k], &b, NULL) != NPU_OK || !cli_npy_holds(a.type)) continue;
        pair->op = i;
        pair->tensor = x.outputs[k];
        add_name(pair, &x);
        code = cli_pair_compare(pair, &a, &b);
        if (c->first < 0 && cli_pair_differs(pair, tolerance)) c->first = c->n_ops;
        c->n_ops++;
    }
    return code;
}

static int compare_ops(compared *c, double tolerance) {
    const int32_t n = npu_model_op_count(c->a.model, c->a.subgraph);
    npu_op        op;
    int32_t       i, cap = 0;
    int           code = CLI_OK;
    c->first = -1;
    c->same_ops = !c->folder && have_same_ops(c);
    for (i = 0; c->same_ops && i < n; i++)
        if (npu_model_op(c->a.model, c->a.subgraph, i, &op) == NPU_OK) cap += op.n_outputs;
    c->ops = calloc((size_t)cap + 1, sizeof *c->ops);
    if (!c->ops) return cli_no_memory();
    for (i = 0; c->same_ops && i < n && code == CLI_OK; i++) code = compare_op(c, i, cap, tolerance);
    return code;
}

/* ---- reference outputs ---- */

/* The type whose elements a .npy file of this dtype has; `like` where that is of the same dtype. */
static npu_type type_of(const char *dtype, npu_type like) {
    if (strcmp(npu_type_dtype(like), dtype) == 0 && npu_type_bits(like) >= 8) return like;
#define NPU_X(name, value, bits, text) if (bits >= 8 && text[0] && strcmp(text, dtype) == 0) return NPU_##name;
    NPU_TYPE_LIST(NPU_X)
#undef NPU_X
    return NPU_TYPE_COUNT;
}

/* A .npy file's array as a tensor that has `like`'s name and scales; its data in *values, to be freed. */
static int npy_tensor(const char *path, const uint8_t *file, size_t n, const npu_tensor *like, npu_tensor *out, uint8_t **values) {
    npy_array   a;
    const char *why = npy_parse(file, n, &a);
    *values = NULL;
    if (why) return cli_fail(CLI_BAD_INPUT, NULL, "input.npy", "%s: unreadable .npy file: %s", path, why);
    *out = *like;
    out->type = type_of(a.dtype, like->type);
    if (out->type == NPU_TYPE_COUNT)
        return cli_fail(CLI_BAD_INPUT, NULL, "input.dtype", "%s: its dtype %s is none of a tensor", path, a.dtype);
    out->rank = a.rank;
    memcpy(out->dims, a.dims, sizeof out->dims);
    out->bytes = a.elems * (size_t)a.item_bytes;
    *values = malloc(out->bytes ? out->bytes : 1);
    if (!*values) return cli_no_memory();
    npy_copy(&a, *values);
    out->data = *values;
    /* A file of reals for a quantized output: the scales are the model's alone. */
    if (out->type == NPU_FLOAT32 || out->type == NPU_FLOAT64 || out->type == NPU_FLOAT16) memset(&out->quant, 0, sizeof out->quant);
    return CLI_OK;
}

/* The output as a file would have it, whose elements are never smaller than a byte. */
static int as_file(const npu_tensor *t, npu_tensor *out, uint8_t **values) {
    char  *text = NULL;
    size_t n = 0;
    FILE  *f = open_memstream(&text, &n);
    int    code = f && cli_npy_holds(t->type) && cli_write_npy(f, t) ? CLI_OK : CLI_FAILED;
    if (f && fclose(f) != 0) code = CLI_FAILED;
    if (code != CLI_OK) code = cli_check_time("while comparing") != CLI_OK ? CLI_FAILED : cli_error(4, "an output of type %s cannot be compared with a file",
                                                                                         npu_type_name(t->type));
    else code = npy_tensor("the output", (const uint8_t *)text, n, t, out, values);
    free(text);
    return code;
}

static int compare_file(compared *c, int32_t i, const npu_tensor *a) {
    char       path[4096];
    uint8_t   *file = NULL, *one = NULL, *two = NULL;
    npu_tensor x, y;
    size_t     n;
    int        len = snprintf(path, sizeof path, "%s/%d.npy", c->args[1].model, (int)i), code;
    if (len < 0 || len >= (int)sizeof path) return cli_error(CLI_FAILED, "%.80s...: the name is too long", c->args[1].model);
    code = cli_read_file(path, &file, &n);
    if (code == CLI_OK) code = npy_tensor(path, file, n, a, &y, &two);
    if (code == CLI_OK) code = as_file(a, &x, &one);
    if (code == CLI_OK) code = cli_pair_compare(&c->outputs[i], &x, &y);
    /* The pair goes on to speak of the model's own tensor. */
    c->outputs[i].a = *a;
    free(file);
    free(one);
    free(two);
    return code;
}

static int compare_outputs(compared *c) {
    const int32_t nb = c->folder ? c->a.n_outputs : c->b.n_outputs;
    npu_tensor    a, b;
    int32_t       i;
    int           code = CLI_OK;
    c->n_outputs = c->a.n_outputs < nb ? c->a.n_outputs : nb;
    c->equal = c->a.n_outputs == nb;
    c->outputs = calloc((size_t)c->n_outputs + 1, sizeof *c->outputs);
    if (!c->outputs) return cli_no_memory();
    for (i = 0; i < c->n_outputs && code == CLI_OK; i++) {
        c->outputs[i].op = c->outputs[i].tensor = i;
        if (npu_session_output_of(c->a.session, c->a.subgraph, i, &a) != NPU_OK) continue;
        if (c->folder) code = compare_file(c, i, &a);
        else if (npu_session_output_of(c->b.session, c->b.subgraph, i, &b) == NPU_OK)
            code = cli_pair_compare(&c->outputs[i], &a, &b);
    }
    return code;
}

/* ---- the report ---- */

static void judge(compared *c, double tolerance) {
    int32_t i;
    for (i = 0; i < c->n_outputs; i++) {
        if (cli_pair_differs(&c->outputs[i], tolerance)) c->equal = 0;
        if (c->outputs[i].known && c->outputs[i].d.max_abs > c->max_abs) c->max_abs = c->outputs[i].d.max_abs;
    }
}

static void who(char *text, size_t cap, const cli_run *run, const cli_args *args) {
    const char *backend = args->backend.name;
    if (!run->plan) snprintf(text, cap, "known outputs");
    else snprintf(text, cap, "%s%s%s", npu_isa_name(npu_plan_isa(run->plan)), backend ? ", " : "", backend ? backend : "");
}

static void print_text(const compared *c, double tolerance) {
    enum { SHOWN = 20 };
    char    text[128];
    int32_t i, n = 0, differ = 0;
    for (i = 0; i < 2; i++) {
        who(text, sizeof text, i ? &c->b : &c->a, &c->args[i]);
        printf("%s  ", i ? "B" : "A");
        cli_text(stdout, c->args[i].model, strlen(c->args[i].model));
        printf(" (%s)\n", text);
    }
    for (i = 0; i < c->n_outputs; i++) {
        printf("%soutput %d%s", cli_bold(), (int)i, cli_plain());
        cli_pair_show(stdout, &c->outputs[i]);
    }
    if (!c->folder && c->a.n_outputs != c->b.n_outputs) printf("A has %d outputs, B has %d\n", (int)c->a.n_outputs, (int)c->b.n_outputs);
    if (!c->same_ops) {
        if (!c->folder) printf("The models have different operators: these are not compared.\n");
        return;
    }
    for (i = 0; i < c->n_ops; i++) differ += cli_pair_differs(&c->ops[i], tolerance);
    if (differ == 0) {
        printf("All values between operators are %s.\n", tolerance > 0 ? "within the tolerance" : "equal");
        return;
    }
    printf("The first operator whose values differ%s is %d %s; %d of %d do:\n", tolerance > 0 ? " by more" : "", (int)c->ops[c->first].op,
           c->ops[c->first].op_name, (int)differ, (int)c->n_ops);
    printf("%s%5s %-24s %12s %12s %12s %14s  tensor%s\n", cli_bold(), "op", "name", "max abs", "differing", "of", "most apart", cli_plain());
    for (i = c->first; i < c->n_ops && n < SHOWN; i++)
        if (cli_pair_differs(&c->ops[i], tolerance)) {
            cli_pair_row(stdout, &c->ops[i]);
            n++;
        }
    if (differ > n) printf("%d more\n", (int)differ - n);
}

static void print_json(const compared *c, double tolerance) {
    char    text[128];
    int32_t i;
    cli_json_started();
    fputc('{', stdout);
    for (i = 0; i < 2; i++) {
        who(text, sizeof text, i ? &c->b : &c->a, &c->args[i]);
        printf("%s\"%s\":{\"path\":", i ? "," : "", i ? "b" : "a");
        cli_json_string(stdout, c->args[i].model, strlen(c->args[i].model));
        fputs(",\"by\":", stdout);
        cli_json_string(stdout, text, strlen(text));
        fputc('}', stdout);
    }
    fputs(",\"tolerance\":", stdout);
    cli_json_number(stdout, tolerance);
    printf(",\"equal\":%s,\"max_abs\":", c->equal ? "true" : "false");
    cli_json_number(stdout, c->max_abs);
    fputs(",\"outputs\":[", stdout);
    for (i = 0; i < c->n_outputs; i++) {
        fputs(i ? ",\n" : "\n", stdout);
        cli_pair_json(stdout, &c->outputs[i]);
    }
    printf("],\"same_operators\":%s,\"first_difference\":", c->same_ops ? "true" : "false");
    if (c->first >= 0) cli_pair_json(stdout, &c->ops[c->first]);
    else fputs("null", stdout);
    fputs(",\"operators\":[", stdout);
    for (i = 0; i < c->n_ops; i++) {
        fputs(i ? ",\n" : "\n", stdout);
        cli_pair_json(stdout, &c->ops[i]);
    }
    fputs("]}\n", stdout);
}

static int run_both(compared *c, double tolerance) {
    double ms;
    int    code = cli_run_open(&c->a, &c->args[0], 0);
    if (code == CLI_OK && !c->folder) code = open_b(c);
    if (code == CLI_OK) code = cli_run_invoke(&c->a, "the run of A", &ms);
    if (code == CLI_OK && !c->folder) code = cli_run_invoke(&c->b, "the run of B", &ms);
    if (code == CLI_OK) code = compare_outputs(c);
    return code == CLI_OK ? compare_ops(c, tolerance) : code;
}

static int compare_models(compare_args *args) {
    static compared c;
    int             i, code;
    memset(&c, 0, sizeof c);
    c.first = -1;
    c.folder = args->b && cli_is_dir(args->b);
    if (!args->b && !args->chosen) args->isa[1] = NPU_ISA_SCALAR;
    for (i = 0; i < 2; i++) {
        c.args[i] = args->run;
        c.args[i].keep_values = 1;
        if (i && args->b) c.args[i].model = args->b;
        if (args->isa[i]) c.args[i].isa = args->isa[i];
        if (args->backend[i]) c.args[i].backend.name = args->backend[i];
        code = cli_check_backend(&c.args[i].backend, NULL);
        if (code != CLI_OK) return code;
        if (!c.args[i].backend.name) c.args[i].fallback = 0;
    }
    code = run_both(&c, args->tolerance);
    if (code == CLI_OK) {
        judge(&c, args->tolerance);
        if (args->run.json) print_json(&c, args->tolerance);
        else print_text(&c, args->tolerance);
        if (!c.equal)
            code = cli_fail(CLI_DIFFERENT, NULL, "compare.differ", "the outputs of %s and %s are more than %g apart", c.args[0].model,
                            c.args[1].model, args->tolerance);
    }
    cli_run_close(&c.b);
    cli_run_close(&c.a);
    free(c.outputs);
    free(c.ops);
    return code;
}

static int set(void *args, int opt, char *value) {
    compare_args *a = args;
    char         *end;
    const int     b = opt == CLI_OPT_ISA_B || opt == CLI_OPT_BACKEND_B;
    switch (opt) {
    case CLI_OPT_ISA_A: case CLI_OPT_ISA_B: a->chosen = 1; return cli_parse_isa(value, 0, &a->isa[b]);
    case CLI_OPT_BACKEND_A: case CLI_OPT_BACKEND_B:
        a->chosen = 1;
        a->backend[b] = value;
        return CLI_OK;
    case CLI_OPT_TOLERANCE:
        a->tolerance = strtod(value, &end);
        if (end == value || *end || !isfinite(a->tolerance) || a->tolerance < 0)
            return cli_error(CLI_USAGE, "--tolerance takes a number that is not negative, for example 1e-5; not '%s'", value);
        return CLI_OK;
    default: return cli_session_option(&a->run, opt, value);
    }
}

int cmd_compare(int argc, char **argv) {
    static const int takes[] = {CLI_OPT_SESSION,   CLI_OPT_ISA_A,     CLI_OPT_ISA_B, CLI_OPT_BACKEND_A,
                                CLI_OPT_BACKEND_B, CLI_OPT_TOLERANCE, CLI_OPT_END};
    compare_args     args;
    int              code;
    memset(&args, 0, sizeof args);
    args.run.threads = 1;
    code = cli_parse(argc, argv, HELP, takes, set, &args);
    if (code == CLI_GO_ON && argc - optind == 2) {
        args.b = argv[optind + 1];
        argc--;
    }
    if (code == CLI_GO_ON) code = cli_take_model(argc, argv, &args.run.model);
    if (code == CLI_OK && args.run.model) code = compare_models(&args);
    free(args.run.files);
    return code;
}
