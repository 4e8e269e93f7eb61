/* Real FFT of one sample type, stamped by signal_fft.c: included once per type, so it has no include guard.
 *
 * The arithmetic is that of kissfft 1.3.0 as tflite-micro builds it, step for step, because integer results depend on
 * every rounding: a stage of radix p first scales its inputs by (MAX / p) / 2^bits with one rounding each, a complex
 * product rounds once per component, and sums wrap. Expects NPU__FFT(name), NPU__FFT_T, NPU__FFT_CPX and the scalar
 * helpers add, sub, half_sum, mul, mul_sub, mul_add, scale, unit under NPU__FFT(). NPU__FFT_FAST(w, x, m), where it is defined, does
 * a stage of radix 4 whose m is a multiple of 4. */

NPU__INLINE NPU__FFT_CPX NPU__FFT(cadd)(NPU__FFT_CPX a, NPU__FFT_CPX b) {
    a.r = NPU__FFT(add)(a.r, b.r);
    a.i = NPU__FFT(add)(a.i, b.i);
    return a;
}
NPU__INLINE NPU__FFT_CPX NPU__FFT(csub)(NPU__FFT_CPX a, NPU__FFT_CPX b) {
    a.r = NPU__FFT(sub)(a.r, b.r);
    a.i = NPU__FFT(sub)(a.i, b.i);
    return a;
}
NPU__INLINE NPU__FFT_CPX NPU__FFT(cmul)(NPU__FFT_CPX a, NPU__FFT_CPX b) {
    NPU__FFT_CPX m;
    m.r = NPU__FFT(mul_sub)(a.r, b.r, a.i, b.i);
    m.i = NPU__FFT(mul_add)(a.r, b.i, a.i, b.r);
    return m;
}
NPU__INLINE NPU__FFT_CPX NPU__FFT(cscale)(NPU__FFT_CPX a, int32_t divisor) {
    a.r = NPU__FFT(scale)(a.r, divisor);
    a.i = NPU__FFT(scale)(a.i, divisor);
    return a;
}
/* a - i*b and a + i*b */
NPU__INLINE NPU__FFT_CPX NPU__FFT(csub_j)(NPU__FFT_CPX a, NPU__FFT_CPX b) {
    a.r = NPU__FFT(add)(a.r, b.i);
    a.i = NPU__FFT(sub)(a.i, b.r);
    return a;
}
NPU__INLINE NPU__FFT_CPX NPU__FFT(cadd_j)(NPU__FFT_CPX a, NPU__FFT_CPX b) {
    a.r = NPU__FFT(sub)(a.r, b.i);
    a.i = NPU__FFT(add)(a.i, b.r);
    return a;
}

/* Each radix combines p transforms of length m that lie one after another in x; `step` walks the twiddles w. */

NPU__FN void NPU__FFT(radix2)(NPU__FFT_CPX *x, const NPU__FFT_CPX *w, int32_t step, int32_t m) {
    for (int32_t k = 0; k < m; k++) {
        NPU__FFT_CPX a = NPU__FFT(cscale)(x[k], 2), b = NPU__FFT(cscale)(x[k + m], 2);
        b = NPU__FFT(cmul)(b, w[k * step]);
        x[k + m] = NPU__FFT(csub)(a, b);
        x[k] = NPU__FFT(cadd)(a, b);
    }
}

NPU__FN void NPU__FFT(radix3)(NPU__FFT_CPX *x, const NPU__FFT_CPX *w, int32_t step, int32_t m) {
    /* cos of a third of a turn is -1/2, which half_sum takes exactly as kissfft's HALF_OF does. */
    NPU__FFT_T third = w[step * m].i; /* sin of a third of a turn */
    for (int32_t k = 0; k < m; k++) {
        NPU__FFT_CPX a = NPU__FFT(cscale)(x[k], 3), b = NPU__FFT(cscale)(x[k + m], 3);
        NPU__FFT_CPX c = NPU__FFT(cscale)(x[k + 2 * m], 3), sum, dif, mid;
        b = NPU__FFT(cmul)(b, w[k * step]);
        c = NPU__FFT(cmul)(c, w[2 * k * step]);
        sum = NPU__FFT(cadd)(b, c);
        dif = NPU__FFT(csub)(b, c);
        dif.r = NPU__FFT(mul)(dif.r, third);
        dif.i = NPU__FFT(mul)(dif.i, third);
        mid.r = NPU__FFT(sub)(a.r, NPU__FFT(half_sum)(sum.r, 0));
        mid.i = NPU__FFT(sub)(a.i, NPU__FFT(half_sum)(sum.i, 0));
        x[k] = NPU__FFT(cadd)(a, sum);
        x[k + m] = NPU__FFT(cadd_j)(mid, dif);
        x[k + 2 * m] = NPU__FFT(csub_j)(mid, dif);
    }
}

NPU__FN void NPU__FFT(radix4)(NPU__FFT_CPX *x, const NPU__FFT_CPX *w, int32_t step, int32_t m, int32_t inverse) {
    for (int32_t k = 0; k < m; k++) {
        NPU__FFT_CPX a = NPU__FFT(cscale)(x[k], 4), b = NPU__FFT(cscale)(x[k + m], 4);
        NPU__FFT_CPX c = NPU__FFT(cscale)(x[k + 2 * m], 4), d = NPU__FFT(cscale)(x[k + 3 * m], 4), even, odd;
        b = NPU__FFT(cmul)(b, w[k * step]);
        c = NPU__FFT(cmul)(c, w[2 * k * step]);
        d = NPU__FFT(cmul)(d, w[3 * k * step]);
        even = NPU__FFT(csub)(a, c);
        odd = NPU__FFT(csub)(b, d);
        a = NPU__FFT(cadd)(a, c);
        b = NPU__FFT(cadd)(b, d);
        x[k] = NPU__FFT(cadd)(a, b);
        x[k + 2 * m] = NPU__FFT(csub)(a, b);
        x[k + m] = inverse ? NPU__FFT(cadd_j)(even, odd) : NPU__FFT(csub_j)(even, odd);
        x[k + 3 * m] = inverse ? NPU__FFT(csub_j)(even, odd) : NPU__FFT(cadd_j)(even, odd);
    }
}

NPU__FN void NPU__FFT(radix5)(NPU__FFT_CPX *x, const NPU__FFT_CPX *w, int32_t step, int32_t m) {
    const NPU__FFT_CPX ya = w[step * m], yb = w[2 * step * m];
    for (int32_t k = 0; k < m; k++) {
        NPU__FFT_CPX s[5], sum14, dif14, sum23, dif23, p, q;
        for (int32_t j = 0; j < 5; j++) {
            s[j] = NPU__FFT(cscale)(x[k + j * m], 5);
            if (j) s[j] = NPU__FFT(cmul)(s[j], w[j * k * step]);
        }
        sum14 = NPU__FFT(cadd)(s[1], s[4]);
        dif14 = NPU__FFT(csub)(s[1], s[4]);
        sum23 = NPU__FFT(cadd)(s[2], s[3]);
        dif23 = NPU__FFT(csub)(s[2], s[3]);
        x[k] = NPU__FFT(cadd)(s[0], NPU__FFT(cadd)(sum14, sum23));

        p.r = NPU__FFT(add)(NPU__FFT(add)(s[0].r, NPU__FFT(mul)(sum14.r, ya.r)), NPU__FFT(mul)(sum23.r, yb.r));
        p.i = NPU__FFT(add)(NPU__FFT(add)(s[0].i, NPU__FFT(mul)(sum14.i, ya.r)), NPU__FFT(mul)(sum23.i, yb.r));
        q.r = NPU__FFT(add)(NPU__FFT(mul)(dif14.r, ya.i), NPU__FFT(mul)(dif23.r, yb.i));
        q.i = NPU__FFT(add)(NPU__FFT(mul)(dif14.i, ya.i), NPU__FFT(mul)(dif23.i, yb.i));
        x[k + m] = NPU__FFT(cadd_j)(p, q);
        x[k + 4 * m] = NPU__FFT(csub_j)(p, q);

        p.r = NPU__FFT(add)(NPU__FFT(add)(s[0].r, NPU__FFT(mul)(sum14.r, yb.r)), NPU__FFT(mul)(sum23.r, ya.r));
        p.i = NPU__FFT(add)(NPU__FFT(add)(s[0].i, NPU__FFT(mul)(sum14.i, yb.r)), NPU__FFT(mul)(sum23.i, ya.r));
        q.r = NPU__FFT(sub)(NPU__FFT(mul)(dif14.r, yb.i), NPU__FFT(mul)(dif23.r, ya.i));
        q.i = NPU__FFT(sub)(NPU__FFT(mul)(dif14.i, yb.i), NPU__FFT(mul)(dif23.i, ya.i));
        x[k + 2 * m] = NPU__FFT(cadd_j)(p, q);
        x[k + 3 * m] = NPU__FFT(csub_j)(p, q);
    }
}

/* The complex transform in place; x is already in the order of npu__fft_source. */
NPU__FN void NPU__FFT(stages)(const npu__fft_plan *plan, const NPU__FFT_CPX *w, NPU__FFT_CPX *x) {
    /* Innermost first: the decimation put the samples where the shortest transforms expect them. */
    int32_t step = plan->n;
    for (int32_t s = plan->n_stages - 1; s >= 0; s--) {
        int32_t p = plan->radix[s], m = plan->m[s];
        step = plan->n / (p * m);
#ifdef NPU__FFT_FAST
        if (plan->fast && p == 4 && m % 4 == 0) {
            NPU__FFT_FAST(w, x, m);
            continue;
        }
#endif
        for (int32_t at = 0; at < plan->n; at += p * m) {
            switch (p) {
            case 2: NPU__FFT(radix2)(x + at, w, step, m); break;
            case 3: NPU__FFT(radix3)(x + at, w, step, m); break;
            case 4: NPU__FFT(radix4)(x + at, w, step, m, plan->inverse); break;
            default: NPU__FFT(radix5)(x + at, w, step, m); break;
            }
        }
    }
}

/* n twiddles of the complex transform, then the n / 2 that join the two halves of the real one. */
NPU__FN void NPU__FFT(twiddles)(const npu__fft_plan *plan, void *out) {
    NPU__FFT_CPX *w = (NPU__FFT_CPX *)out;
    double        sign = plan->inverse ? -1.0 : 1.0;
    for (int32_t i = 0; i < plan->n + plan->n / 2; i++) {
        int32_t j = i - plan->n;
        /* The second kind joins: half a turn shifted by a quarter, as kiss_fftr's super twiddles. */
        double  phase = j < 0 ? -2 * 3.14159265358979323846 * i / plan->n
                              : -3.14159265358979323846 * ((double)(j + 1) / plan->n + .5);
        w[i].r = NPU__FFT(unit)(cos(sign * phase));
        w[i].i = NPU__FFT(unit)(sin(sign * phase));
    }
}

/* n_in <= 2n real samples, zeros behind them, to n + 1 complex values. tmp: n complex values. */
NPU__FN void NPU__FFT(forward)(const npu__fft_plan *plan, const void *twiddles, const void *in, int32_t n_in,
                               void *out, void *tmp) {
    const NPU__FFT_CPX *w = (const NPU__FFT_CPX *)twiddles, *join = w + plan->n;
    const NPU__FFT_T   *samples = (const NPU__FFT_T *)in;
    NPU__FFT_CPX       *x = (NPU__FFT_CPX *)tmp, *y = (NPU__FFT_CPX *)out;
    const int32_t       n = plan->n, p = plan->radix[plan->n_stages - 1];
    npu__fft_walk       walk;
    npu__fft_start(plan, &walk);
    for (int32_t i = 0; i < n; i += p, npu__fft_next(plan, &walk)) {
        for (int32_t j = 0, src = 2 * walk.source; j < p; j++, src += 2 * walk.step) {
            x[i + j].r = src < n_in ? samples[src] : (NPU__FFT_T)0;
            x[i + j].i = src + 1 < n_in ? samples[src + 1] : (NPU__FFT_T)0;
        }
    }
    NPU__FFT(stages)(plan, w, x);
    {
        NPU__FFT_CPX dc = NPU__FFT(cscale)(x[0], 2);
        y[0].r = NPU__FFT(add)(dc.r, dc.i);
        y[n].r = NPU__FFT(sub)(dc.r, dc.i);
        y[0].i = y[n].i = 0;
    }
    for (int32_t k = 1; k <= n / 2; k++) { /* in the middle k == n - k: the second pair of stores stands */
        NPU__FFT_CPX a = NPU__FFT(cscale)(x[k], 2), b = x[n - k], even, odd;
        b.i = NPU__FFT(sub)(0, b.i);
        b = NPU__FFT(cscale)(b, 2);
        even = NPU__FFT(cadd)(a, b);
        odd = NPU__FFT(cmul)(NPU__FFT(csub)(a, b), join[k - 1]);
        y[k].r = NPU__FFT(half_sum)(even.r, odd.r);
        y[k].i = NPU__FFT(half_sum)(even.i, odd.i);
        y[n - k].r = NPU__FFT(half_dif)(even.r, odd.r);
        y[n - k].i = NPU__FFT(half_dif)(odd.i, even.i);
    }
}

/* n + 1 complex values to 2n real samples. tmp: n complex values. */
NPU__FN void NPU__FFT(backward)(const npu__fft_plan *plan, const void *twiddles, const void *in, void *out,
                                void *tmp) {
    const NPU__FFT_CPX *w = (const NPU__FFT_CPX *)twiddles, *join = w + plan->n, *y = (const NPU__FFT_CPX *)in;
    NPU__FFT_CPX       *x = (NPU__FFT_CPX *)tmp, *z = (NPU__FFT_CPX *)out;
    const int32_t       n = plan->n, p = plan->radix[plan->n_stages - 1];
    npu__fft_walk       walk;
    x[0].r = NPU__FFT(add)(y[0].r, y[n].r);
    x[0].i = NPU__FFT(sub)(y[0].r, y[n].r);
    x[0] = NPU__FFT(cscale)(x[0], 2);
    for (int32_t k = 1; k <= n / 2; k++) {
        NPU__FFT_CPX a = NPU__FFT(cscale)(y[k], 2), b = y[n - k], even, odd;
        b.i = NPU__FFT(sub)(0, b.i);
        b = NPU__FFT(cscale)(b, 2);
        even = NPU__FFT(cadd)(a, b);
        odd = NPU__FFT(cmul)(NPU__FFT(csub)(a, b), join[k - 1]);
        x[k] = NPU__FFT(cadd)(even, odd);
        x[n - k] = NPU__FFT(csub)(even, odd);
        x[n - k].i = NPU__FFT(sub)(0, x[n - k].i);
    }
    npu__fft_start(plan, &walk);
    for (int32_t i = 0; i < n; i += p, npu__fft_next(plan, &walk)) {
        for (int32_t j = 0; j < p; j++) z[i + j] = x[walk.source + j * walk.step];
    }
    NPU__FFT(stages)(plan, w, z);
}
