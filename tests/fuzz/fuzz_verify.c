/* libFuzzer harness of the file format: verify, then read all that verification promises, options included.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_verify.c -o fuzz_verify -lm
 *   ./fuzz_verify corpus/           (seeds: small .tflite files, flexbuffers)
 *
 * Built with -DFUZZ_MAIN it needs no libFuzzer and mutates files itself: fuzz_verify ROUNDS FILE... */
#include "../unit/tflite_sources.h"

#include "../unit/walk_model.h"
#include <stdio.h>
#include <stdlib.h>

static int fuzz_write(void *user, const char *text, size_t n) {
    size_t *total = (size_t *)user;
    (void)text;
    *total += n;
    return 0;
}

/* Custom options are flexbuffers by convention only: any bytes must be safe. */
static void fuzz_custom(npu__span s) {
    npu__flex  root = npu__flex_root(s.p, s.n);
    size_t     total = 0;
    npu_writer w;
    npu__text  text;
    w.user = &total;
    w.write = fuzz_write;
    npu__text_init(&text, &w);
    npu__flex_print(&text, root);
    npu__text_end(&text, NULL);
    (void)npu__flex_f64(npu__flex_get(root, "x_scale"), 0);
    (void)npu__flex_i32(npu__flex_get(root, "max_detections"), 0);
}

static void fuzz_options(const uint8_t *bytes, npu__tab model) {
    npu__vec subgraphs = npu__tab_vec(model, NPU__S_Model_subgraphs);
    for (uint32_t i = 0; i < subgraphs.n && i < 8; i++) {
        npu__vec ops = npu__tab_vec(npu__vec_tab(subgraphs, i), NPU__S_SubGraph_operators);
        for (uint32_t k = 0; k < ops.n && k < 64; k++) {
            npu__tab op = npu__vec_tab(ops, k);
            for (int32_t code = 0; code < NPU__BUILTIN_COUNT; code += 7) npu__operator_options(op, code);
            fuzz_custom(npu__custom_options_span(bytes, op));
        }
    }
}

/* Copies the input so that reads before it or after it are seen. */
static void fuzz_one(const uint8_t *data, size_t n) {
    uint8_t   *copy = (uint8_t *)malloc(n ? n : 1);
    npu_diag   diag;
    npu__tab   model;
    npu_status s;
    npu__span  whole; /* seeds may be flexbuffers too */
    if (!copy) return;
    memcpy(copy, data, n);
    npu__diag_clear(&diag);
    s = npu__verify_model(copy, n, &model, &diag);
    if (s == NPU_OK) {
        walk_sum sum;
        sum.hash = sum.bytes = 0;
        walk_table(&sum, copy, model, NPU__T_Model);
        if (sum.bytes > 16 * (uint64_t)n + 131072) abort();
        fuzz_options(copy, model);
    } else if (s != NPU_INVALID_MODEL || model || !diag.rule[0] || !diag.text[0] || diag.file_offset < 0) {
        abort();
    }
    whole.p = copy;
    whole.n = n;
    fuzz_custom(whole);
    free(copy);
}

#ifndef FUZZ_MAIN

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    fuzz_one(data, n);
    return 0;
}

#else

static uint32_t fuzz_state = 1;
static uint32_t fuzz_random(uint32_t below) {
    fuzz_state = fuzz_state * 1664525u + 1013904223u;
    return below ? (fuzz_state >> 8) % below : 0;
}

/* A few changed bytes or words, now and then a cut; most hits go to the start and the end, where the tables lie. */
static size_t fuzz_mutate(uint8_t *p, size_t n) {
    uint32_t changes = 1 + fuzz_random(8);
    while (changes--) {
        uint32_t region = fuzz_random(3), span = (uint32_t)(n < 4096 ? n : 4096), word;
        size_t   at = region == 0 ? fuzz_random(span) : fuzz_random((uint32_t)n);
        if (region == 1) at = n - 1 - fuzz_random(span);
        word = fuzz_random(2) ? fuzz_random(64) : 0u - fuzz_random(64);
        if (fuzz_random(2)) p[at] = (uint8_t)(fuzz_random(2) ? fuzz_random(256) : p[at] ^ (1u << fuzz_random(8)));
        else if (at + 4 <= n) memcpy(p + at, &word, 4);
    }
    return fuzz_random(8) == 0 ? fuzz_random((uint32_t)n) : n;
}

static uint8_t *fuzz_read(const char *path, size_t *n) {
    FILE    *f = fopen(path, "rb");
    uint8_t *p = NULL;
    long     size;
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    size = ftell(f);
    fseek(f, 0, SEEK_SET);
    p = (uint8_t *)malloc((size_t)size + 1);
    *n = p ? fread(p, 1, (size_t)size, f) : 0;
    fclose(f);
    return p;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 2; i < argc; i++) {
        size_t   n, passed = 0;
        uint8_t *p = fuzz_read(argv[i], &n), *q;
        if (!p || n == 0) { printf("cannot read %s\n", argv[i]); return 1; }
        q = (uint8_t *)malloc(n);
        fuzz_one(p, n);
        for (int k = 0; k < rounds; k++) {
            npu__tab model;
            size_t   m;
            memcpy(q, p, n);
            m = fuzz_mutate(q, n);
            passed += npu__verify_model(q, m, &model, NULL) == NPU_OK;
            fuzz_one(q, m);
        }
        printf("%s: %d mutants, %u of them still valid\n", argv[i], rounds, (unsigned)passed);
        free(p);
        free(q);
    }
    return 0;
}

#endif
