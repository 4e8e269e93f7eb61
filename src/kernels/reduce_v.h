/* Template: the loops of reduce.h (no include guard; see vec_loop.h). */

#define NPU__REDUCE_LANES 32   /* columns next to each other */
#define NPU__REDUCE_WIDE 1024  /* columns of several rows that are taken as one */
#define NPU__REDUCE_NEAR 16384 /* bytes of rows that are gone through once more for the next columns */

/* Columns: `rows` rows of n, 32 columns at a time down some rows, the last ones of them again where 32 does not divide n. */
#define NPU__REDUCE_COLUMNS(name, in_type, lane_type, acc_type, STEP, start, most)                                    \
    NPU__VFN NPU__FN void NPU__V(npu__reduce_##name##_columns)(const in_type *in, acc_type *acc, int64_t rows, int64_t n) {   \
        const int64_t near_by = NPU__MAX(NPU__REDUCE_NEAR / (int64_t)sizeof(in_type) / n, (int64_t)8);                \
        int64_t       some = NPU__MIN(near_by, (int64_t)(most));                                                      \
        for (; n >= NPU__REDUCE_LANES && rows > 0; rows -= some, in += some * n) {                                    \
            some = NPU__MIN(some, rows);                                                                              \
            for (int64_t i = 0; i < n; i += NPU__REDUCE_LANES) {                                                      \
                const int64_t  at = NPU__MIN(i, n - NPU__REDUCE_LANES);                                               \
                const in_type *q = in + at;                                                                           \
                acc_type      *to = acc + at;                                                                         \
                lane_type      lanes[NPU__REDUCE_LANES];                                                              \
                NPU__VEC_FOR(k, NPU__REDUCE_LANES) { const acc_type a = to[k]; (void)a; lanes[k] = (lane_type)(start); } \
                for (int64_t r = 0; r < some; r++, q += n)                                                            \
                    NPU__VEC_FOR(k, NPU__REDUCE_LANES) lanes[k] = STEP(lane_type, lanes[k], q[k]);                    \
                if (at == i) {                                                                                        \
                    NPU__VEC_FOR(k, NPU__REDUCE_LANES) to[k] = STEP(acc_type, to[k], lanes[k]);                       \
                } else {                                                                                              \
                    for (int64_t k = i - at; k < NPU__REDUCE_LANES; k++) to[k] = STEP(acc_type, to[k], lanes[k]);     \
                }                                                                                                     \
            }                                                                                                         \
        }                                                                                                             \
        for (; rows > 0; rows--, in += n)                                                                             \
            for (int64_t i = 0; i < n; i++) acc[i] = STEP(acc_type, acc[i], in[i]);                                   \
    }

/* Rows, each of which becomes one number. */
#define NPU__REDUCE_FOLD(name, in_type, lane_type, acc_type, STEP, start, most)                                       \
    NPU__VFN NPU__FN void NPU__V(npu__reduce_##name##_fold)(const npu__reduce_part *p) {                                     \
        const in_type *in = (const in_type *)p->in;                                                                   \
        acc_type      *acc = (acc_type *)p->acc;                                                                      \
        for (int64_t r = 0; r < p->rows; r++, acc += p->acc_row) {                                                    \
            acc_type a = *acc;                                                                                        \
            int64_t  left = p->n;                                                                                     \
            while (left >= 8) {                                                                                       \
                int32_t   m = (int32_t)NPU__MIN(left, (int64_t)(most));                                               \
                lane_type lanes[16];                                                                                  \
                left -= m;                                                                                            \
                NPU__VEC_FOR(k, 16) lanes[k] = (lane_type)(start);                                                    \
                for (; m >= 16; m -= 16, in += 16) NPU__VEC_FOR(k, 16) lanes[k] = STEP(lane_type, lanes[k], in[k]);   \
                NPU__VEC_FOR(k, 8) lanes[k] = STEP(lane_type, lanes[k], lanes[k + 8]);                                \
                for (; m >= 8; m -= 8, in += 8) NPU__VEC_FOR(k, 8) lanes[k] = STEP(lane_type, lanes[k], in[k]);       \
                NPU__VEC_FOR(k, 4) lanes[k] = STEP(lane_type, lanes[k], lanes[k + 4]);                                \
                for (; m >= 4; m -= 4, in += 4) NPU__VEC_FOR(k, 4) lanes[k] = STEP(lane_type, lanes[k], in[k]);       \
                left += m;                                                                                            \
                for (int32_t k = 0; k < 2; k++) lanes[k] = STEP(lane_type, lanes[k], lanes[k + 2]);                   \
                a = STEP(acc_type, a, STEP(lane_type, lanes[0], lanes[1]));                                           \
            }                                                                                                         \
            for (; left > 0; left--, in++) a = STEP(acc_type, a, *in);                                                \
            *acc = a;                                                                                                 \
        }                                                                                                             \
    }

/* All of a part. Where 32 does not divide the columns, so many rows are taken as one that it does. */
#define NPU__REDUCE_WALK(name, in_type, lane_type, acc_type, STEP, start, most)                                       \
    NPU__REDUCE_COLUMNS(name, in_type, lane_type, acc_type, STEP, start, most)                                        \
    NPU__REDUCE_FOLD(name, in_type, lane_type, acc_type, STEP, start, most)                                           \
    NPU__VFN NPU__FN void NPU__V(npu__reduce_##name)(const npu__reduce_part *p) {                                            \
        const in_type *in = (const in_type *)p->in;                                                                   \
        acc_type      *acc = (acc_type *)p->acc, wide[NPU__REDUCE_WIDE];                                              \
        int64_t        rows = p->rows, group = 1, wider = p->n;                                                       \
        if (p->fold) {                                                                                                \
            NPU__V(npu__reduce_##name##_fold)(p);                                                                            \
            return;                                                                                                   \
        }                                                                                                             \
        for (; wider % NPU__REDUCE_LANES != 0 && wider <= NPU__REDUCE_WIDE; wider *= 2) group *= 2;                   \
        if (group > 1 && wider <= NPU__REDUCE_WIDE && rows >= 2 * group) {                                            \
            for (int64_t i = 0, k = 0; i < wider; i++, k = k + 1 < p->n ? k + 1 : 0) {                                \
                const acc_type a = acc[k];                                                                            \
                (void)a;                                                                                              \
                wide[i] = (acc_type)(start);                                                                          \
            }                                                                                                         \
            NPU__V(npu__reduce_##name##_columns)(in, wide, rows / group, wider);                                             \
            for (int64_t i = 0, k = 0; i < wider; i++, k = k + 1 < p->n ? k + 1 : 0) acc[k] = STEP(acc_type, acc[k], wide[i]); \
            in += rows / group * wider;                                                                               \
            rows %= group;                                                                                            \
        }                                                                                                             \
        NPU__V(npu__reduce_##name##_columns)(in, acc, rows, p->n);                                                           \
    }
NPU__REDUCE_KINDS(NPU__REDUCE_WALK)
#undef NPU__REDUCE_COLUMNS
#undef NPU__REDUCE_FOLD
#undef NPU__REDUCE_WALK
#undef NPU__REDUCE_LANES
#undef NPU__REDUCE_WIDE
#undef NPU__REDUCE_NEAR
