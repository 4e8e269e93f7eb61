/* BITWISE_XOR, RIGHT_SHIFT, STABLEHLO_SHIFT_LEFT, STABLEHLO_AND and BITCAST. */
#include "elementwise.h"
#include "move_util.h"

/* ---- exclusive or ---- */

NPU__EW_VEC_ROW2(npu__xor_8, NPU__EW_NO_LOCALS, uint8_t, uint8_t, uint8_t, x ^ y)
NPU__EW_VEC_ROW2(npu__xor_16, NPU__EW_NO_LOCALS, uint16_t, uint16_t, uint16_t, x ^ y)
NPU__EW_VEC_ROW2(npu__xor_32, NPU__EW_NO_LOCALS, uint32_t, uint32_t, uint32_t, x ^ y)

NPU__FN npu_status npu__bitwise_xor_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    switch (c->out[0]->type) {
    case NPU_INT8: case NPU_UINT8: return npu__ew_prepare_loops(c, npu__xor_8, 2);
    case NPU_INT16: case NPU_UINT16: return npu__ew_prepare_loops(c, npu__xor_16, 2);
    case NPU_INT32: case NPU_UINT32: return npu__ew_prepare_loops(c, npu__xor_32, 2);
    default: return npu__fail_types(c);
    }
}

NPU__OPDEF(npu__op_bitwise_xor) = {2, 2, 1, 1, 0, NPU__EW_FLAGS2, NPU__DATA(npu__ew), npu__infer_broadcast2,
                                   npu__bitwise_xor_prepare, NULL, npu__ew_eval, NULL};

/* ---- shifts ---- */

/* Counts outside of the width are cut to its ends. Negative numbers fill with ones. */
#define NPU__RIGHT_SHIFT(bits) ((int64_t)x >> (y < 0 ? 0 : y > (bits) - 1 ? (bits) - 1 : (int32_t)y))
#define NPU__RIGHT_SHIFT_U(bits) (x >> (y > (bits) - 1 ? (bits) - 1 : y))
NPU__EW_ROW2(npu__right_shift_i8, NPU__EW_NO_LOCALS, int8_t, int8_t, int8_t, NPU__RIGHT_SHIFT(8))
NPU__EW_ROW2(npu__right_shift_u8, NPU__EW_NO_LOCALS, uint8_t, uint8_t, uint8_t, NPU__RIGHT_SHIFT_U(8))
NPU__EW_ROW2(npu__right_shift_i16, NPU__EW_NO_LOCALS, int16_t, int16_t, int16_t, NPU__RIGHT_SHIFT(16))
NPU__EW_ROW2(npu__right_shift_u16, NPU__EW_NO_LOCALS, uint16_t, uint16_t, uint16_t, NPU__RIGHT_SHIFT_U(16))
NPU__EW_ROW2(npu__right_shift_i32, NPU__EW_NO_LOCALS, int32_t, int32_t, int32_t, NPU__RIGHT_SHIFT(32))
NPU__EW_ROW2(npu__right_shift_u32, NPU__EW_NO_LOCALS, uint32_t, uint32_t, uint32_t, NPU__RIGHT_SHIFT_U(32u))
#undef NPU__RIGHT_SHIFT
#undef NPU__RIGHT_SHIFT_U
/* To the left all bits go where the count is outside of the width (XLA's rule). What LiteRT gives there depends on how its
 * compiler unrolled the loop. */
#define NPU__SHIFT_LEFT(bits) (y < 0 || y >= (bits) ? 0u : (uint32_t)x << y)
NPU__EW_ROW2(npu__shift_left_i8, NPU__EW_NO_LOCALS, int8_t, int8_t, int8_t, (uint8_t)NPU__SHIFT_LEFT(8))
NPU__EW_ROW2(npu__shift_left_i16, NPU__EW_NO_LOCALS, int16_t, int16_t, int16_t, (uint16_t)NPU__SHIFT_LEFT(16))
NPU__EW_ROW2(npu__shift_left_i32, NPU__EW_NO_LOCALS, int32_t, int32_t, int32_t, NPU__SHIFT_LEFT(32))
#undef NPU__SHIFT_LEFT

NPU__FN npu_status npu__right_shift_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    switch (c->out[0]->type) {
    case NPU_INT8: return npu__ew_prepare(c, npu__right_shift_i8, 2);
    case NPU_UINT8: return npu__ew_prepare(c, npu__right_shift_u8, 2);
    case NPU_INT16: return npu__ew_prepare(c, npu__right_shift_i16, 2);
    case NPU_UINT16: return npu__ew_prepare(c, npu__right_shift_u16, 2);
    case NPU_INT32: return npu__ew_prepare(c, npu__right_shift_i32, 2);
    case NPU_UINT32: return npu__ew_prepare(c, npu__right_shift_u32, 2);
    default: return npu__fail_types(c);
    }
}

NPU__OPDEF(npu__op_right_shift) = {2, 2, 1, 1, 0, NPU__EW_FLAGS2, NPU__DATA(npu__ew), npu__infer_broadcast2,
                                   npu__right_shift_prepare, NULL, npu__ew_eval, NULL};

NPU__FN npu_status npu__shift_left_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    switch (c->out[0]->type) {
    case NPU_INT8: return npu__ew_prepare(c, npu__shift_left_i8, 2);
    case NPU_INT16: return npu__ew_prepare(c, npu__shift_left_i16, 2);
    case NPU_INT32: return npu__ew_prepare(c, npu__shift_left_i32, 2);
    default: return npu__fail_types(c);
    }
}

NPU__OPDEF(npu__op_stablehlo_shift_left) = {2, 2, 1, 1, 0, NPU__EW_FLAGS2, NPU__DATA(npu__ew),
                                            npu__infer_same_shapes, npu__shift_left_prepare, NULL, npu__ew_eval, NULL};

/* ---- and ---- */

NPU__EW_VEC_ROW2(npu__and_bool, NPU__EW_NO_LOCALS, uint8_t, uint8_t, uint8_t, (x != 0) & (y != 0))
NPU__EW_VEC_ROW2(npu__and_8, NPU__EW_NO_LOCALS, uint8_t, uint8_t, uint8_t, x & y)
NPU__EW_VEC_ROW2(npu__and_16, NPU__EW_NO_LOCALS, uint16_t, uint16_t, uint16_t, x & y)
NPU__EW_VEC_ROW2(npu__and_32, NPU__EW_NO_LOCALS, uint32_t, uint32_t, uint32_t, x & y)
NPU__EW_VEC_ROW2(npu__and_64, NPU__EW_NO_LOCALS, uint64_t, uint64_t, uint64_t, x & y)

NPU__FN npu_status npu__stablehlo_and_prepare(npu__ctx *c) {
    if (!npu__ew_same_types(c, 2)) return npu__fail_types(c);
    switch (c->out[0]->type) {
    case NPU_BOOL: return npu__ew_prepare_loops(c, npu__and_bool, 2);
    case NPU_INT8: case NPU_UINT8: return npu__ew_prepare_loops(c, npu__and_8, 2);
    case NPU_INT16: case NPU_UINT16: return npu__ew_prepare_loops(c, npu__and_16, 2);
    case NPU_INT32: case NPU_UINT32: return npu__ew_prepare_loops(c, npu__and_32, 2);
    case NPU_INT64: case NPU_UINT64: return npu__ew_prepare_loops(c, npu__and_64, 2);
    default: return npu__fail_types(c);
    }
}

NPU__OPDEF(npu__op_stablehlo_and) = {2, 2, 1, 1, 0, NPU__EW_FLAGS2, NPU__DATA(npu__ew),
                                     npu__infer_same_shapes, npu__stablehlo_and_prepare, NULL, npu__ew_eval, NULL};

/* ---- BITCAST ---- */

/* A larger element becomes a last dimension of smaller ones, and such a dimension becomes one element. */
NPU__FN npu_status npu__bitcast_infer(npu__ctx *c) {
    const size_t from = npu__elem_bytes(c->in[0]->type), to = npu__elem_bytes(c->out[0]->type);
    npu__shape   s = c->in[0]->shape;
    if (from == 0 || to == 0) return npu__fail_types(c);
    if (from > to) {
        NPU__TRY(npu__need_max_rank(c, s.rank + 1));
        s.dims[s.rank++] = (int32_t)(from / to);
    } else if (from < to) {
        if (s.rank < 1 || (size_t)s.dims[s.rank - 1] != to / from) {
            return NPU__FAIL(c, NPU_INVALID_MODEL, "bitcast.shape", "the last dimension must be %d, the elements of the input that "
                             "make one of the output: got %d", (int)(to / from), s.rank < 1 ? 0 : s.dims[s.rank - 1]);
        }
        s.dims[--s.rank] = 0;
    }
    return npu__set_shape(c, 0, &s);
}

NPU__FN npu_status npu__bitcast_prepare(npu__ctx *c) {
    return c->in[0]->bytes == c->out[0]->bytes ? NPU_OK : npu__fail_types(c);
}

NPU__FN npu_status npu__bitcast_eval(npu__ctx *c) {
    npu__copy_bytes(c, c->out[0]->data, c->in[0]->data, c->out[0]->bytes);
    return NPU_OK;
}

NPU__OPDEF(npu__op_bitcast) = {1, 1, 1, 1, 0, NPU__OP_ALIAS, NPU__NO_DATA, npu__bitcast_infer, npu__bitcast_prepare, NULL,
                               npu__bitcast_eval, NULL};
