/* Reading flatbuffers. Everything here trusts its argument: verify.c has walked the whole file before any of it runs.
 * Reads are byte-wise, so the file may lie at any address. */
#ifndef NPU__TFLITE_FB_H
#define NPU__TFLITE_FB_H

#include "../base/base.h"

typedef const uint8_t *npu__tab; /* start of a table in the file; NULL = absent, and every getter then gives its default */

/* A run of bytes in the file; p is NULL when absent (and n is 0 then). */
typedef struct npu__span {
    const uint8_t *p;
    size_t         n;
} npu__span;

typedef struct npu__vec {
    const uint8_t *p; /* first element, NULL when absent */
    uint32_t       n;
} npu__vec;

NPU__INLINE uint16_t npu__rd_u16(const uint8_t *p) { uint16_t v; memcpy(&v, p, 2); return v; }
NPU__INLINE uint32_t npu__rd_u32(const uint8_t *p) { uint32_t v; memcpy(&v, p, 4); return v; }
NPU__INLINE int32_t  npu__rd_i32(const uint8_t *p) { int32_t v; memcpy(&v, p, 4); return v; }
NPU__INLINE uint64_t npu__rd_u64(const uint8_t *p) { uint64_t v; memcpy(&v, p, 8); return v; }
NPU__INLINE int64_t  npu__rd_i64(const uint8_t *p) { int64_t v; memcpy(&v, p, 8); return v; }
NPU__INLINE float    npu__rd_f32(const uint8_t *p) { float v; memcpy(&v, p, 4); return v; }

/* Where field `slot` (0, 1, 2, ... in schema order) lies, NULL when the table does not have it. */
NPU__INLINE const uint8_t *npu__tab_field(npu__tab t, int slot) {
    const uint8_t *vt;
    uint16_t       off;
    if (!t) return NULL;
    vt = t - npu__rd_i32(t);
    if (4 + 2 * slot + 2 > npu__rd_u16(vt)) return NULL; /* bounded, here and below: slots are the schema's, below 64 */
    off = npu__rd_u16(vt + 4 + 2 * slot);
    return off ? t + off : NULL;
}

NPU__INLINE uint8_t npu__tab_u8(npu__tab t, int slot, uint8_t dflt) {
    const uint8_t *p = npu__tab_field(t, slot);
    return p ? *p : dflt;
}
NPU__INLINE int8_t npu__tab_i8(npu__tab t, int slot, int8_t dflt) {
    const uint8_t *p = npu__tab_field(t, slot);
    return p ? (int8_t)*p : dflt;
}
NPU__INLINE int32_t npu__tab_i32(npu__tab t, int slot, int32_t dflt) {
    const uint8_t *p = npu__tab_field(t, slot);
    return p ? npu__rd_i32(p) : dflt;
}
NPU__INLINE uint32_t npu__tab_u32(npu__tab t, int slot, uint32_t dflt) {
    const uint8_t *p = npu__tab_field(t, slot);
    return p ? npu__rd_u32(p) : dflt;
}
NPU__INLINE int64_t npu__tab_i64(npu__tab t, int slot, int64_t dflt) {
    const uint8_t *p = npu__tab_field(t, slot);
    return p ? npu__rd_i64(p) : dflt;
}
NPU__INLINE uint64_t npu__tab_u64(npu__tab t, int slot, uint64_t dflt) {
    const uint8_t *p = npu__tab_field(t, slot);
    return p ? npu__rd_u64(p) : dflt;
}
NPU__INLINE float npu__tab_f32(npu__tab t, int slot, float dflt) {
    const uint8_t *p = npu__tab_field(t, slot);
    return p ? npu__rd_f32(p) : dflt;
}

/* Follows the offset stored at `p`. */
NPU__INLINE const uint8_t *npu__fb_follow(const uint8_t *p) { return p + npu__rd_u32(p); }

NPU__INLINE npu__tab npu__tab_tab(npu__tab t, int slot) {
    const uint8_t *p = npu__tab_field(t, slot);
    return p ? npu__fb_follow(p) : NULL;
}
NPU__INLINE npu__vec npu__tab_vec(npu__tab t, int slot) {
    const uint8_t *p = npu__tab_field(t, slot);
    npu__vec       v;
    v.p = NULL;
    v.n = 0;
    if (p) {
        p = npu__fb_follow(p);
        v.n = npu__rd_u32(p);
        v.p = p + 4;
    }
    return v;
}
NPU__INLINE npu__str npu__tab_str(npu__tab t, int slot) {
    npu__vec v = npu__tab_vec(t, slot);
    npu__str s;
    s.p = v.p ? (const char *)v.p : "";
    s.n = v.n;
    return s;
}
/* bounded: elements of a vector that lies in the file */
NPU__INLINE int32_t  npu__vec_i32(npu__vec v, uint32_t i) { return npu__rd_i32(v.p + 4 * (size_t)i); }
NPU__INLINE int64_t  npu__vec_i64(npu__vec v, uint32_t i) { return npu__rd_i64(v.p + 8 * (size_t)i); } /* bounded: likewise */
NPU__INLINE float    npu__vec_f32(npu__vec v, uint32_t i) { return npu__rd_f32(v.p + 4 * (size_t)i); } /* bounded: likewise */
NPU__INLINE npu__tab npu__vec_tab(npu__vec v, uint32_t i) { return npu__fb_follow(v.p + 4 * (size_t)i); } /* bounded: likewise */

#endif
