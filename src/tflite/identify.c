/* Is this a TFLite (or Circle) file, and if not, what is it? People open the wrong file more often than a broken one. */
#include "file_kinds.h"
#include "verify.h"

#if NPU__HAS_STRINGS

typedef struct npu__file_kind {
    const char *what, *next;
} npu__file_kind;

#define NPU__FILE_TEXT 1024 /* bytes of a text that are looked at */

NPU__FN int npu__bytes_at(const uint8_t *p, size_t n, size_t at, const char *bytes, size_t len) {
    return at <= n && len <= n - at && memcmp(p + at, bytes, len) == 0;
}

NPU__FN int npu__bytes_hold(const uint8_t *p, size_t n, const char *word) {
    const size_t len = strlen(word);
    for (size_t i = 0; i + len <= n; i++) if (memcmp(p + i, word, len) == 0) return 1;
    return 0;
}

/* ---- protocol buffers, which have no mark of their own: the first fields must be those of the format ---- */

/* The number at *at, which is moved past it; -1 when it is cut off or longer than 5 bytes. */
NPU__FN int64_t npu__pb_number(const uint8_t *p, size_t n, size_t *at) {
    int64_t v = 0;
    for (int shift = 0; shift < 35 && *at < n; shift += 7) {
        const uint8_t b = p[(*at)++];
        v |= (int64_t)(b & 127u) << shift; /* bounded: 35 bits */
        if (b < 128) return v;
    }
    return -1;
}

/* The field at *at has this tag and holds printable text, which *at is moved past. */
NPU__FN int npu__pb_text(const uint8_t *p, size_t n, size_t *at, uint8_t tag) {
    int64_t len;
    if (*at >= n || p[(*at)++] != tag) return 0;
    len = npu__pb_number(p, n, at);
    if (len < 1 || len > 256 || (size_t)len > n - *at) return 0;
    for (int64_t i = 0; i < len; i++, *at += 1) if (p[*at] < 32 || p[*at] > 126) return 0;
    return 1;
}

/* The field at *at has this tag and a length; *at is moved to its contents. */
NPU__FN int npu__pb_open(const uint8_t *p, size_t n, size_t *at, uint8_t tag) {
    return *at < n && p[(*at)++] == tag && npu__pb_number(p, n, at) > 0 && *at < n;
}

NPU__FN const npu__file_kind *npu__protobuf_kind(const uint8_t *p, size_t n) {
    static const npu__file_kind onnx = {"an ONNX model", NPU__NEXT_ONNX};
    static const npu__file_kind core = {"a Core ML model (.mlmodel)", NPU__NEXT_CONVERT};
    static const npu__file_kind saved = {"a TensorFlow SavedModel (.pb)", NPU__NEXT_KERAS};
    static const npu__file_kind graph = {"a TensorFlow graph (.pb)", NPU__NEXT_KERAS};
    size_t  at = 1, text;
    int64_t version;
    if (n < 4) return NULL;
    if (p[0] == 0x0A) { /* a list of nodes, each of which starts with its name and its operator */
        at = 0;
        return npu__pb_open(p, n, &at, 0x0A) && npu__pb_text(p, n, &at, 0x0A) && npu__pb_text(p, n, &at, 0x12) ? &graph : NULL;
    }
    if (p[0] != 0x08) return NULL; /* all others start with a version */
    version = npu__pb_number(p, n, &at);
    if (version < 1 || version > 40) return NULL;
    text = at;
    if (npu__pb_text(p, n, &text, 0x12)) return &onnx; /* who produced it */
    text = at;
    if (npu__pb_open(p, n, &text, 0x3A) && (p[text] == 0x0A || p[text] == 0x12)) return &onnx; /* the graph */
    if (!npu__pb_open(p, n, &at, 0x12) || !npu__pb_open(p, n, &at, 0x0A)) return NULL;
    if (npu__pb_text(p, n, &at, 0x0A)) return &core; /* the name of its first input */
    return version == 1 ? &saved : NULL;
}

/* ---- others that take more than a look at the first bytes ---- */

/* The length of a JSON header, then the header. */
NPU__FN int npu__is_safetensors(const uint8_t *p, size_t n) {
    return n >= 10 && p[8] == '{' && p[9] == '"' && npu__rd_u64(p) >= 8 && npu__rd_u64(p) < (uint64_t)1 << 32;
}

NPU__FN const npu__file_kind *npu__zip_kind(const uint8_t *p, size_t n) {
    static const struct {
        int            at_end;
        const char    *name;
        npu__file_kind kind;
    } kinds[] = {
#define NPU__X(at_end, name, what, next) {at_end, name, {what, next}},
        NPU__FILE_ZIP_LIST(NPU__X)
#undef NPU__X
    };
    size_t  len = n >= 30 ? NPU__MIN((size_t)npu__rd_u16(p + 26), n - 30) : 0;
    int32_t i = 0;
    for (; i + 1 < NPU__COUNT(kinds); i++) {
        const size_t k = strlen(kinds[i].name);
        if (k <= len && memcmp(p + 30 + (kinds[i].at_end ? len - k : 0), kinds[i].name, k) == 0) break;
    }
    return &kinds[i].kind; /* the last row fits all */
}

NPU__FN int npu__is_text(const uint8_t *p, size_t n) {
    size_t high = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == 127 || (p[i] < 32 && p[i] != '\n' && p[i] != '\r' && p[i] != '\t' && p[i] != '\f')) return 0;
        high += p[i] > 127;
    }
    return n > 0 && high <= n / 2;
}

NPU__FN const npu__file_kind *npu__text_kind(const uint8_t *p, size_t n) {
    static const struct {
        const char    *start, *word;
        npu__file_kind kind;
    } kinds[] = {
#define NPU__X(start, word, what, next) {start, word, {what, next}},
        NPU__FILE_TEXT_LIST(NPU__X)
#undef NPU__X
    };
    int32_t i = 0;
    n = NPU__MIN(n, (size_t)NPU__FILE_TEXT);
    if (!npu__is_text(p, n)) return NULL;
    if (npu__bytes_at(p, n, 0, "\357\273\277", 3)) { /* a byte order mark */
        p += 3;
        n -= 3;
    }
    while (n > 0 && *p <= ' ') {
        p++;
        n--;
    }
    for (; i + 1 < NPU__COUNT(kinds); i++) {
        if (npu__bytes_at(p, n, 0, kinds[i].start, strlen(kinds[i].start)) && npu__bytes_hold(p, n, kinds[i].word)) break;
    }
    /* A few letters are no evidence. */
    return i + 1 < NPU__COUNT(kinds) || n >= 8 ? &kinds[i].kind : NULL;
}

NPU__FN int npu__is_zeros(const uint8_t *p, size_t n) {
    for (size_t i = 0; i < n && i < 64; i++) if (p[i]) return 0;
    return n >= 64;
}

/* NULL: nothing that is known here. */
NPU__FN const npu__file_kind *npu__file_kind_of(const uint8_t *p, size_t n) {
    static const struct {
        size_t         at, len, at2, len2;
        const char    *bytes, *bytes2;
        npu__file_kind kind;
    } kinds[] = {
#define NPU__X(at, bytes, at2, bytes2, what, next) {at, sizeof(bytes) - 1, at2, sizeof(bytes2) - 1, bytes, bytes2, {what, next}},
        NPU__FILE_KIND_LIST(NPU__X)
#undef NPU__X
#define NPU__X(identifier, what, next) {4, 4, 0, 0, identifier, "", {what, next}},
        NPU__FILE_IDENTIFIER_LIST(NPU__X)
#undef NPU__X
    };
    static const npu__file_kind model = {"a TFLite model", ""};
    static const npu__file_kind circle = {"a Circle model", ""};
    static const npu__file_kind prefixed = {"a TFLite model with a size prefix", "pass the bytes after the first 4"};
    static const npu__file_kind tensors = {"safetensors weights", NPU__NEXT_TORCH};
    static const npu__file_kind zeros = {"a file that starts with zeros only", "copy or download it again"};
    if (npu__bytes_at(p, n, 4, "TFL3", 4)) return &model;
    if (npu__bytes_at(p, n, 4, "CIR0", 4)) return &circle;
    if (npu__bytes_at(p, n, 8, "TFL3", 4)) return &prefixed;
    if (npu__bytes_at(p, n, 0, "PK\003\004", 4)) return npu__zip_kind(p, n);
    for (int32_t i = 0; i < NPU__COUNT(kinds); i++) {
        if (!npu__bytes_at(p, n, kinds[i].at, kinds[i].bytes, kinds[i].len)) continue;
        if (npu__bytes_at(p, n, kinds[i].at2, kinds[i].bytes2, kinds[i].len2)) return &kinds[i].kind;
    }
    if (npu__is_safetensors(p, n)) return &tensors;
    if (npu__is_zeros(p, n)) return &zeros;
    if (npu__protobuf_kind(p, n)) return npu__protobuf_kind(p, n);
    return npu__text_kind(p, n);
}

#undef NPU__FILE_TEXT
#endif

NPU_API const char *npu_file_kind(const void *bytes, size_t n_bytes, const char **next) {
#if NPU__HAS_STRINGS
    const npu__file_kind *k = bytes ? npu__file_kind_of((const uint8_t *)bytes, n_bytes) : NULL;
    if (next) *next = k ? k->next : "";
    return k ? k->what : NULL;
#else
    (void)bytes;
    (void)n_bytes;
    if (next) *next = "";
    return NULL;
#endif
}

/* A flatbuffer of some other schema has a root offset that fits and four printable bytes after it. */
NPU__FN int npu__other_identifier(const uint8_t *p, size_t n) {
    if (n < 12 || npu__rd_u32(p) < 8 || npu__rd_u32(p) > n - 4) return 0;
    for (int i = 4; i < 8; i++) {
        if (!((p[i] >= '0' && p[i] <= '9') || (p[i] >= 'A' && p[i] <= 'Z') || (p[i] >= 'a' && p[i] <= 'z'))) return 0;
    }
    return 1;
}

NPU__FN int npu__is_circle(const uint8_t *bytes, size_t n) { return n >= 8 && memcmp(bytes + 4, "CIR0", 4) == 0; }

NPU__FN npu_status npu__verify_identifier(const uint8_t *bytes, size_t n, npu_diag *diag) {
    const char *rule = "tflite.identifier", *what, *next;
    npu__str    id;
    if (npu__is_circle(bytes, n) || (n >= 8 && memcmp(bytes + 4, "TFL3", 4) == 0)) return NPU_OK;
    if (diag && diag->status == NPU_OK) diag->file_offset = 0;
    if (n == 0) {
        return npu__diag_fail(diag, NPU_INVALID_MODEL, "tflite.empty", "the file is empty: open a .tflite model");
    }
    what = npu_file_kind(bytes, n, &next);
    if (what) return npu__diag_fail(diag, NPU_INVALID_MODEL, rule, "not a TFLite model but %s: %s", what, next);
    if (n < 8) {
        return npu__diag_fail(diag, NPU_INVALID_MODEL, rule, "the file has %z bytes: too short for a TFLite model", n);
    }
    if (diag && diag->status == NPU_OK) diag->file_offset = 4;
    id.p = (const char *)bytes + 4;
    id.n = 4;
    if (npu__other_identifier(bytes, n)) {
        return npu__diag_fail(diag, NPU_INVALID_MODEL, rule,
                              "a flatbuffer, but its identifier is \"%S\" where TFLite schema v3 has \"TFL3\"", &id);
    }
    return npu__diag_fail(diag, NPU_INVALID_MODEL, rule,
                          "not a TFLite model: bytes 4 to 7 are %u %u %u %u where \"TFL3\" (84 70 76 51) must stand",
                          (unsigned)bytes[4], (unsigned)bytes[5], (unsigned)bytes[6], (unsigned)bytes[7]);
}
