/* npu_rt run: one or more invokes of a model, outputs shown and written. */
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "watch.h"

static const char HELP[] =
    "usage: npu_rt run MODEL [options]\n"
    "\n"
    "Runs a .tflite model (- reads it from stdin) and shows its outputs.\n"
    "\n"
    "  --input REF=FILE    what to feed an input; REF is its position, its name in the signature or its\n"
    "                      tensor's name. May be repeated. FILE is one of\n"
    "                        .npy            the input's dtype and shape; dimensions that the model leaves\n"
    "                                        open may have any size\n"
    "                        PNG, JPEG, BMP  resized and normalized by the model's metadata, or by the\n"
    "                                        input's quantization or type; stderr says how\n"
    "                        WAV             for one-dimensional float32 inputs: mono in [-1, 1], cut or\n"
    "                                        padded to the input's length\n"
    "                        text:WORDS      for inputs of strings: no file but the text itself, a line for each\n"
    "                                        element. A .npy file of dtype S or U does it as well\n"
    "  --resize            let a .npy file change dimensions that the model declares fixed, too\n"
    "  --seed N            inputs without a file are filled from this seed (default 0)\n"
    "  --normalize M,S     for images: feed (pixel - M) / S instead\n"
    "  --output-dir DIR    write the outputs to DIR/0.npy, DIR/1.npy, ... in the model's order\n"
    "  --signature KEY     run this signature instead of the first subgraph\n"
    "  --repeat N          invoke N times with the same inputs, keeping the model's state (default 1)\n"
    "  --threads N         use up to N threads (default 1)\n"
    "  --isa NAME          use this instruction set instead of the best one\n"
    "  --backend NAME      let this backend compile and run what it takes, the CPU the rest; default: the CPU runs all\n"
    "  --rules NAME        the version of its rules; npu_rt --version lists them, the default first\n"
    "  --runtime VERSION   compile for this version of the backend's library, as 8.2.24; default: what the library says\n"
    "  --relax-fp32        FP32 may run as FP16: mdla1.5, mdla2.0, mdla3.0\n"
    "  --suppress-input-conversion   a .npy file of uint8 with one dimension holds the input as the NPU has it: rows\n"
    "                      of pixels in 4C or 16C (README.md); other files are as always\n"
    "  --suppress-output-conversion  --output-dir gets the outputs as the NPU has them, as uint8\n"
    "  --compare cpu       run the model on the CPU, too, with the same inputs: the largest and the mean error of each\n"
    "                      output, and the operators where errors grow, the largest growth first (--json: all of them)\n"
    "  --trace FILE        write when each operator ran, and on what, as a trace that Perfetto and chrome://tracing open\n"
    "  --minmax FILE       write the smallest and the largest value of each float tensor, over all runs: JSON, or a table\n"
    "                      where FILE ends in .csv\n"
    "  --keep TENSOR=FILE  write what a tensor between operators held last as a .npy file; TENSOR is its name, its index as\n"
    "                      npu_rt dump counts, or SUBGRAPH:INDEX. May be repeated. --keep all=FOLDER writes all of them, as\n"
    "                      SUBGRAPH_INDEX.npy, and tensors.json about them. Takes as much memory as all tensors together\n"
    "  --exact-float32     float32 is not computed as float16 by the backend, as LiteRT's plugin lets it\n"
    "  --fallback          let the CPU run what the backend's library refuses or fails at, instead of an error\n"
    "  --json              print one JSON object instead of text\n"
    "  --verbose           show too how much memory each part took\n"
    "  --time-limit S      stop with exit code 1 when S seconds have passed, 2.5 for example; no outputs are written\n"
    "  --max-memory MIB    refuse what needs more memory (default 1024)\n"
    "  --max-work STEPS    stop an invoke that takes more steps of computing (default 2^40, about a nanosecond each)\n"
    "\n"
    "example: npu_rt run mobilenet.tflite --input 0=cat.jpg --output-dir out\n";

static void json_file(const char *dir, int32_t i) {
    char name[4096];
    int  n = dir ? snprintf(name, sizeof name, "%s/%d.npy", dir, (int)i) : 0;
    fputs(",\"file\":", stdout);
    if (n > 0 && n < (int)sizeof name) cli_json_string(stdout, name, (size_t)n);
    else fputs("null", stdout);
}

static void print_text(const cli_run *run, const char *dir, double ms, long repeat, int verbose) {
    npu_tensor t;
    char       label[32];
    int32_t    i;
    for (i = 0; i < run->n_inputs; i++) {
        if (npu_session_input_of(run->session, run->subgraph, i, &t) != NPU_OK) continue;
        snprintf(label, sizeof label, "input %d", (int)i);
        cli_show_tensor(stdout, label, &t);
        fprintf(stdout, " <- %s\n", run->inputs[i].how);
    }
    for (i = 0; i < run->n_outputs; i++) {
        if (npu_session_output_of(run->session, run->subgraph, i, &t) != NPU_OK) continue;
        snprintf(label, sizeof label, "output %d", (int)i);
        cli_show_tensor(stdout, label, &t);
        if (dir) fprintf(stdout, " -> %s/%d.npy", dir, (int)i);
        fputc('\n', stdout);
        cli_show_values(stdout, &t, &run->summaries[i]);
    }
    fprintf(stdout, "%sinvoke%s %.3f ms", cli_bold(), cli_plain(), ms);
    if (repeat > 1) fprintf(stdout, " (the last of %ld)", repeat);
    fprintf(stdout, ", %s, %d thread%s\n", npu_isa_name(npu_plan_isa(run->plan)), run->args->threads,
            run->args->threads == 1 ? "" : "s");
    cli_show_backend(run);
    if (verbose) cli_show_memory(run);
}

/* What the CPU makes of the same inputs, and how far the run is from it. */
static int compare(const cli_run *run, const cli_run *cpu) {
    const npu_writer out = cli_stdout();
    npu_diag         diag;
    const npu_format format = run->args->json ? NPU_FORMAT_JSON : NPU_FORMAT_TEXT;
    return cli_reported(npu_session_compare(run->session, cpu->session, run->subgraph, format, &out, &diag), run->args->model, &diag);
}

/* The files beside the outputs, as words or as members of the object. */
static void show_files(const cli_watch *w, int json) {
    const char *const names[] = {"trace", "minmax"}, *files[2];
    int               i;
    files[0] = w->trace;
    files[1] = w->minmax;
    for (i = 0; i < 2; i++) {
        if (json) {
            printf(",\"%s\":", names[i]);
            if (files[i]) cli_json_string(stdout, files[i], strlen(files[i]));
            else fputs("null", stdout);
        } else if (files[i]) {
            printf("%s -> ", names[i]);
            cli_text(stdout, files[i], strlen(files[i]));
            fputc('\n', stdout);
        }
    }
    if (!json) {
        for (i = 0; i < w->n_keep; i++) {
            fputs("kept ", stdout);
            cli_text(stdout, w->keep[i], strlen(w->keep[i]));
            fputc('\n', stdout);
        }
        return;
    }
    fputs(",\"keep\":[", stdout);
    for (i = 0; i < w->n_keep; i++) {
        if (i) fputc(',', stdout);
        cli_json_string(stdout, w->keep[i], strlen(w->keep[i]));
    }
    fputc(']', stdout);
}

static int print_json(const cli_run *run, const cli_run *cpu, const cli_watch *watch, const char *dir, double ms) {
    npu_tensor t;
    int32_t    i, n = 0;
    int        code = CLI_OK;
    cli_json_started();
    fprintf(stdout, "{\"isa\":\"%s\",\"threads\":%d,\"subgraph\":%d,\"invoke_ms\":",
            npu_isa_name(npu_plan_isa(run->plan)),
            run->args->threads, (int)run->subgraph);
    cli_json_number(stdout, ms);
    fputs(",\"inputs\":[", stdout);
    for (i = 0; i < run->n_inputs; i++) {
        const char *how = run->inputs[i].how;
        if (npu_session_input_of(run->session, run->subgraph, i, &t) != NPU_OK) continue;
        fprintf(stdout, "%s\n{\"index\":%d,", n++ ? "," : "", (int)i);
        cli_json_tensor(stdout, &t);
        fputs(",\"from\":", stdout);
        for (n = 0; how[n];) n++;
        cli_json_string(stdout, how, (size_t)n);
        fputc('}', stdout);
        n = 1;
    }
    fputs("],\"outputs\":[", stdout);
    for (i = 0, n = 0; i < run->n_outputs; i++) {
        if (npu_session_output_of(run->session, run->subgraph, i, &t) != NPU_OK) continue;
        fprintf(stdout, "%s\n{\"index\":%d,", n++ ? "," : "", (int)i);
        cli_json_tensor(stdout, &t);
        fputc(',', stdout);
        cli_json_values(stdout, &t, &run->summaries[i]);
        json_file(dir, i);
        fputc('}', stdout);
    }
    fputs("],", stdout);
    cli_json_backend(run);
    fputc(',', stdout);
    cli_json_memory(run);
    if (watch->trace || watch->minmax || watch->n_keep) show_files(watch, 1);
    if (cpu) {
        fputs(",\"comparison\":", stdout);
        code = compare(run, cpu);
    }
    fputs("}\n", stdout);
    return code;
}

typedef struct run_args {
    cli_args    run;
    const char *dir; /* --output-dir */
    long        repeat;
    int         verbose, relax, compare;
    cli_watch   watch;
} run_args;

static int invoke_all(cli_run *run, long repeat, const char *where, double *ms) {
    char which[64];
    long i;
    int  code = CLI_OK;
    for (i = 0; i < repeat && code == CLI_OK; i++) {
        snprintf(which, sizeof which, "run %ld of %ld%s", i + 1, repeat, where);
        code = cli_run_invoke(run, which, ms);
    }
    return code;
}

/* The same on the CPU. */
static int run_cpu(cli_run *run, const run_args *args, cli_args *cpu) {
    double ms = 0;
    int    code;
    *cpu = args->run;
    memset(&cpu->backend, 0, sizeof cpu->backend);
    cpu->fallback = 0;
    cpu->observe = NULL;
    code = cli_run_open(run, cpu, 0);
    return code == CLI_OK ? invoke_all(run, args->repeat, " on the CPU", &ms) : code;
}

static int run_model(void *given) {
    run_args *args = given;
    cli_run   run, cpu;
    cli_args  cpu_args;
    double    ms = 0;
    int       code = CLI_OK;
    cli_whole files;
    memset(&files, 0, sizeof files);
    memset(&run, 0, sizeof run);
    memset(&cpu, 0, sizeof cpu);
    if ((args->relax || args->run.raw_inputs || args->run.raw_outputs) && !args->run.backend.name)
        return cli_error(CLI_USAGE, "--relax-fp32 and --suppress-... are about a backend: name it with --backend");
    if (args->relax) code = cli_relax(&args->run.backend);
    args->run.keep_values = args->compare;
    cli_watch_ask(&args->watch, &args->run, &run);
    if (code == CLI_OK) code = cli_run_open(&run, &args->run, 0);
    if (code == CLI_OK) code = invoke_all(&run, args->repeat, "", &ms);
    if (code == CLI_OK) code = cli_summarize(&run);
    if (code == CLI_OK && args->compare) code = run_cpu(&cpu, args, &cpu_args);
    if (code == CLI_OK) code = cli_watch_write(&args->watch, &files);
    if (code == CLI_OK && args->dir) code = cli_write_outputs(&run, args->dir);
    code = cli_whole_end(&files, code);
    if (code == CLI_OK && args->run.json) {
        code = print_json(&run, args->compare ? &cpu : NULL, &args->watch, args->dir, ms);
    } else if (code == CLI_OK) {
        print_text(&run, args->dir, ms, args->repeat, args->verbose);
        show_files(&args->watch, 0);
        if (args->compare) code = compare(&run, &cpu);
    }
    cli_run_close(&cpu);
    cli_run_close(&run);
    return code;
}

static int set(void *args, int opt, char *value) {
    run_args *a = args;
    switch (opt) {
    case CLI_OPT_OUTPUT_DIR: a->dir = value; return CLI_OK;
    case CLI_OPT_VERBOSE: a->verbose = 1; return CLI_OK;
    case CLI_OPT_RELAX_FP32: a->relax = 1; return CLI_OK;
    case CLI_OPT_NO_INPUT: a->run.raw_inputs = 1; return CLI_OK;
    case CLI_OPT_TRACE: case CLI_OPT_MINMAX: case CLI_OPT_KEEP: return cli_watch_option(&a->watch, opt, value);
    case CLI_OPT_NO_OUTPUT: a->run.raw_outputs = 1; return CLI_OK;
    case CLI_OPT_COMPARE:
        a->compare = 1;
        if (strcmp(value, "cpu") == 0) return CLI_OK;
        return cli_error(CLI_USAGE, "--compare %s: only the CPU can be compared with: --compare cpu", value);
    case CLI_OPT_REPEAT: return cli_parse_int(value, 1, 1000000000, "--repeat", &a->repeat) ? CLI_OK : CLI_USAGE;
    default: return cli_session_option(&a->run, opt, value);
    }
}

int cmd_run(int argc, char **argv) {
    static const int takes[] = {CLI_OPT_SESSION, CLI_OPT_OUTPUT_DIR, CLI_OPT_REPEAT, CLI_OPT_VERBOSE, CLI_OPT_RELAX_FP32,
                                CLI_OPT_COMPARE,     CLI_OPT_NO_INPUT,   CLI_OPT_NO_OUTPUT, CLI_OPT_TRACE,
                                CLI_OPT_MINMAX, CLI_OPT_KEEP, CLI_OPT_END};
    run_args         args;
    int              code;
    memset(&args, 0, sizeof args);
    args.repeat = 1;
    code = cli_session_command(argc, argv, HELP, takes, set, run_model, &args.run);
    cli_watch_close(&args.watch);
    return code;
}
