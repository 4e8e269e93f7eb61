/* npu_rt dump: every tensor and operator of a model. */
#include "cli.h"
#include "commands.h"

static const char HELP[] =
    "usage: npu_rt dump MODEL [--json]\n"
    "\n"
    "Prints a model's graph: every tensor and operator with its options. MODEL may be - for stdin.\n";

static npu_status dump(const npu_model *model, void *args, const npu_writer *out, npu_diag *diag) {
    const cli_question *q = args;
    return npu_model_dump(model, q->format, out, diag);
}

int cmd_dump(int argc, char **argv) { return cli_plain_report(argc, argv, HELP, dump); }
