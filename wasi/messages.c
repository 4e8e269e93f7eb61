/* What the CLI says beside its results: messages on stderr, with --json the error as an object on stdout, and how stdout ends. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static int color_on(int fd) {
    const char *off = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(off && *off) && isatty(fd) && !(term && strcmp(term, "dumb") == 0);
}

const char *cli_bold(void) { return color_on(STDOUT_FILENO) ? "\033[1m" : ""; }
const char *cli_plain(void) { return color_on(STDOUT_FILENO) ? "\033[0m" : ""; }

/* ---- the first error, for --json ---- */

enum { TEXT = 2048, MISSING = 64, NAME = 80 };

static struct {
    int         json;    /* --json was given */
    int         started; /* results are on stdout: an error can only be a part of them */
    int         code;    /* CLI_OK: none yet */
    const char *status, *rule;
    char        text[TEXT], file[1024], op_name[40];
    int64_t     byte;
    int32_t     subgraph, op;
    int32_t     n_missing;
    struct {
        npu_missing_op op;
        char           name[NAME];
    } missing[MISSING];
} failure;

void cli_json_mode(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) failure.json |= strcmp(argv[i], "--json") == 0;
}

void cli_json_started(void) { failure.started = 1; }

/* Status and rule of errors that are the command line's own. */
static void of_code(int code) {
    static const struct {
        int         code;
        const char *status, *rule;
    } rows[] = {{CLI_FAILED, "RUNTIME", "cli.failed"},         {CLI_USAGE, "INVALID_ARGUMENT", "cli.usage"},
                {3, "INVALID_MODEL", "cli.model"},             {4, "UNSUPPORTED", "cli.unsupported"},
                {CLI_BAD_INPUT, "BAD_INPUT", "cli.input"}};
    size_t i = sizeof rows / sizeof rows[0] - 1;
    while (i > 0 && rows[i].code != code) i--;
    if (!failure.status) failure.status = rows[i].status;
    if (!failure.rule) failure.rule = rows[i].rule;
}

static void remember(int code, const char *status, const char *rule, const char *text) {
    if (failure.code != CLI_OK) return;
    failure.code = code;
    failure.status = status;
    failure.rule = rule;
    failure.byte = failure.subgraph = failure.op = -1;
    snprintf(failure.text, sizeof failure.text, "%s", text);
    of_code(code);
}

void cli_remember_missing(const npu_model *model) {
    npu_missing_op list[MISSING];
    failure.n_missing = npu_model_missing(model, list, MISSING);
    for (int32_t i = 0; i < failure.n_missing; i++) {
        size_t n = list[i].name_len < NAME ? list[i].name_len : NAME - 1;
        failure.missing[i].op = list[i];
        failure.missing[i].op.name_len = n;
        memcpy(failure.missing[i].name, list[i].name, n);
    }
}

static void json_text(const char *key, const char *value) {
    printf("\"%s\":", key);
    if (value) cli_json_string(stdout, value, strlen(value));
    else fputs("null", stdout);
    fputc(',', stdout);
}

static void json_place(const char *key, int64_t value) {
    if (value >= 0) printf("\"%s\":%lld,", key, (long long)value);
    else printf("\"%s\":null,", key);
}

void cli_json_error(void) {
    fputs("\"error\":", stdout);
    if (failure.code == CLI_OK) {
        fputs("null", stdout);
        return;
    }
    fputc('{', stdout);
    json_text("status", failure.status);
    json_text("rule", failure.rule);
    json_text("message", failure.text);
    json_text("file", failure.file[0] ? failure.file : NULL);
    json_place("byte", failure.byte);
    json_place("subgraph", failure.subgraph);
    json_place("index", failure.op);
    json_text("op", failure.op_name[0] ? failure.op_name : NULL);
    fputs("\"missing\":[", stdout);
    for (int32_t i = 0; i < failure.n_missing; i++) {
        const npu_missing_op *m = &failure.missing[i].op;
        printf("%s{\"op\":", i ? "," : "");
        cli_json_string(stdout, failure.missing[i].name, m->name_len);
        printf(",\"custom\":%s,\"count\":%lld,\"subgraph\":%d,\"index\":%d}", m->custom ? "true" : "false",
               (long long)m->count, (int)m->subgraph, (int)m->op);
    }
    printf("],\"exit_code\":%d}", failure.code);
}

/* ---- messages ---- */

/* Messages may quote bytes of a hostile file, so they go through cli_text like everything else. */
static void say(const char *label, const char *color, const char *text) {
    int on = color_on(STDERR_FILENO);
    fflush(stdout); /* keeps the order where both streams end in one place */
    fprintf(stderr, "npu_rt: %s%s%s: ", on ? color : "", label, on ? "\033[0m" : "");
    cli_text(stderr, text, strlen(text));
    fputc('\n', stderr);
}

static int vfail(int code, const char *status, const char *rule, const char *fmt, va_list args) {
    char text[TEXT];
    if (vsnprintf(text, sizeof text, fmt, args) < 0) text[0] = '\0';
    say("error", "\033[1;31m", text);
    remember(code, status, rule, text);
    return code;
}

int cli_fail(int code, const char *status, const char *rule, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vfail(code, status, rule, fmt, args);
    va_end(args);
    return code;
}

int cli_error(int code, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vfail(code, NULL, NULL, fmt, args);
    va_end(args);
    return code;
}

int cli_no_memory(void) { return cli_fail(CLI_FAILED, "OUT_OF_MEMORY", "cli.memory", "out of memory"); }

void cli_note(const char *fmt, ...) {
    char    text[TEXT];
    va_list args;
    va_start(args, fmt);
    if (vsnprintf(text, sizeof text, fmt, args) < 0) text[0] = '\0';
    va_end(args);
    say("note", "\033[1m", text);
}

int cli_diag(const char *path, const npu_diag *d) {
    char        place[128] = "", byte[48] = "";
    const char *text = d->text, *rule = d->rule && d->rule[0] ? d->rule : npu_status_name(d->status);
    int         first = failure.code == CLI_OK, code = npu_status_exit_code(d->status);
    if (!text[0]) { /* NPU_RT_NO_STRINGS: then at least the place, which the texts begin with */
        text = npu_status_text(d->status);
        if (d->op >= 0)
            snprintf(place, sizeof place, "%s (subgraph %d, operator %d): ", d->op_name, (int)d->subgraph, (int)d->op);
    }
    if (d->file_offset >= 0) snprintf(byte, sizeof byte, " (byte %lld)", (long long)d->file_offset);
    cli_fail(code, npu_status_name(d->status), rule, "%s: %s%s%s [%s]", path, place, text, byte, rule);
    if (first) {
        snprintf(failure.text, sizeof failure.text, "%s%s", place, text);
        snprintf(failure.file, sizeof failure.file, "%s", path);
        snprintf(failure.op_name, sizeof failure.op_name, "%s", d->op_name);
        failure.byte = d->file_offset;
        failure.subgraph = d->subgraph;
        failure.op = d->op;
    }
    cli_hint(rule);
    return code;
}

/* ---- stdout ---- */

static int stdout_error; /* errno of the write that failed, where it is known */

static int write_stdout(void *user, const char *text, size_t n) {
    (void)user;
    failure.started = 1;
    errno = 0;
    if (fwrite(text, 1, n, stdout) == n) return 0;
    if (!stdout_error) stdout_error = errno;
    return 1;
}

npu_writer cli_stdout(void) {
    npu_writer w;
    w.user = NULL;
    w.write = write_stdout;
    return w;
}

/* Exit code of a program whose reader left, as after `| head`: a shell shows 128 + SIGPIPE. WASI hosts take no such codes, and
 * wasmtime says EIO of a pipe without a reader (a full disk is ENOSPC there too). */
#ifdef __wasi__
enum { READER_LEFT = CLI_FAILED };
static int reader_left(int error) { return error == EPIPE || error == EIO; }
#else
enum { READER_LEFT = 141 };
static int reader_left(int error) { return error == EPIPE; }
#endif

int cli_finish(int code) {
    int broken;
    if (code != CLI_OK && failure.json && !failure.started && !ferror(stdout)) {
        remember(code, NULL, NULL, "the reason is on stderr"); /* unless a message was remembered */
        fputc('{', stdout);
        cli_json_error();
        fputs("}\n", stdout);
    }
    errno = 0;
    broken = fflush(stdout) != 0 || ferror(stdout);
    if (!broken) return code;
    if (errno) stdout_error = errno;
    if (!stdout_error && write(STDOUT_FILENO, "\n", 1) < 0) stdout_error = errno; /* stdio forgot why: ask again */
    clearerr(stdout);
    if (reader_left(stdout_error)) return code == CLI_OK || code == CLI_FAILED ? READER_LEFT : code;
    return cli_error(code == CLI_OK ? CLI_FAILED : code, "cannot write the results to stdout: %s",
                     stdout_error ? strerror(stdout_error) : "the last write failed");
}
