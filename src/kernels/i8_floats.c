/* Float outputs of integer sums: of inputs that were quantized on the fly. */
#include "kernels.h"
#include "vec_loop.h"
NPU__SPEED_BEGIN

#define NPU__FLOATS_ROWS 16 /* of sums that wait, on the stack */
#define NPU__FLOATS_COLS 32 /* of the widest panel that comes here */

NPU__NO_FUSE NPU__FN void npu__finish_hybrid(const npu__hybrid_cols *k, const npu__i8_floats *f, int32_t cols, int32_t row, int32_t rows,
                                const uint8_t *sums, size_t sums_stride, uint8_t *out, size_t out_stride) {
    const float  lo = f->lo, hi = f->hi;
    const size_t bytes = (size_t)cols * 4;
    for (int32_t r = row; r < row + rows; r++, sums += sums_stride, out += out_stride) {
        const size_t   at = (size_t)r * (size_t)f->step;
        const uint32_t zero = (uint32_t)f->zero_point[at];
        const float    first = f->last ? 1.0f : f->scale[at], last = f->last ? f->scale[at] : 1.0f; /* times 1 is exact */
        uint32_t       s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        float          v[8];
        if (cols == 8) memcpy(s, sums, 32);
        else memcpy(s, sums, bytes);
        NPU__VEC_FOR(i, 8) {
            float x = (float)(int32_t)(s[i] - zero * (uint32_t)k->w_sum[i]) * (first * k->scale[i]) * last;
            x = x + k->bias[i];
            v[i] = x < lo ? lo : x > hi ? hi : x;
        }
        if (cols == 8) memcpy(out, v, 32);
        else memcpy(out, v, bytes);
    }
}

NPU__FN void npu__gemm_i8_floats_by(const npu__gemm_i8_kernel *kern, const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols,
                                    uint8_t *out) {
    const size_t     line = (size_t)kern->nr * 4;
    npu__gemm_i8_job some = *job;
    int32_t          sums[NPU__FLOATS_ROWS * NPU__FLOATS_COLS];
    npu__hybrid_cols k;
    some.out.floats = NULL;
    some.out.raw = 1;
    some.out_stride = line;
    for (int32_t r = 0; r < job->m; r += some.m, out += (size_t)some.m * job->out_stride) {
        some.m = NPU__MIN(job->m - r, NPU__FLOATS_ROWS);
        some.row_add = job->row_add + r;
        if (job->a.rows) some.a.rows = job->a.rows + r;
        else some.a.a = job->a.a + (size_t)r * job->a.stride;
        kern->run(&some, panel, cols, (uint8_t *)(void *)sums);
        for (int32_t c = 0; c < cols; c += 8) {
            const uint8_t *head = panel + line + (size_t)c * 4;
            memcpy(k.bias, head, sizeof k.bias);
            memcpy(k.scale, head + line, sizeof k.scale);
            memcpy(k.w_sum, head + 2 * line, sizeof k.w_sum);
            kern->floats(&k, job->out.floats, NPU__MIN(cols - c, 8), r, some.m, (const uint8_t *)(const void *)(sums + c), line,
                   out + (size_t)c * 4, job->out_stride);
        }
    }
}
NPU__SPEED_END
