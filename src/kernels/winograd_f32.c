/* Winograd's convolutions: choosing them, packing, tiles, and the loops for each instruction set that they are compiled for. */
#include "winograd_f32.h"
NPU__SPEED_BEGIN

#if NPU__HAS_X86
#  define NPU__V(name) name##__avx2
#  define NPU__VFN NPU__AVX2_ONLY
#  include "winograd_f32_v.h"
#  undef NPU__V
#  undef NPU__VFN
#endif
#define NPU__V(name) name##__any
#define NPU__VFN
#include "winograd_f32_v.h"
#undef NPU__V
#undef NPU__VFN

/* ---- choosing ---- */

#define NPU__WINO_NEAR ((int64_t)1 << 18) /* weights that a core keeps in caches of its own: they cost a sixth of what comes from memory */
#define NPU__WINO_FAR ((int64_t)1 << 21)  /* those that all share: a third */
#define NPU__WINO_UNSURE 1.1

NPU__FN int npu__wino_f32_takes(const npu__conv_geom *g) {
    return g->k_h == 3 && g->k_w == 3 && g->stride_h == 1 && g->stride_w == 1 && g->dil_h == 1 && g->dil_w == 1 && g->k_c == g->in_c &&
           g->in_c >= NPU__WINO && g->out_c >= NPU__WINO;
}

NPU__INLINE int64_t npu__wino_across(const npu__conv_geom *g) { return ((int64_t)g->out_w + 1) / 2; }
NPU__INLINE int64_t npu__wino_of_image(const npu__conv_geom *g) { return ((int64_t)g->out_h + 1) / 2 * npu__wino_across(g); }
NPU__FN int64_t npu__wino_f32_tiles(const npu__conv_geom *g) { return npu__sat_mul(npu__wino_of_image(g), g->batches); }

NPU__FN int npu__wino_f32_pays(const npu__wino_f32_kernel *kern, const npu__conv_geom *g) {
    const int64_t weights = (int64_t)NPU__WINO * g->in_c * g->out_c;
    const double  fetch = (double)kern->fetch / (weights <= NPU__WINO_NEAR ? 6 : weights <= NPU__WINO_FAR ? 3 : 1);
    const double  c = g->in_c, whole_c = (double)npu__align_up((size_t)g->in_c, NPU__WINO);
    const double  n = (double)npu__align_up((size_t)g->out_c, (size_t)kern->lanes), whole_n = (double)npu__align_up((size_t)g->out_c, NPU__WINO);
    const double  pixels = (double)g->batches * g->out_h * g->out_w, tiles = (double)npu__wino_f32_tiles(g);
    const double  direct = n * (pixels * (9 * c + kern->store) + fetch * 9 * c);
    const double  wino = n * NPU__WINO * (tiles * (c + kern->store) + fetch * c) + tiles * (whole_c * kern->input + whole_n * kern->output);
    return NPU__WINO_UNSURE * wino < direct;
}

/* ---- packing ---- */

NPU__FN int npu__wino_f32_packed_bytes(const npu__gemm_f32_kernel *gemm, int32_t n, int32_t c, size_t *each) {
    size_t all;
    if (!npu__gemm_f32_packed_bytes(gemm, n, c, each) || *each > SIZE_MAX / 2) return 0;
    *each = npu__align_up(*each, 64);
    return npu__mul_size(*each, NPU__WINO, &all);
}

/* G w G' of some channels: w has `step` floats from one weight of the window to the next. */
NPU__FN void npu__wino_weights(const float *w, size_t step, int32_t some, float to[NPU__WINO][NPU__WINO]) {
    for (int32_t i = 0; i < some; i++) {
        float rows[4][3];
        for (int32_t x = 0; x < 3; x++) {
            const float a = w[(size_t)x * step + (size_t)i], b = w[(size_t)(x + 3) * step + (size_t)i];
            const float d = w[(size_t)(x + 6) * step + (size_t)i];
            rows[0][x] = a;
            rows[1][x] = (a + d + b) * 0.5f;
            rows[2][x] = (a + d - b) * 0.5f;
            rows[3][x] = d;
        }
        for (int32_t y = 0; y < 4; y++) {
            const float a = rows[y][0], b = rows[y][1], d = rows[y][2];
            to[4 * y][i] = a;
            to[4 * y + 1][i] = (a + d + b) * 0.5f;
            to[4 * y + 2][i] = (a + d - b) * 0.5f;
            to[4 * y + 3][i] = d;
        }
    }
}

/* A panel of each matrix, of `cols` columns from j on. The bias is added to the second number of the second row, which all four pixels have
 * once. Some channels at a time of all columns: what is written then stays near. */
NPU__FN void npu__wino_panels(int32_t nr, int32_t cols, int32_t c, const float *w, const float *bias, size_t each, float *packed) {
    float to[NPU__WINO][NPU__WINO];
    for (int32_t m = 0; m < NPU__WINO; m++) {
        float *panel = packed + (size_t)m * each;
        for (int32_t p = 0; p < nr; p++) panel[p] = m == 5 && bias && p < cols ? bias[p] : 0.0f;
        if (cols < nr) memset(panel + nr, 0, (size_t)c * (size_t)nr * sizeof *panel);
    }
    for (int32_t k = 0, some; k < c; k += some) {
        some = NPU__MIN(c - k, NPU__WINO);
        for (int32_t p = 0; p < cols; p++) {
            npu__wino_weights(w + (size_t)p * 9 * (size_t)c + (size_t)k, (size_t)c, some, to);
            for (int32_t m = 0; m < NPU__WINO; m++) {
                float *panel = packed + (size_t)m * each + (size_t)nr * (size_t)(k + 1) + (size_t)p;
                for (int32_t i = 0; i < some; i++) panel[(size_t)i * (size_t)nr] = to[m][i];
            }
        }
    }
}

/* How many columns to do next, of `left`: whole panels, at least 32 where there are, and no fewer than NPU__WINO after them. */
NPU__FN int32_t npu__wino_next(const npu__gemm_f32_kernel *gemm, int32_t left) {
    int32_t cols = 0;
    while (cols < left && (cols < 32 || left - cols < NPU__WINO)) cols += npu__gemm_f32_width(gemm, left - cols);
    return NPU__MIN(cols, left);
}

NPU__FN void npu__wino_f32_pack(const npu__gemm_f32_kernel *gemm, int32_t n, int32_t c, const float *w, const float *bias, size_t each,
                                float *packed) {
    for (int32_t j = 0, end = 0, nr; j < n; j += nr) {
        if (j >= end) end = j + npu__wino_next(gemm, n - j);
        nr = npu__gemm_f32_width(gemm, end - j);
        npu__wino_panels(nr, NPU__MIN(end - j, nr), c, w + (size_t)j * 9 * (size_t)c, bias ? bias + j : NULL, each / sizeof *packed, packed);
        packed += (size_t)nr * ((size_t)c + 1u);
    }
}

/* ---- tiles ---- */

/* Floats from one of the 16 to the next: a line more, so that they do not all fall into the same places of a cache. */
NPU__INLINE size_t npu__wino_step(int64_t tiles, int32_t width) { return (size_t)tiles * (size_t)width + 16u; }
/* The most columns of a pass. */
NPU__FN int32_t npu__wino_cols(const npu__gemm_f32_kernel *gemm, int32_t n) {
    int32_t most = 0;
    for (int32_t j = 0, cols; j < n; j += cols) {
        cols = npu__wino_next(gemm, n - j);
        most = NPU__MAX(most, cols);
    }
    return (int32_t)npu__align_up((size_t)most, 16);
}

/* Floats of work memory, of each tile and besides. */
NPU__FN int64_t npu__wino_each(const npu__gemm_f32_kernel *gemm, const npu__conv_geom *g) {
    return NPU__WINO * ((int64_t)g->in_c + npu__wino_cols(gemm, g->out_c));
}
NPU__INLINE int64_t npu__wino_besides(const npu__conv_geom *g) { return (int64_t)g->in_c + 2 * 16 * NPU__WINO + 16; }

NPU__FN int npu__wino_f32_work(const npu__gemm_f32_kernel *gemm, const npu__conv_geom *g, int64_t tiles, size_t *bytes) {
    const int64_t floats = npu__sat_add(npu__sat_mul(tiles, npu__wino_each(gemm, g)), npu__wino_besides(g));
    return (uint64_t)floats <= SIZE_MAX / 2 && npu__mul_size((size_t)floats, sizeof(float), bytes);
}

NPU__FN int32_t npu__wino_f32_fit(const npu__gemm_f32_kernel *gemm, const npu__conv_geom *g, size_t bytes, int32_t most) {
    const int64_t left = (int64_t)(bytes / sizeof(float)) - npu__wino_besides(g);
    return left < 0 ? 0 : (int32_t)NPU__MIN(left / npu__wino_each(gemm, g), (int64_t)most);
}

/* A tile's image and first output pixel. */
typedef struct npu__wino_place {
    size_t  image;
    int32_t y, x;
} npu__wino_place;
NPU__INLINE npu__wino_place npu__wino_at(const npu__conv_geom *g, int64_t tile) {
    const int64_t   across = npu__wino_across(g), each = npu__wino_of_image(g);
    npu__wino_place p;
    p.image = (size_t)(tile / each);
    p.y = (int32_t)(tile % each / across * 2);
    p.x = (int32_t)(tile % across * 2);
    return p;
}
NPU__INLINE void npu__wino_step_on(const npu__conv_geom *g, npu__wino_place *p) { /* without dividing */
    if ((p->x += 2) < g->out_w) return;
    p->x = 0;
    if ((p->y += 2) < g->out_h) return;
    p->y = 0;
    p->image++;
}

/* Where a tile's input pixels are; outside of the image are zeros. */
NPU__FN void npu__wino_under(const npu__wino_f32_job *job, npu__wino_place p, const float *zeros, const float **pixels) {
    const npu__conv_geom *g = job->g;
    const float          *image = job->in + p.image * (size_t)g->in_h * (size_t)g->in_w * (size_t)g->in_c;
    for (int32_t i = 0; i < NPU__WINO; i++) {
        const int32_t y = p.y - g->pad_h + i / 4, x = p.x - g->pad_w + i % 4;
        const int     there = y >= 0 && y < g->in_h && x >= 0 && x < g->in_w;
        pixels[i] = there ? image + ((size_t)y * (size_t)g->in_w + (size_t)x) * (size_t)g->in_c : zeros;
    }
}

/* Columns [j, j + n) of a tile's pixels; what lies outside of the image goes nowhere. */
NPU__FN void npu__wino_store(const npu__wino_f32_job *job, npu__wino_place p, int32_t j, int32_t n, const float *sums, size_t step) {
    const npu__conv_geom *g = job->g;
    const size_t          line = (size_t)g->out_w * (size_t)g->out_c;
    float                 nowhere[NPU__WINO_COLS], *pixels[4];
    float                *first = job->out + (p.image * (size_t)g->out_h + (size_t)p.y) * line + (size_t)p.x * (size_t)g->out_c + j;
    const int             right = p.x + 1 < g->out_w, below = p.y + 1 < g->out_h;
    pixels[0] = first;
    pixels[1] = right ? first + g->out_c : nowhere;
    pixels[2] = below ? first + line : nowhere;
    pixels[3] = right && below ? first + line + g->out_c : nowhere;
    job->kern->out(sums, step, n, job->lo, job->hi, pixels);
}

NPU__FN void npu__wino_f32_run(const npu__wino_f32_job *job, int64_t first, int32_t some, float *work) {
    const npu__conv_geom *g = job->g;
    const npu__wino_place start = npu__wino_at(g, first);
    const int32_t         c = g->in_c, width = npu__wino_cols(job->gemm, g->out_c);
    const size_t          in_step = npu__wino_step(some, c), step = npu__wino_step(some, width), each = job->each / sizeof(float);
    float                *turned = work + npu__align_up((size_t)c, 16), *sums = turned + NPU__WINO * in_step;
    const float          *pixels[NPU__WINO], *packed = job->packed;
    npu__gemm_f32_job     product;
    npu__wino_place       place = start;
    memset(work, 0, (size_t)c * sizeof *work);
    for (int32_t t = 0; t < some; t++, npu__wino_step_on(g, &place)) {
        npu__wino_under(job, place, work, pixels);
        job->kern->in(pixels, c, turned + (size_t)t * (size_t)c, in_step);
    }
    product.m = some;
    product.out_stride = (size_t)width;
    product.lo = -(float)HUGE_VAL;
    product.hi = (float)HUGE_VAL;
    for (int32_t j = 0, cols; j < g->out_c; j += cols) {
        cols = npu__wino_next(job->gemm, g->out_c - j);
        for (int32_t m = 0; m < NPU__WINO; m++) {
            product.a = npu__gemm_rows_of(turned + (size_t)m * in_step, (size_t)c * sizeof *work, c);
            npu__gemm_f32_run(job->gemm, &product, packed + (size_t)m * each, cols, sums + (size_t)m * step);
        }
        place = start;
        for (int32_t t = 0; t < some; t++, npu__wino_step_on(g, &place)) {
            npu__wino_store(job, place, j, cols, sums + (size_t)t * (size_t)width, step);
        }
        packed += npu__align_up((size_t)cols, (size_t)job->gemm->unit) * ((size_t)c + 1u);
    }
}
NPU__SPEED_END
