/* Runs the cases of a file, one after the other, for processors.py: the best instruction set that the processor has, or the one named.
 *
 *     processors CASES [ISA]
 *
 * Prints which it is, then of each case a line: its number, the status, a hash of all integer outputs, the sum of what is finite in the
 * float ones, and how much is not. A case, in native uint32: bytes of the model, the model, number of inputs; of each input its rank, its
 * dimensions, its bytes, the bytes. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

typedef struct reader {
    const uint8_t *p;
} reader;
static uint32_t word(reader *r) {
    uint32_t v;
    memcpy(&v, r->p, sizeof v);
    r->p += sizeof v;
    return v;
}
static const uint8_t *bytes(reader *r, uint32_t n) {
    const uint8_t *p = r->p;
    r->p += n;
    return p;
}

typedef struct answer {
    uint64_t hash;
    double   sum;
    unsigned long odd;
} answer;

static void add_output(answer *a, const npu_tensor *t) {
    const uint8_t *raw = (const uint8_t *)t->data;
    float          v;
    if (t->type == NPU_FLOAT32) {
        for (size_t i = 0; i + sizeof v <= t->bytes; i += sizeof v) {
            memcpy(&v, raw + i, sizeof v);
            if (v - v == 0.0f) a->sum += fabs((double)v);
            else a->odd++;
        }
        return;
    }
    if (t->type == NPU_FLOAT16 || t->type == NPU_BFLOAT16 || t->type == NPU_FLOAT64 || t->type == NPU_COMPLEX64 || t->type == NPU_STRING) return;
    for (size_t i = 0; i < t->bytes; i++) a->hash = (a->hash ^ raw[i]) * 0x100000001B3u;
}

#define MOST_INPUTS 64

static npu_status run(reader *r, npu_isa isa, answer *a) {
    npu_model      *model = NULL;
    npu_plan       *plan = NULL;
    npu_session    *session = NULL;
    npu_plan_desc   desc = {0};
    npu_input_shape shapes[MOST_INPUTS];
    const uint8_t  *data[MOST_INPUTS];
    size_t          size[MOST_INPUTS];
    npu_tensor      t;
    const uint32_t  model_bytes = word(r);
    const uint8_t  *file = bytes(r, model_bytes);
    uint8_t        *copy = (uint8_t *)malloc(model_bytes + 1u); /* aligned */
    const uint32_t  n = word(r);
    npu_status      s;
    memset(shapes, 0, sizeof shapes);
    for (uint32_t i = 0; i < n; i++) {
        shapes[i].input = (int32_t)i;
        shapes[i].rank = (int32_t)word(r);
        for (int32_t d = 0; d < shapes[i].rank; d++) shapes[i].dims[d] = (int32_t)word(r);
        size[i] = word(r);
        data[i] = bytes(r, (uint32_t)size[i]);
    }
    if (!copy) return NPU_OUT_OF_MEMORY;
    memcpy(copy, file, model_bytes);
    desc.isa = isa;
    desc.threads = 1;
    desc.input_shapes = shapes;
    desc.n_input_shapes = (int32_t)n;
    desc.resize_fixed = 1;
    s = npu_model_open(&model, copy, model_bytes, NULL, NULL);
    if (s == NPU_OK) s = npu_plan_create(&plan, model, &desc, NULL);
    if (s == NPU_OK) s = npu_session_create(&session, plan, NULL, NULL);
    for (int32_t i = 0; s == NPU_OK && i < (int32_t)n && npu_session_input(session, i, &t) == NPU_OK; i++) {
        if (t.bytes == size[i] && t.type != NPU_STRING) memcpy(t.data, data[i], size[i]);
    }
    if (s == NPU_OK) s = npu_session_invoke(session, NULL);
    for (int32_t i = 0; s == NPU_OK && npu_session_output(session, i, &t) == NPU_OK; i++) add_output(a, &t);
    npu_session_destroy(session);
    npu_plan_destroy(plan);
    npu_model_close(model);
    free(copy);
    return s;
}

int main(int argc, char **argv) {
    FILE    *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    npu_isa  isa = npu_isa_best();
    long     size;
    uint8_t *all;
    reader   r;
    if (!f || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0) return 2;
    rewind(f);
    all = (uint8_t *)malloc((size_t)size + 1);
    if (!all || fread(all, 1, (size_t)size, f) != (size_t)size) return 2;
    fclose(f);
    for (int i = 1; argc > 2 && npu_isa_name((npu_isa)i); i++) {
        if (strcmp(npu_isa_name((npu_isa)i), argv[2]) == 0) isa = (npu_isa)i;
    }
    printf("%s\n", npu_isa_name(isa));
    r.p = all;
    for (unsigned k = 0; r.p < all + size; k++) {
        answer     a = {0xCBF29CE484222325u, 0.0, 0};
        npu_status s;
        s = run(&r, isa, &a);
        printf("%u %d %016llx %.9g %lu\n", k, (int)s, (unsigned long long)a.hash, a.sum, a.odd);
        fflush(stdout);
    }
    free(all);
    return 0;
}
