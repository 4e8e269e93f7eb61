/* From a description of a model to the graph. Whoever has one (read_tflite.c: a file; graph.c: a program, call by call) gives plain
 * values; these functions are the rules: they check and add under the invariant of ir.h. */
#ifndef NPU__GRAPH_BUILD_H
#define NPU__GRAPH_BUILD_H

#include "../tflite/verify.h"
#include "op.h"

/* What a model is being made with. */
typedef struct npu__builder {
    npu_model *m; /* pool and limits (desc) */
    npu_diag  *diag;
    uint64_t   n_tensors, n_ops; /* so far, of all subgraphs */
    uint64_t   n_strings;        /* of all constants, shared ones each time */
    int32_t    subgraph;         /* the one in work, -1: none */
} npu__builder;

#define NPU__BUILD_FAIL(b, status, rule, ...) \
    ((b)->diag ? (void)((b)->diag->subgraph = (b)->subgraph) : (void)0, npu__diag_fail((b)->diag, status, rule, __VA_ARGS__))
NPU__FN npu_status npu__build_oom(npu__builder *b);
/* Copies a vector of int32 whose every entry must lie in [lo, limit): indices of tensors. */
NPU__FN npu_status npu__build_indices(npu__builder *b, npu__vec v, int32_t lo, int32_t limit, const char *what,
                                      const int32_t **out, int32_t *n);

/* ---- of a model ---- */

NPU__FN npu_status npu__build_count_subgraphs(npu__builder *b, uint32_t n);
/* Counts a subgraph's tensors and operators, or some of them. */
NPU__FN npu_status npu__build_count(npu__builder *b, uint32_t tensors, uint32_t ops);

/* ---- of a tensor ---- */

/* A tensor as somebody describes it. Vectors are views of little-endian numbers at any address, read during the call. */
typedef struct npu__tensor_spec {
    npu__vec dims, signature; /* int32; a signature of another length is not looked at */
    npu__vec scales, zeros;   /* float, int64 (or int32: zero_bytes); no zeros: all are 0 */
    int32_t  zero_bytes;      /* 8 or 4 */
    int32_t  axis;
} npu__tensor_spec;

/* Rules 1 and 3 of the invariant: type, shape, size, quantization. `t` is zeroed but for name, type, is_variable and has_rank. */
NPU__FN npu_status npu__build_tensor(npu__builder *b, int32_t index, const npu__tensor_spec *spec, npu__tensor *t);
/* Rules 2 and 5, and 4 for variables: `data` becomes the contents of `t`, whose other members are there, or of its `sparsity`
 * (t->sparsity, or NULL). It is neither copied nor aligned: */
NPU__FN npu_status npu__build_data(npu__builder *b, int32_t index, npu__span data, npu__sparsity *sparsity, npu__tensor *t);
/* Can its type not be read where `data` lies? */
NPU__FN int npu__build_misaligned(const npu__tensor *t);

/* ---- of an operator ---- */

typedef struct npu__node_spec {
    npu__vec in, out, mid; /* int32 */
} npu__node_spec;

/* `node` is zeroed but for code, version and custom_name. Fills all but options. `n_tensors`: of its subgraph. */
NPU__FN npu_status npu__build_node(npu__builder *b, int32_t index, const npu__node_spec *spec, int32_t n_tensors,
                                   npu__node *node);

/* ---- of a subgraph ---- */

/* Inputs, or outputs, once the tensors are there; then rules 4 and 5 for inputs (`t` is g->tensors). */
NPU__FN npu_status npu__build_list(npu__builder *b, npu__vec tensors, int output, npu__subgraph *g);
NPU__FN npu_status npu__build_inputs(npu__builder *b, const npu__subgraph *g, npu__tensor *t);
/* Once all its nodes are there: data flows forward, rule 4 for outputs of operators, rule 7 for those of the subgraph. */
NPU__FN npu_status npu__build_check_flow(npu__builder *b, const npu__subgraph *g);

/* ---- of signatures ---- */

/* Where each tensor stands among the inputs or outputs of a subgraph, 1 more than its first position; 0: nowhere. Made once
 * for each subgraph that a signature names, so that many signatures with many entries take linear time. */
typedef struct npu__sig_places {
    int32_t *in, *out;
} npu__sig_places;

/* Begins with work memory of its own, and ends by freeing it (after a failure too). */
typedef struct npu__sig_builder {
    npu__pool        temp;
    npu__sig_places *places;
} npu__sig_builder;
NPU__FN npu_status npu__build_sigs_begin(npu__builder *b, npu__sig_builder *w);
/* Key, subgraph and entries are there, as somebody described them: each entry's position is the tensor's index still. */
NPU__FN npu_status npu__build_signature(npu__builder *b, npu__sig_builder *w, npu__sig *sig, npu__sig_entry *in,
                                        npu__sig_entry *out);
NPU__FN void npu__build_sigs_end(npu__sig_builder *w);

/* ---- of a file (read_tflite.c, model.c) ---- */

/* What a SparsityParameters table of the file says, but for the values. NULL: no memory. */
NPU__FN npu__sparsity *npu__sparsity_new(npu__pool *pool, npu__tab raw);
/* Fills subgraphs and signatures of `m` (pool, bytes, desc, find_op and root set). Errors: INVALID_MODEL, LIMIT, UNSUPPORTED,
 * OUT_OF_MEMORY; the pool is the caller's to free. */
NPU__FN npu_status npu__read_tflite(npu_model *m, npu_diag *diag);

/* What a model of a file of `n_bytes` may allocate. */
NPU__FN uint64_t npu__model_limit(const npu_model_desc *desc, size_t n_bytes);
/* A model without a graph, in a pool of its own, with what `desc` leaves open filled in, `find_op`
 * for its operators, and `limit` for max_memory_bytes. `what`: the public function. */
NPU__FN npu_status npu__model_make(npu_model **out, const char *what, const npu_model_desc *desc, npu__op_finder find_op,
                                   uint64_t limit, npu__pool_elsewhere *elsewhere, npu_diag *diag);
/* npu_model_open, of a build with the operators that `find_op` finds. `elsewhere` (NULL: nothing) counts what the model takes on
 * elsewhere->machine, and must live as long. */
NPU__FN npu_status npu__model_new(npu_model **out, const void *bytes, size_t n_bytes, const npu_model_desc *desc,
                                  npu__op_finder find_op, npu__pool_elsewhere *elsewhere, npu_diag *diag);

#endif
