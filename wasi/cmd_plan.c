/* npu_rt plan: how an NPU's compiler would execute a model, as far as is known. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

static const char HELP[] =
    "usage: npu_rt plan MODEL --backend NAME [--rules NAME] [--relax-fp32] [--suppress-input-conversion]\n"
    "                         [--suppress-output-conversion] [--transpose-conv WAY] [--fusion-rules FILE] [--mvpu OPS]\n"
    "                         [--weight-storage BYTES] [--clock MHZ] [--json] [--max-memory MIB]\n"
    "\n"
    "Says how the backend's compiler would execute a model: conversions and layouts, operators that are fused, devices,\n"
    "cycles from stated rates, bytes that move, and hints with what they would gain. It knows what the vendor's document\n"
    "states: cycles are lower bounds, and the report ends with what is assumed and what is not known.\n"
    "MODEL may be - for stdin.\n"
    "\n"
    "  --backend NAME     one that plans: mdla1.5, mdla2.0, mdla3.0\n"
    "  --rules NAME       which version of the rules places the ops; npu_rt --version lists them, the default first\n"
    "  --relax-fp32       FP32 may run as FP16\n"
    "  --suppress-input-conversion, --suppress-output-conversion\n"
    "                     the caller converts types and layouts there\n"
    "  --transpose-conv WAY  hardware (where there is a choice, without this option) or software\n"
    "  --fusion-rules FILE   orders of the fusion rules whose images are lost, a line each: A: CONV MATH1 ACT1|ACT2 POOL\n"
    "  --mvpu OPS         operators that the MVPU takes, with commas between them: SOFTMAX,ARG_MAX\n"
    "  --weight-storage BYTES  the MDLA's own storage for weights, which bounds deep layer fusion\n"
    "  --clock MHZ        clock of the MDLA; without it there are no times\n"
    "  --json             print one JSON object instead of text\n"
    "  --max-memory MIB   most memory for the model's graph (default: 64 MiB and 4 times the file's size)\n";

typedef struct plan_args {
    cli_question         q;
    npu_plan_report_desc desc;
    const char          *fusion;
    int                  relax;
} plan_args;

static int parse_way(const char *text, int32_t *software) {
    *software = strcmp(text, "software") == 0;
    if (*software || strcmp(text, "hardware") == 0) return CLI_OK;
    return cli_error(CLI_USAGE, "--transpose-conv takes hardware or software, not '%s'", text);
}

static int parse_bytes(const char *text, int64_t *bytes) {
    long n;
    if (!cli_parse_int(text, 1, 2147483647, "--weight-storage", &n)) return CLI_USAGE;
    *bytes = n;
    return CLI_OK;
}

static int set(void *args, int opt, char *value) {
    plan_args *a = args;
    switch (opt) {
    case CLI_OPT_RELAX_FP32: a->relax = 1; return CLI_OK;
    case CLI_OPT_NO_INPUT: a->desc.suppress_input_conversion = 1; return CLI_OK;
    case CLI_OPT_NO_OUTPUT: a->desc.suppress_output_conversion = 1; return CLI_OK;
    case CLI_OPT_TRANSPOSED: return parse_way(value, &a->desc.software_transpose_conv);
    case CLI_OPT_FUSION: a->fusion = value; return CLI_OK;
    case CLI_OPT_MVPU: a->desc.mvpu = value; return CLI_OK;
    case CLI_OPT_WEIGHTS: return parse_bytes(value, &a->desc.weight_bytes);
    case CLI_OPT_CLOCK: return cli_parse_clock(value, &a->desc.clock_hz);
    default: return cli_question_option(&a->q, opt, value);
    }
}

static npu_status plan(const npu_model *model, void *args, const npu_writer *out, npu_diag *diag) {
    plan_args *a = args;
    a->desc.backend = a->q.backend.name;
    a->desc.profile = a->q.backend.rules;
    return npu_model_plan_report(model, &a->desc, a->q.format, out, NULL, diag);
}

/* The file's text, ended by a zero; a zero inside ends it sooner. */
static int read_fusion(plan_args *a, char **text) {
    uint8_t *bytes;
    size_t   n;
    int      code;
    *text = NULL;
    if (!a->fusion) return CLI_OK;
    code = cli_read_file(a->fusion, &bytes, &n);
    if (code != CLI_OK) return code;
    *text = malloc(n + 1);
    if (*text) {
        memcpy(*text, bytes, n);
        (*text)[n] = 0;
        a->desc.fusion_rules = *text;
    }
    free(bytes);
    return *text ? CLI_OK : cli_no_memory();
}

int cmd_plan(int argc, char **argv) {
    static const int takes[] = {CLI_OPT_BACKEND, CLI_OPT_RULES, CLI_OPT_RELAX_FP32, CLI_OPT_NO_INPUT, CLI_OPT_NO_OUTPUT,
                                CLI_OPT_TRANSPOSED, CLI_OPT_FUSION, CLI_OPT_MVPU, CLI_OPT_WEIGHTS, CLI_OPT_CLOCK,
                                CLI_OPT_JSON, CLI_OPT_MAX_MEMORY, CLI_OPT_END};
    plan_args a;
    char     *text;
    int       code;
    memset(&a, 0, sizeof a);
    code = cli_parse_report(argc, argv, HELP, takes, set, &a.q);
    if (code == CLI_GO_ON && a.relax && cli_relax(&a.q.backend) != CLI_OK) return CLI_USAGE;
    if (code != CLI_GO_ON) return code;
    code = read_fusion(&a, &text);
    if (code == CLI_OK) code = cli_report(&a.q, plan, &a);
    free(text);
    return code;
}
