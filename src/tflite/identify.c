/* Is this a TFLite file, and if not, what is it? People open the wrong file more often than a broken one. */
#include "verify.h"

typedef struct npu__magic {
    const char *bytes, *hint;
} npu__magic;

static const npu__magic npu__magics[] = {
    {"PK\003\004", "a ZIP archive (.task, .keras, .pt and .npz are): unpack it and open the .tflite inside"},
    {"\037\213", "gzip data: decompress it first"},
    {"version https://git-lfs", "a Git LFS pointer: fetch the real file with git lfs pull"},
    {"<", "HTML or XML: the download was a web page"},
    {"{", "JSON: convert it with flatc, or open the .tflite it describes"},
    {"[", "JSON"},
    {"\211HDF", "an HDF5 file (Keras .h5): convert it to TFLite"},
    {"GGUF", "a GGUF file: convert it to TFLite"},
    {"\177ELF", "an ELF binary"},
    {"\211PNG", "a PNG image"},
    {"BZh", "bzip2 data: decompress it first"},
    {"\3757zXZ", "xz data: decompress it first"},
    {"\050\265\057\375", "zstd data: decompress it first"},
};

NPU__FN int npu__has_magic(const uint8_t *p, size_t n, const char *magic) {
    size_t len = strlen(magic);
    return n >= len && memcmp(p, magic, len) == 0;
}

/* A flatbuffer of some other schema has a root offset that fits and four printable bytes after it. */
NPU__FN int npu__other_identifier(const uint8_t *p, size_t n) {
    if (n < 12 || npu__rd_u32(p) < 8 || npu__rd_u32(p) > n - 4) return 0;
    for (int i = 4; i < 8; i++) {
        if (!((p[i] >= '0' && p[i] <= '9') || (p[i] >= 'A' && p[i] <= 'Z') || (p[i] >= 'a' && p[i] <= 'z'))) return 0;
    }
    return 1;
}

NPU__FN npu_status npu__verify_identifier(const uint8_t *bytes, size_t n, npu_diag *diag) {
    const char *rule = "tflite.identifier";
    npu__str    id;
    if (n >= 8 && memcmp(bytes + 4, "TFL3", 4) == 0) return NPU_OK;
    if (diag && diag->status == NPU_OK) diag->file_offset = n < 8 ? 0 : 4;
    if (n == 0) {
        return npu__diag_fail(diag, NPU_INVALID_MODEL, "tflite.empty", "the file is empty: open a .tflite model");
    }
    if (n >= 12 && memcmp(bytes + 8, "TFL3", 4) == 0) {
        return npu__diag_fail(diag, NPU_INVALID_MODEL, rule,
                              "the model starts with a size prefix: pass the bytes after the first 4");
    }
    for (int32_t i = 0; i < NPU__COUNT(npu__magics); i++) {
        if (npu__has_magic(bytes, n, npu__magics[i].bytes)) {
            return npu__diag_fail(diag, NPU_INVALID_MODEL, rule, "not a TFLite model but %s", npu__magics[i].hint);
        }
    }
    if (n < 8) {
        return npu__diag_fail(diag, NPU_INVALID_MODEL, rule,
                              "the file has %z bytes: too short for a TFLite model", n);
    }
    /* Circle is TFLite's schema with fields of other meaning in the same slots, so it is not read as TFLite. */
    if (memcmp(bytes + 4, "CIR0", 4) == 0) {
        return npu__diag_fail(diag, NPU_INVALID_MODEL, rule, "a Circle model (identifier CIR0): export it as TFLite");
    }
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
