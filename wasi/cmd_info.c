/* npu_rt info: what a model takes, gives, holds and needs. */
#include <getopt.h>
#include <stdlib.h>

#include "cli.h"

static const char HELP[] =
    "usage: npu_rt info MODEL [--json]\n"
    "\n"
    "Shows a model's inputs, outputs, signatures, metadata, ops, parameters, MACs and memory.\n"
    "MODEL may be - for stdin. A model this build cannot run is described too, without its memory.\n";

static int info(const char *path, npu_format format) {
    uint8_t   *file;
    size_t     n;
    npu_model *model;
    npu_plan  *plan = NULL;
    npu_writer out = cli_stdout();
    npu_diag   diag;
    int        code = cli_open_model(path, &file, &n, &model);
    if (code != CLI_OK) return code;
    if (npu_plan_create(&plan, model, NULL, &diag) != NPU_OK)
        cli_note("%s: memory is unknown, as this build cannot run it: %s [%s]", path, diag.text,
                 diag.rule ? diag.rule : npu_status_name(diag.status));
    if (npu_model_info(model, plan, format, &out, &diag) != NPU_OK)
        code = ferror(stdout) ? CLI_FAILED : cli_diag(path, &diag);
    npu_plan_destroy(plan);
    npu_model_close(model);
    free(file);
    return code;
}

int cmd_info(int argc, char **argv) {
    static const struct option options[] = {{"help", no_argument, NULL, CLI_OPT_HELP},
                                            {"json", no_argument, NULL, CLI_OPT_JSON},
                                            {NULL, 0, NULL, 0}};
    const char *path;
    npu_format  format = NPU_FORMAT_TEXT;
    int         opt;
    while ((opt = cli_next_option(argc, argv, options, "info")) != CLI_OPT_END) {
        if (opt == CLI_OPT_HELP) return cli_help(HELP);
        if (opt == CLI_OPT_BAD) return CLI_USAGE;
        format = NPU_FORMAT_JSON;
    }
    return cli_take_model(argc, argv, "info", &path) ? info(path, format) : CLI_USAGE;
}
