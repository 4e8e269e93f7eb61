/* npu_rt check: which ops of a model an NPU takes, and why not the others. */
#include <getopt.h>
#include <stdlib.h>

#include "cli.h"

static const char HELP[] =
    "usage: npu_rt check MODEL --backend NAME [--profile NAME] [--json] [--strict] [--max-memory MIB]\n"
    "\n"
    "Says for every op whether the backend takes it and, if not, every rule that refuses it and what to change.\n"
    "The last line counts partitions (runs of ops that are all taken) and switches (places in execution order where\n"
    "the work goes from the backend to the CPU, or back).\n"
    "MODEL may be - for stdin.\n"
    "\n"
    "  --backend NAME   whose rules: a family or one accelerator; npu_rt --version lists the names\n"
    "  --profile NAME   which version of the rules; npu_rt --version lists them, the default first\n"
    "  --json           print one JSON object instead of text\n"
    "  --strict         exit with 6 unless every op is placed\n"
    "  --max-memory MIB most memory for the model's graph (default: 64 MiB and 4 times the file's size)\n";

static int check(const char *path, const char *backend, const char *profile, npu_format format, int strict) {
    uint8_t          *file;
    size_t            n;
    npu_model        *model;
    npu_writer        out = cli_stdout();
    npu_check_summary summary;
    npu_diag          diag;
    int               code = cli_open_model(path, &file, &n, &model);
    if (code != CLI_OK) return code;
    if (npu_check(model, backend, profile, format, &out, &summary, &diag) != NPU_OK)
        code = ferror(stdout) ? CLI_FAILED : cli_diag(path, &diag);
    else if (strict && summary.ops_placed + summary.ops_dropped < summary.ops)
        code = cli_error(CLI_NOT_PLACED, "%s: %d of %d ops are not placed on %s", path,
                         (int)(summary.ops - summary.ops_placed - summary.ops_dropped), (int)summary.ops, backend);
    npu_model_close(model);
    free(file);
    return code;
}

int cmd_check(int argc, char **argv) {
    static const struct option options[] = {{"help", no_argument, NULL, CLI_OPT_HELP},
                                            {"backend", required_argument, NULL, CLI_OPT_BACKEND},
                                            {"profile", required_argument, NULL, CLI_OPT_RULES},
                                            {"json", no_argument, NULL, CLI_OPT_JSON},
                                            {"strict", no_argument, NULL, CLI_OPT_STRICT},
                                            CLI_MEMORY_OPTION,
                                            {NULL, 0, NULL, 0}};
    const char *path, *backend = NULL, *profile = NULL;
    npu_format  format = NPU_FORMAT_TEXT;
    int         opt, strict = 0;
    while ((opt = cli_next_option(argc, argv, options, "check")) != CLI_OPT_END) {
        if (opt == CLI_OPT_HELP) return cli_help(HELP);
        if (opt == CLI_OPT_BAD) return CLI_USAGE;
        if (opt == CLI_OPT_MAX_MEMORY && cli_limit_option(opt, optarg) != CLI_OK) return CLI_USAGE;
        if (opt == CLI_OPT_BACKEND) backend = optarg;
        if (opt == CLI_OPT_RULES) profile = optarg;
        if (opt == CLI_OPT_JSON) format = NPU_FORMAT_JSON;
        if (opt == CLI_OPT_STRICT) strict = 1;
    }
    if (!cli_take_model(argc, argv, "check", &path) || !cli_check_backend(backend, profile, "check"))
        return CLI_USAGE;
    return check(path, backend, profile, format, strict);
}
