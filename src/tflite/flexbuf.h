/* Reading flexbuffers, the schema-less format of custom op options. Nothing is verified up front: every read is
 * checked where it happens, and what does not fit reads as absent. So any bytes may be given to these functions. */
#ifndef NPU__TFLITE_FLEXBUF_H
#define NPU__TFLITE_FLEXBUF_H

#include "../base/text.h"

typedef enum npu__flex_kind {
    NPU__FLEX_NULL = 0, /* absent, null or damaged */
    NPU__FLEX_INT, NPU__FLEX_FLOAT, NPU__FLEX_BOOL, NPU__FLEX_STR, NPU__FLEX_BLOB, NPU__FLEX_VEC, NPU__FLEX_MAP
} npu__flex_kind;

typedef struct npu__flex {
    const uint8_t *base; /* the whole flexbuffer */
    size_t         bytes;
    size_t         at;   /* position of the value: scalars at their bytes, vectors at element 0 */
    uint32_t       n;    /* elements of a vector or map, bytes of a string or blob */
    uint8_t        type; /* flexbuffer type, 0 = null */
    uint8_t        width; /* bytes of the scalar, or of one element */
} npu__flex;

/* The root value, nearly always a map. */
NPU__FN npu__flex npu__flex_root(const uint8_t *bytes, size_t n);
NPU__FN npu__flex_kind npu__flex_kind_of(npu__flex v);
/* Value of `key`; null when there is none or `map` is not a map. */
NPU__FN npu__flex npu__flex_get(npu__flex map, const char *key);
/* Elements of a vector or map (0 for everything else), element i, and the key of a map's element i. */
NPU__FN uint32_t npu__flex_count(npu__flex v);
NPU__FN npu__flex npu__flex_at(npu__flex v, uint32_t i);
NPU__FN npu__str npu__flex_key_at(npu__flex map, uint32_t i);

/* Scalars, converted between int, float and bool where the file has another of these; `dflt` for all other kinds.
 * Out of range values saturate, floats are cut towards zero, NaN gives 0. */
NPU__FN int64_t npu__flex_i64(npu__flex v, int64_t dflt);
NPU__FN int32_t npu__flex_i32(npu__flex v, int32_t dflt);
NPU__FN double  npu__flex_f64(npu__flex v, double dflt);
NPU__FN int     npu__flex_bool(npu__flex v, int dflt);
/* Bytes of a string, key or blob; empty for all other kinds. */
NPU__FN npu__str npu__flex_str(npu__flex v);

#if NPU__HAS_REPORTS
/* Writes the value as JSON on one line: at most 8 levels deep, 1000 values, and not much more than the buffer holds
 * however it shares values; "..." stands for the rest. In a JSON report call npu__json_key first. */
NPU__FN void npu__flex_print(npu__text *t, npu__flex v);
#endif

#endif
