/* npu_rt: the command line of npu_rt.h, natively and under WASI. Chooses the command and reports its exit code. */
#include <string.h>

#include "cli.h"

static const char HELP[] =
    "usage: npu_rt COMMAND ...\n"
    "\n"
    "  run MODEL      run a .tflite model and show its outputs\n"
    "  bench MODEL    time it, as a whole or op by op\n"
    "  info MODEL     inputs, outputs, signatures, ops, parameters, MACs, memory\n"
    "  dump MODEL     every tensor and operator\n"
    "  check MODEL    which ops an NPU takes, and why not the others\n"
    "  ops            the supported-ops report of a backend\n"
    "  plan MODEL     cycles and memory on an NPU, estimated\n"
    "  stream MODEL   the commands of a model compiled for an Ethos-U\n"
    "\n"
    "  npu_rt COMMAND --help says more; npu_rt --version what this build can do. MODEL may be - for stdin.\n"
    "\n"
    "Results go to stdout, everything else to stderr; with --json, an error goes to stdout too, as\n"
    "{\"error\": {\"status\", \"rule\", \"message\", ...}}. Set NO_COLOR to keep terminals plain.\n"
    "Exit code: 0 ok, 1 failure while running, reading or writing, 2 wrong usage, 3 invalid model, 4 op or type\n"
    "not supported by this build, 5 bad input data, 6 check --strict and not everything placed.\n";

static int same_profiles(const char *a, const char *b) {
    const char *p, *q;
    int32_t     i = 0;
    do {
        p = npu_backend_profile(a, i);
        q = npu_backend_profile(b, i++);
    } while (p && q && strcmp(p, q) == 0);
    return !p && !q;
}

static void profiles(const char *backend) {
    const char *name;
    for (int32_t i = 0; (name = npu_backend_profile(backend, i)) != NULL; i++) printf("%s %s", i ? "," : ":", name);
}

static int version(void) {
    const char *name;
    int32_t     i;
    int         n = 0;
    printf("npu_rt " NPU_RT_VERSION "\ninstruction sets:");
    for (i = NPU_ISA_SCALAR; i < NPU_ISA_COUNT; i++)
        if (npu_isa_available((npu_isa)i)) printf("%s %s", n++ ? "," : "", npu_isa_name((npu_isa)i));
    printf(" (best: %s)\nbackends:", npu_isa_name(npu_isa_best()));
    for (i = 0; (name = npu_backend_name(i)) != NULL; i++) printf("%s %s", i ? "," : "", name);
    for (i = 0; (name = npu_backend_name(i)) != NULL; i++) {
        const char *next = npu_backend_name(i + 1);
        printf("%s%s", n ? "\nprofiles of " : ", ", name);
        n = !next || !same_profiles(name, next);
        if (n) profiles(name);
    }
#ifdef NPU_RT_THREADS
    printf("\nthreads: yes\n");
#else
    printf("\nthreads: no\n");
#endif
    return CLI_OK;
}

static int dispatch(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"run", cmd_run},   {"bench", cmd_bench}, {"info", cmd_info},
                    {"dump", cmd_dump}, {"check", cmd_check}, {"ops", cmd_ops},
                    {"plan", cmd_plan},    {"stream", cmd_stream}};
    size_t i;
    if (argc < 2) {
        fputs(HELP, stderr);
        return CLI_USAGE;
    }
    for (i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 1, argv + 1);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return cli_help(HELP);
    if (strcmp(argv[1], "--version") == 0) return version();
    return cli_error(CLI_USAGE, "unknown command '%s'; one of: run, bench, info, dump, check, ops, plan, stream; see npu_rt "
                     "--help", argv[1]);
}

int main(int argc, char **argv) {
    cli_json_mode(argc, argv);
    return cli_finish(dispatch(argc, argv));
}
