/* What a command may take: time, memory and work. One process runs one command, so there is one set of limits; options
 * set it before anything is opened. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

cli_limits cli_limit;

static double started_ms, reached_ms; /* reached_ms: when the time was first seen to be up; 0 = not yet */

static int parse_seconds(const char *text) {
    char  *end;
    double v;
    errno = 0;
    v = strtod(text, &end);
    if (end == text || *end || errno || !(v > 0) || v > 1e9)
        return cli_error(CLI_USAGE, "--time-limit takes seconds, above 0 and at most 1000000000, for example 2.5; "
                         "not '%s'", text);
    cli_limit.seconds = v;
    started_ms = cli_now_ms();
    return CLI_OK;
}

int cli_limit_option(int opt, const char *value) {
    uint64_t v;
    long     mib;
    switch (opt) {
    case CLI_OPT_TIME_LIMIT: return parse_seconds(value);
    case CLI_OPT_MAX_MEMORY:
        if (!cli_parse_int(value, 1, 1 << 24, "--max-memory", &mib)) return CLI_USAGE;
        cli_limit.memory_bytes = (uint64_t)mib << 20;
        return CLI_OK;
    case CLI_OPT_MAX_WORK:
        if (!cli_parse_u64(value, "--max-work", &v)) return CLI_USAGE;
        if (v < 1 || v > INT64_MAX)
            return cli_error(CLI_USAGE, "--max-work takes a whole number from 1 to 9223372036854775807, not '%s'", value);
        cli_limit.work = (int64_t)v;
        return CLI_OK;
    default: return CLI_USAGE;
    }
}

int cli_time_is_up(void *user) {
    double now;
    (void)user;
    if (cli_limit.seconds <= 0) return 0;
    if (reached_ms > 0) return 1;
    now = cli_now_ms();
    if (now - started_ms < cli_limit.seconds * 1e3) return 0;
    reached_ms = now;
    return 1;
}

int cli_time_is_up_at(size_t i) { return (i & 0xFFFFu) == 0 && cli_time_is_up(NULL); }

int cli_time_error(const char *where, const char *finished) {
    double took = (reached_ms - started_ms) / 1e3;
    return cli_fail(CLI_FAILED, "CANCELLED", "cli.time_limit", "time limit of %g s reached after %.*f s %s%s%s", cli_limit.seconds, took < 1 ? 3 : 1, took,
                     where, finished[0] ? "; " : "", finished);
}

int cli_check_time(const char *where) { return cli_time_is_up(NULL) ? cli_time_error(where, "") : CLI_OK; }

int cli_check_memory(uint64_t bytes, const char *what) {
    uint64_t most = cli_limit.memory_bytes ? cli_limit.memory_bytes : CLI_DEFAULT_MEMORY;
    if (bytes <= most) return CLI_OK;
    cli_fail(CLI_BAD_INPUT, NULL, "plan.memory", "%s takes %llu bytes, more than the limit of %llu", what, (unsigned long long)bytes,
              (unsigned long long)most);
    cli_hint("plan.memory");
    return CLI_BAD_INPUT;
}

#define FALLBACK "--fallback lets the CPU run what the backend fails at, but for what was compiled into the file"

void cli_hint(const char *rule) {
    static const struct {
        const char *rule, *option, *say;
    } hints[] = {
        {"model.memory", "max-memory", "--max-memory MIB raises this limit (without it: 64 MiB and 4 times the file's size)"},
        {"plan.memory", "max-memory", "--max-memory MIB raises this limit (without it: 1024 MiB)"},
        {"session.memory", "max-memory", "--max-memory MIB raises this limit (without it: 1024 MiB)"},
        {"session.work", "max-work", "--max-work STEPS raises this limit (without it: 1099511627776 steps)"},
        {"segment.lower", "fallback", FALLBACK},
        {"neuron.not_supported", "fallback", FALLBACK},
        {"neuron.failed", "fallback", FALLBACK},
        {"neuron.missing", "fallback", FALLBACK},
        {"neuron.bytecode", "backend", "a build with NPU_RT_NEURON_DLOPEN runs it on such a phone, with --backend neuron"},
        {"plan.analysis_only", "fallback", "npu_rt check says what the backend takes; without --backend the CPU runs the model"}};
    size_t i;
    for (i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        size_t n = strlen(hints[i].rule); /* "plan.memory_limit" is of the same kind */
        if (strncmp(rule, hints[i].rule, n) == 0 && (rule[n] == '\0' || rule[n] == '_') && cli_has_option(hints[i].option))
            cli_note("%s", hints[i].say);
    }
}
