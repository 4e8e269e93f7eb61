/* The mutator of the fuzz targets: reads a valid .tflite as a tree, edits it, writes it again; streams of fuzz_stream.c
 * likewise. compiled networks of Neuron's software adapter, and models that
 * hold them. Other bytes, and sometimes valid ones, are mutated as bytes. The same seed gives the same mutant.
 *
 * A unit of its own, to be built without instrumentation: its branches must not count as findings of a fuzzer.
 * Built with MUTATE_MAIN it is a program (mutate_main.c). */
#define NPU_RT_STATIC
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ALL
#include "npu_rt.h"

#include <stdlib.h>
#include <string.h>

#include "tree.h"

#include "tree.c"

#include "edit.h"

#include "edit_tensor.c"

#include "edit_graph.c"

#include "edit_stream.c"

/* X(edit, how often). What crashed readers of such files before comes up often. */
#define EDITS(X) \
    X(sparsity, 10) X(quant, 12) X(shape, 12) X(options, 12) X(contents, 12) X(type, 6) X(indices, 6) \
    X(code, 6) X(new_op, 4) X(constness, 6) X(fill, 4) X(variable, 4) X(borders, 3) X(order, 3) X(call, 3) \
    X(signature_shape, 3) X(signatures, 2) X(resource, 3) X(metadata, 3) X(custom, 4) X(repeat, 1) X(compiled, 4) X(anything, 6)

static void edit_once(tree *t) {
    uint32_t all = 0, at;
    if (once_in(t, 2) && edit_streams(t)) return;
#define X(edit, weight) all += weight;
    EDITS(X)
#undef X
    at = pick(t, all);
#define X(edit, weight)                                     \
    if (at < weight) { edit_##edit(t); return; }            \
    at -= weight;
    EDITS(X)
#undef X
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t cap);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b, uint8_t *out, size_t cap,
                                 unsigned seed);

/* Bytes written to `out`; 0: the model was not read, or its mutant has no room. */
static size_t mutate_model(const uint8_t *in, size_t n, const uint8_t *other, size_t n_other, uint8_t *out, size_t cap,
                           uint64_t seed, uint32_t n_edits) {
    tree   t;
    size_t written = 0;
    node  *mine;
    memset(&t, 0, sizeof t);
    t.rng = seed;
    if (tree_read(&t, in, n)) {
        mine = t.root;
        if (other && tree_read(&t, other, n_other)) {
            node *theirs = t.root;
            t.root = mine;
            for (uint32_t k = 1 + pick(&t, 2); k; k--) splice_op(&t, theirs);
        }
        t.root = mine;
        for (uint32_t k = 0; k < n_edits; k++) edit_once(&t);
        written = tree_write(&t, out, cap);
    }
    tree_free(&t);
    return written;
}

#include "edit_network.c"

/* A mutant of whatever it is. 0: none. */
static size_t mutate_file(const uint8_t *in, size_t n, const uint8_t *other, size_t n_other, uint8_t *out, size_t cap, uint64_t seed,
                          uint32_t n_edits) {
    size_t written = n_edits ? mutate_network(in, n, out, cap, seed) : 0;
    if (!written && n_edits) written = mutate_holder(in, n, out, cap, seed, n_edits);
    return written ? written : mutate_model(in, n, other, n_other, out, cap, seed, n_edits);
}

#ifndef MUTATE_MAIN

/* Inputs of fuzz_stream.c: two bytes with the words of the payload, two more, the payload, data. */
static size_t mutate_stream(const uint8_t *in, size_t n, uint8_t *out, size_t cap, uint64_t seed) {
    tree         t;
    stream_words s;
    size_t       words, all = 0;
    memset(&t, 0, sizeof t);
    memset(&s, 0, sizeof s);
    t.rng = seed;
    if (n < 20 || memcmp(in + 4, "COP1", 4) != 0) return 0;
    words = (size_t)in[0] | (size_t)in[1] << 8;
    if (4 * words > n - 4) return 0;
    s.n = 4 * words;
    s.p = (uint8_t *)tree_take(&t, s.n + 1);
    memcpy(s.p, in + 4, s.n);
    stream_edit(&t, &s);
    if (s.n / 4 < 65536 && s.n + (n - 4 * words) <= cap) {
        all = s.n + (n - 4 * words);
        memmove(out + 4 + s.n, in + 4 + 4 * words, n - 4 - 4 * words);
        memcpy(out + 4, s.p, s.n);
        out[0] = (uint8_t)(s.n / 4);
        out[1] = (uint8_t)(s.n / 4 >> 8);
        out[2] = in[2];
        out[3] = in[3];
    }
    tree_free(&t);
    return all;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t cap, unsigned seed) {
    tree     t;
    uint8_t *out;
    size_t   written = 0;
    uint32_t edits = 1;
    memset(&t, 0, sizeof t);
    t.rng = seed;
    if (!once_in(&t, 8) && (out = (uint8_t *)malloc(cap)) != NULL) {
        while (edits < 8 && once_in(&t, 2)) edits++;
        written = mutate_file(data, n, NULL, 0, out, cap, random_bits(&t), edits);
        if (!written) written = mutate_stream(data, n, out, cap, random_bits(&t));
        if (written) memcpy(data, out, written);
        free(out);
    }
    return written ? written : LLVMFuzzerMutate(data, n, cap);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b, uint8_t *out, size_t cap,
                                 unsigned seed) {
    return mutate_model(a, n_a, b, n_b, out, cap, seed, seed & 1u);
}

#else
#include "mutate_main.c"
#endif
