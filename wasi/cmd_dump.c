/* npu_rt dump: every tensor and operator of a model. */
#include <getopt.h>
#include <stdlib.h>

#include "cli.h"

static const char HELP[] =
    "usage: npu_rt dump MODEL [--json]\n"
    "\n"
    "Prints a model's graph: every tensor and operator with its options. MODEL may be - for stdin.\n";

static int dump(const char *path, npu_format format) {
    uint8_t   *file;
    size_t     n;
    npu_model *model;
    npu_writer out = cli_stdout();
    npu_diag   diag;
    int        code = cli_open_model(path, &file, &n, &model);
    if (code != CLI_OK) return code;
    if (npu_model_dump(model, format, &out, &diag) != NPU_OK)
        code = ferror(stdout) ? CLI_FAILED : cli_diag(path, &diag);
    npu_model_close(model);
    free(file);
    return code;
}

int cmd_dump(int argc, char **argv) {
    static const struct option options[] = {{"help", no_argument, NULL, CLI_OPT_HELP},
                                            {"json", no_argument, NULL, CLI_OPT_JSON},
                                            {NULL, 0, NULL, 0}};
    const char *path;
    npu_format  format = NPU_FORMAT_TEXT;
    int         opt;
    while ((opt = cli_next_option(argc, argv, options, "dump")) != CLI_OPT_END) {
        if (opt == CLI_OPT_HELP) return cli_help(HELP);
        if (opt == CLI_OPT_BAD) return CLI_USAGE;
        format = NPU_FORMAT_JSON;
    }
    return cli_take_model(argc, argv, "dump", &path) ? dump(path, format) : CLI_USAGE;
}
