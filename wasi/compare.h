/* Several models, or several NPUs: what check does without --backend. */
#ifndef NPU_RT_COMPARE_H
#define NPU_RT_COMPARE_H

#include "cli.h"

enum { CLI_MOST_BACKENDS = 64 };

typedef enum cli_form { CLI_FORM_TEXT, CLI_FORM_JSON, CLI_FORM_MARKDOWN, CLI_FORM_CSV } cli_form;

typedef struct cli_comparison {
    npu_compare_desc desc;
    const char      *names[CLI_MOST_BACKENDS]; /* desc.backends, when some were named */
    cli_form         form;
    const char      *html; /* where a page goes; NULL: nowhere */
    int              jobs;
    int              width; /* of the column of paths */
} cli_comparison;

/* ---- compare.c: the rows of one model ---- */

/* "a,b" as a list of backends, taken apart where it lies. Returns CLI_OK or CLI_USAGE (reported). */
int cli_compare_names(cli_comparison *c, char *list);
/* One model, whole. Returns an exit code. */
int cli_compare_one(const cli_comparison *c, const char *path);
/* One of several: before all of them, its row or rows, behind all of them. A model that cannot be read or is broken has a row that
 * says so; returns its exit code. */
void cli_compare_begin(const cli_comparison *c, FILE *to);
int  cli_compare_row(const cli_comparison *c, const char *path, FILE *to);
void cli_compare_between(const cli_comparison *c, FILE *to);
void cli_compare_end(const cli_comparison *c, FILE *to);
/* The row of a model whose process ended early. */
void cli_compare_lost(const cli_comparison *c, const char *path, FILE *to);

/* ---- batch.c: files, and who reads them ---- */

/* All models of these files and folders, in order. Returns the largest exit code of any. */
int cli_compare_many(cli_comparison *c, char **paths, int n);

#endif
