/* npu_rt stream: the command stream of a model that was compiled for an Ethos-U. */
#include <getopt.h>
#include <stdlib.h>

#include "cli.h"

static const char HELP[] =
    "usage: npu_rt stream MODEL [--json]\n"
    "\n"
    "Lists the command stream of every operator ethos-u in a model that Vela compiled for Ethos-U55 or\n"
    "Ethos-U65: the processor, the memory regions, and a line a command with its fields decoded. The number\n"
    "before a command counts 32-bit words from the start of the stream's tensor, as error messages do.\n"
    "A damaged stream is listed up to the damage, and the exit code is 3. MODEL may be - for stdin.\n";

static int stream(const char *path, npu_format format) {
    uint8_t   *file;
    size_t     n;
    npu_model *model;
    npu_writer out = cli_stdout();
    npu_diag   diag;
    int        code = cli_open_model(path, &file, &n, &model);
    if (code != CLI_OK) return code;
    if (npu_model_stream(model, format, &out, &diag) != NPU_OK)
        code = ferror(stdout) ? CLI_FAILED : cli_diag(path, &diag);
    npu_model_close(model);
    free(file);
    return code;
}

int cmd_stream(int argc, char **argv) {
    static const struct option options[] = {{"help", no_argument, NULL, CLI_OPT_HELP},
                                            {"json", no_argument, NULL, CLI_OPT_JSON},
                                            {NULL, 0, NULL, 0}};
    const char *path;
    npu_format  format = NPU_FORMAT_TEXT;
    int         opt;
    while ((opt = cli_next_option(argc, argv, options, "stream")) != CLI_OPT_END) {
        if (opt == CLI_OPT_HELP) return cli_help(HELP);
        if (opt == CLI_OPT_BAD) return CLI_USAGE;
        format = NPU_FORMAT_JSON;
    }
    return cli_take_model(argc, argv, "stream", &path) ? stream(path, format) : CLI_USAGE;
}
