/* Integer GEMM for AMX: tiles of sixteen rows of 64 bytes. Panels are those of VNNI, whose kernel also takes what has few rows. */
#include "avx512.h"
#if NPU__HAS_AMX

NPU__AVX512_BEGIN

/* What LDTILECFG reads. Tiles 0 to 3 are sums, of the upper and then the lower sixteen rows; 4 and 5 are these rows, 6 and 7 weights of
 * sixteen columns each. */
typedef struct npu__tiles__amx {
    uint8_t  palette, start_row, none[14];
    uint16_t row_bytes[16];
    uint8_t  rows[16];
} npu__tiles__amx;

/* Compilers take tile instructions for such that touch no memory. */
#define NPU__AMX_FENCE __asm__ __volatile__("" ::: "memory")

#define NPU__AMX_ROWS 32
#define NPU__AMX_K 64

/* What has no 64 neighbours, or no even steps from row to row, is copied here. */
typedef struct npu__scratch__amx {
    uint8_t a[NPU__AMX_ROWS][NPU__AMX_K];
    uint8_t w[NPU__AMX_K / 4][128];
    int32_t sums[NPU__AMX_ROWS][32];
} npu__scratch__amx;

NPU__AMX NPU__FN void npu__configure__amx(int32_t rows) {
    npu__tiles__amx t;
    memset(&t, 0, sizeof t);
    t.palette = 1;
    for (int i = 0; i < 8; i++) {
        t.row_bytes[i] = 64;
        t.rows[i] = (uint8_t)(i >= 6 ? 16 : i == 2 || i == 3 || i == 5 ? NPU__MAX(rows - 16, 1) : NPU__MIN(rows, 16));
    }
    NPU__AMX_FENCE;
    _tile_loadconfig(&t);
}

/* k neighbours of `rows` rows, the rest of 64 as zeros. */
NPU__AMX NPU__FN void npu__gather__amx(const npu__gemm_rows *a, int32_t row, int32_t rows, size_t at, int32_t k,
                                       uint8_t (*to)[NPU__AMX_K]) {
    const __mmask64 some = ~UINT64_C(0) >> (NPU__AMX_K - k);
    for (int32_t r = 0; r < rows; r++)
        _mm512_storeu_si512((void *)to[r], _mm512_maskz_loadu_epi8(some, npu__gemm_row(a, row + r) + at));
    NPU__AMX_FENCE;
}

/* Up to 64 of k, from `at` on; w: their weights, 128 bytes for each four. */
NPU__AMX NPU__FN void npu__step__amx(const npu__gemm_i8_job *job, int32_t row, int32_t rows, size_t at, int32_t k, int wide,
                                     const uint8_t *w, npu__scratch__amx *scratch) {
    const uint8_t *a = &scratch->a[0][0];
    size_t         stride = NPU__AMX_K;
    if (k == NPU__AMX_K && !job->a.rows) {
        a = npu__gemm_row(&job->a, row) + at;
        stride = job->a.stride;
    } else {
        npu__gather__amx(&job->a, row, rows, at, k, scratch->a);
    }
    if (k < NPU__AMX_K) { /* rows have zeros there: what else is in the scratch does not matter, but behind the panel is nothing */
        memcpy(scratch->w, w, (size_t)k * 32);
        NPU__AMX_FENCE;
        w = &scratch->w[0][0];
    }
    _tile_loadd(4, a, stride);
    _tile_loadd(6, w, 128);
    _tile_dpbusd(0, 4, 6);
    if (wide) {
        _tile_loadd(7, w + 64, 128);
        _tile_dpbusd(1, 4, 7);
    }
    if (rows <= 16) return;
    _tile_loadd(5, a + 16 * stride, stride);
    _tile_dpbusd(2, 5, 6);
    if (wide) _tile_dpbusd(3, 5, 7);
}

/* The sums of a row, scaled as npu__i8_gemm_8x32__vnni does it. */
#define NPU__AMX_SCALED(x, at)                                                                                                   \
    (folded ? npu__requant_folded__vnni(x, NPU__LOAD64(panel + 128 + at), NPU__LOAD64(panel + 132 + at),                         \
                                        NPU__LOAD64(panel + 256 + at), NPU__LOAD64(panel + 384 + at))                            \
            : npu__requant__vnni(x, NPU__LOAD64(panel + 128 + at), NPU__LOAD64(panel + 256 + at), NPU__LOAD64(panel + 384 + at)))
NPU__AMX NPU__FN void npu__finish__amx(const npu__gemm_i8_job *job, const npu__fin__vnni *fin, int folded, const uint8_t *panel,
                                       int32_t cols, int32_t row, const int32_t *sums, uint8_t *out) {
    const __m512i   add = _mm512_set1_epi32(job->row_add[row]), offset = _mm512_set1_epi32(folded ? INT32_MIN : 0);
    const __mmask32 mask = (__mmask32)(~UINT32_C(0) >> (32 - cols));
    const __m512i   lo = _mm512_add_epi32(_mm512_add_epi32(NPU__LOAD64(panel), add), NPU__LOAD64(sums));
    if (cols > 16) {
        const __m512i hi = _mm512_add_epi32(_mm512_add_epi32(NPU__LOAD64(panel + 64), add), NPU__LOAD64(sums + 16));
        if (job->out.raw) npu__raw32__vnni(out, lo, hi, offset);
        else npu__store32__vnni(out, NPU__AMX_SCALED(lo, 0), NPU__AMX_SCALED(hi, 64), folded, fin, mask);
    } else if (job->out.raw) {
        npu__raw16__vnni(out, lo, offset);
    } else {
        npu__store16__vnni(out, NPU__AMX_SCALED(lo, 0), folded, fin, mask);
    }
}
#undef NPU__AMX_SCALED

NPU__AMX NPU__FN void npu__sum__amx(const npu__gemm_i8_job *job, int32_t row, int32_t rows, int wide, const uint8_t *w,
                                    npu__scratch__amx *scratch) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int32_t s = 0; s < job->a.segments; s++) {
        for (int32_t i = 0, k; i < job->a.run; i += k, w += (size_t)k * 32) {
            k = NPU__MIN(job->a.run - i, NPU__AMX_K);
            npu__step__amx(job, row, rows, job->a.offsets[s] + (size_t)i, k, wide, w, scratch);
        }
    }
    _tile_stored(0, scratch->sums[0], 128);
    if (wide) _tile_stored(1, scratch->sums[0] + 16, 128);
    if (rows > 16) _tile_stored(2, scratch->sums[16], 128);
    if (rows > 16 && wide) _tile_stored(3, scratch->sums[16] + 16, 128);
    NPU__AMX_FENCE;
}

/* A thread has tiles while it is here: their shapes are said at the beginning, and once more for the last rows. */
NPU__AMX NPU__FN void npu__i8_gemm_32x32__amx(const npu__gemm_i8_job *job, const uint8_t *panel, int32_t cols, uint8_t *out) {
    const npu__fin__vnni fin = npu__fin_of__vnni(&job->out);
    const int            folded = _mm512_movepi32_mask(_mm512_or_si512(NPU__LOAD64(panel + 256), NPU__LOAD64(panel + 320))) != 0;
    npu__scratch__amx    scratch;
    int32_t              shaped = 0;
    if (job->m < 8) {
        npu__i8_gemm_8x32__vnni(job, panel, cols, out);
        return;
    }
    for (int32_t row = 0, rows; row < job->m; row += rows) {
        rows = NPU__MIN(job->m - row, NPU__AMX_ROWS);
        if (rows != shaped) npu__configure__amx(rows);
        shaped = rows;
        npu__sum__amx(job, row, rows, cols > 16, panel + 512, &scratch);
        for (int32_t r = 0; r < rows; r++, out += job->out_stride)
            npu__finish__amx(job, &fin, folded, panel, cols, row + r, scratch.sums[r], out);
    }
    _tile_release();
}
#undef NPU__AMX_FENCE
#undef NPU__AMX_ROWS
#undef NPU__AMX_K

NPU__AVX512_END
#endif
