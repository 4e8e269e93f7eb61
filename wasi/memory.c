/* How much memory each part of a run took, as text and JSON. */
#include "cli.h"

/* Every part once: X(key, what it is, bytes). The last two are of models whose shapes depend on data. */
#define PARTS(X)                                                                                            \
    X(file, "the model's file", run->file_bytes)                                                            \
    X(model, "its graph", m.model_bytes)                                                                    \
    X(plan, "plan, constants folded while planning included", m.plan_bytes)                                 \
    X(session, "session: the next three and bookkeeping", m.session_bytes)                                  \
    X(arena, "activations and work memory", m.arena_bytes)                                                  \
    X(packed, "rearranged weights", m.packed_bytes)                                                         \
    X(variable, "variables and state", m.variable_bytes)                                                    \
    X(dynamic, "data-dependent tensors", u.dynamic_bytes)                                                   \
    X(peak_dynamic, "the most of them at a time, with temporary work memory of their operators", u.peak_bytes) \
    X(limit, "for plan, session and data-dependent tensors together", m.limit_bytes)

void cli_show_memory(const cli_run *run) {
    npu_memory        m;
    npu_session_usage u;
    npu_plan_memory(run->plan, &m);
    npu_session_memory(run->session, &u);
    printf("%smemory%s\n", cli_bold(), cli_plain());
#define ROW(key, what, bytes) printf("  %-12s %12llu bytes  %s\n", #key, (unsigned long long)(bytes), what);
    PARTS(ROW)
#undef ROW
}

void cli_json_memory(const cli_run *run) {
    npu_memory        m;
    npu_session_usage u;
    const char       *sep = "";
    npu_plan_memory(run->plan, &m);
    npu_session_memory(run->session, &u);
    fputs("\"memory\":{", stdout);
#define ROW(key, what, bytes)                                                          \
    printf("%s\"" #key "_bytes\":%llu", sep, (unsigned long long)(bytes));             \
    sep = ",";
    PARTS(ROW)
#undef ROW
    fputc('}', stdout);
}
