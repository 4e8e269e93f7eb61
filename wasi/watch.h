/* Looking into a run: a trace, ranges of values, and values of tensors, as files. */
#ifndef NPU_RT_WATCH_H
#define NPU_RT_WATCH_H

#include "cli.h"

/* What an operator did, for --trace. */
typedef struct cli_event {
    int32_t  moment, subgraph, op, depth;
    long     run;
    uint64_t start_ns, duration_ns;
    int64_t  macs;
    const char *kernel;
    const char *name; /* name_len bytes, the model's */
    size_t   name_len;
    int32_t *outputs; /* how many, and of each its tensor, rank and dimensions */
} cli_event;

/* What a tensor held in all runs, for --minmax. */
typedef struct cli_range {
    uint64_t values, finite;
    double   min, max;
} cli_range;

/* What is asked for, and gathered. Zero-initialised: nothing. */
typedef struct cli_watch {
    const char *trace, *minmax; /* files; NULL: not asked for */
    const char **keep;          /* every --keep as it was typed: TENSOR=FILE */
    int         n_keep;
    cli_event  *events;
    size_t      n_events, cap_events;
    cli_range **ranges;         /* by subgraph and tensor */
    int32_t     n_subgraphs;
    long        lost;           /* events that found no room */
    const cli_run *runs;        /* whose session is watched */
    long        run;            /* how many began */
    uint64_t    origin_ns;      /* when the first one did */
    int         failed;         /* no memory, or no time */
} cli_watch;

/* Takes --trace, --minmax or --keep. Returns CLI_OK or CLI_USAGE (reported). */
int  cli_watch_option(cli_watch *w, int opt, const char *value);
/* Once all options are known, before `run` is opened with `args`: what plan and session must do. */
void cli_watch_ask(cli_watch *w, cli_args *args, const cli_run *run);
/* All that was asked for into files of `files`, after the runs. Returns an exit code. */
int  cli_watch_write(cli_watch *w, cli_whole *files);
void cli_watch_close(cli_watch *w);
/* keep.c: the files of --keep. Returns an exit code. */
int  cli_keep(const cli_watch *w, cli_whole *files);

#endif
