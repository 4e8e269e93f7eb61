/* How much memory each part of a run took, as text and JSON. */
#include "cli.h"

/* Every part once: X(key, what it is, bytes). */
#define PARTS(X)                                                                          \
    X(file, "the model's file", run->file_bytes)                                          \
    X(plan, "plan, constants folded while planning included", m.plan_bytes)               \
    X(session, "session: all of the next three, and bookkeeping", m.session_bytes)        \
    X(arena, "activations and work space", m.arena_bytes)                                 \
    X(packed, "rearranged weights", m.packed_bytes)                                       \
    X(variable, "variables and state", m.variable_bytes)

void cli_show_memory(const cli_run *run) {
    npu_memory m;
    npu_plan_memory(run->plan, &m);
    printf("%smemory%s\n", cli_bold(), cli_plain());
#define ROW(key, what, bytes) printf("  %-10s %12llu bytes  %s\n", #key, (unsigned long long)(bytes), what);
    PARTS(ROW)
#undef ROW
}

void cli_json_memory(const cli_run *run) {
    npu_memory  m;
    const char *sep = "";
    npu_plan_memory(run->plan, &m);
    fputs("\"memory\":{", stdout);
#define ROW(key, what, bytes)                                                          \
    printf("%s\"" #key "_bytes\":%llu", sep, (unsigned long long)(bytes));             \
    sep = ",";
    PARTS(ROW)
#undef ROW
    fputc('}', stdout);
}
