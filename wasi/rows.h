/* What bench --profile says of operators, and of types of them. */
#ifndef NPU_RT_ROWS_H
#define NPU_RT_ROWS_H

#include "cli.h"

/* The orders of --sort: X(its CLI_ORDER_, its name). */
#define CLI_ORDERS(X) X(MODEL, "order") X(TIME, "time") X(NAME, "name") X(MACS, "macs") X(KERNEL, "kernel")
enum {
#define CLI_X(id, name) CLI_ORDER_##id,
    CLI_ORDERS(CLI_X)
#undef CLI_X
    CLI_ORDER_COUNT
};

/* Figures are of one invoke of the operator; total_ms is of all. */
typedef struct cli_row {
    npu_op_profile p;
    double         ms, gmacs, total_ms;
} cli_row;

/* All operators of one name. */
typedef struct cli_type_row {
    const char *name;
    size_t      name_len;
    long        ops;
    double      ms, share; /* of one invoke */
    int64_t     macs;      /* of one run of each */
} cli_type_row;

typedef struct cli_rows {
    cli_row      *rows;
    cli_type_row *types; /* the one that takes most time first */
    long          n, n_types;
    double        total_ms;
    long          invokes;
    int           sort;
} cli_rows;

/* CLI_OK, or CLI_USAGE (reported). */
int  cli_parse_order(const char *text, int *order);
/* The operators that ran, in so many invokes. Returns an exit code. */
int  cli_rows_take(cli_rows *r, const npu_session *session, const npu_model *model, long invokes, int sort);
void cli_rows_free(cli_rows *r);
void cli_rows_show(const cli_rows *r);
/* Members of arrays. */
void cli_rows_json(const cli_rows *r);
void cli_types_json(const cli_rows *r);

#endif
