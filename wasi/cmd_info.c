/* npu_rt info: what a model takes, gives, holds and needs. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
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
    "  --isa NAME          memory with another instruction set, also one that this machine lacks: scalar, avx2,\n"
    "                      avx512vnni, neon, neon-dot, wasm-simd128, wasm-relaxed\n"
    "  --ops-define        print the NPU_RT_ONLY_OPS line that keeps just the operators of these models, for a small\n"
    "                      program; exit 4 if this build lacks some\n";

/* What is asked about memory. */
typedef struct where {
    npu_isa     isa;
    npu_machine machine;
    int         elsewhere; /* either was asked for */
} where;

static int info(const char *path, npu_format format, const where *w) {
    uint8_t      *file;
    size_t        n;
    npu_model    *model;
    npu_plan     *plan = NULL;
    npu_memory    memory;
    npu_plan_desc desc;
    npu_writer    out = cli_stdout();
    npu_diag      diag;
    npu_status    status;
    int           code = cli_open_model(path, &file, &n, &model);
    if (code != CLI_OK) return code;
    memset(&desc, 0, sizeof desc);
    desc.max_memory_bytes = cli_limit.memory_bytes;
    desc.isa = w->isa;
    if (w->elsewhere) {
        status = npu_memory_on(model, &desc, w->machine, &memory, &diag);
    } else {
        status = npu_plan_create(&plan, model, &desc, &diag);
        if (status == NPU_OK) npu_plan_memory(plan, &memory);
    }
    if (status != NPU_OK) {
        cli_note("%s: memory is unknown, as it cannot be planned: %s [%s]", path, diag.text,
                 diag.rule ? diag.rule : npu_status_name(diag.status));
        if (diag.rule) cli_limit_hint(diag.rule);
    }
    if (npu_model_info_with(model, status == NPU_OK ? &memory : NULL, format, &out, &diag) != NPU_OK)
        code = ferror(stdout) ? CLI_FAILED : cli_diag(path, &diag);
    npu_plan_destroy(plan);
    npu_model_close(model);
    free(file);
    return code;
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

int cmd_info(int argc, char **argv) {
    static const struct option options[] = {{"help", no_argument, NULL, CLI_OPT_HELP},
                                            {"json", no_argument, NULL, CLI_OPT_JSON},
                                            CLI_MEMORY_OPTION,
                                            {"isa", required_argument, NULL, CLI_OPT_ISA},
                                            {"target", required_argument, NULL, CLI_OPT_TARGET},
                                            {"ops-define", no_argument, NULL, CLI_OPT_OPS_DEFINE},
                                            {NULL, 0, NULL, 0}};
    const char *path;
    npu_format  format = NPU_FORMAT_TEXT;
    where       w = {NPU_ISA_AUTO, NPU_MACHINE_THIS, 0};
    int         opt, ops_define = 0;
    while ((opt = cli_next_option(argc, argv, options, "info")) != CLI_OPT_END) {
        if (opt == CLI_OPT_HELP) return cli_help(HELP);
        if (opt == CLI_OPT_BAD) return CLI_USAGE;
        if (opt == CLI_OPT_JSON) format = NPU_FORMAT_JSON;
        if (opt == CLI_OPT_OPS_DEFINE) ops_define = 1;
        if (opt == CLI_OPT_ISA && cli_parse_isa(optarg, 1, &w.isa) != CLI_OK) return CLI_USAGE;
        if (opt == CLI_OPT_TARGET && parse_target(optarg, &w.machine) != CLI_OK) return CLI_USAGE;
        if (opt == CLI_OPT_MAX_MEMORY && cli_limit_option(opt, optarg) != CLI_OK) return CLI_USAGE;
    }
    w.elsewhere = w.isa != NPU_ISA_AUTO || w.machine != NPU_MACHINE_THIS;
    if (ops_define && optind < argc) return cli_info_ops(argv + optind, argc - optind, format);
    return cli_take_model(argc, argv, "info", &path) ? info(path, format, &w) : CLI_USAGE;
}
