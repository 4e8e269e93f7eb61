/* How many bytes each struct that a model, a plan or a session allocates has on other machines: so a plan made here can say what it
 * would take there. X(type, 64 bits, 32 bits, 32-bit x86: where int64_t needs an alignment of 4 only). Structs of a build
 * without threads; no other switch changes them.
 *
 * The numbers are written by tests/compile/sizes.py --write, here and in the sizes.h of each vendor; the compile matrix
 * proves them with every compiler it has, for all three kinds of machines. */
#ifndef NPU__BASE_SIZES_H
#define NPU__BASE_SIZES_H

#include "config.h"

#define NPU__SIZES(X) \
    X(npu__word, 8, 4, 4) \
    X(npu__vec, 16, 8, 8) \
    X(npu__opts_wide, 16, 16, 12) \
    X(npu_model, 272, 160, 156) \
    X(npu__subgraph, 64, 40, 40) \
    X(npu__tensor, 168, 132, 132) \
    X(npu__node, 112, 68, 68) \
    X(npu__sparsity, 64, 32, 32) \
    X(npu__sparse_level, 48, 32, 32) \
    X(npu_user_op, 80, 52, 52) \
    X(npu__user_def, 88, 60, 60) \
    X(npu__meta, 32, 16, 16) \
    X(npu__sig, 48, 28, 28) \
    X(npu__sig_entry, 24, 12, 12) \
    X(npu_plan, 288, 200, 184) \
    X(npu__subplan, 104, 56, 56) \
    X(npu__val, 72, 56, 56) \
    X(npu__place, 24, 20, 20) \
    X(npu__step, 104, 72, 68) \
    X(npu__seg, 136, 80, 80) \
    X(npu__slot_req, 32, 16, 16) \
    X(npu__resource, 48, 24, 24) \
    X(npu__fork, 24, 16, 16) \
    X(npu_session, 1384, 760, 748) \
    X(npu__subrun, 56, 28, 28) \
    X(npu__ctx, 64, 36, 36) \
    X(npu__heap_val, 16, 8, 8) \
    X(npu__op_time, 32, 32, 32) \
    X(npu__arg_data, 24, 12, 12) \
    X(npu__argmax_pool, 32, 32, 32) \
    X(npu__arith, 544, 504, 500) \
    X(npu__bmm_data, 400, 360, 348) \
    X(npu__cast, 368, 336, 336) \
    X(npu__compare, 432, 392, 392) \
    X(npu__concatenation_data, 24, 16, 16) \
    X(npu__conv_data, 360, 276, 276) \
    X(npu__tconv_data, 664, 544, 544) \
    X(npu__conv_3d, 144, 136, 128) \
    X(npu__conv_geom, 64, 64, 64) \
    X(npu__cumsum_data, 24, 24, 24) \
    X(npu__densify_data, 776, 648, 580) \
    X(npu__dequantize, 400, 368, 364) \
    X(npu__detect, 120, 108, 108) \
    X(npu__div, 440, 408, 404) \
    X(npu__ew, 360, 328, 328) \
    X(npu__fake_quant, 376, 344, 344) \
    X(npu__fc_data, 280, 200, 200) \
    X(npu__gather_data, 16, 12, 12) \
    X(npu__flow, 4, 4, 4) \
    X(npu__hash_lookup, 4, 4, 4) \
    X(npu__hashtable, 4, 4, 4) \
    X(npu__hashtable_find, 4, 4, 4) \
    X(npu__l2_norm, 48, 40, 32) \
    X(npu__landmarks, 48, 48, 48) \
    X(npu__log_softmax, 2120, 2104, 2100) \
    X(npu__logistic, 1400, 1368, 1364) \
    X(npu__lstm, 344, 336, 336) \
    X(npu__bidi_lstm, 688, 672, 672) \
    X(npu__lsh, 4, 4, 4) \
    X(npu__lut_op, 1392, 1360, 1356) \
    X(npu__named, 8, 4, 4) \
    X(npu__nms_data, 4, 4, 4) \
    X(npu__mfcc, 40, 40, 40) \
    X(npu__move, 248, 240, 240) \
    X(npu__pack_data, 16, 8, 8) \
    X(npu__pad_data, 264, 256, 256) \
    X(npu__pool_data, 104, 92, 92) \
    X(npu__quantize, 696, 656, 652) \
    X(npu__random, 24, 24, 24) \
    X(npu__reduce_data, 432, 424, 420) \
    X(npu__relu, 1456, 1424, 1420) \
    X(npu__norm, 40, 40, 36) \
    X(npu__gru, 40, 40, 32) \
    X(npu__attention, 32, 32, 32) \
    X(npu__bcq, 48, 48, 48) \
    X(npu__resize_bilinear_data, 48, 40, 40) \
    X(npu__resize_nearest_data, 24, 16, 16) \
    X(npu__rfft2d, 40, 36, 36) \
    X(npu__rnn, 104, 96, 96) \
    X(npu__bidi_rnn, 208, 192, 192) \
    X(npu__embedding, 24, 24, 16) \
    X(npu__signal_bank_data, 16, 8, 8) \
    X(npu__signal_delay_data, 16, 12, 12) \
    X(npu__signal_energy_data, 16, 12, 12) \
    X(npu__signal_fft_data, 248, 236, 236) \
    X(npu__signal_framer_data, 32, 28, 28) \
    X(npu__signal_log_data, 16, 12, 12) \
    X(npu__signal_overlap_data, 16, 12, 12) \
    X(npu__signal_pcan_data, 16, 8, 8) \
    X(npu__signal_plain, 8, 4, 4) \
    X(npu__signal_stacker_data, 32, 28, 28) \
    X(npu__signal_subtract_data, 48, 40, 40) \
    X(npu__signal_window_data, 16, 8, 8) \
    X(npu__skip_gram, 4, 4, 4) \
    X(npu__softmax, 2120, 2112, 2104) \
    X(npu__spectrogram, 32, 32, 32) \
    X(npu__split_data, 16, 12, 12) \
    X(npu__sqdiff, 424, 392, 388) \
    X(npu__svdf, 96, 88, 88) \
    X(npu__tile, 440, 432, 432) \
    X(npu__topk_data, 16, 8, 8) \
    X(npu__transform_image, 4, 4, 4) \
    X(npu__transform_points, 8, 8, 8) \
    X(npu__unary, 1424, 1392, 1384) \
    X(npu__unique_data, 8, 8, 8) \
    X(npu__var_handle, 4, 4, 4)

typedef void *npu__word; /* any pointer, and size_t */

/* Bytes of something here and, in builds that report on other machines, there: by npu_machine - 1. */
typedef struct npu__size {
    size_t   here;
#if NPU__HAS_REPORTS
    uint16_t there[NPU_MACHINE_COUNT - 1];
#endif
} npu__size;

#if NPU__HAS_REPORTS
#  define NPU__SIZE_ROW(type, on64, on32, on_x86) NPU__ON64_##type = on64, NPU__ON32_##type = on32, NPU__ON_X86_##type = on_x86,
enum { NPU__SIZES(NPU__SIZE_ROW) NPU__ON_END }; /* a vendor's own structs: a list like this one in its folder */
/* NPU__SIZED begins a variable, NPU__SIZE is a value. */
#  define NPU__SIZED(type) {sizeof(type), {NPU__ON64_##type, NPU__ON32_##type, NPU__ON_X86_##type}}
#  define NPU__SIZE(type) npu__size_of(sizeof(type), NPU__ON64_##type, NPU__ON32_##type, NPU__ON_X86_##type)
#  define NPU__NO_SIZE {0, {0, 0, 0}}
NPU__INLINE npu__size npu__size_of(size_t here, int on64, int on32, int on_x86) {
    npu__size s = NPU__NO_SIZE;
    s.here = here;
    s.there[NPU_MACHINE_64BIT - 1] = (uint16_t)on64;
    s.there[NPU_MACHINE_32BIT - 1] = (uint16_t)on32;
    s.there[NPU_MACHINE_X86_32 - 1] = (uint16_t)on_x86;
    return s;
}
#else
#  define NPU__SIZED(type) {sizeof(type)}
#  define NPU__SIZE(type) npu__size_of(sizeof(type))
#  define NPU__NO_SIZE {0}
NPU__INLINE npu__size npu__size_of(size_t here) {
    npu__size s;
    s.here = here;
    return s;
}
#endif

/* `machine`: an npu_machine. */
NPU__INLINE size_t npu__size_on(const npu__size *s, int32_t machine) {
#if NPU__HAS_REPORTS
    return machine == NPU_MACHINE_THIS ? s->here : s->there[machine - 1];
#else
    (void)machine;
    return s->here;
#endif
}

#endif
