/* Template: sums of a panel (gemv_panels.h) of up to four lines of sixteen units; stamped once for each kind of product (no include guard).
 *
 * The includer defines NPU__P(name) (adds its suffix), NPU__P_FN (what functions need), NPU__P_T (a vector of sums), NPU__P_LANES (how many:
 * sixteen or eight), NPU__P_{ZERO, ADD, STORE}, NPU__P_ALL(a), four bytes of a row in each lane, and NPU__P_DOT(sum, v, w): with these the
 * weights at w added. The first and the last one are undefined at the end. */

/* In four parts, two of wide panels, or one of the widest, so that no addition waits for the one before. One part is one step at a time:
 * of several, GCC adds up the products first, in registers that are not there. */
#define NPU__PANEL_ZERO(r) NPU__P_T s##r = NPU__P_ZERO, t##r = s##r, x##r = s##r, y##r = s##r;
#define NPU__PANEL_S(r) s##r = NPU__P_DOT(s##r, v, w + 4 * NPU__P_LANES * r);
#define NPU__PANEL_T(r) t##r = NPU__P_DOT(t##r, v, w + 4 * NPU__P_LANES * r);
#define NPU__PANEL_X(r) x##r = NPU__P_DOT(x##r, v, w + 4 * NPU__P_LANES * r);
#define NPU__PANEL_Y(r) y##r = NPU__P_DOT(y##r, v, w + 4 * NPU__P_LANES * r);
#define NPU__PANEL_STORE(r) NPU__P_STORE(sums + NPU__P_LANES * r, NPU__P_ADD(NPU__P_ADD(s##r, t##r), NPU__P_ADD(x##r, y##r)));
#define NPU__PANEL_STEP(LINES, PART, i) \
    v = NPU__P_ALL(a + 4 * i);          \
    NPU__ROWS_##LINES(PART)             \
    w += 4 * NPU__P_LANES * LINES;
#define NPU__PANEL(LINES, PARTS, T, X, Y)                                                                            \
    NPU__P_FN NPU__FN NPU__NOINLINE void NPU__P(npu__panel_##LINES)(const uint8_t *a, int32_t depth, const uint8_t *w, \
                                                                    int32_t *sums) {                                 \
        NPU__P_T v;                                                                                                  \
        NPU__ROWS_##LINES(NPU__PANEL_ZERO)                                                                           \
        for (; PARTS > 1 && depth >= 4; depth -= 4, a += 16) {                                                       \
            NPU__PANEL_STEP(LINES, NPU__PANEL_S, 0)                                                                  \
            NPU__PANEL_STEP(LINES, T, 1)                                                                  \
            NPU__PANEL_STEP(LINES, X, 2)                                                                             \
            NPU__PANEL_STEP(LINES, Y, 3)                                                                             \
        }                                                                                                            \
        for (; depth > 0; depth--, a += 4) {                                                                         \
            NPU__PANEL_STEP(LINES, NPU__PANEL_S, 0)                                                                  \
        }                                                                                                            \
        NPU__ROWS_##LINES(NPU__PANEL_STORE)                                                                          \
    }
#if NPU__P_LANES == 16
NPU__PANEL(1, 4, NPU__PANEL_T, NPU__PANEL_X, NPU__PANEL_Y)
NPU__PANEL(2, 4, NPU__PANEL_T, NPU__PANEL_X, NPU__PANEL_Y)
NPU__PANEL(3, 2, NPU__PANEL_T, NPU__PANEL_S, NPU__PANEL_T)
NPU__PANEL(4, 2, NPU__PANEL_T, NPU__PANEL_S, NPU__PANEL_T)
#else
NPU__PANEL(2, 4, NPU__PANEL_T, NPU__PANEL_X, NPU__PANEL_Y)
NPU__PANEL(4, 2, NPU__PANEL_T, NPU__PANEL_S, NPU__PANEL_T)
NPU__PANEL(6, 1, NPU__PANEL_S, NPU__PANEL_S, NPU__PANEL_S)
NPU__PANEL(8, 1, NPU__PANEL_S, NPU__PANEL_S, NPU__PANEL_S)
#endif
/* lines: of sixteen */
NPU__P_FN NPU__INLINE void NPU__P(npu__panel)(const void *row, int32_t depth, const uint8_t *w, int32_t lines, int32_t *sums) {
    const uint8_t *a = (const uint8_t *)row;
#if NPU__P_LANES == 16
    if (lines == 4) NPU__P(npu__panel_4)(a, depth, w, sums);
    else if (lines == 3) NPU__P(npu__panel_3)(a, depth, w, sums);
    else if (lines == 2) NPU__P(npu__panel_2)(a, depth, w, sums);
    else NPU__P(npu__panel_1)(a, depth, w, sums);
#else
    if (lines == 4) NPU__P(npu__panel_8)(a, depth, w, sums);
    else if (lines == 3) NPU__P(npu__panel_6)(a, depth, w, sums);
    else if (lines == 2) NPU__P(npu__panel_4)(a, depth, w, sums);
    else NPU__P(npu__panel_2)(a, depth, w, sums);
#endif
}
#undef NPU__PANEL
#undef NPU__PANEL_STEP
#undef NPU__PANEL_STORE
#undef NPU__PANEL_Y
#undef NPU__PANEL_X
#undef NPU__PANEL_T
#undef NPU__PANEL_S
#undef NPU__PANEL_ZERO
#undef NPU__P
#undef NPU__P_DOT
