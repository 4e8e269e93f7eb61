/* Constant float weights of which so many are 0 that a product without those is faster (kernels/sparse_f32.h): pruned networks, whether
 * they are stored as sparse tensors or not. */
#ifndef NPU__OPS_SPARSE_H
#define NPU__OPS_SPARSE_H

#include "../kernels/sparse_f32.h"
#include "util.h"

typedef struct npu__sparse {
    const npu__sparse_f32_kernel *kern;   /* NULL: not for these */
    size_t                        packed; /* bytes */
    size_t                        work;   /* of a thread, a multiple of 64 */
} npu__sparse;

/* prepare: for m rows times input 1, n rows of k, which npu__can_pack. */
NPU__FN npu_status npu__sparse_choose(npu__ctx *c, int64_t m, int32_t n, int32_t k, npu__sparse *s);

#endif
