/* Template: the loops of reduce.h (no include guard; see vec_loop.h). */

#define NPU__REDUCE_LANES 32  /* columns next to each other */
#define NPU__REDUCE_WIDE 1024 /* columns of several rows that are taken as one */

/* An accumulator and the elements of eight rows under it. Between them are lanes, which are as narrow as the eight allow. */
#define NPU__REDUCE_EIGHT(lane_type, acc_type, STEP, start, FROM, ACC_FROM, ACC_TO, i)                                \
    const acc_type old = to[i];                                                                                       \
    const lane_type a = (lane_type)ACC_FROM(old);                                                                     \
    lane_type      s = (lane_type)(start);                                                                            \
    (void)a;                                                                                                          \
    s = STEP(lane_type, s, FROM(q0[i]));                                                                              \
    s = STEP(lane_type, s, FROM(q1[i]));                                                                              \
    s = STEP(lane_type, s, FROM(q2[i]));                                                                              \
    s = STEP(lane_type, s, FROM(q3[i]));                                                                              \
    s = STEP(lane_type, s, FROM(q4[i]));                                                                              \
    s = STEP(lane_type, s, FROM(q5[i]));                                                                              \
    s = STEP(lane_type, s, FROM(q6[i]));                                                                              \
    s = STEP(lane_type, s, FROM(q7[i]));                                                                              \
    to[i] = (acc_type)ACC_TO(STEP(acc_type, ACC_FROM(old), s));

/* Columns: to[i] and `rows` rows of n, eight at a time: so memory is gone through in order. */
#define NPU__REDUCE_COLUMNS(name, in_type, lane_type, acc_type, STEP, start, most, FROM, ACC_FROM, ACC_TO)            \
    NPU__VFN NPU__FN void NPU__V(npu__reduce_##name##_columns)(const in_type *in, acc_type *to, int64_t rows, int64_t n, int32_t flip) {\
        const int64_t blocks = n - n % NPU__REDUCE_LANES;                                                             \
        (void)flip;                                                                                                   \
        for (int64_t some; rows > 0; rows -= some, in += some * n) {                                                  \
            some = rows >= 8 ? 8 : 1;                                                                                 \
            for (int64_t i = 0; i < blocks; i += NPU__REDUCE_LANES) {                                                 \
                if (some == 8) {                                                                                      \
                    const in_type *q0 = in, *q1 = q0 + n, *q2 = q1 + n, *q3 = q2 + n, *q4 = q3 + n, *q5 = q4 + n, *q6 = q5 + n,\
                                  *q7 = q6 + n;                                                                       \
                    NPU__VEC_FOR(k, NPU__REDUCE_LANES) {                                                              \
                        NPU__REDUCE_EIGHT(lane_type, acc_type, STEP, start, FROM, ACC_FROM, ACC_TO, i + k)            \
                    }                                                                                                 \
                } else {                                                                                              \
                    NPU__VEC_FOR(k, NPU__REDUCE_LANES)                                                                \
                        to[i + k] = (acc_type)ACC_TO(STEP(acc_type, ACC_FROM(to[i + k]), FROM(in[i + k])));           \
                }                                                                                                     \
            }                                                                                                         \
            for (int64_t r = 0; r < some; r++)                                                                        \
                for (int64_t i = blocks; i < n; i++)                                                                  \
                    to[i] = (acc_type)ACC_TO(STEP(acc_type, ACC_FROM(to[i]), FROM(in[r * n + i])));                   \
        }                                                                                                             \
    }

/* Rows, each of which becomes one number. */
#define NPU__REDUCE_FOLD(name, in_type, lane_type, acc_type, STEP, start, most, FROM, ACC_FROM, ACC_TO)               \
    NPU__VFN NPU__FN void NPU__V(npu__reduce_##name##_fold)(const npu__reduce_part *p) {                              \
        const in_type *in = (const in_type *)p->in;                                                                   \
        acc_type      *to = (acc_type *)p->acc;                                                                       \
        const int32_t  flip = p->flip;                                                                                \
        (void)flip;                                                                                                   \
        for (int64_t r = 0; r < p->rows; r++, to += p->acc_row) {                                                     \
            acc_type whole = *to;                                                                                     \
            int64_t  left = p->n;                                                                                     \
            while (left >= 16) {                                                                                      \
                int32_t         m = (int32_t)NPU__MIN(left, (int64_t)(most)) - 16;                                    \
                const lane_type a = (lane_type)ACC_FROM(whole);                                                       \
                lane_type       lanes[16];                                                                            \
                (void)a;                                                                                              \
                left -= m + 16;                                                                                       \
                NPU__VEC_FOR(k, 16) lanes[k] = STEP(lane_type, (lane_type)(start), FROM(in[k]));                      \
                in += 16;                                                                                             \
                for (; m >= 32; m -= 32, in += 32)                                                                    \
                    NPU__VEC_FOR(k, 16) lanes[k] = STEP(lane_type, STEP(lane_type, lanes[k], FROM(in[k])), FROM(in[k + 16]));\
                for (; m >= 16; m -= 16, in += 16) NPU__VEC_FOR(k, 16) lanes[k] = STEP(lane_type, lanes[k], FROM(in[k]));\
                NPU__VEC_FOR(k, 8) lanes[k] = STEP(lane_type, lanes[k], lanes[k + 8]);                                \
                for (; m >= 8; m -= 8, in += 8) NPU__VEC_FOR(k, 8) lanes[k] = STEP(lane_type, lanes[k], FROM(in[k])); \
                NPU__VEC_FOR(k, 4) lanes[k] = STEP(lane_type, lanes[k], lanes[k + 4]);                                \
                left += m;                                                                                            \
                for (int32_t k = 0; k < 4; k++) whole = (acc_type)ACC_TO(STEP(acc_type, ACC_FROM(whole), lanes[k]));  \
            }                                                                                                         \
            for (; left > 0; left--, in++) whole = (acc_type)ACC_TO(STEP(acc_type, ACC_FROM(whole), FROM(*in)));      \
            *to = whole;                                                                                              \
        }                                                                                                             \
    }

/* All of a part. Where 32 does not divide the columns, so many rows are taken as one that it does. */
#define NPU__REDUCE_WALK(name, in_type, lane_type, acc_type, STEP, start, most, FROM, ACC_FROM, ACC_TO)               \
    NPU__REDUCE_COLUMNS(name, in_type, lane_type, acc_type, STEP, start, most, FROM, ACC_FROM, ACC_TO)                \
    NPU__REDUCE_FOLD(name, in_type, lane_type, acc_type, STEP, start, most, FROM, ACC_FROM, ACC_TO)                   \
    NPU__VFN NPU__FN void NPU__V(npu__reduce_##name)(const npu__reduce_part *p) {                                     \
        const in_type *in = (const in_type *)p->in;                                                                   \
        acc_type      *to = (acc_type *)p->acc, wide[NPU__REDUCE_WIDE];                                               \
        int64_t        rows = p->rows, group = 1, wider = p->n;                                                       \
        const int32_t  flip = p->flip;                                                                                \
        (void)flip;                                                                                                   \
        if (p->fold) {                                                                                                \
            NPU__V(npu__reduce_##name##_fold)(p);                                                                     \
            return;                                                                                                   \
        }                                                                                                             \
        for (; wider % NPU__REDUCE_LANES != 0 && wider <= NPU__REDUCE_WIDE; wider *= 2) group *= 2;                   \
        if (group > 1 && wider <= NPU__REDUCE_WIDE && rows >= 2 * group) {                                            \
            for (int64_t i = 0, k = 0; i < wider; i++, k = k + 1 < p->n ? k + 1 : 0) {                                \
                const acc_type a = to[k];                                                                             \
                (void)a;                                                                                              \
                wide[i] = (acc_type)(start);                                                                          \
            }                                                                                                         \
            NPU__V(npu__reduce_##name##_columns)(in, wide, rows / group, wider, flip);                                \
            for (int64_t i = 0, k = 0; i < wider; i++, k = k + 1 < p->n ? k + 1 : 0)                                  \
                to[k] = (acc_type)ACC_TO(STEP(acc_type, ACC_FROM(to[k]), ACC_FROM(wide[i])));                         \
            in += rows / group * wider;                                                                               \
            rows %= group;                                                                                            \
        }                                                                                                             \
        NPU__V(npu__reduce_##name##_columns)(in, to, rows, p->n, flip);                                               \
    }

NPU__REDUCE_KINDS(NPU__REDUCE_WALK)

/* Sixteen columns a row, or sixteen numbers of a row at a time. */
#define NPU__REDUCE_SHORT(name, in_type, acc_type, STEP, start, FROM)                                                 \
    NPU__VFN NPU__FN void NPU__V(npu__reduce_##name)(const npu__reduce_part *p) {                                     \
        const in_type *in = (const in_type *)p->in;                                                                   \
        acc_type      *to = (acc_type *)p->acc, lanes[16];                                                            \
        const int32_t  flip = p->flip;                                                                                \
        (void)flip;                                                                                                   \
        for (int64_t r = 0; r < p->rows; r++, to += p->acc_row) {                                                     \
            const acc_type a = (acc_type)FROM(*to);                                                                   \
            int64_t        i = 0;                                                                                     \
            (void)a;                                                                                                  \
            NPU__VEC_FOR(k, 16) lanes[k] = (acc_type)(start);                                                         \
            for (; i + 16 <= p->n; i += 16, in += 16) {                                                               \
                if (p->fold) {                                                                                        \
                    NPU__VEC_FOR(k, 16) lanes[k] = STEP(acc_type, lanes[k], FROM(in[k]));                             \
                } else {                                                                                              \
                    NPU__VEC_FOR(k, 16) to[i + k] = (acc_type)FROM(STEP(acc_type, FROM(to[i + k]), FROM(in[k])));     \
                }                                                                                                     \
            }                                                                                                         \
            for (int32_t k = 0; k < 16 && p->fold; k++) *to = (acc_type)FROM(STEP(acc_type, FROM(*to), lanes[k]));    \
            for (; i < p->n; i++, in++) {                                                                             \
                acc_type *one = to + (p->fold ? 0 : i);                                                               \
                *one = (acc_type)FROM(STEP(acc_type, FROM(*one), FROM(*in)));                                         \
            }                                                                                                         \
        }                                                                                                             \
    }

NPU__REDUCE_SHORT_KINDS(NPU__REDUCE_SHORT)
#undef NPU__REDUCE_EIGHT
#undef NPU__REDUCE_COLUMNS
#undef NPU__REDUCE_FOLD
#undef NPU__REDUCE_WALK
#undef NPU__REDUCE_SHORT
#undef NPU__REDUCE_LANES
#undef NPU__REDUCE_WIDE

/* BETTER(x, best) decides. `least` loses to every number. Sixteen candidates at a time; then where the winner first stands: all but
 * NaN equals itself, and where nothing is found all are NaN. */
#define NPU__ARG_LAST(name, type, least, BETTER)                                                        \
    NPU__VFN NPU__FN int32_t NPU__V(npu__arg_##name)(const void *data, int32_t n) {                                                 \
        const type *p = (const type *)data;                                                             \
        type        lanes[16], best = least;                                                            \
        int32_t     where[16];                                                                          \
        if (n < 16) {                                                                                   \
            int32_t at = 0;                                                                             \
            for (int32_t i = n - 1; i >= 0; i--) {                                                      \
                if (p[i] >= p[i] && !(BETTER(best, p[i]))) {                                            \
                    at = i;                                                                             \
                    best = p[i];                                                                        \
                }                                                                                       \
            }                                                                                           \
            return at;                                                                                  \
        }                                                                                               \
        NPU__VEC_FOR(k, 16) lanes[k] = BETTER(p[k], best) ? p[k] : best;                                \
        for (int32_t i = 16; i < n; i += 16) {                                                          \
            const type *q = p + NPU__MIN(i, n - 16); /* the last ones again */                          \
            NPU__VEC_FOR(k, 16) lanes[k] = BETTER(q[k], lanes[k]) ? q[k] : lanes[k];                    \
        }                                                                                               \
        NPU__VEC_FOR(k, 8) lanes[k] = BETTER(lanes[k + 8], lanes[k]) ? lanes[k + 8] : lanes[k];         \
        NPU__VEC_FOR(k, 4) lanes[k] = BETTER(lanes[k + 4], lanes[k]) ? lanes[k + 4] : lanes[k];         \
        best = lanes[0];                                                                                \
        for (int32_t k = 1; k < 4; k++) best = BETTER(lanes[k], best) ? lanes[k] : best;                \
        NPU__VEC_FOR(k, 16) where[k] = ((p[k] >= best) & (p[k] <= best)) ? k : n;                       \
        for (int32_t i = 16; i < n; i += 16) {                                                          \
            const int32_t at = NPU__MIN(i, n - 16);                                                     \
            const type   *q = p + at;                                                                   \
            NPU__VEC_FOR(k, 16) {                                                                       \
                const int32_t found = ((q[k] >= best) & (q[k] <= best)) ? at + k : n;                   \
                where[k] = found < where[k] ? found : where[k];                                         \
            }                                                                                           \
        }                                                                                               \
        NPU__VEC_FOR(k, 8) where[k] = where[k + 8] < where[k] ? where[k + 8] : where[k];                \
        NPU__VEC_FOR(k, 4) where[k] = where[k + 4] < where[k] ? where[k + 4] : where[k];                \
        for (int32_t k = 1; k < 4; k++) where[0] = where[k] < where[0] ? where[k] : where[0];           \
        return where[0] < n ? where[0] : 0;                                                             \
    }
NPU__ARG_KINDS(NPU__ARG_LAST)
#undef NPU__ARG_LAST
