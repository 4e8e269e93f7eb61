/* npu_rt info: what a model takes, gives, holds and needs. */
#include <getopt.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "info.h"

static const char HELP[] =
    "usage: npu_rt info MODEL [--json] [--max-memory MIB] [--target NAME] [--isa NAME]\n"
    "       npu_rt info --ops-define MODEL... [--json]\n"
    "\n"
    "Shows a model's inputs, outputs, signatures, metadata, ops, parameters, MACs and memory.\n"
    "MODEL may be - for stdin. A model this build cannot run is described too, without its memory.\n"
    "\n"
    "  --json              print one JSON object instead of text\n"
    "  --max-memory MIB    refuse what needs more memory (default 1024)\n"
    "  --target NAME       memory on another machine: 32bit (Arm, RISC-V, WebAssembly), 32bit-x86, 64bit; on one thread,\n"
    "                      scalar kernels unless --isa says otherwise\n"
    "  --isa NAME          memory with another instruction set, also one that this machine lacks; npu_rt --version lists them\n"
    "  --ops-define        print the NPU_RT_ONLY_OPS line that keeps just the operators of these models, for a small\n"
    "                      program; exit 4 if this build lacks some\n";

typedef struct info_args {
    cli_question q;
    npu_isa      isa; /* on which machine, with which kernels its memory is asked for */
    npu_machine  machine;
    int          ops_define;
} info_args;

/* What the model needs on the machine in question, or a note why that is unknown. */
static npu_status memory_of(const npu_model *model, const info_args *a, npu_plan **plan, npu_memory *memory) {
    npu_plan_desc desc;
    npu_diag      diag;
    npu_status    status;
    memset(&desc, 0, sizeof desc);
    desc.max_memory_bytes = cli_limit.memory_bytes;
    desc.isa = a->isa;
    if (a->isa != NPU_ISA_AUTO || a->machine != NPU_MACHINE_THIS) {
        status = npu_memory_on(model, &desc, a->machine, memory, &diag);
    } else {
        status = npu_plan_create(plan, model, &desc, &diag);
        if (status == NPU_OK) npu_plan_memory(*plan, memory);
    }
    if (status == NPU_OK) return status;
    cli_note("%s: memory is unknown, as it cannot be planned: %s [%s]", a->q.model, diag.text,
             diag.rule ? diag.rule : npu_status_name(diag.status));
    if (diag.rule) cli_hint(diag.rule);
    return status;
}

static npu_status info(const npu_model *model, void *args, const npu_writer *out, npu_diag *diag) {
    const info_args *a = args;
    npu_plan        *plan = NULL;
    npu_memory       memory;
    npu_status       known = memory_of(model, a, &plan, &memory);
    npu_status       status = npu_model_info_with(model, known == NPU_OK ? &memory : NULL, a->q.format, out, diag);
    npu_plan_destroy(plan);
    return status;
}

static int parse_target(const char *text, npu_machine *out) {
    char   list[64] = "";
    size_t n = 0;
    int    i;
    for (i = 0; i < NPU_MACHINE_COUNT; i++) {
        const char *name = npu_machine_name((npu_machine)i);
        if (strcmp(name, text) == 0) {
            *out = (npu_machine)i;
            return CLI_OK;
        }
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", name);
    }
    return cli_error(CLI_USAGE, "unknown target '%s'; one of: %s", text, list);
}

static int set(void *args, int opt, char *value) {
    info_args *a = args;
    switch (opt) {
    case CLI_OPT_OPS_DEFINE: a->ops_define = 1; return CLI_OK;
    case CLI_OPT_ISA: return cli_parse_isa(value, 1, &a->isa);
    case CLI_OPT_TARGET: return parse_target(value, &a->machine);
    default: return cli_question_option(&a->q, opt, value);
    }
}

int cmd_info(int argc, char **argv) {
    static const int takes[] = {CLI_OPT_JSON, CLI_OPT_MAX_MEMORY, CLI_OPT_ISA, CLI_OPT_TARGET, CLI_OPT_OPS_DEFINE, CLI_OPT_END};
    info_args        a;
    int              code;
    memset(&a, 0, sizeof a);
    code = cli_parse(argc, argv, HELP, takes, set, &a);
    if (code != CLI_GO_ON) return code;
    if (a.ops_define && optind < argc) return cli_info_ops(argv + optind, argc - optind, a.q.format);
    code = cli_take_model(argc, argv, &a.q.model);
    return code == CLI_OK ? cli_report(&a.q, info, &a) : code;
}
