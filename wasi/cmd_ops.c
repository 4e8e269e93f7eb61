/* npu_rt ops: what a backend supports, made from the rules that decide it. */
#include <getopt.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

static const char HELP[] =
    "usage: npu_rt ops --backend NAME [--rules NAME] [--markdown | --json]\n"
    "\n"
    "Prints the supported-ops report of a backend; 'none' is what this runtime executes itself.\n"
    "npu_rt --version lists the names, and the versions of each one's rules, the default first.\n";

typedef struct ops_args {
    cli_question q;
    int          markdown, json;
} ops_args;

static int set(void *args, int opt, char *value) {
    ops_args *a = args;
    if (opt == CLI_OPT_JSON) a->json = 1;
    if (opt != CLI_OPT_MARKDOWN) return cli_question_option(&a->q, opt, value);
    a->markdown = 1;
    a->q.format = NPU_FORMAT_MARKDOWN;
    return CLI_OK;
}

int cmd_ops(int argc, char **argv) {
    static const int takes[] = {CLI_OPT_BACKEND, CLI_OPT_RULES, CLI_OPT_MARKDOWN, CLI_OPT_JSON, CLI_OPT_END};
    ops_args         a;
    npu_writer       out = cli_stdout();
    npu_diag         diag;
    int              code;
    memset(&a, 0, sizeof a);
    code = cli_parse(argc, argv, HELP, takes, set, &a);
    if (code != CLI_GO_ON) return code;
    if (optind < argc) return cli_error(CLI_USAGE, "npu_rt ops takes no %s; see npu_rt ops --help", argv[optind]);
    if (a.markdown && a.json) return cli_error(CLI_USAGE, "choose --markdown or --json, not both");
    code = cli_check_backend(&a.q.backend, argv[0]);
    if (code != CLI_OK) return code;
    return cli_reported(npu_backend_ops(a.q.backend.name, a.q.backend.rules, a.q.format, &out, &diag),
                        a.q.backend.name, &diag);
}
