/* Finds the factors of bytes.h, and proves that they give what the reference does.
 *
 * What the reference computes differs from a linear function by the roundings on its way: by less than `doubt`, which is about
 * 2^-19 of the output's unit. So the two need to be compared only where the linear function comes nearer than that to where its
 * result changes, at very few pairs. Where it lies on the wrong side, it is moved a little; where this takes both directions, halves
 * may be what they cannot agree on, which the reference rounds away from zero; then there is nothing but the reference. */
#include "bytes.h"

/* What a comparison found: how far the function is to move up, or down. */
typedef struct npu__bytes_wrong {
    int64_t up, down;
} npu__bytes_wrong;

/* `value`, in units of 1 / one, gives `got`, and should give `want`: at most its neighbour. */
NPU__FN int npu__bytes_note(npu__bytes_wrong *w, int64_t value, int64_t one, int32_t got, int32_t want) {
    const int64_t above = value & (one - 1);
    if (got + 1 == want) w->up = NPU__MAX(w->up, one - above);
    else if (got == want + 1) w->down = NPU__MAX(w->down, above + 1);
    else return got == want;
    return 1;
}

/* The reference's result of a sum or a product, as int8. */
NPU__INLINE int32_t npu__bytes_exact(const npu__sum8_job *q, int32_t v) {
    const int64_t r = (int64_t)npu__qmul_apply(v, q->out_mul) + q->out.zero_point;
    return (int32_t)(r < q->out.lo ? q->out.lo : r > q->out.hi ? q->out.hi : r);
}

NPU__FN double npu__bytes_real(npu__qmul q) { return ldexp((double)q.multiplier, q.shift - 31); }

NPU__FN void npu__bytes_job_of(const npu__sum8_job *q, npu__bytes_job *job) {
    memset(job, 0, sizeof *job);
    job->flip = q->out.flip;
    job->zero_point = q->out.zero_point;
    job->least = q->out.lo;
    job->most = q->out.hi;
    /* Of bytes as they are, to bytes as int8. */
    for (int k = 0; k < 2; k++) job->offset[k] = q->offset[k] + (q->is_signed ? 0 : 128);
}

/* ---- sums ---- */

#define NPU__BYTES_ONE ((int64_t)1 << (NPU__BYTES_SHIFT + NPU__BYTES_SUM_LO)) /* the output's unit */

typedef struct npu__bytes_sum_fit {
    const npu__sum8_job *q;
    int32_t              scaled[2][256]; /* by byte as int8, plus 128: the reference's addends */
    int64_t              factor[2], constant;
    uint32_t             doubt;          /* in units of 1 / NPU__BYTES_ONE */
    int                  away;
} npu__bytes_sum_fit;

NPU__FN void npu__bytes_addends(npu__bytes_sum_fit *f, int k, int32_t offset) {
    const npu__sum8_job *q = f->q;
    for (int32_t i = 0; i < 256; i++) {
        const int32_t s = npu__qmul_apply((i - 128 + offset) * (1 << q->left_shift), q->mul[k]);
        f->scaled[k][i] = k && q->negate_b ? -s : s;
    }
}

/* How far the addends are from a line at most. */
NPU__FN double npu__bytes_bend(const npu__bytes_sum_fit *f, int k, int32_t offset, double slope) {
    double most = 0.0;
    for (int32_t i = 0; i < 256; i++) {
        const double off = fabs((double)f->scaled[k][i] - slope * (double)(i - 128 + offset));
        most = off > most ? off : most;
    }
    return most;
}

/* Compares at one pair, in what the kernels do. */
NPU__FN int npu__bytes_sum_check(const npu__bytes_sum_fit *f, int32_t i, int32_t j, npu__bytes_wrong *w) {
    const npu__sum8_job *q = f->q;
    int64_t              v = f->factor[0] * (i - 128) + f->factor[1] * (j - 128) + f->constant;
    int32_t              got;
    if (f->away && v < 0) v--;
    v += NPU__BYTES_ONE / 2;
    got = npu__clamp32((int32_t)(v >> (NPU__BYTES_SHIFT + NPU__BYTES_SUM_LO)) + q->out.zero_point, q->out.lo, q->out.hi);
    return npu__bytes_note(w, v, NPU__BYTES_ONE, got, npu__bytes_exact(q, f->scaled[0][i] + f->scaled[1][j]));
}

/* All pairs. Numbers are shifted to where 2^32 is the output's unit, and wrap: near a change they are less than twice the doubt.
 * What b adds is sorted by its highest byte, so that a byte of a meets only those near to what it lacks. */
NPU__FN int npu__bytes_sum_compare(const npu__bytes_sum_fit *f, npu__bytes_wrong *w) {
    const int      up = 32 - NPU__BYTES_SHIFT - NPU__BYTES_SUM_LO;
    const uint32_t doubt = f->doubt << up; /* less than 2^23 */
    uint32_t       other[256];
    uint8_t        order[256];
    int32_t        first[258] = {0};
    w->up = w->down = 0;
    for (int32_t j = 0; j < 256; j++) {
        other[j] = (uint32_t)(uint64_t)(f->factor[1] * (j - 128)) << up;
        first[(other[j] >> 24) + 2]++;
    }
    for (int32_t k = 1; k < 257; k++) first[k + 1] += first[k];
    for (int32_t j = 0; j < 256; j++) order[first[(other[j] >> 24) + 1]++] = (uint8_t)j;
    for (int32_t i = 0; i < 256; i++) {
        const int64_t  one = f->factor[0] * (i - 128) + f->constant + NPU__BYTES_ONE / 2;
        const uint32_t from = ((uint32_t)(uint64_t)one << up) + doubt, lacks = 0u - from, end = lacks + 2 * doubt;
        for (int32_t side = 0; side < ((lacks ^ end) >> 24 ? 2 : 1); side++) {
            const int32_t k = (int32_t)((side ? end : lacks) >> 24);
            for (int32_t n = first[k]; n < first[k + 1]; n++) {
                if (from + other[order[n]] < 2 * doubt && !npu__bytes_sum_check(f, i, order[n], w)) return 0;
                if (w->up && w->down) return 0; /* no direction helps both */
            }
        }
    }
    return 1;
}

/* The line: the factors that were meant or, `snapped`, those that their fixed-point forms amount to, where halves are halves. */
NPU__FN int npu__bytes_sum_line(npu__bytes_sum_fit *f, const npu__bytes_job *job, int snapped) {
    const npu__sum8_job *q = f->q;
    const double         one = (double)NPU__BYTES_ONE;
    npu__qmul            m = q->out_mul;
    double               doubt, constant = 0.0, out;
    if (snapped && m.multiplier < INT32_MAX - 63) m.multiplier = (m.multiplier + 32) & ~63;
    out = npu__bytes_real(m);
    doubt = 0.5 * ldexp(1.0, m.shift); /* the last but one rounding */
    doubt += fabs(out / npu__bytes_real(q->out_mul) - 1.0) * 1024.0;
    for (int k = 0; k < 2; k++) {
        double slope = npu__bytes_real(q->mul[k]) * (double)(1 << q->left_shift) * (k && q->negate_b ? -1.0 : 1.0), real;
        if (snapped) slope = (double)(f->scaled[k][255] - f->scaled[k][0]) / 255.0;
        real = slope * out;
        if (!(fabs(real) < 7.9)) return 0; /* 16 bits for the upper part */
        f->factor[k] = (int64_t)floor(real * one + 0.5);
        constant += real * (double)job->offset[k];
        doubt += npu__bytes_bend(f, k, job->offset[k], slope) * out + fabs((double)f->factor[k] / one - real) * 128.0;
    }
    f->constant = (int64_t)floor(constant * one + 0.5);
    doubt += 4.0 / one; /* the constant's rounding, the sign's, and that of this sum */
    f->doubt = (uint32_t)(NPU__MIN(doubt, 0.5) * one) + 2;
    return doubt < 1.0 / 1024;
}

/* Moves the line until it is right everywhere. */
NPU__FN int npu__bytes_sum_move(npu__bytes_sum_fit *f) {
    npu__bytes_wrong w;
    for (int tries = 0; tries < 3; tries++) {
        if (!npu__bytes_sum_compare(f, &w)) return 0;
        if (!w.up && !w.down) return 1;
        f->constant += w.up - w.down;
        f->doubt += (uint32_t)NPU__MIN(w.up + w.down, NPU__BYTES_ONE >> 12); /* it comes nearer to others */
    }
    return 0;
}

NPU__FN int npu__bytes_sum_of(const npu__sum8_job *exact, npu__bytes_job *job) {
    npu__bytes_sum_fit f;
    int64_t            c;
    int                done = 0;
    f.q = exact;
    npu__bytes_job_of(exact, job);
    for (int k = 0; k < 2; k++) npu__bytes_addends(&f, k, job->offset[k]);
    for (int way = 0; way < 4 && !done; way++) {
        f.away = way & 1;
        done = npu__bytes_sum_line(&f, job, way >> 1) && npu__bytes_sum_move(&f);
    }
    if (!done) return 0;
    for (int k = 0; k < 2; k++) {
        job->hi[k] = (int32_t)((f.factor[k] + (1 << (NPU__BYTES_SUM_LO - 1))) >> NPU__BYTES_SUM_LO);
        job->lo[k] = (int32_t)(f.factor[k] - (int64_t)job->hi[k] * (1 << NPU__BYTES_SUM_LO));
    }
    c = f.constant + (f.away ? 0 : NPU__BYTES_ONE / 2 + job->zero_point * NPU__BYTES_ONE);
    job->c_hi = (int32_t)(c >> NPU__BYTES_SUM_LO);
    job->c_lo = (int32_t)(c & ((1 << NPU__BYTES_SUM_LO) - 1));
    job->away = f.away;
    job->round = (1 << (NPU__BYTES_SHIFT - 1)) + job->zero_point * (1 << NPU__BYTES_SHIFT);
    return 1;
}

/* ---- products ---- */

/* a * b is an integer, so that results change at 255 places at most, wherever the bytes come from. */
typedef struct npu__bytes_product_fit {
    const npu__sum8_job *q;
    int64_t              factor, constant, below; /* below: added where the product is negative */
    int                  bits;                    /* of the output's unit */
    int                  by_floats;               /* then instead of these: */
    float                scale, above, under;
} npu__bytes_product_fit;

#define NPU__BYTES_PRODUCT_MOST (255 * 255)

/* What a multiply-add of floats and its rounding to an integer give. The sum is exact in double: npu__bytes_floats_of sees to it. */
NPU__FN int64_t npu__bytes_product_float(const npu__bytes_product_fit *f, int32_t p) {
    const double v = (double)(float)((double)p * (double)f->scale + (double)(p < 0 ? f->under : f->above)), whole = floor(v);
    const int    odd = ((int64_t)whole & 1) != 0;
    return (int64_t)whole + (v - whole > 0.5 || (v - whole >= 0.5 && odd));
}

NPU__FN int npu__bytes_product_check(const npu__bytes_product_fit *f, int32_t p, npu__bytes_wrong *w) {
    const npu__sum8_job *q = f->q;
    const int64_t        one = (int64_t)1 << f->bits;
    const int64_t        v = f->factor * p + f->constant + (p < 0 ? f->below : 0);
    int64_t              got = f->by_floats ? npu__bytes_product_float(f, p) : v >> f->bits;
    got += q->out.zero_point;
    got = got < q->out.lo ? q->out.lo : got > q->out.hi ? q->out.hi : got;
    return npu__bytes_note(w, v, one, (int32_t)got, npu__bytes_exact(q, p)) && !(f->by_floats && (w->up || w->down));
}

/* At both sides of each change of the reference's result. Both sides of the function follow, as both only rise. */
NPU__FN int npu__bytes_product_compare(const npu__bytes_product_fit *f, npu__bytes_wrong *w) {
    const npu__sum8_job *q = f->q;
    const double         per = 1.0 / npu__bytes_real(q->out_mul);
    w->up = w->down = 0;
    for (int32_t k = q->out.lo; k < q->out.hi; k++) {
        int32_t      lo = -NPU__BYTES_PRODUCT_MOST, hi = NPU__BYTES_PRODUCT_MOST; /* the last that gives k at most lies here */
        const double guess = ((double)(k - q->out.zero_point) + 0.5) * per;
        if (fabs(guess) < (double)(NPU__BYTES_PRODUCT_MOST - 1)) { /* where it should be, if nothing were rounded */
            const int32_t at = (int32_t)guess;
            if (npu__bytes_exact(q, at - 1) <= k) lo = at - 1;
            if (npu__bytes_exact(q, at + 1) > k) hi = at + 1;
        }
        if (npu__bytes_exact(q, lo) > k || npu__bytes_exact(q, hi) <= k) {
            if (!npu__bytes_product_check(f, npu__bytes_exact(q, lo) > k ? lo : hi, w)) return 0;
            continue;
        }
        while (hi - lo > 1) {
            const int32_t mid = lo + (hi - lo) / 2;
            if (npu__bytes_exact(q, mid) > k) hi = mid;
            else lo = mid;
        }
        if (!npu__bytes_product_check(f, lo, w) || !npu__bytes_product_check(f, hi, w)) return 0;
    }
    return 1;
}

/* The form of floats: the line through the middle of what the reference does, or one a little beside it. */
NPU__FN int npu__bytes_floats_of(npu__bytes_product_fit *f, npu__bytes_job *job) {
    const double scale = npu__bytes_real(f->q->out_mul), half = f->q->out_mul.shift < 0 ? ldexp(0.5, f->q->out_mul.shift) : 0.0;
    npu__bytes_wrong w;
    f->by_floats = 1;
    if (!(scale >= 1.0 / (1 << 19) && scale < 1 << 14)) return 0; /* all bits of a sum within 53, and it within an int32 */
    for (int beside = 0; beside < 5; beside++) {
        const double off = (double)((beside + 1) / 2) * (beside & 1 ? 4e-6 : -4e-6);
        f->scale = (float)scale;
        f->above = (float)(half + off);
        f->under = (float)(off - half);
        if (!npu__bytes_product_compare(f, &w)) continue;
        job->scale = f->scale;
        job->above = f->above;
        job->below = f->under;
        return 1;
    }
    return 0;
}

NPU__FN int npu__bytes_product_of(const npu__sum8_job *exact, npu__bytes_job *job) {
    npu__bytes_product_fit f;
    npu__bytes_wrong       w;
    int64_t                one;
    int                    right;
    npu__bytes_job_of(exact, job);
    memset(&f, 0, sizeof f);
    f.q = exact;
    /* The multiplier's 31 bits, without the last two: 14 and 15 of them in the two parts. */
    f.factor = ((int64_t)exact->out_mul.multiplier + 2) >> 2;
    f.bits = 29 - exact->out_mul.shift;
    job->shift = f.bits - NPU__BYTES_MUL_LO;
    if (job->shift < 1 || job->shift > 30 || f.factor == 0) return 0;
    one = (int64_t)1 << f.bits;
    /* The reference rounds twice: first to 2^-right of the output's unit, halves up, then to the unit, halves away from zero. */
    right = exact->out_mul.shift < 0 ? -exact->out_mul.shift : 0;
    f.constant = one / 2 + (right ? one >> (right + 1) : 0);
    f.below = right ? -(one >> right) : 0;
    for (int tries = 0; tries < 3; tries++) {
        if (!npu__bytes_product_compare(&f, &w) || (w.up && w.down)) return 0;
        if (!w.up && !w.down) {
            job->hi[0] = (int32_t)(f.factor >> NPU__BYTES_MUL_LO);
            job->lo[0] = (int32_t)(f.factor & ((1 << NPU__BYTES_MUL_LO) - 1));
            job->c_hi = (int32_t)(f.constant >> NPU__BYTES_MUL_LO);
            job->c_lo = (int32_t)(f.constant & ((1 << NPU__BYTES_MUL_LO) - 1));
            job->round = (int32_t)(f.below / (1 << NPU__BYTES_MUL_LO));
            job->by_floats = npu__bytes_floats_of(&f, job);
            return 1;
        }
        f.constant += w.up - w.down;
    }
    return 0;
}
