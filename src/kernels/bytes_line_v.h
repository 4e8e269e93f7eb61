/* Template: the lines of bytes.h over vectors, stamped once for each instruction set (no include guard).
 *
 * The includer defines NPU__V(name) (adds its suffix), NPU__VFN (what functions need), NPU__LT (the vector) of NPU__LN bytes, and
 * NPU__L_{LOAD, STORE, SET8, SET16, XOR, MIN8, MAX8, BELOW8(x, y): bytes of ones where x < y, PICK(mask, a, b): a where there are ones,
 * ZIP_LO8, ZIP_HI8, PACK16 (saturating, undoes the two), ADDS16, MUL16: the rounded upper 16 of twice a product}. All are undefined at the
 * end. */

typedef struct NPU__V(npu__bytes_side) {
    NPU__LT low, factor, add, last;
} NPU__V(npu__bytes_side);

NPU__VFN NPU__INLINE NPU__LT NPU__V(npu__bytes_side1)(NPU__LT x, const NPU__V(npu__bytes_side) *s) {
    const NPU__LT a = NPU__L_ADDS16(NPU__L_MUL16(NPU__L_ZIP_LO8(s->low, x), s->factor), s->add);
    const NPU__LT b = NPU__L_ADDS16(NPU__L_MUL16(NPU__L_ZIP_HI8(s->low, x), s->factor), s->add);
    return NPU__L_PACK16(NPU__L_MUL16(a, s->last), NPU__L_MUL16(b, s->last));
}
NPU__VFN NPU__INLINE void NPU__V(npu__bytes_side_set)(const npu__bytes_side *from, NPU__V(npu__bytes_side) *s) {
    s->low = NPU__L_SET8((int8_t)(uint8_t)from->low);
    s->factor = NPU__L_SET16((int16_t)from->factor);
    s->add = NPU__L_SET16((int16_t)from->add);
    s->last = NPU__L_SET16((int16_t)from->last);
}

/* With `bent` a constant. */
NPU__VFN NPU__INLINE void NPU__V(npu__bytes_line_by)(const npu__bytes_line *job, const uint8_t *in, uint8_t *out, int64_t n, int bent) {
    const NPU__LT flip = NPU__L_SET8((int8_t)(uint8_t)job->flip_in), flip_out = NPU__L_SET8((int8_t)(uint8_t)job->flip_out);
    const NPU__LT least = NPU__L_SET8((int8_t)job->least), most = NPU__L_SET8((int8_t)job->most), knee = NPU__L_SET8((int8_t)job->knee);
    uint8_t       block[NPU__LN] = {0};
    uint8_t      *to = out;
    NPU__V(npu__bytes_side) below, above;
    NPU__V(npu__bytes_side_set)(&job->side[0], &below);
    NPU__V(npu__bytes_side_set)(&job->side[1], &above);
    for (; n > 0; n -= NPU__LN, in += NPU__LN, out += NPU__LN) {
        NPU__LT x, v;
        if (n < NPU__LN) {
            in = (const uint8_t *)memcpy(block, in, (size_t)n);
            to = block;
        }
        x = NPU__L_XOR(NPU__L_LOAD(in), flip);
        v = NPU__V(npu__bytes_side1)(x, &below);
        if (bent) v = NPU__L_PICK(NPU__L_BELOW8(x, knee), v, NPU__V(npu__bytes_side1)(x, &above));
        NPU__L_STORE(to, NPU__L_XOR(NPU__L_MIN8(NPU__L_MAX8(v, least), most), flip_out));
        if (to == block) { memcpy(out, block, (size_t)n); break; }
        to += NPU__LN;
    }
}
NPU__VFN NPU__FN void NPU__V(npu__bytes_line)(const npu__bytes_line *job, const uint8_t *in, uint8_t *out, int64_t n) {
    if (job->is_bent) NPU__V(npu__bytes_line_by)(job, in, out, n, 1);
    else NPU__V(npu__bytes_line_by)(job, in, out, n, 0);
}
#undef NPU__V
#undef NPU__VFN
#undef NPU__LT
#undef NPU__LN
#undef NPU__L_LOAD
#undef NPU__L_STORE
#undef NPU__L_SET8
#undef NPU__L_SET16
#undef NPU__L_XOR
#undef NPU__L_MIN8
#undef NPU__L_MAX8
#undef NPU__L_BELOW8
#undef NPU__L_PICK
#undef NPU__L_ZIP_LO8
#undef NPU__L_ZIP_HI8
#undef NPU__L_PACK16
#undef NPU__L_ADDS16
#undef NPU__L_MUL16
