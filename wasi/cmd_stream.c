/* npu_rt stream: the command stream of a model that was compiled for an Ethos-U. */
#include "cli.h"
#include "commands.h"

static const char HELP[] =
    "usage: npu_rt stream MODEL [--json]\n"
    "\n"
    "Lists the command stream of every operator ethos-u in a model that Vela compiled for Ethos-U55 or\n"
    "Ethos-U65: the processor, the memory regions, and a line a command with its fields decoded. The number\n"
    "before a command counts 32-bit words from the start of the stream's tensor, as error messages do.\n"
    "A damaged stream is listed up to the damage, and the exit code is 3. MODEL may be - for stdin.\n";

static npu_status stream(const npu_model *model, void *args, const npu_writer *out, npu_diag *diag) {
    const cli_question *q = args;
    return npu_model_stream(model, q->format, out, diag);
}

int cmd_stream(int argc, char **argv) { return cli_plain_report(argc, argv, HELP, stream); }
