/* npu_rt check: which ops of a model an NPU takes, and why not the others. */
#include <string.h>

#include "cli.h"
#include "commands.h"

static const char HELP[] =
    "usage: npu_rt check MODEL --backend NAME [--rules NAME] [--relax-fp32] [--only refused] [--json] [--strict]\n"
    "                          [--max-memory MIB]\n"
    "\n"
    "Says whether the backend takes a model's ops: first how many of them, in how many partitions (runs of ops that are\n"
    "all taken) and with how many switches (places in execution order where the work goes from the backend to the CPU,\n"
    "or back); then the rules that refuse ops, how many each of them refuses, and what to change; then every op with the\n"
    "values that were measured. Of a network that Vela compiled, it says what is inside its command streams.\n"
    "MODEL may be - for stdin.\n"
    "\n"
    "  --backend NAME   whose rules: a family or one accelerator; npu_rt --version lists the names\n"
    "  --rules NAME     which version of the rules; npu_rt --version lists them, the default first\n"
    "  --relax-fp32     FP32 may run as FP16: mdla1.5, mdla2.0, mdla3.0\n"
    "  --only refused   list only the ops that are refused\n"
    "  --json           print one JSON object instead of text\n"
    "  --strict         exit with 6 unless every op is placed\n"
    "  --max-memory MIB most memory for the model's graph (default: 64 MiB and 4 times the file's size)\n";

typedef struct check_args {
    cli_question      q;
    int               only_refused, strict, relax;
    npu_check_summary summary;
} check_args;

static int set(void *args, int opt, char *value) {
    check_args *a = args;
    if (opt == CLI_OPT_STRICT) a->strict = 1;
    else if (opt == CLI_OPT_RELAX_FP32) a->relax = 1;
    else if (opt != CLI_OPT_ONLY) return cli_question_option(&a->q, opt, value);
    else if (strcmp(value, "refused") != 0)
        return cli_error(CLI_USAGE, "--only takes the word refused, not '%s'", value);
    else a->only_refused = 1;
    return CLI_OK;
}

static npu_status check(const npu_model *model, void *args, const npu_writer *out, npu_diag *diag) {
    check_args    *a = args;
    npu_check_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = a->q.backend.name;
    desc.profile = a->q.backend.rules;
    desc.only_refused = a->only_refused;
    return npu_check_with(model, &desc, a->q.format, out, &a->summary, diag);
}

int cmd_check(int argc, char **argv) {
    static const int takes[] = {CLI_OPT_BACKEND, CLI_OPT_RULES, CLI_OPT_ONLY, CLI_OPT_JSON, CLI_OPT_STRICT, CLI_OPT_RELAX_FP32,
                                CLI_OPT_MAX_MEMORY, CLI_OPT_END};
    check_args a;
    int        code, placed;
    memset(&a, 0, sizeof a);
    code = cli_parse_report(argc, argv, HELP, takes, set, &a.q);
    if (code == CLI_GO_ON && a.relax && cli_relax(&a.q.backend) != CLI_OK) return CLI_USAGE;
    if (code != CLI_GO_ON) return code;
    code = cli_report(&a.q, check, &a);
    placed = (int)(a.summary.ops_placed + a.summary.ops_dropped);
    if (code == CLI_OK && a.strict && placed < a.summary.ops)
        return cli_error(CLI_NOT_PLACED, "%s: %d of %d ops are not placed on %s", a.q.model, (int)a.summary.ops - placed,
                         (int)a.summary.ops, a.q.backend.name);
    return code;
}
