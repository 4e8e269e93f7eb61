/* npu_rt plan: what an NPU would need for a model, estimated. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char HELP[] =
    "usage: npu_rt plan MODEL --backend NAME [--profile NAME] [--clock MHZ] [--memory-mode NAME] [--json]\n"
    "                         [--max-memory MIB]\n"
    "\n"
    "Estimates cycles, utilisation of the MAC units and memory for every op that the backend takes, and in all. These\n"
    "figures are formulas over shapes and weights, not measurements; the CPU's ops are not estimated.\n"
    "MODEL may be - for stdin.\n"
    "\n"
    "  --backend NAME       one accelerator, for example ethos-u55-128; npu_rt --version lists the names\n"
    "  --profile NAME       which version of the rules places the ops; npu_rt --version lists them, the default first\n"
    "  --clock MHZ          clock of the accelerator; without it, that of Vela's usual system (U55 500, U65 1000)\n"
    "  --memory-mode NAME   sram-only, shared-sram (U55 without this option), dedicated-sram-256k,\n"
    "                       dedicated-sram-384k (U65 without it) or dedicated-sram-512k\n"
    "  --json               print one JSON object instead of text\n"
    "  --max-memory MIB     most memory for the model's graph (default: 64 MiB and 4 times the file's size)\n";

static int parse_clock(const char *text, double *hz) {
    char *end;
    errno = 0;
    *hz = strtod(text, &end) * 1e6;
    if (end != text && !*end && !errno && *hz >= 1e3 && *hz <= 1e11) return 1;
    cli_error(CLI_USAGE, "--clock takes a number of MHz from 0.001 to 100000, not '%s'", text);
    return 0;
}

static int check_mode(const char *name) {
    const char *have;
    int32_t     i;
    for (i = 0; name && (have = npu_cost_memory_mode(i)) != NULL; i++)
        if (strcmp(have, name) == 0) return 1;
    if (name) cli_error(CLI_USAGE, "unknown memory mode '%s'; see npu_rt plan --help", name);
    return !name;
}

static int plan(const char *path, const npu_cost_desc *desc, npu_format format) {
    uint8_t   *file;
    size_t     n;
    npu_model *model;
    npu_writer out = cli_stdout();
    npu_diag   diag;
    int        code = cli_open_model(path, &file, &n, &model);
    if (code != CLI_OK) return code;
    if (npu_cost(model, desc, format, &out, NULL, &diag) != NPU_OK)
        code = ferror(stdout) ? CLI_FAILED : cli_diag(path, &diag);
    npu_model_close(model);
    free(file);
    return code;
}

int cmd_plan(int argc, char **argv) {
    static const struct option options[] = {{"help", no_argument, NULL, CLI_OPT_HELP},
                                            {"backend", required_argument, NULL, CLI_OPT_BACKEND},
                                            {"profile", required_argument, NULL, CLI_OPT_RULES},
                                            {"clock", required_argument, NULL, CLI_OPT_CLOCK},
                                            {"memory-mode", required_argument, NULL, CLI_OPT_MEMORY_MODE},
                                            {"json", no_argument, NULL, CLI_OPT_JSON},
                                            CLI_MEMORY_OPTION,
                                            {NULL, 0, NULL, 0}};
    npu_cost_desc desc;
    const char   *path;
    npu_format    format = NPU_FORMAT_TEXT;
    int           opt;
    memset(&desc, 0, sizeof desc);
    while ((opt = cli_next_option(argc, argv, options, "plan")) != CLI_OPT_END) {
        if (opt == CLI_OPT_HELP) return cli_help(HELP);
        if (opt == CLI_OPT_BAD) return CLI_USAGE;
        if (opt == CLI_OPT_MAX_MEMORY && cli_limit_option(opt, optarg) != CLI_OK) return CLI_USAGE;
        if (opt == CLI_OPT_BACKEND) desc.backend = optarg;
        if (opt == CLI_OPT_RULES) desc.profile = optarg;
        if (opt == CLI_OPT_MEMORY_MODE) desc.memory_mode = optarg;
        if (opt == CLI_OPT_JSON) format = NPU_FORMAT_JSON;
        if (opt == CLI_OPT_CLOCK && !parse_clock(optarg, &desc.clock_hz)) return CLI_USAGE;
    }
    if (!cli_take_model(argc, argv, "plan", &path) || !cli_check_backend(desc.backend, desc.profile, "plan") ||
        !check_mode(desc.memory_mode)) return CLI_USAGE;
    return plan(path, &desc, format);
}
