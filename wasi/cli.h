/* What the commands of the CLI share: exit codes, messages, files, options, an opened model and its inputs. */
#ifndef NPU_RT_CLI_H
#define NPU_RT_CLI_H

#include <stdio.h>

#include "npu_rt.h"

/* Exit codes. The ones of the library's statuses come from npu_status_exit_code. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_BAD_INPUT = 5, CLI_NOT_PLACED = 6, CLI_DIFFERENT = 6 };

/* ---- messages.c: what is said beside the results ---- */

/* "npu_rt: error: ..." on stderr; returns `code`, so that callers can write `return cli_error(...)`. The first error is
 * remembered for --json. */
int cli_error(int code, const char *fmt, ...);
/* The same with status and rule for --json. Status NULL: that of the exit code. */
int cli_fail(int code, const char *status, const char *rule, const char *fmt, ...);
int cli_no_memory(void);
void cli_note(const char *fmt, ...);
/* A failure of the library: where it happened, which rule, what to do. Returns the exit code of its status. */
int cli_diag(const char *path, const npu_diag *diag);
/* Looks for --json among the arguments: then a failure prints {"error": ...} on stdout. */
void cli_json_mode(int argc, char **argv);
/* The object with the results begins: an error will not get one of its own. */
void cli_json_started(void);
/* The member "error" of such an object: null where there is none. */
void cli_json_error(void);
/* Adds the operators that this build has no kernel for to the error. */
void cli_remember_missing(const npu_model *model);
/* Start and end of emphasis on stdout; "" when stdout is no terminal or NO_COLOR is set. */
const char *cli_bold(void);
const char *cli_plain(void);
/* Where the library's reports go. */
npu_writer cli_stdout(void);
/* Ends stdout: the JSON error where one is due, then a flush. A full disk turns success into exit 1; a reader that left
 * early (`| head`) ends the program without a word. */
int cli_finish(int code);

/* ---- paths.c: the files behind paths, which mean the same natively and under WASI ---- */

/* As in libc: NULL or -1 with errno set. Modes: "rb", "wb". */
FILE *cli_fopen(const char *path, const char *mode);
int   cli_mkdir(const char *path);
int   cli_rename(const char *from, const char *to);
int   cli_remove(const char *path);
int   cli_is_dir(const char *path);
/* Nothing is there, or a plain file, which may be replaced. */
int   cli_is_file_or_new(const char *path);
/* Could there be such a file? No: errno says why. */
int   cli_path_known(const char *path);
/* What went wrong with the path, as a sentence's end. */
const char *cli_path_error(const char *path, int error);

/* ---- io.c: files, text ---- */

/* Printable form of bytes that come from a file: control characters never reach the terminal. */
void cli_text(FILE *to, const char *p, size_t n);
void cli_json_string(FILE *to, const char *p, size_t n);
void cli_json_number(FILE *to, double value); /* NaN and infinities have no JSON form: null */
/* Whole file (or stdin for "-") in memory from malloc. Returns an exit code. */
int cli_read_file(const char *path, uint8_t **bytes, size_t *n);
/* Creates a directory and its parents. */
int cli_make_dirs(const char *path);
double   cli_now_ms(void);
uint64_t cli_peak_rss(void); /* bytes; under WASI the size of the linear memory */

/* ---- args.c: options ---- */

/* Every option, once: X(its CLI_OPT_, its name, whether a value follows). Each command says which of them it takes. */
#define CLI_OPTIONS(X)               \
    X(HELP,        "help",        0) \
    X(JSON,        "json",        0) \
    X(MARKDOWN,    "markdown",    0) \
    X(INPUT,       "input",       1) \
    X(RESIZE,      "resize",      0) \
    X(SEED,        "seed",        1) \
    X(NORMALIZE,   "normalize",   1) \
    X(OUTPUT_DIR,  "output-dir",  1) \
    X(SIGNATURE,   "signature",   1) \
    X(REPEAT,      "repeat",      1) \
    X(WARMUP,      "warmup",      1) \
    X(RUNS,        "runs",        1) \
    X(PROFILE,     "profile",     0) \
    X(VERBOSE,     "verbose",     0) \
    X(THREADS,     "threads",     1) \
    X(ISA,         "isa",         1) \
    X(TARGET,      "target",      1) \
    X(OPS_DEFINE,  "ops-define",  0) \
    X(BACKEND,     "backend",     1) \
    X(RULES,       "rules",       1) \
    X(RUNTIME,     "runtime",     1) \
    X(EXACT,       "exact-float32", 0) \
    X(FALLBACK,    "fallback",    0) \
    X(DOT,         "dot",         0) \
    X(CSV,         "csv",         0) \
    X(HTML,        "html",        1) \
    X(SRAM,        "sram",        1) \
    X(JOBS,        "jobs",        1) \
    X(ONLY,        "only",        1) \
    X(STRICT,      "strict",      0) \
    X(CLOCK,       "clock",       1) \
    X(MEMORY_MODE, "memory-mode", 1) \
    X(TIME_LIMIT,  "time-limit",  1) \
    X(MAX_MEMORY,  "max-memory",  1) \
    X(MAX_WORK,    "max-work",    1) \
    X(RELAX_FP32,  "relax-fp32",  0) \
    X(FUSION,      "fusion-rules", 1) \
    X(MVPU,        "mvpu",        1) \
    X(TRANSPOSED,  "transpose-conv", 1) \
    X(WEIGHTS,     "weight-storage", 1) \
    X(NO_INPUT,    "suppress-input-conversion",  0) \
    X(NO_OUTPUT,   "suppress-output-conversion", 0) \
    X(COMPARE,     "compare",     1) \
    X(TRACE,       "trace",       1) \
    X(MINMAX,      "minmax",      1) \
    X(KEEP,        "keep",        1) \
    X(SORT,        "sort",        1) \
    X(ISA_A,       "isa-a",       1) \
    X(ISA_B,       "isa-b",       1) \
    X(BACKEND_A,   "backend-a",   1) \
    X(BACKEND_B,   "backend-b",   1) \
    X(TOLERANCE,   "tolerance",   1)

/* X(its CLI_OPT_, former name, the option it is now): still understood where that one is, with a note, for a version. */
#define CLI_FORMER_OPTIONS(X) X(FORMER_RULES, "profile", RULES)

enum {
    CLI_OPT_END = 0,
    CLI_OPT_FIRST = 255, /* above all letters */
#define CLI_X(id, name, value) CLI_OPT_##id,
    CLI_OPTIONS(CLI_X)
    CLI_FORMER_OPTIONS(CLI_X)
#undef CLI_X
    CLI_OPT_AFTER
};

/* For the lists of what commands take: the limits, and all that is common to run and bench (cli_session_option). */
#define CLI_OPT_LIMITS CLI_OPT_TIME_LIMIT, CLI_OPT_MAX_MEMORY, CLI_OPT_MAX_WORK
#define CLI_OPT_SESSION                                                                                               \
    CLI_OPT_JSON, CLI_OPT_INPUT, CLI_OPT_RESIZE, CLI_OPT_SEED, CLI_OPT_NORMALIZE, CLI_OPT_SIGNATURE, CLI_OPT_THREADS, \
        CLI_OPT_ISA, CLI_OPT_BACKEND, CLI_OPT_RULES, CLI_OPT_RUNTIME, CLI_OPT_EXACT, CLI_OPT_FALLBACK, \
        CLI_OPT_LIMITS

/* Reads all options of a command, whose name is argv[0]. `takes`: its CLI_OPT_..., CLI_OPT_END last; every command takes
 * --help. `set` gets them one by one, with their values, and returns CLI_OK or an exit code (reported). Returns CLI_GO_ON,
 * or the exit code to end with: after --help, too. */
typedef int cli_set(void *args, int opt, char *value);
int cli_parse(int argc, char **argv, const char *help, const int *takes, cli_set *set, void *args);
enum { CLI_GO_ON = -1 };

/* An NPU as the options of every command name it. */
typedef struct cli_backend {
    const char *name;    /* NULL: not given */
    const char *rules;   /* version of its rules; NULL: the default */
    const char *runtime; /* version of its library; NULL: the library's own, or the newest known */
    int         exact;   /* nonzero: no float16 for float32 */
} cli_backend;

/* Options of the commands that run a model, and the model's path. */
typedef struct cli_args {
    const char  *model;
    const char  *signature; /* NULL: subgraph 0 */
    const char **files;     /* every --input as it was typed: REF=FILE */
    int          n_files;
    uint64_t     seed;
    int          threads;
    npu_isa      isa;
    cli_backend  backend;  /* who runs what it takes; no name: the CPU runs all */
    int          fallback; /* --fallback: the CPU also runs what the backend fails at */
    int          keep_values; /* of each operator, for a comparison */
    int          profile;  /* the session takes times, whoever opens it */
    void       (*observe)(void *user, const npu_observed *seen); /* or NULL */
    void        *observe_user;
    int          raw_inputs, raw_outputs; /* as the backend has them: --suppress-input-conversion, ... */
    int          json;
    int          resize; /* --resize: a .npy file may change what the model declares fixed */
    int          has_normalize;
    double       mean, std; /* --normalize */
} cli_args;

/* An instruction set by name. `any`: also one that this build lacks. Returns CLI_OK or CLI_USAGE (reported). */
int cli_parse_isa(const char *text, int any, npu_isa *out);
/* Takes the one operand MODEL. Returns CLI_OK or CLI_USAGE (reported) if there is none or more. */
int cli_take_model(int argc, char **argv, const char **model);
/* Handles the options common to run and bench, limits included. Returns CLI_OK or CLI_USAGE (reported). */
int cli_session_option(cli_args *args, int opt, char *value);
/* All of such a command: reads options and operand, then calls `body`. `args` is what `set` and `body` get: a command with
 * options of its own begins its struct with a cli_args. Returns the exit code. */
int cli_session_command(int argc, char **argv, const char *help, const int *takes, cli_set *set,
                        int (*body)(void *args), cli_args *args);
int cli_parse_int(const char *text, long min, long max, const char *option, long *out); /* false: reported */
int cli_parse_u64(const char *text, const char *option, uint64_t *out);
/* Adds a name to a list with commas that has `n` characters of `cap`; returns how many it would have then. */
size_t cli_add_name(char *list, size_t cap, size_t n, const char *name);
/* Does the command that is running have this option? */
int cli_has_option(const char *name);

/* ---- backend.c: NPUs ---- */

/* Takes --backend, --rules, --runtime and --exact-float32; any other goes to cli_limit_option. Returns CLI_OK or CLI_USAGE (reported). */
int cli_backend_option(cli_backend *backend, int opt, char *value);
/* CLI_OK, or CLI_USAGE (reported, with the list) unless this is a backend of this build, and its rules are NULL or a version of
 * them. `command`: one that needs it; NULL: without a backend the CPU does all. */
int cli_check_backend(const cli_backend *backend, const char *command);
/* --relax-fp32: the version of the rules by which FP32 runs as FP16. CLI_OK, or CLI_USAGE (reported) where there is none. */
int cli_relax(cli_backend *backend);
/* A number of MHz as Hz. CLI_OK, or CLI_USAGE (reported). */
int cli_parse_clock(const char *text, double *hz);

struct cli_run;
/* Which operators whom the backend's library runs, once there is a session: a line of text, and a member "backend" of an object
 * (null: none was asked for). */
void cli_show_backend(const struct cli_run *run);
void cli_json_backend(const struct cli_run *run);
/* What the session is given of the backend, and its end. Returns an exit code. */
int  cli_driver_open(struct cli_run *run, npu_session_desc *desc);
void cli_driver_close(struct cli_run *run);

/* ---- limits.c: what a command may take ---- */

typedef struct cli_limits {
    double   seconds;      /* from the option on; 0: no limit */
    uint64_t memory_bytes; /* 0: the library's default, CLI_DEFAULT_MEMORY */
    int64_t  work;         /* steps of one invoke; 0: the library's default */
} cli_limits;

#define CLI_DEFAULT_MEMORY ((uint64_t)1 << 30)

extern cli_limits cli_limit;

/* Takes --time-limit, --max-memory or --max-work. Returns CLI_OK or CLI_USAGE (reported). */
int cli_limit_option(int opt, const char *value);
/* Has --time-limit passed? In the form of npu_session_desc.cancel. */
int cli_time_is_up(void *user);
/* The same for loops over elements: asks the clock once in many calls, `i` counting them from 0. */
int cli_time_is_up_at(size_t i);
/* Reports that it has, `where` being "while planning" or "in run 3 of 10", `finished` "" or what was done by then. */
int cli_time_error(const char *where, const char *finished);
/* CLI_OK, or what cli_time_error returns. */
int cli_check_time(const char *where);
/* For memory that a file asks for on its own: CLI_OK, or CLI_BAD_INPUT (reported) when it is more than the limit. */
int cli_check_memory(uint64_t bytes, const char *what);
/* After an error: the option that helps, where the command has one. */
void cli_hint(const char *rule);

/* ---- model.c: from a path to a session ---- */

typedef struct cli_input {
    npu_tensor  declared;
    const char *path; /* NULL: made from the seed */
    int32_t     rank; /* shape to run with */
    int32_t     dims[NPU_MAX_RANK];
    uint8_t    *data; /* what to copy into the session before each invoke */
    size_t      bytes;
    const char **items; /* of strings: parts of data; NULL: none. `bytes` says how many there are */
    size_t     *lengths;
    char        how[320]; /* one phrase: where the values come from */
} cli_input;

typedef struct cli_run {
    const cli_args *args;
    uint8_t        *file;
    size_t          file_bytes;
    npu_model      *model;
    npu_plan       *plan;
    npu_session    *session;
    int32_t         subgraph, signature; /* signature: index, -1 = none */
    int32_t         n_inputs, n_outputs;
    cli_input      *inputs;
    struct cli_summary *summaries; /* of the outputs, once cli_summarize has been called */
    double          load_ms, prepare_ms;
    long            finished; /* invokes that came to their end */
    npu_neuron_driver neuron; /* for what --backend, --runtime and --exact-float32 ask */
    npu_neuron_options neuron_options;
    npu_driver        driver;
    void             *library; /* that the functions come from, where it was loaded */
} cli_run;

/* Reads and verifies a model. Returns an exit code; *file must be freed after the model is closed. */
int cli_open_model(const char *path, uint8_t **file, size_t *n, npu_model **model);
/* Everything up to a session with its inputs ready. Returns an exit code; cli_run_close in any case. */
int  cli_run_open(cli_run *run, const cli_args *args, int profile);
/* Copies the inputs in, times the invoke alone. `which` names the run where the time limit stops it: "run 3 of 10". */
int  cli_run_invoke(cli_run *run, const char *which, double *ms);
void cli_run_close(cli_run *run);

/* ---- inputs.c: what goes in ---- */

/* Finds which input each --input means, reads the files, settles shapes. */
int cli_inputs_read(cli_run *run);
/* Fills what no file gave, once the session knows the real shapes. The time limit holds. */
int cli_inputs_fill(cli_run *run);
void cli_print_names(const cli_run *run, FILE *to);

/* ---- strings.c ---- */

/* Text for an input of strings: a line for each element. */
int cli_text_input(cli_run *run, int32_t index, const char *text);
struct npy_array;
int cli_npy_strings(cli_run *run, int32_t index, const struct npy_array *a, const char *path);
/* Bytes of the longest string, at least 1: the dtype of a file is "|S" and this. */
size_t cli_longest_string(const npu_tensor *t);
/* Items of a .npy file. False when the disk or the time limit ends it. */
int  cli_write_strings(FILE *f, const npu_tensor *t);
void cli_show_strings(FILE *to, const npu_tensor *t);
void cli_json_strings(FILE *to, const npu_tensor *t);

/* ---- raw.c: data as the backend has it ---- */

/* Input (output) i; CLI_GO_ON: it is not the backend's alone, which is said, and stays as it is. */
int cli_raw_of(const cli_run *run, int output, int32_t i, npu_raw *raw);
/* Takes an input from raw bytes. CLI_GO_ON as above. */
int cli_raw_input(cli_run *run, int32_t index, const uint8_t *bytes, size_t n, const char *path);
/* Makes of an output its raw bytes, which *bytes holds then: the caller frees it. */
int cli_raw_output(const cli_run *run, int32_t i, npu_tensor *t, uint8_t **bytes);

/* ---- outputs.c ---- */

/* Writes DIR/0.npy, DIR/1.npy, ...: every file whole or not at all. The time limit holds until all
 * are written under temporary names. Returns an exit code. */
int cli_write_outputs(const cli_run *run, const char *dir);

/* Can a .npy file hold such values? */
int cli_npy_holds(npu_type type);
/* Writes a tensor as .npy. False when the disk or the time limit ends it. */
int cli_write_npy(FILE *f, const npu_tensor *t);

/* ---- whole.c: files that appear whole, together, or not at all ---- */

/* Zero-initialised, it has none. */
typedef struct cli_whole {
    char **names; /* of each its name, and the one that it has until all are complete */
    int    n;
    long   stamp;
} cli_whole;

/* The next file, to be written and closed before another one is opened. NULL: reported. */
FILE *cli_whole_open(cli_whole *w, const char *path);
/* Returns `code`, or CLI_FAILED (reported) where the file could not be written. */
int   cli_whole_close(cli_whole *w, FILE *f, int code);
/* Gives all files their names, or removes them unless `code` is CLI_OK. Returns an exit code. */
int   cli_whole_end(cli_whole *w, int code);

/* ---- show.c: tensors as text and JSON ---- */

/* What is said of a tensor's values, gathered in one pass. */
enum { CLI_TOP = 5 };
typedef struct cli_summary {
    size_t elems, finite, top[CLI_TOP];
    int    n_top, vector; /* vector: one dimension holds everything, so its largest entries mean something */
    double min, max, mean;
} cli_summary;

/* One tensor; false when the time limit came first. */
int  cli_sum_up(const npu_tensor *t, cli_summary *s);
/* Sums up every output before a word is printed, as the time limit may end that too. Returns an exit code. */
int  cli_summarize(cli_run *run);
void cli_show_tensor(FILE *to, const char *label, const npu_tensor *t);
void cli_show_values(FILE *to, const npu_tensor *t, const cli_summary *s);
void cli_json_tensor(FILE *to, const npu_tensor *t); /* members without braces */
void cli_json_values(FILE *to, const npu_tensor *t, const cli_summary *s);
void cli_shape_text(char *out, size_t cap, int32_t rank, const int32_t *dims);
void cli_type_text(char *out, size_t cap, npu_type type); /* lower case, as numpy writes it */

/* ---- memory.c: what each part took ---- */

void cli_show_memory(const cli_run *run);
void cli_json_memory(const cli_run *run); /* a member "memory" */

/* ---- report.c: commands that write one report ---- */

/* What the report is about. A command with more to ask begins its own struct with this one. */
typedef struct cli_question {
    const char *model; /* its path */
    cli_backend backend;
    npu_format  format;
} cli_question;

/* Takes --json, --max-memory and all about backends. Returns CLI_OK or CLI_USAGE (reported). In the form of cli_set, for
 * commands that ask no more. */
int cli_question_option(void *question, int opt, char *value);
/* Options and operand of a command that reports on a model; `q` is also what `set` gets. CLI_GO_ON, or the exit code to end
 * with: a command that takes --backend needs it. */
int cli_parse_report(int argc, char **argv, const char *help, const int *takes, cli_set *set, cli_question *q);
/* The library's call behind a report. */
typedef npu_status cli_write(const npu_model *model, void *args, const npu_writer *out, npu_diag *diag);
/* Opens q->model and lets `write` write its report to stdout. Returns an exit code. */
int cli_report(const cli_question *q, cli_write *write, void *args);
/* All of a command that takes a model and --json, and nothing else. `write` gets the cli_question. */
int cli_plain_report(int argc, char **argv, const char *help, cli_write *write);
/* The exit code after a report was written: what failed is reported, `about` being the model or backend. */
int cli_reported(npu_status status, const char *about, const npu_diag *diag);

#endif
