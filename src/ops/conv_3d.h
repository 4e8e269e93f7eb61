/* CONV_3D and CONV_3D_TRANSPOSE: what the operators and their matrix products share. */
#ifndef NPU__OPS_CONV_3D_H
#define NPU__OPS_CONV_3D_H

#include "conv_util.h"

/* One of the three axes, depth first. `in` is what the windows slide over: of the transposed convolution its output. */
typedef struct npu__axis3 {
    int32_t in, k, stride, dil, out, pad;
} npu__axis3;

typedef struct npu__conv_3d {
    const char *kernel; /* first: NPU__OP_NAMES_KERNEL */
    npu__axis3  axis[3];
    int64_t     batches, in_c, out_c;
    float       lo, hi;
    int32_t     transposed;
    /* conv_3d_fast.c; NULL: the reference */
    const npu__gemm_f32_kernel *gemm;
    int32_t                     packed_slot, scratch_slot;
    size_t                      copy_bytes; /* of a phase's weights in order, in the packed slot; 0: the file's are */
} npu__conv_3d;

/* Where along an axis of the input a filter's cell `k` meets cell `at` of the output; -1: nowhere. */
NPU__INLINE int64_t npu__conv_3d_at(const npu__axis3 *a, int transposed, int64_t at, int32_t k) {
    const int64_t tap = (int64_t)k * a->dil - a->pad, v = transposed ? at - tap : at * a->stride + tap;
    if (!transposed) return v < 0 || v >= a->in ? -1 : v;
    return v < 0 || v % a->stride || v / a->stride >= a->out ? -1 : v / a->stride; /* a->out is the input */
}
NPU__INLINE int32_t npu__conv_3d_source(const npu__axis3 *a, int transposed) { return transposed ? a->out : a->in; }

/* After the geometry and types. `in`, `bias`: which inputs. */
NPU__FN npu_status npu__conv_3d_fast_prepare(npu__ctx *c, npu__conv_3d *d, int32_t bias);
NPU__FN void npu__conv_3d_fast_pack(npu__ctx *c, const npu__conv_3d *d, int32_t bias);
NPU__FN void npu__conv_3d_fast_eval(npu__ctx *c, const npu__conv_3d *d, int32_t in);

#endif
