/* npu_rt lower: the programs that npu_rt makes for an NPU. */
#include <string.h>

#include "cli.h"
#include "commands.h"

static const char HELP[] =
    "usage: npu_rt lower MODEL --backend NAME [--rules NAME] [--runtime VERSION] [--json | --dot] [--max-memory MIB]\n"
    "\n"
    "Prints what npu_rt makes of the operators that the backend takes: for every segment the operands with types, shapes,\n"
    "scales, zero points and the length and hash (FNV-1a, 64 bits) of constants, and a line an operation. What the backend\n"
    "takes, and why not more, says npu_rt check. MODEL may be - for stdin.\n"
    "\n"
    "  --backend NAME    whose program: a vendor that npu_rt compiles for, as neuron\n"
    "  --rules NAME      by which version of the rules; npu_rt --version lists them, the default first\n"
    "  --runtime VERSION for that version of the vendor's library, as 8.2.24 (default: the newest that is known to differ)\n"
    "  --json            print one JSON object instead of text\n"
    "  --dot             print a graph for Graphviz\n"
    "  --max-memory MIB  most memory for the model's graph (default: 64 MiB and 4 times the file's size)\n";

static int set(void *args, int opt, char *value) {
    cli_question *q = args;
    if (opt != CLI_OPT_DOT) return cli_question_option(q, opt, value);
    q->format = NPU_FORMAT_DOT;
    return CLI_OK;
}

static npu_status lower(const npu_model *model, void *args, const npu_writer *out, npu_diag *diag) {
    cli_question  *q = args;
    npu_lower_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = q->backend.name;
    desc.profile = q->backend.rules;
    desc.runtime = q->backend.runtime;
    return npu_model_lower(model, &desc, q->format, out, diag);
}

int cmd_lower(int argc, char **argv) {
    static const int takes[] = {CLI_OPT_BACKEND, CLI_OPT_RULES, CLI_OPT_RUNTIME, CLI_OPT_JSON, CLI_OPT_DOT, CLI_OPT_MAX_MEMORY,
                                CLI_OPT_END};
    cli_question q;
    int          code;
    memset(&q, 0, sizeof q);
    code = cli_parse_report(argc, argv, HELP, takes, set, &q);
    return code == CLI_GO_ON ? cli_report(&q, lower, &q) : code;
}
