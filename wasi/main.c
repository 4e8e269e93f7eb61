/* npu_rt: the command line of npu_rt.h, natively and under WASI. Chooses the command and reports its exit code. */
#include <string.h>

#include "cli.h"
#include "commands.h"

static const struct {
    const char *name, *operand, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
#define CLI_X(name, operand, summary) {#name, operand, summary, cmd_##name},
    CLI_COMMANDS(CLI_X)
#undef CLI_X
};

static const struct {
    const char *name, *now;
} former[] = {
#define CLI_X(name, now) {#name, #now},
    CLI_FORMER_COMMANDS(CLI_X)
#undef CLI_X
    {NULL, NULL},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int help(FILE *to, int code) {
    int i;
    fputs("usage: npu_rt COMMAND ...\n\n", to);
    for (i = 0; i < COMMANDS; i++)
        fprintf(to, "  %s %-*s %s\n", commands[i].name, 13 - (int)strlen(commands[i].name), commands[i].operand,
                commands[i].summary);
    fputs("\n"
          "  npu_rt COMMAND --help says more; npu_rt --version what this build can do. MODEL may be - for stdin.\n"
          "\n"
          "Results go to stdout, everything else to stderr; with --json, an error goes to stdout too, as\n"
          "{\"error\": {\"status\", \"rule\", \"message\", ...}}. Set NO_COLOR to keep terminals plain.\n"
          "Exit code: 0 ok, 1 failure while running, reading or writing, 2 wrong usage, 3 invalid model, 4 op or type\n"
          "not supported by this build, 5 bad input data, 6 check --strict and not everything placed, or compare and\n"
          "beyond the tolerance.\n", to);
    return code;
}

static int unknown(const char *name) {
    char   list[256] = "";
    size_t n = 0;
    int    i;
    for (i = 0; i < COMMANDS && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", commands[i].name);
    return cli_error(CLI_USAGE, "unknown command '%s'; one of: %s; see npu_rt --help", name, list);
}

static int same_profiles(const char *a, const char *b) {
    const char *p, *q;
    int32_t     i = 0;
    do {
        p = npu_backend_profile(a, i);
        q = npu_backend_profile(b, i++);
    } while (p && q && strcmp(p, q) == 0);
    return !p && !q;
}

static void rules_of(const char *backend) {
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
    printf(" (best: %s)\ninstruction sets elsewhere:", npu_isa_name(npu_isa_best()));
    for (i = NPU_ISA_SCALAR, n = 0; i < NPU_ISA_COUNT; i++)
        if (!npu_isa_available((npu_isa)i)) printf("%s %s", n++ ? "," : "", npu_isa_name((npu_isa)i));
    printf("\nbackends:");
    n = 1;
    for (i = 0; (name = npu_backend_name(i)) != NULL; i++) printf("%s %s", i ? "," : "", name);
    for (i = 0; (name = npu_backend_name(i)) != NULL; i++) {
        const char *next = npu_backend_name(i + 1);
        printf("%s%s", n ? "\nrules of " : ", ", name);
        n = !next || !same_profiles(name, next);
        if (n) rules_of(name);
    }
    for (i = 0, n = 0; (name = npu_backend_name(i)) != NULL; i++)
        if (npu_backend_compiles(name)) printf("%s%s", n++ ? ", " : "\nrun --backend: ", name);
#ifdef NPU_RT_THREADS
    printf("\nthreads: yes\n");
#else
    printf("\nthreads: no\n");
#endif
    return CLI_OK;
}

static int dispatch(int argc, char **argv) {
    int i;
    if (argc < 2) return help(stderr, CLI_USAGE);
    for (i = 0; former[i].name; i++) {
        if (strcmp(argv[1], former[i].name) != 0) continue;
        cli_note("npu_rt %s is called npu_rt %s now; the former name goes with the next version", former[i].name, former[i].now);
        argv[1] = (char *)former[i].now; /* for messages: nothing writes to it */
    }
    for (i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 1, argv + 1);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return help(stdout, CLI_OK);
    return strcmp(argv[1], "--version") == 0 ? version() : unknown(argv[1]);
}

int main(int argc, char **argv) {
    cli_json_mode(argc, argv);
    return cli_finish(dispatch(argc, argv));
}
