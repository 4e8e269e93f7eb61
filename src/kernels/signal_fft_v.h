/* Template: stages of radix 4 of the int16 FFT, stamped once for each instruction set (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), NPU__VFN (what functions need), NPU__C, a vector of 4 complex numbers of
 * int16, real parts first, and NPU__C_{LOAD, STORE, GATHER, ADD, SUB, SCALE, MUL, TURN, UNTURN}: GATHER(p, step) loads numbers p[0],
 * p[step] and so on; SCALE(a) is (a * (32767 / 4) + 2^14) >> 15; MUL is the complex product, each part rounded once, modulo
 * 2^16; TURN(a) is -i * a, UNTURN(a) i * a, both wrapping. All are undefined at the end. */
NPU__VFN NPU__FN void NPU__V(npu__fft_radix4_i16)(int16_t *x, const int16_t *twiddles, int32_t n, int32_t m, int32_t inverse) {
    const int32_t step = n / (4 * m);
    for (int32_t k = 0; k < m; k += 4) {
        const NPU__C w1 = NPU__C_GATHER(twiddles + 2 * k * step, step), w2 = NPU__C_GATHER(twiddles + 4 * k * step, 2 * step);
        const NPU__C w3 = NPU__C_GATHER(twiddles + 6 * k * step, 3 * step);
        for (int32_t at = k; at < n; at += 4 * m) {
            int16_t *p0 = x + 2 * at, *p1 = p0 + 2 * m, *p2 = p1 + 2 * m, *p3 = p2 + 2 * m;
            NPU__C   a = NPU__C_SCALE(NPU__C_LOAD(p0)), b = NPU__C_MUL(NPU__C_SCALE(NPU__C_LOAD(p1)), w1);
            NPU__C   c = NPU__C_MUL(NPU__C_SCALE(NPU__C_LOAD(p2)), w2), d = NPU__C_MUL(NPU__C_SCALE(NPU__C_LOAD(p3)), w3);
            NPU__C   even = NPU__C_SUB(a, c), odd = NPU__C_SUB(b, d);
            a = NPU__C_ADD(a, c);
            b = NPU__C_ADD(b, d);
            odd = inverse ? NPU__C_UNTURN(odd) : NPU__C_TURN(odd);
            NPU__C_STORE(p0, NPU__C_ADD(a, b));
            NPU__C_STORE(p2, NPU__C_SUB(a, b));
            NPU__C_STORE(p1, NPU__C_ADD(even, odd));
            NPU__C_STORE(p3, NPU__C_SUB(even, odd));
        }
    }
}

#undef NPU__V
#undef NPU__VFN
#undef NPU__C
#undef NPU__C_LOAD
#undef NPU__C_STORE
#undef NPU__C_GATHER
#undef NPU__C_ADD
#undef NPU__C_SUB
#undef NPU__C_SCALE
#undef NPU__C_MUL
#undef NPU__C_TURN
#undef NPU__C_UNTURN
