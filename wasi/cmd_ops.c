/* npu_rt ops: what a backend supports, made from the rules that decide it. */
#include <getopt.h>

#include "cli.h"

static const char HELP[] =
    "usage: npu_rt ops --backend NAME [--profile NAME] [--markdown | --json]\n"
    "\n"
    "Prints the supported-ops report of a backend; 'none' is what this runtime executes itself.\n"
    "npu_rt --version lists the names, and each one's profiles (versions of its rules), the default first.\n";

int cmd_ops(int argc, char **argv) {
    static const struct option options[] = {{"help", no_argument, NULL, CLI_OPT_HELP},
                                            {"backend", required_argument, NULL, CLI_OPT_BACKEND},
                                            {"profile", required_argument, NULL, CLI_OPT_RULES},
                                            {"markdown", no_argument, NULL, CLI_OPT_MARKDOWN},
                                            {"json", no_argument, NULL, CLI_OPT_JSON},
                                            {NULL, 0, NULL, 0}};
    const char *backend = NULL, *profile = NULL;
    npu_writer  out = cli_stdout();
    npu_diag    diag;
    int         opt, markdown = 0, json = 0;
    while ((opt = cli_next_option(argc, argv, options, "ops")) != CLI_OPT_END) {
        if (opt == CLI_OPT_HELP) return cli_help(HELP);
        if (opt == CLI_OPT_BAD) return CLI_USAGE;
        if (opt == CLI_OPT_BACKEND) backend = optarg;
        if (opt == CLI_OPT_RULES) profile = optarg;
        if (opt == CLI_OPT_MARKDOWN) markdown = 1;
        if (opt == CLI_OPT_JSON) json = 1;
    }
    if (optind < argc) return cli_error(CLI_USAGE, "npu_rt ops takes no %s; see npu_rt ops --help", argv[optind]);
    if (markdown && json) return cli_error(CLI_USAGE, "choose --markdown or --json, not both");
    if (!cli_check_backend(backend, profile, "ops")) return CLI_USAGE;
    if (npu_backend_ops(backend, profile, json ? NPU_FORMAT_JSON : markdown ? NPU_FORMAT_MARKDOWN : NPU_FORMAT_TEXT,
                        &out, &diag) == NPU_OK)
        return CLI_OK;
    return ferror(stdout) ? CLI_FAILED : cli_diag(backend, &diag);
}
