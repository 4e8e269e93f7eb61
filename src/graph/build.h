/* From a verified file to the graph. */
#ifndef NPU__GRAPH_BUILD_H
#define NPU__GRAPH_BUILD_H

#include "../tflite/verify.h"
#include "op.h"

/* Fills subgraphs and signatures of `m` (pool, bytes, desc, find_op and root set). Errors: INVALID_MODEL, LIMIT, UNSUPPORTED,
 * OUT_OF_MEMORY; the pool is the caller's to free. */
NPU__FN npu_status npu__build_graph(npu_model *m, npu_diag *diag);

/* npu_model_open, of a build with the operators that `find_op` finds. `elsewhere` (NULL: nothing) counts what the model takes on
 * elsewhere->machine, and must live as long. */
NPU__FN npu_status npu__model_new(npu_model **out, const void *bytes, size_t n_bytes, const npu_model_desc *desc,
                                  npu__op_finder find_op, npu__pool_elsewhere *elsewhere, npu_diag *diag);

#endif
