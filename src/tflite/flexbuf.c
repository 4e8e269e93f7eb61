/* Flexbuffers: offsets count backwards, widths vary per value, a type byte packs type << 2 | log2(width). */
#include "flexbuf.h"
#include "../base/fp16.h"

enum {
    NPU__FXT_NULL = 0, NPU__FXT_INT = 1, NPU__FXT_UINT = 2, NPU__FXT_FLOAT = 3, NPU__FXT_KEY = 4, NPU__FXT_STRING = 5,
    NPU__FXT_INDIRECT_INT = 6, NPU__FXT_INDIRECT_FLOAT = 8, NPU__FXT_MAP = 9, NPU__FXT_VECTOR = 10,
    NPU__FXT_VECTOR_INT = 11, NPU__FXT_VECTOR_STRING = 15, /* typed: INT, UINT, FLOAT, KEY, STRING */
    NPU__FXT_VECTOR_INT2 = 16, NPU__FXT_VECTOR_FLOAT4 = 24, /* fixed: INT, UINT, FLOAT of 2, then of 3, of 4 */
    NPU__FXT_BLOB = 25, NPU__FXT_BOOL = 26, NPU__FXT_VECTOR_BOOL = 36
};

enum { NPU__FLEX_KEY_MAX = 1024 };

NPU__FN npu__flex npu__flex_null(void) {
    npu__flex v;
    memset(&v, 0, sizeof v);
    return v;
}

NPU__FN int npu__flex_inside(const npu__flex *v, size_t at, size_t bytes) {
    return bytes <= v->bytes && at <= v->bytes - bytes;
}

/* Unsigned integer of 1, 2, 4 or 8 bytes; false outside of the buffer. */
NPU__FN int npu__flex_rd(const npu__flex *v, size_t at, size_t width, uint64_t *out) {
    if ((width != 1 && width != 2 && width != 4 && width != 8) || !npu__flex_inside(v, at, width)) return 0;
    *out = 0;
    memcpy(out, v->base + at, width); /* little-endian, as the file */
    return 1;
}

/* Where the offset of `width` bytes at `at` leads. */
NPU__FN int npu__flex_follow(const npu__flex *v, size_t at, size_t width, size_t *target) {
    uint64_t back;
    if (!npu__flex_rd(v, at, width, &back) || back > at) return 0;
    *target = at - (size_t)back;
    return 1;
}

/* The integer of `width` bytes in front of `at`: a length or one of a map's two extra fields (`nth` = 2, 3). */
NPU__FN int npu__flex_before(const npu__flex *v, size_t at, size_t width, size_t nth, uint64_t *out) {
    return at >= width * nth && npu__flex_rd(v, at - width * nth, width, out); /* bounded: 8 times 3 */
}

/* Length of a zero-terminated key; false when it does not end inside the buffer, or is longer than any real one: many
 * offsets may lead to the same key, and each looks for its end. */
NPU__FN int npu__flex_key_len(const npu__flex *v, size_t at, uint32_t *len) {
    const size_t most = at < v->bytes ? NPU__MIN(v->bytes - at, (size_t)NPU__FLEX_KEY_MAX) : 0;
    const void  *end = most ? memchr(v->base + at, 0, most) : NULL;
    if (!end) return 0;
    *len = (uint32_t)((const uint8_t *)end - (v->base + at));
    return 1;
}

/* Fills v->n from the length in front of the value and checks that the elements lie inside. */
NPU__FN int npu__flex_sized(npu__flex *v, uint8_t elem_bytes) {
    uint64_t n;
    if (!npu__flex_before(v, v->at, v->width, 1, &n) || n > UINT32_MAX || v->at > v->bytes) return 0;
    v->n = (uint32_t)n;
    return n <= (v->bytes - v->at) / elem_bytes;
}

/* The value whose slot of `slot_width` bytes lies at `at`, of packed type `packed`. */
NPU__FN npu__flex npu__flex_value(const npu__flex *in, size_t at, uint8_t slot_width, uint8_t packed) {
    npu__flex v = *in;
    int       ok = 1;
    v.at = at;
    v.n = 0;
    v.type = (uint8_t)(packed >> 2);
    v.width = slot_width;
    if (v.type <= NPU__FXT_FLOAT || v.type == NPU__FXT_BOOL) { /* inline */
        return npu__flex_inside(&v, at, slot_width) ? v : npu__flex_null();
    }
    if (!npu__flex_follow(in, at, slot_width, &v.at)) return npu__flex_null();
    v.width = (uint8_t)(1 << (packed & 3));
    if (v.type >= NPU__FXT_INDIRECT_INT && v.type <= NPU__FXT_INDIRECT_FLOAT) {
        ok = npu__flex_inside(&v, v.at, v.width);
        v.type = (uint8_t)(v.type - NPU__FXT_INDIRECT_INT + NPU__FXT_INT);
    } else if (v.type == NPU__FXT_KEY) {
        ok = npu__flex_key_len(&v, v.at, &v.n);
    } else if (v.type == NPU__FXT_STRING || v.type == NPU__FXT_BLOB) {
        ok = npu__flex_sized(&v, 1);
    } else if (v.type == NPU__FXT_MAP || v.type == NPU__FXT_VECTOR) {
        ok = npu__flex_sized(&v, (uint8_t)(v.width + 1)); /* the elements' type bytes follow them */
    } else if (v.type == NPU__FXT_VECTOR_BOOL ||
               (v.type >= NPU__FXT_VECTOR_INT && v.type <= NPU__FXT_VECTOR_STRING)) {
        ok = npu__flex_sized(&v, v.width);
    } else if (v.type >= NPU__FXT_VECTOR_INT2 && v.type <= NPU__FXT_VECTOR_FLOAT4) {
        v.n = (uint32_t)(v.type - NPU__FXT_VECTOR_INT2) / 3u + 2u;
        ok = npu__flex_inside(&v, v.at, (size_t)v.n * v.width); /* bounded: 4 times 8 */
    } else {
        ok = 0;
    }
    return ok ? v : npu__flex_null();
}

NPU__FN npu__flex npu__flex_root(const uint8_t *bytes, size_t n) {
    npu__flex v = npu__flex_null();
    uint8_t   width;
    if (!bytes || n < 3) return v;
    width = bytes[n - 1];
    if ((width != 1 && width != 2 && width != 4 && width != 8) || n < 2u + width) return v;
    v.base = bytes;
    v.bytes = n;
    return npu__flex_value(&v, n - 2 - width, width, bytes[n - 2]);
}

NPU__FN npu__flex_kind npu__flex_kind_of(npu__flex v) {
    switch (v.type) {
    case NPU__FXT_NULL: return NPU__FLEX_NULL;
    case NPU__FXT_INT: case NPU__FXT_UINT: return NPU__FLEX_INT;
    case NPU__FXT_FLOAT: return NPU__FLEX_FLOAT;
    case NPU__FXT_BOOL: return NPU__FLEX_BOOL;
    case NPU__FXT_KEY: case NPU__FXT_STRING: return NPU__FLEX_STR;
    case NPU__FXT_BLOB: return NPU__FLEX_BLOB;
    case NPU__FXT_MAP: return NPU__FLEX_MAP;
    default: return NPU__FLEX_VEC;
    }
}

NPU__FN uint32_t npu__flex_count(npu__flex v) {
    npu__flex_kind k = npu__flex_kind_of(v);
    return k == NPU__FLEX_VEC || k == NPU__FLEX_MAP ? v.n : 0;
}

NPU__FN npu__flex npu__flex_at(npu__flex v, uint32_t i) {
    size_t  at = v.at + (size_t)i * v.width; /* wraps: not used then, see the next line but one */
    uint8_t type;
    if (i >= npu__flex_count(v)) return npu__flex_null();
    if (v.type == NPU__FXT_VECTOR || v.type == NPU__FXT_MAP) {
        /* bounded: npu__flex_sized found the types behind the elements in the buffer */
        return npu__flex_value(&v, at, v.width, v.base[v.at + (size_t)v.n * v.width + i]);
    }
    if (v.type == NPU__FXT_VECTOR_BOOL) type = NPU__FXT_BOOL;
    else if (v.type >= NPU__FXT_VECTOR_INT2) type = (uint8_t)((v.type - NPU__FXT_VECTOR_INT2) % 3 + NPU__FXT_INT);
    else if (v.type == NPU__FXT_VECTOR_STRING) type = NPU__FXT_KEY; /* its strings have lengths of unknown width */
    else type = (uint8_t)(v.type - NPU__FXT_VECTOR_INT + NPU__FXT_INT);
    return npu__flex_value(&v, at, v.width, (uint8_t)(type << 2));
}

/* Position of key i of a map, and how many bytes remain behind it. */
NPU__FN int npu__flex_key_pos(const npu__flex *map, uint32_t i, size_t *at) {
    uint64_t width = 0, n = 0;
    size_t   keys;
    if (map->type != NPU__FXT_MAP || !npu__flex_before(map, map->at, map->width, 2, &width)) return 0;
    if (width > 8 || map->at < 3u * map->width) return 0;
    if (!npu__flex_follow(map, map->at - 3u * map->width, map->width, &keys)) return 0;
    if (!npu__flex_before(map, keys, (size_t)width, 1, &n) || i >= n) return 0;
    if ((size_t)i > (map->bytes - keys) / (size_t)width) return 0;
    return npu__flex_follow(map, keys + (size_t)i * (size_t)width, (size_t)width, at); /* bounded: by the line above */
}

NPU__FN npu__str npu__flex_key_at(npu__flex map, uint32_t i) {
    npu__str s = npu__str_of("");
    uint32_t len;
    size_t   at;
    if (i >= npu__flex_count(map) || !npu__flex_key_pos(&map, i, &at) || !npu__flex_key_len(&map, at, &len)) return s;
    s.p = (const char *)map.base + at;
    s.n = len;
    return s;
}

/* Keys are compared one by one: options have few, and hostile ones need not be sorted. */
NPU__FN npu__flex npu__flex_get(npu__flex map, const char *key) {
    size_t len = strlen(key) + 1, at;
    if (map.type != NPU__FXT_MAP) return npu__flex_null();
    for (uint32_t i = 0; i < map.n; i++) {
        if (!npu__flex_key_pos(&map, i, &at) || !npu__flex_inside(&map, at, len)) continue;
        if (memcmp(map.base + at, key, len) == 0) return npu__flex_at(map, i);
    }
    return npu__flex_null();
}

NPU__FN double npu__flex_double(const npu__flex *v) {
    double   d = 0;
    uint64_t u = 0;
    if (!npu__flex_rd(v, v->at, v->width, &u)) return 0;
    if (v->width == 8) memcpy(&d, &u, 8);
    else if (v->width == 4) d = (double)npu__f32_from_bits((uint32_t)u);
    else if (v->width == 2) d = (double)npu__f16_to_f32((uint16_t)u);
    return d;
}

NPU__FN int64_t npu__flex_i64(npu__flex v, int64_t dflt) {
    uint64_t u = 0;
    double   d;
    switch (v.type) {
    case NPU__FXT_INT:
        if (!npu__flex_rd(&v, v.at, v.width, &u)) return dflt;
        if (v.width == 1) return (int8_t)(uint8_t)u;
        if (v.width == 2) return (int16_t)(uint16_t)u;
        return v.width == 4 ? (int64_t)(int32_t)(uint32_t)u : (int64_t)u;
    case NPU__FXT_UINT: return npu__flex_rd(&v, v.at, v.width, &u) ? (int64_t)NPU__MIN(u, (uint64_t)INT64_MAX) : dflt;
    case NPU__FXT_BOOL: return npu__flex_rd(&v, v.at, v.width, &u) ? u != 0 : dflt;
    case NPU__FXT_FLOAT:
        d = npu__flex_double(&v);
        if (d != d) return 0;
        if (d >= 9223372036854775808.0) return INT64_MAX;
        return d <= -9223372036854775808.0 ? INT64_MIN : (int64_t)d;
    default: return dflt;
    }
}

NPU__FN int32_t npu__flex_i32(npu__flex v, int32_t dflt) {
    int64_t i = npu__flex_i64(v, dflt);
    return (int32_t)NPU__MIN(NPU__MAX(i, (int64_t)INT32_MIN), (int64_t)INT32_MAX);
}

NPU__FN double npu__flex_f64(npu__flex v, double dflt) {
    switch (npu__flex_kind_of(v)) {
    case NPU__FLEX_FLOAT: return npu__flex_double(&v);
    case NPU__FLEX_INT: case NPU__FLEX_BOOL: return (double)npu__flex_i64(v, 0);
    default: return dflt;
    }
}

NPU__FN int npu__flex_bool(npu__flex v, int dflt) {
    switch (npu__flex_kind_of(v)) {
    case NPU__FLEX_FLOAT: return npu__flex_double(&v) != 0;
    case NPU__FLEX_INT: case NPU__FLEX_BOOL: return npu__flex_i64(v, 0) != 0;
    default: return dflt;
    }
}

NPU__FN npu__str npu__flex_str(npu__flex v) {
    npu__flex_kind k = npu__flex_kind_of(v);
    npu__str       s = npu__str_of("");
    if (k != NPU__FLEX_STR && k != NPU__FLEX_BLOB) return s;
    s.p = (const char *)v.base + v.at;
    s.n = v.n;
    return s;
}
