/* Two tensors side by side, for npu_rt compare. */
#ifndef NPU_RT_PAIRS_H
#define NPU_RT_PAIRS_H

#include "cli.h"

typedef struct cli_pair {
    int32_t        op;      /* that computes it, or the number of an output; -1: none */
    char           op_name[40];
    int32_t        tensor;  /* of A */
    npu_tensor     a;
    npu_difference d;
    int            known;   /* 0: the two cannot be compared */
    int            as_reals; /* their types differ: it is what they mean that was compared, as float32 */
    char           why[256]; /* they cannot */
} cli_pair;

/* Compares a and b into `pair`. Tensors of different types are compared as reals, where they stand for some. Returns an exit code. */
int  cli_pair_compare(cli_pair *pair, const npu_tensor *a, const npu_tensor *b);
/* Not known, or more than `tolerance` apart. */
int  cli_pair_differs(const cli_pair *pair, double tolerance);
/* A line about an output, and the histogram. */
void cli_pair_show(FILE *to, const cli_pair *pair);
/* A row of the table of operators. */
void cli_pair_row(FILE *to, const cli_pair *pair);
/* As an object. */
void cli_pair_json(FILE *to, const cli_pair *pair);

#endif
