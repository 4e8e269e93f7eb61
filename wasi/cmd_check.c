/* npu_rt check: which ops of a model an NPU takes, and why not the others. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char HELP[] =
    "usage: npu_rt check MODEL --backend NAME [--profile NAME] [--only refused] [--json] [--strict] [--max-memory MIB]\n"
    "\n"
    "Says whether the backend takes a model's ops: first how many of them, in how many partitions (runs of ops that are\n"
    "all taken) and with how many switches (places in execution order where the work goes from the backend to the CPU,\n"
    "or back); then the rules that refuse ops, how many each of them refuses, and what to change; then every op with the\n"
    "values that were measured. Of a network that Vela compiled, it says what is inside its command streams.\n"
    "MODEL may be - for stdin.\n"
    "\n"
    "  --backend NAME   whose rules: a family or one accelerator; npu_rt --version lists the names\n"
    "  --profile NAME   which version of the rules; npu_rt --version lists them, the default first\n"
    "  --only refused   list only the ops that are refused\n"
    "  --json           print one JSON object instead of text\n"
    "  --strict         exit with 6 unless every op is placed\n"
    "  --max-memory MIB most memory for the model's graph (default: 64 MiB and 4 times the file's size)\n";

static int check(const char *path, const npu_check_desc *desc, npu_format format, int strict) {
    uint8_t          *file;
    size_t            n;
    npu_model        *model;
    npu_writer        out = cli_stdout();
    npu_check_summary summary;
    npu_diag          diag;
    int               code = cli_open_model(path, &file, &n, &model);
    if (code != CLI_OK) return code;
    if (npu_check_with(model, desc, format, &out, &summary, &diag) != NPU_OK)
        code = ferror(stdout) ? CLI_FAILED : cli_diag(path, &diag);
    else if (strict && summary.ops_placed + summary.ops_dropped < summary.ops)
        code = cli_error(CLI_NOT_PLACED, "%s: %d of %d ops are not placed on %s", path,
                         (int)(summary.ops - summary.ops_placed - summary.ops_dropped), (int)summary.ops, desc->backend);
    npu_model_close(model);
    free(file);
    return code;
}

int cmd_check(int argc, char **argv) {
    static const struct option options[] = {{"help", no_argument, NULL, CLI_OPT_HELP},
                                            {"backend", required_argument, NULL, CLI_OPT_BACKEND},
                                            {"profile", required_argument, NULL, CLI_OPT_RULES},
                                            {"json", no_argument, NULL, CLI_OPT_JSON},
                                            {"only", required_argument, NULL, CLI_OPT_ONLY},
                                            {"strict", no_argument, NULL, CLI_OPT_STRICT},
                                            CLI_MEMORY_OPTION,
                                            {NULL, 0, NULL, 0}};
    npu_check_desc desc;
    const char    *path;
    npu_format     format = NPU_FORMAT_TEXT;
    int            opt, strict = 0;
    memset(&desc, 0, sizeof desc);
    while ((opt = cli_next_option(argc, argv, options, "check")) != CLI_OPT_END) {
        if (opt == CLI_OPT_HELP) return cli_help(HELP);
        if (opt == CLI_OPT_BAD) return CLI_USAGE;
        if (opt == CLI_OPT_MAX_MEMORY && cli_limit_option(opt, optarg) != CLI_OK) return CLI_USAGE;
        if (opt == CLI_OPT_BACKEND) desc.backend = optarg;
        if (opt == CLI_OPT_RULES) desc.profile = optarg;
        if (opt == CLI_OPT_ONLY && strcmp(optarg, "refused") != 0)
            return cli_error(CLI_USAGE, "--only takes the word refused, not '%s'", optarg);
        if (opt == CLI_OPT_ONLY) desc.only_refused = 1;
        if (opt == CLI_OPT_JSON) format = NPU_FORMAT_JSON;
        if (opt == CLI_OPT_STRICT) strict = 1;
    }
    if (!cli_take_model(argc, argv, "check", &path) || !cli_check_backend(desc.backend, desc.profile, "check"))
        return CLI_USAGE;
    return check(path, &desc, format, strict);
}
