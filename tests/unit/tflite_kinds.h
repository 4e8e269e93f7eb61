/* Files that are no TFLite models, and models that lost their end. */
#ifndef TESTS_UNIT_TFLITE_KINDS_H
#define TESTS_UNIT_TFLITE_KINDS_H

#include "test.h"
#include "tflite_sources.h"

#define KIND(bytes, what) {bytes, sizeof(bytes) - 1, what}

/* A local header of a ZIP archive with a name of `n` letters. */
#define ZIP(n, name) "PK\3\4" "0123456789012345678901" n "\0\0\0" name

static const struct {
    const char *bytes;
    size_t      n;
    const char *what; /* a part of it; NULL: unknown */
} kind_cases[] = {
    KIND("\34\0\0\0TFL3", "a TFLite model"), KIND("\20\0\0\0CIR0", "a Circle model"),
    KIND("\34\0\0\0\34\0\0\0TFL3", "size prefix"),
    KIND("\20\0\0\0TFL2", "version 2"), KIND("\20\0\0\0ET12", "ExecuTorch"),
    KIND("version https://git-lfs.github.com/spec/v1\n", "Git LFS"), KIND("\211PNG\r\n\32\n....", "PNG"),
    KIND("\377\330\377\340..JFIF", "JPEG"), KIND("BM\1\2\3\4\0\0\0\0", "BMP"), KIND("BMW and others", "text"),
    KIND("RIFF\1\2\3\4WAVEfmt ", "WAV"), KIND("RIFF\1\2\3\4WEBPVP8 ", "WebP"), KIND("RIFF\1\2\3\4abcd", NULL),
    KIND("\0\0\0\30ftypheic", "HEIF"), KIND("\0\0\0\30ftypisom", "MP4"), KIND("\223NUMPY\1\0", ".npy"),
    KIND("\37\213\10\0", "gzip"), KIND("\0asm\1\0\0\0", "WebAssembly"), KIND("\34\0\0\0AFRG", NULL),
    KIND("HAAAAFRGTDMUACAA", "Base64"),
    KIND(ZIP("\3", "a.b"), "a ZIP archive"), KIND(ZIP("\7", "arr.npy"), ".npz"), KIND(ZIP("\20", "archive/data.pkl"), "PyTorch"),
    KIND(ZIP("\15", "metadata.json"), "Keras"), KIND(ZIP("\177", "metadata.json"), "Keras"), KIND("PK\3\4", "a ZIP archive"),
    KIND("\110\0\0\0\0\0\0\0{\"__metadata__\":{}}", "safetensors"), KIND("\110\0\0\0\1\0\0\0{\"", NULL),
    KIND("\1\0\0\0\0\0\0\0{\"a\":0}", NULL), KIND("\110\0\0\0\0\0\0\0[\"", NULL), KIND("\110\0\0\0\0\0\0\0{'", NULL),
    KIND("\10\7\22\7pytorch", "ONNX"), KIND("\10\10:\377\1\n\20..", "ONNX"), KIND("\10\10:\377\1\22\20..", "ONNX"),
    KIND("\10\10:\377\1\3", NULL), KIND("\10\0\22\7pytorch", NULL), KIND("\10\51\22\7pytorch", NULL),
    KIND("\10\7\22\7pyt\1rch", NULL), KIND("\10\7\22\0pytorch", NULL), KIND("\10\7\22\17pytorch", NULL),
    KIND("\10\7\22", NULL), KIND("\10\7\22\377\377\377\377\377\377", NULL), KIND("\10\7\22\377\177py", NULL),
    KIND("\10\4\22\100\n\16\n\5image\22\1", "Core ML"), KIND("\10\1\22\100\n\16\22\5\1\2", "SavedModel"),
    KIND("\10\4\22\100\n\16\22\5\1\2", NULL), KIND("\10\4\22\100\1\2\3", NULL), KIND("\10\4\22\177", NULL),
    KIND("\10\377\377\377\377\377\377", NULL), KIND("\10\7\0\0\1", NULL), KIND("\10\7py", NULL),
    KIND("\n\40\n\5input\22\13Placeholder", "TensorFlow graph"), KIND("\n\40\n\5input\32\13Placeholder", NULL),
    KIND("\n\40\32\5input", NULL), KIND("\n\0\n\5input\1", NULL), KIND("\n\40", NULL), KIND("\11\40\1\2", NULL),
    KIND(" {\"a\": 1}", "JSON"), KIND("{}", "JSON"), KIND("\n[1]", "JSON"), KIND("{\"modelTopology\": 1}", "TensorFlow.js"),
    KIND("\357\273\277<!DOCTYPE html>", "HTML"), KIND("<?xml version=\"1.0\"?><net", "OpenVINO"), KIND("<?xml ?><a/>", "XML"),
    KIND("alignas(16) const unsigned char g_model[] = {0x1c", "C source"), KIND("const uint8_t m[] = {", "C source"),
    KIND(":10010000214601360121470136007EFE09D2190140", "Intel HEX"), KIND("two words\f\r\n\t", "text"), KIND("short", NULL),
    KIND("gr\303\274\303\237e aus Berlin", "text"), KIND("\303\274\303\237 \303\274\303\237", NULL), KIND("words and \177", NULL),
    KIND("words and \33", NULL), KIND("   ", NULL), KIND("", NULL),
    KIND("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5",
         "zeros only"),
    KIND("\0\0\0\0\0\0\0\0\0\0", NULL),
};

TEST(kinds_of_files) {
    char tar[300] = "model.tflite";
    for (size_t i = 0; i < sizeof kind_cases / sizeof *kind_cases; i++) {
        const char *next, *want = kind_cases[i].what, *what;
        uint8_t    *copy = (uint8_t *)malloc(kind_cases[i].n + 1); /* so that sanitizers see the end */
        npu_diag    d;
        memcpy(copy + 1, kind_cases[i].bytes, kind_cases[i].n);
        what = npu_file_kind(copy + 1, kind_cases[i].n, &next);
        if (!want != !what || (want && !strstr(what, want))) printf("    %.20s: %s\n", kind_cases[i].bytes, what ? what : "-");
        CHECK(!want == !what && (!want || strstr(what, want)));
        CHECK(what ? i <= 1 || next[0] : !next[0]);
        CHECK(npu_file_kind(copy + 1, kind_cases[i].n, NULL) == what);
        npu__diag_clear(&d);
        if (i > 1) { /* the first two are models */
            CHECK_INT(npu__verify_identifier(copy + 1, kind_cases[i].n, &d), NPU_INVALID_MODEL);
            CHECK(!want || (strstr(d.text, what) && strstr(d.text, next)));
            CHECK(strlen(d.text) < sizeof d.text - 1);
        }
        free(copy);
    }
    CHECK(npu_file_kind(NULL, 0, NULL) == NULL);
    memcpy(tar + 257, "ustar", 5);
    CHECK_STR(npu_file_kind(tar, sizeof tar, NULL), "a tar archive");
}

/* Every row of the lists is reached: none stands behind one that fits its bytes as well. */
TEST(every_kind_is_reached) {
#define NPU__X(at, bytes, at2, bytes2, what, next) {                                        \
        uint8_t file[300];                                                                  \
        memset(file, 1, sizeof file);                                                       \
        if (sizeof(bytes2) > 1) memcpy(file + at2, bytes2, sizeof(bytes2) - 1);             \
        memcpy(file + at, bytes, sizeof(bytes) - 1);                                        \
        CHECK_STR(npu_file_kind(file, sizeof file, NULL), what);                            \
    }
    NPU__FILE_KIND_LIST(NPU__X)
#undef NPU__X
#define NPU__X(identifier, what, next) CHECK_STR(npu_file_kind("\20\0\0\0" identifier, 8, NULL), what);
    NPU__FILE_IDENTIFIER_LIST(NPU__X)
#undef NPU__X
#define NPU__X(at_end, name, what, next) {                                                  \
        char file[80] = "PK\3\4";                                                           \
        file[26] = (char)(sizeof(name) - 1);                                                \
        memcpy(file + 30, name, sizeof(name) - 1);                                          \
        CHECK_STR(npu_file_kind(file, sizeof file, NULL), what);                            \
    }
    NPU__FILE_ZIP_LIST(NPU__X)
#undef NPU__X
#define NPU__X(start, word, what, next) CHECK_STR(npu_file_kind(start " " word "  and words", sizeof(start " " word "  and words") - 1, NULL), what);
    NPU__FILE_TEXT_LIST(NPU__X)
#undef NPU__X
}

#undef KIND
#undef ZIP
#endif
