/* One row times weights in panels of 64 units: for layers small enough to stay in the cache, where rows as they lie cost additions across
 * lanes and, of floats, many streams at a time. */
#ifndef NPU__KERNELS_GEMV_PANELS_H
#define NPU__KERNELS_GEMV_PANELS_H

#include "kernels.h"

/* A panel: for each element of the depth 4 bytes of every unit (a float, or four bytes of which the last may be missing: zeros). The last
 * panel has a multiple of sixteen units, those that are not there zeros. Bytes are a multiple of NPU__PANELS_I8_DEPTH deep. */
#define NPU__PANELS_UNITS 64
#define NPU__PANELS_I8_DEPTH 16

/* Bytes from unit to unit, and so from panel to panel: NPU__PANELS_UNITS times that. */
NPU__INLINE size_t npu__gemv_panels_stride(int32_t k, int is_float) {
    const size_t step = NPU__PANELS_I8_DEPTH;
    return is_float ? (size_t)k * sizeof(float) : ((size_t)k + step - 1) / step * step;
}

/* job->w: panels; n0 is a multiple of NPU__PANELS_UNITS. Of bytes as run_bytes of npu__gemv_i8_kernel, the sums of the weights given;
 * job->bytes is as deep as the panels, with anything behind k. */
typedef struct npu__gemv_panels_i8_kernel {
    const char     *name;
    npu_isa         isa;
    npu__gemv_i8_fn run;
} npu__gemv_panels_i8_kernel;
typedef struct npu__gemv_panels_f32_kernel {
    const char      *name;
    npu_isa          isa;
    npu__gemv_f32_fn run;
} npu__gemv_panels_f32_kernel;
NPU__FN const npu__gemv_panels_i8_kernel  *npu__gemv_panels_i8_select(npu_isa isa); /* NULL: none */
NPU__FN const npu__gemv_panels_f32_kernel *npu__gemv_panels_f32_select(npu_isa isa);

/* n rows of k bytes, or of k floats; false if the size overflows. */
NPU__FN int  npu__gemv_panels_bytes(int32_t n, int32_t k, int is_float, size_t *bytes);
NPU__FN void npu__gemv_panels_pack(const void *w, int32_t n, int32_t k, int is_float, void *panels);

/* Each takes bytes as the row of its instruction set in NPU__GEMV_I8_KERNELS does. */
#define NPU__PANELS_I8_KERNELS(X)                                                    \
    NPU__X86_ROW(X, "gemv_i8.vnni", AVX512VNNI, npu__gemv_panels_i8__vnni)           \
    NPU__AVXVNNI_ROW(X, "gemv_i8.avxvnni", AVXVNNI, npu__gemv_panels_i8__avxvnni)    \
    NPU__X86_ROW(X, "gemv_i8.avx2", AVX2, npu__gemv_panels_i8__avx2)
#define NPU__PANELS_F32_KERNELS(X)                                                     \
    NPU__X86_ROW(X, "gemv_f32.avx512", AVX512, npu__gemv_panels_f32__avx512)           \
    NPU__X86_ROW(X, "gemv_f32.avx2", AVX2, npu__gemv_panels_f32__avx2)

#endif
