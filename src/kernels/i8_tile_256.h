/* Template: i8_tile_v.h on 256 bits. The includer defines NPU__V, NPU__T_FN, NPU__T_K, NPU__T_MOST, NPU__T_DOT and NPU__T_W (no
 * include guard). */

#define NPU__T __m256i
#define NPU__T_FIN npu__fin__avx2
#define NPU__T_NEAR npu__near__avx2
#define NPU__T_LANES 8
#define NPU__T_LOAD(p) NPU__LOAD32(p)
#define NPU__T_SET1(x) _mm256_set1_epi32(x)
#define NPU__T_ADD(a, b) _mm256_add_epi32(a, b)
#define NPU__T_XOR(a, b) _mm256_xor_si256(a, b)
#define NPU__T_FOLDED(x, head) \
    npu__requant_folded__avx2(x, NPU__LOAD32(head), NPU__LOAD32((head) + 4), NPU__LOAD32((head) + 64), NPU__LOAD32((head) + 128))
#define NPU__T_ANY(x, head) npu__requant_any__avx2(x, NPU__LOAD32(head), NPU__LOAD32((head) + 64), NPU__LOAD32((head) + 128))
#define NPU__T_STORE1(out, x) npu__store_cols__avx2(out, npu__finish8__avx2(x, folded, fin), cols)
#define NPU__T_STORE2(out, x, y) npu__store_cols__avx2(out, npu__finish16__avx2(x, y, folded, fin), cols)
#define NPU__T_RAW1(out, x) _mm256_storeu_si256((__m256i *)(void *)(out), _mm256_xor_si256(x, offset))
#define NPU__T_RAW2(out, x, y) npu__raw16__avx2(out, _mm256_xor_si256(x, offset), _mm256_xor_si256(y, offset))
#define NPU__T_SCALED(n, i, both, x, doubt) npu__near_scaled__avx2(n, i, both, x, doubt)
#define NPU__T_DOUBT(doubt) npu__near_doubt__avx2(doubt)
/* In order: eight words, or what is packed as the columns are. */
#define NPU__T_WORDS1(out, x) npu__store_cols__avx2(out, npu__bytes16__avx2(_mm256_permute4x64_epi64(_mm256_packs_epi32(x, x), 0x08), fin), cols)
#define NPU__T_WORDS2(out, x, y) npu__store_cols__avx2(out, npu__bytes16__avx2(_mm256_packs_epi32(x, y), fin), cols)
#include "i8_tile_v.h"
