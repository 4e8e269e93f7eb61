/* Template: integer GEMM over panels of two vectors of columns, or of one for a last panel of no more; stamped once for each
 * instruction set (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), NPU__T_FN (what functions need), NPU__T (the vector) of NPU__T_LANES sums,
 * NPU__T_K (how many of k a sum takes at once: 4 bytes or 2 int16 of a row), NPU__T_MOST (rows of the largest tile), NPU__T_FIN (what
 * the output stage shares), NPU__T_NEAR (what the one by floats shares: the two vectors of bias[2], both and adds), and NPU__T_{LOAD, SET1,
 * ADD, XOR, DOT, W, FOLDED, ANY, STORE1, STORE2, RAW1, RAW2, SCALED, DOUBT, WORDS1, WORDS2}. They are undefined at the end. W(w, n) is
 * vector n of the weights at w, DOT(sum, a, w) the product. FOLDED and ANY scale sums by the header at their second argument, whose lines
 * are NPU__T_LINE apart; STORE and RAW take rows of results. SCALED(near, n, both, x, doubt) scales vector n by floats, DOUBT(doubt): is
 * there any; WORDS take rows of results with the zero point in them. */

#define NPU__T_LINE (NPU__T_LANES * 8)
#define NPU__TILE_INIT1(r)                                 \
    const uint8_t *a##r = npu__gemm_row(&job->a, row + r); \
    NPU__T         lo##r = NPU__T_LOAD(bias);
#define NPU__TILE_INIT2(r) \
    NPU__TILE_INIT1(r)     \
    NPU__T hi##r = NPU__T_LOAD(bias + NPU__T_LINE / 2);
#define NPU__TILE_ADD1(r) lo##r = NPU__T_ADD(lo##r, NPU__T_SET1(job->row_add[row + r]));
#define NPU__TILE_ADD2(r) NPU__TILE_ADD1(r) hi##r = NPU__T_ADD(hi##r, NPU__T_SET1(job->row_add[row + r]));
#define NPU__TILE_STEP1(r)                    \
    v = NPU__T_SET1(npu__load_i32(a##r + i)); \
    lo##r = NPU__T_DOT(lo##r, v, b0);
#define NPU__TILE_STEP2(r)                       \
    v = NPU__T_SET1(npu__load_i32(a##r + i));    \
    lo##r = NPU__T_DOT(lo##r, v, b0);            \
    hi##r = NPU__T_DOT(hi##r, v, b1);
#define NPU__TILE_W1 const NPU__T b0 = NPU__T_W(w, 0);
#define NPU__TILE_W2 const NPU__T b0 = NPU__T_W(w, 0), b1 = NPU__T_W(w, 1);
#define NPU__TILE_FOLDED1(r) lo##r = NPU__T_FOLDED(lo##r, panel + NPU__T_LINE);
#define NPU__TILE_FOLDED2(r) NPU__TILE_FOLDED1(r) hi##r = NPU__T_FOLDED(hi##r, panel + NPU__T_LINE * 3 / 2);
#define NPU__TILE_ANY1(r) lo##r = NPU__T_ANY(lo##r, panel + NPU__T_LINE);
#define NPU__TILE_ANY2(r) NPU__TILE_ANY1(r) hi##r = NPU__T_ANY(hi##r, panel + NPU__T_LINE * 3 / 2);
#define NPU__TILE_DONE1(r) NPU__T_STORE1(out + (size_t)r * job->out_stride, lo##r);
#define NPU__TILE_DONE2(r) NPU__T_STORE2(out + (size_t)r * job->out_stride, lo##r, hi##r);
#define NPU__TILE_RAW1(r) NPU__T_RAW1(out + (size_t)r * job->out_stride, lo##r);
#define NPU__TILE_RAW2(r) NPU__T_RAW2(out + (size_t)r * job->out_stride, lo##r, hi##r);
#define NPU__TILE_NEAR1(r, both) NPU__T_WORDS1(out + (size_t)r * job->out_stride, NPU__T_SCALED(near, 0, both, lo##r, &doubt));
#define NPU__TILE_NEAR2(r, both)                                         \
    v = NPU__T_SCALED(near, 0, both, lo##r, &doubt);                     \
    NPU__T_WORDS2(out + (size_t)r * job->out_stride, v, NPU__T_SCALED(near, 1, both, hi##r, &doubt));
#define NPU__TILE_NEAR_BOTH1(r) NPU__TILE_NEAR1(r, 1)
#define NPU__TILE_NEAR_BOTH2(r) NPU__TILE_NEAR2(r, 1)
#define NPU__TILE_NEAR_PLUS1(r) NPU__TILE_NEAR1(r, 0)
#define NPU__TILE_NEAR_PLUS2(r) NPU__TILE_NEAR2(r, 0)
#define NPU__TILE_TOP1(r) lo##r = NPU__T_XOR(lo##r, v);
#define NPU__TILE_TOP2(r) NPU__TILE_TOP1(r) hi##r = NPU__T_XOR(hi##r, v);

/* Rows are read four bytes at a time. Sums of folded headers have 2^31 too much, but where floats scale them. */
#define NPU__TILE(R, N)                                                                                                     \
    NPU__T_FN NPU__INLINE void NPU__V(npu__i8_tile_##R##x##N)(const npu__gemm_i8_job *job, int32_t row,                     \
                                                              const NPU__T_FIN *fin, int folded, const NPU__T_NEAR *near,   \
                                                              const uint8_t *panel, int32_t cols, uint8_t *out) {           \
        const uint8_t *w = panel + 4 * NPU__T_LINE, *bias = near ? (const uint8_t *)(const void *)near->bias : panel;       \
        NPU__T         v;                                                                                                   \
        NPU__ROWS_##R(NPU__TILE_INIT##N)                                                                                    \
        if (!near || near->adds) { NPU__ROWS_##R(NPU__TILE_ADD##N) }                                                        \
        for (int32_t s = 0; s < job->a.segments; s++) {                                                                     \
            const size_t end = (job->a.offsets[s] + (size_t)job->a.run) * (4 / NPU__T_K);                                   \
            for (size_t i = job->a.offsets[s] * (4 / NPU__T_K); i < end; i += 4, w += 2 * NPU__T_LANES * NPU__T_K) {        \
                NPU__TILE_W##N                                                                                              \
                NPU__ROWS_##R(NPU__TILE_STEP##N)                                                                            \
            }                                                                                                               \
        }                                                                                                                   \
        if (near) {                                                                                                         \
            NPU__T doubt = NPU__T_SET1(-1);                                                                                 \
            if (near->both) {                                                                                               \
                NPU__ROWS_##R(NPU__TILE_NEAR_BOTH##N)                                                                       \
            } else {                                                                                                        \
                NPU__ROWS_##R(NPU__TILE_NEAR_PLUS##N)                                                                       \
            }                                                                                                               \
            if (!NPU__T_DOUBT(doubt)) return;                                                                               \
            v = NPU__T_SET1(INT32_MIN);                                                                                     \
            NPU__ROWS_##R(NPU__TILE_TOP##N)                                                                                 \
        } else if (job->out.raw) {                                                                                          \
            const NPU__T offset = NPU__T_SET1(folded ? INT32_MIN : 0);                                                      \
            NPU__ROWS_##R(NPU__TILE_RAW##N)                                                                                 \
            return;                                                                                                         \
        }                                                                                                                   \
        if (folded) {                                                                                                       \
            NPU__ROWS_##R(NPU__TILE_FOLDED##N)                                                                              \
        } else {                                                                                                            \
            NPU__ROWS_##R(NPU__TILE_ANY##N)                                                                                 \
        }                                                                                                                   \
        NPU__ROWS_##R(NPU__TILE_DONE##N)                                                                                    \
    }

/* All rows against one panel. */
#define NPU__TILE_CALL1(R) NPU__V(npu__i8_tile_##R##x1)(job, row, fin, folded, near, panel, cols, out)
#define NPU__TILE_CALL2(R) NPU__V(npu__i8_tile_##R##x2)(job, row, fin, folded, near, panel, cols, out)
#if NPU__T_MOST > 4
#  define NPU__TILE_FOUR(N) NPU__TILE(4, N)
#else
#  define NPU__TILE_FOUR(N)
#endif
#define NPU__PANEL_OF(MOST, N)                                                                                       \
    NPU__TILE(1, N)                                                                                                  \
    NPU__TILE(2, N)                                                                                                  \
    NPU__TILE_FOUR(N)                                                                                                \
    NPU__TILE(MOST, N)                                                                                               \
    NPU__T_FN NPU__FN void NPU__V(npu__i8_panel_##N)(const npu__gemm_i8_job *job, const NPU__T_FIN *fin, int folded, \
                                                     const NPU__T_NEAR *near, const uint8_t *panel, int32_t cols,    \
                                                     uint8_t *out) {                                                 \
        NPU__TILES(MOST, NPU__TILE_CALL##N);                                                                         \
    }
#define NPU__PANEL(MOST, N) NPU__PANEL_OF(MOST, N)
NPU__PANEL(NPU__T_MOST, 1)
NPU__PANEL(NPU__T_MOST, 2)
#undef NPU__PANEL
#undef NPU__PANEL_OF
#undef NPU__TILE_FOUR
#undef NPU__TILE_CALL1
#undef NPU__TILE_CALL2
#undef NPU__TILE
#undef NPU__TILE_INIT1
#undef NPU__TILE_INIT2
#undef NPU__TILE_ADD1
#undef NPU__TILE_ADD2
#undef NPU__TILE_NEAR1
#undef NPU__TILE_NEAR2
#undef NPU__TILE_NEAR_BOTH1
#undef NPU__TILE_NEAR_BOTH2
#undef NPU__TILE_NEAR_PLUS1
#undef NPU__TILE_NEAR_PLUS2
#undef NPU__TILE_TOP1
#undef NPU__TILE_TOP2
#undef NPU__TILE_STEP1
#undef NPU__TILE_STEP2
#undef NPU__TILE_W1
#undef NPU__TILE_W2
#undef NPU__TILE_FOLDED1
#undef NPU__TILE_FOLDED2
#undef NPU__TILE_ANY1
#undef NPU__TILE_ANY2
#undef NPU__TILE_DONE1
#undef NPU__TILE_DONE2
#undef NPU__TILE_RAW1
#undef NPU__TILE_RAW2
#undef NPU__V
#undef NPU__T
#undef NPU__T_FN
#undef NPU__T_FIN
#undef NPU__T_LANES
#undef NPU__T_K
#undef NPU__T_MOST
#undef NPU__T_LINE
#undef NPU__T_LOAD
#undef NPU__T_SET1
#undef NPU__T_ADD
#undef NPU__T_DOT
#undef NPU__T_W
#undef NPU__T_FOLDED
#undef NPU__T_ANY
#undef NPU__T_STORE1
#undef NPU__T_STORE2
#undef NPU__T_RAW1
#undef NPU__T_RAW2
#undef NPU__T_NEAR
#undef NPU__T_XOR
#undef NPU__T_SCALED
#undef NPU__T_DOUBT
#undef NPU__T_WORDS1
#undef NPU__T_WORDS2
