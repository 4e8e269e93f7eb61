/* npu_rt check: which ops of a model an NPU takes, and why not the others; or every NPU side by side. */
#include <getopt.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "compare.h"

static const char HELP[] =
    "usage: npu_rt check MODEL [--sram KIB] [--clock MHZ] [--relax-fp32] [--json | --markdown | --html FILE]\n"
    "                    [--max-memory MIB]\n"
    "       npu_rt check MODEL --backend NAME [--rules NAME] [--relax-fp32] [--only refused] [--json] [--strict]\n"
    "                    [--max-memory MIB]\n"
    "       npu_rt check MODEL|FOLDER... [--backend NAME,NAME] [--jobs N] [--clock MHZ] [--relax-fp32]\n"
    "                    [--json | --markdown | --csv]\n"
    "\n"
    "Without --backend: every NPU side by side, one of each family. Ops and MACs that it takes, partitions (runs of ops that\n"
    "are all taken) and switches (places in execution order where the work goes from it to the CPU, or back), time and\n"
    "memory where they can be estimated or bounded, and the rules that refuse most ops.\n"
    "With --backend: the rules that refuse ops, how many each of them refuses, and what to change; then every op with the\n"
    "values that were measured. Of a compiled network, it says what is inside.\n"
    "With several models, or folders of them: a row each; one that is broken says so, and the others go on. The exit code is\n"
    "the largest of all. MODEL may be - for stdin.\n"
    "\n"
    "  --backend NAME   whose rules: a family or one accelerator; npu_rt --version lists the names. With commas, or for\n"
    "                   several models: which NPUs to compare\n"
    "  --rules NAME     which version of the rules; npu_rt --version lists them, the default first\n"
    "  --relax-fp32     FP32 may run as FP16 on those that only do so where they are told: mdla1.5, mdla2.0, mdla3.0\n"
    "  --only refused   list only the ops that are refused\n"
    "  --sram KIB       fast memory of the device: does the estimate fit?\n"
    "  --clock MHZ      clock of NPUs that no clock is known of: times for them, which are lower bounds\n"
    "  --html FILE      write a page with every op on every NPU: needs no script and no other file, so it can be sent\n"
    "  --csv            a line for each model and NPU\n"
    "  --jobs N         use N processes (natively)\n"
    "  --json, --markdown   one JSON object, or Markdown, instead of text\n"
    "  --strict         exit with 6 unless every op is placed\n"
    "  --max-memory MIB most memory for the model's graph (default: 64 MiB and 4 times the file's size)\n";

typedef struct check_args {
    cli_question      q;
    int               only_refused, strict, relax;
    npu_check_summary summary;
    cli_comparison    compare;
    const char       *of_many; /* an option that is about comparisons */
    char             *names;
} check_args;

static int set_form(check_args *a, cli_form form, const char *name) {
    if (a->compare.form != CLI_FORM_TEXT && a->compare.form != form)
        return cli_error(CLI_USAGE, "choose one of --json, --markdown, --csv");
    a->compare.form = form;
    if (form != CLI_FORM_JSON) a->of_many = name;
    return CLI_OK;
}

static int set(void *args, int opt, char *value) {
    check_args *a = args;
    long        v = 0;
    switch (opt) {
    case CLI_OPT_STRICT: a->strict = 1; return CLI_OK;
    case CLI_OPT_RELAX_FP32: a->relax = 1; return CLI_OK;
    case CLI_OPT_ONLY:
        if (strcmp(value, "refused") != 0) return cli_error(CLI_USAGE, "--only takes the word refused, not '%s'", value);
        a->only_refused = 1;
        return CLI_OK;
    case CLI_OPT_MARKDOWN: return set_form(a, CLI_FORM_MARKDOWN, "--markdown");
    case CLI_OPT_CSV: return set_form(a, CLI_FORM_CSV, "--csv");
    case CLI_OPT_JSON: a->q.format = NPU_FORMAT_JSON; return set_form(a, CLI_FORM_JSON, "--json");
    case CLI_OPT_HTML:
        a->compare.html = value;
        a->of_many = "--html";
        return CLI_OK;
    case CLI_OPT_SRAM:
        if (!cli_parse_int(value, 1, 1L << 30, "--sram", &v)) return CLI_USAGE;
        a->compare.desc.sram_bytes = (int64_t)v * 1024;
        a->of_many = "--sram";
        return CLI_OK;
    case CLI_OPT_CLOCK:
        a->of_many = "--clock";
        return cli_parse_clock(value, &a->compare.desc.clock_hz);
    case CLI_OPT_JOBS:
        if (!cli_parse_int(value, 1, 64, "--jobs", &v)) return CLI_USAGE;
        a->compare.jobs = (int)v;
        return CLI_OK;
    case CLI_OPT_BACKEND: a->names = value; break;
    default: break;
    }
    return cli_question_option(&a->q, opt, value);
}

static npu_status check(const npu_model *model, void *args, const npu_writer *out, npu_diag *diag) {
    check_args    *a = args;
    npu_check_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.backend = a->q.backend.name;
    desc.profile = a->q.backend.rules;
    desc.only_refused = a->only_refused;
    return npu_check_with(model, &desc, a->q.format, out, &a->summary, diag);
}

/* One model, one backend. */
static int check_one(check_args *a) {
    int placed, code;
    if (a->of_many) return cli_error(CLI_USAGE, "%s compares NPUs: leave --backend out, or name several", a->of_many);
    code = cli_check_backend(&a->q.backend, "check");
    if (code == CLI_OK && a->relax) code = cli_relax(&a->q.backend);
    if (code != CLI_OK) return code;
    code = cli_report(&a->q, check, a);
    placed = (int)(a->summary.ops_placed + a->summary.ops_dropped);
    if (code == CLI_OK && a->strict && placed < a->summary.ops)
        return cli_error(CLI_NOT_PLACED, "%s: %d of %d ops are not placed on %s", a->q.model, (int)a->summary.ops - placed,
                         (int)a->summary.ops, a->q.backend.name);
    return code;
}

int cmd_check(int argc, char **argv) {
    static const int takes[] = {CLI_OPT_BACKEND, CLI_OPT_RULES, CLI_OPT_ONLY, CLI_OPT_JSON, CLI_OPT_STRICT, CLI_OPT_RELAX_FP32,
                                CLI_OPT_MARKDOWN, CLI_OPT_CSV, CLI_OPT_HTML, CLI_OPT_SRAM, CLI_OPT_CLOCK, CLI_OPT_JOBS, CLI_OPT_MAX_MEMORY,
                                CLI_OPT_END};
    check_args a;
    int        code, many;
    memset(&a, 0, sizeof a);
    code = cli_parse(argc, argv, HELP, takes, set, &a);
    if (code != CLI_GO_ON) return code;
    if (optind == argc)
        return cli_error(CLI_USAGE, "which model? Give a .tflite file, a folder of them, or - for stdin: npu_rt check MODEL");
    a.q.model = argv[optind];
    many = argc - optind > 1 || cli_is_dir(a.q.model) || a.compare.form == CLI_FORM_CSV;
    if (!many && a.names && !strchr(a.names, ',')) return check_one(&a);
    if (a.q.backend.rules || a.only_refused || a.strict)
        return cli_error(CLI_USAGE, "--rules, --only and --strict are about one model and one NPU: name it with --backend");
    if (many && a.compare.html) return cli_error(CLI_USAGE, "--html is about one model");
    a.compare.desc.relax_fp32 = a.relax;
    if (a.names && cli_compare_names(&a.compare, a.names) != CLI_OK) return CLI_USAGE;
    return many ? cli_compare_many(&a.compare, argv + optind, argc - optind) : cli_compare_one(&a.compare, a.q.model);
}
