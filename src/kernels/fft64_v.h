/* Template: two stages of a Fourier transform, stamped once for each instruction set (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), NPU__VFN (what functions need), NPU__Z (NPU__ZN complex numbers) and
 * NPU__Z_{LOAD, STORE, ADD, SUB, MUL, TURN, ROOTS}: TURN(a) is -i * a, ROOTS(p, step) are p[0], p[step] and so on. All are
 * undefined at the end. */
NPU__VFN NPU__FN void NPU__V(npu__fft64_stages)(npu__complex *v, int32_t n, int32_t half, const npu__complex *roots, int32_t period) {
    const int32_t near = period / (2 * half), far = near / 2; /* steps in the table: of the first stage, of the second */
    for (npu__complex *x = v; x < v + n; x += 4 * half) {
        for (int32_t k = 0; k < half; k += NPU__ZN) {
            const NPU__Z  w1 = NPU__Z_ROOTS(roots + k * near, near), w2 = NPU__Z_ROOTS(roots + k * far, far);
            npu__complex *p0 = x + k, *p1 = p0 + half, *p2 = p1 + half, *p3 = p2 + half;
            const NPU__Z  b = NPU__Z_MUL(NPU__Z_LOAD(p1), w1), d = NPU__Z_MUL(NPU__Z_LOAD(p3), w1);
            const NPU__Z  a = NPU__Z_LOAD(p0), c = NPU__Z_LOAD(p2);
            const NPU__Z  sum = NPU__Z_ADD(a, b), dif = NPU__Z_SUB(a, b);
            const NPU__Z  even = NPU__Z_MUL(NPU__Z_ADD(c, d), w2), turned = NPU__Z_MUL(NPU__Z_SUB(c, d), w2);
            const NPU__Z  odd = NPU__Z_TURN(turned); /* roots of the second half are a quarter turn on */
            NPU__Z_STORE(p0, NPU__Z_ADD(sum, even));
            NPU__Z_STORE(p1, NPU__Z_ADD(dif, odd));
            NPU__Z_STORE(p2, NPU__Z_SUB(sum, even));
            NPU__Z_STORE(p3, NPU__Z_SUB(dif, odd));
        }
    }
}

#undef NPU__V
#undef NPU__VFN
#undef NPU__Z
#undef NPU__ZN
#undef NPU__Z_LOAD
#undef NPU__Z_STORE
#undef NPU__Z_ADD
#undef NPU__Z_SUB
#undef NPU__Z_MUL
#undef NPU__Z_TURN
#undef NPU__Z_ROOTS
