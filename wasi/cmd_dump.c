/* npu_rt dump: every tensor and operator of a model. */
#include <string.h>

#include "cli.h"
#include "commands.h"

static const char HELP[] =
    "usage: npu_rt dump MODEL [--json | --dot]\n"
    "\n"
    "Prints a model's graph: every tensor and operator with its options. MODEL may be - for stdin.\n"
    "\n"
    "  --json              as one JSON object\n"
    "  --dot               as Graphviz draws it, a cluster for each subgraph: npu_rt dump MODEL --dot | dot -Tsvg\n";

static npu_status dump(const npu_model *model, void *args, const npu_writer *out, npu_diag *diag) {
    const cli_question *q = args;
    return npu_model_dump(model, q->format, out, diag);
}

static int set(void *args, int opt, char *value) {
    cli_question *q = args;
    if (opt != CLI_OPT_DOT) return cli_question_option(q, opt, value);
    q->format = NPU_FORMAT_DOT;
    return CLI_OK;
}

int cmd_dump(int argc, char **argv) {
    static const int takes[] = {CLI_OPT_JSON, CLI_OPT_DOT, CLI_OPT_END};
    cli_question     q;
    int              code;
    memset(&q, 0, sizeof q);
    code = cli_parse_report(argc, argv, HELP, takes, set, &q);
    return code == CLI_GO_ON ? cli_report(&q, dump, &q) : code;
}
