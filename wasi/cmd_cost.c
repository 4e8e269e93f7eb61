/* npu_rt cost: what an NPU would need for a model, estimated. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

static const char HELP[] =
    "usage: npu_rt cost MODEL --backend NAME [--rules NAME] [--clock MHZ] [--memory-mode NAME] [--json]\n"
    "                         [--max-memory MIB]\n"
    "\n"
    "Estimates cycles, utilisation of the MAC units and memory for every op that the backend takes, and in all. These\n"
    "figures are formulas over shapes and weights, not measurements; the CPU's ops are not estimated.\n"
    "MODEL may be - for stdin.\n"
    "\n"
    "  --backend NAME       one accelerator, for example ethos-u55-128; npu_rt --version lists the names\n"
    "  --rules NAME         which version of the rules places the ops; npu_rt --version lists them, the default first\n"
    "  --clock MHZ          clock of the accelerator; without it, that of Vela's usual system (U55 500, U65 1000)\n"
    "  --memory-mode NAME   sram-only, shared-sram (U55 without this option), dedicated-sram-256k,\n"
    "                       dedicated-sram-384k (U65 without it) or dedicated-sram-512k\n"
    "  --json               print one JSON object instead of text\n"
    "  --max-memory MIB     most memory for the model's graph (default: 64 MiB and 4 times the file's size)\n";

typedef struct cost_args {
    cli_question q;
    double       clock_hz;
    const char  *memory_mode;
} cost_args;

static int parse_clock(const char *text, double *hz) {
    char *end;
    errno = 0;
    *hz = strtod(text, &end) * 1e6;
    if (end != text && !*end && !errno && *hz >= 1e3 && *hz <= 1e11) return CLI_OK;
    return cli_error(CLI_USAGE, "--clock takes a number of MHz from 0.001 to 100000, not '%s'", text);
}

static int check_mode(const char *name) {
    const char *have;
    int32_t     i;
    for (i = 0; name && (have = npu_cost_memory_mode(i)) != NULL; i++)
        if (strcmp(have, name) == 0) return CLI_OK;
    return name ? cli_error(CLI_USAGE, "unknown memory mode '%s'; see npu_rt cost --help", name) : CLI_OK;
}

static int set(void *args, int opt, char *value) {
    cost_args *a = args;
    if (opt == CLI_OPT_CLOCK) return parse_clock(value, &a->clock_hz);
    if (opt != CLI_OPT_MEMORY_MODE) return cli_question_option(&a->q, opt, value);
    a->memory_mode = value;
    return CLI_OK;
}

static npu_status cost(const npu_model *model, void *args, const npu_writer *out, npu_diag *diag) {
    const cost_args *a = args;
    npu_cost_desc    desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = a->q.backend.name;
    desc.profile = a->q.backend.rules;
    desc.clock_hz = a->clock_hz;
    desc.memory_mode = a->memory_mode;
    return npu_cost(model, &desc, a->q.format, out, NULL, diag);
}

int cmd_cost(int argc, char **argv) {
    static const int takes[] = {CLI_OPT_BACKEND, CLI_OPT_RULES, CLI_OPT_CLOCK, CLI_OPT_MEMORY_MODE, CLI_OPT_JSON,
                                CLI_OPT_MAX_MEMORY, CLI_OPT_END};
    cost_args a;
    int       code;
    memset(&a, 0, sizeof a);
    code = cli_parse_report(argc, argv, HELP, takes, set, &a.q);
    if (code != CLI_GO_ON) return code;
    code = check_mode(a.memory_mode);
    return code == CLI_OK ? cli_report(&a.q, cost, &a) : code;
}
