/* Makes the containers that LiteRT's plugin for MediaTek leaves in a model, and models that name their parts. */
#ifndef NEURON_CONTAINER_KIT_H
#define NEURON_CONTAINER_KIT_H

#include "fb_writer.h"
#include "neuron_kit.h"
#include "neuron_nets.h"

enum { PART = 4096 };

/* Graphs of one subgraph "part" (with `others` before it), and one buffer "code". */
typedef struct container {
    uint8_t bytes[1 << 15];
    size_t  n, root, subgraph, index, buffer, subgraphs, buffers;
} container;

typedef struct kind {
    int         by, type, others, sdk;   /* by: 1 number, 2 identifier */
    const char *identifier;              /* that the subgraph names */
    int         number;                  /* -1: left out, which is 0 */
} kind;

static const kind PLAIN = {1, 0, 0, 1, "code", 0};

static void container_make(container *c, const kind *k, const void *data, size_t n) {
    fbw    w;
    size_t at;
    memset(c, 0, sizeof *c);
    w.buf = c->bytes;
    w.n = 0;
    w.cap = sizeof c->bytes;
    fbw_add(&w, 0, 4);
    /* The version of the SDK is a struct of 12 bytes in the table: three slots of 4, of which the first is the field. */
    c->root = fbw_table(&w, 0, k->sdk ? "444.444" : "444");
    fbw_put(&w, 0, c->root, 4);
    for (int i = 0; k->sdk && i < 3; i++) fbw_set(&w, c->root, 4 + i, (uint64_t)(8 + i), 4);
    c->subgraphs = fbw_vec(&w, fbw_field(&w, c->root, 1), (size_t)(k->others + 1), 4);
    for (int i = 0; i <= k->others; i++) {
        at = fbw_table(&w, c->subgraphs + 4 * (size_t)i, k->type >= 0 ? "4114" : "4.14");
        fbw_str(&w, fbw_field(&w, at, 0), i == k->others ? "part" : "other");
        if (k->type >= 0) fbw_set(&w, at, 1, (uint64_t)k->type, 1);
        fbw_set(&w, at, 2, (uint64_t)k->by, 1);
        c->subgraph = at;
        c->index = fbw_table(&w, fbw_field(&w, at, 3), k->by == 1 && k->number < 0 ? "" : "4");
        if (k->by == 1 && k->number >= 0) fbw_set(&w, c->index, 0, (uint64_t)k->number, 4);
        if (k->by == 2) fbw_str(&w, fbw_field(&w, c->index, 0), k->identifier);
    }
    c->buffers = fbw_vec(&w, fbw_field(&w, c->root, 2), 2, 4);
    for (size_t i = 0; i < 2; i++) {
        c->buffer = fbw_table(&w, c->buffers + 4 * i, "44");
        fbw_str(&w, fbw_field(&w, c->buffer, 0), i == 0 ? "code" : "more");
        at = fbw_vec(&w, fbw_field(&w, c->buffer, 1), n, 1);
        memcpy(c->bytes + at, data, n);
    }
    c->n = w.n;
}

/* ---- files ---- */

/* A model that adds two vectors of four floats, compiled: its operator's options, and the container behind its tables. */
typedef struct file {
    uint8_t bytes[1 << 16];
    size_t  n;
} file;

/* What may be otherwise than LiteRT writes it. */
typedef struct odd {
    long        offset, size;          /* 0: right */
    const char *name;                  /* NULL: "part" */
    int         operators, type, rank; /* operators: so many; type: of its input 0; rank of its output */
    int         left_out;              /* input 1 */
} odd;

static void put_vector(fbw *w, size_t ref, const int32_t *p, size_t n) {
    const size_t at = fbw_vec(w, ref, n, 4);
    memcpy(w->buf + at, p, 4 * n);
}

static void file_make(file *f, const container *c, const odd *o) {
    static const char *const keys[3] = {"bytecode_offset", "bytecode_size", "name"};
    const int   n_ops = o->operators ? o->operators : 1;
    const char *values[3];
    char        offset[24], size[24];
    net_map     map;
    fbw         w;
    size_t      root, graph, at, v;
    memset(f, 0, sizeof *f);
    w.buf = f->bytes;
    w.n = 8;
    w.cap = sizeof f->bytes;
    memcpy(f->bytes + 4, "TFL3", 4);
    snprintf(offset, sizeof offset, "%ld", o->offset ? o->offset : (long)sizeof f->bytes / 2);
    snprintf(size, sizeof size, "%ld", o->size ? o->size : (long)c->n);
    values[0] = offset;
    values[1] = size;
    values[2] = o->name ? o->name : "part";
    net_map_make(&map, 3, keys, values);
    root = fbw_table(&w, 0, "444.4");
    fbw_put(&w, 0, root, 4);
    fbw_set(&w, root, 0, 3, 4);
    v = fbw_vec(&w, fbw_field(&w, root, 1), 1, 4);
    at = fbw_table(&w, v, "1444"); /* the operator code */
    fbw_set(&w, at, 0, 32, 1);
    fbw_set(&w, at, 2, 1, 4);
    fbw_set(&w, at, 3, 32, 4);
    fbw_str(&w, fbw_field(&w, at, 1), "DISPATCH_OP");
    v = fbw_vec(&w, fbw_field(&w, root, 2), 1, 4);
    graph = fbw_table(&w, v, "4444");
    v = fbw_vec(&w, fbw_field(&w, graph, 0), (size_t)(2 + n_ops), 4);
    for (int i = 0; i < 2 + n_ops; i++) {
        const int32_t dims[2] = {4, 1};
        at = fbw_table(&w, v + 4 * (size_t)i, "414");
        put_vector(&w, fbw_field(&w, at, 0), dims, i >= 2 && o->rank ? (size_t)o->rank : 1);
        fbw_set(&w, at, 1, (uint64_t)(i == 0 ? o->type : 0), 1);
    }
    for (int io = 0; io < 2; io++) {
        static const int32_t in[2] = {0, 1}, out[1] = {2};
        put_vector(&w, fbw_field(&w, graph, 1 + io), io ? out : in, io ? 1 : 2);
    }
    v = fbw_vec(&w, fbw_field(&w, graph, 3), (size_t)n_ops, 4);
    for (int i = 0; i < n_ops; i++) {
        const int32_t in[2] = {0, o->left_out ? -1 : 1}, out[1] = {2 + i};
        at = fbw_table(&w, v + 4 * (size_t)i, "444..4");
        put_vector(&w, fbw_field(&w, at, 1), in, 2);
        put_vector(&w, fbw_field(&w, at, 2), out, 1);
        memcpy(w.buf + fbw_vec(&w, fbw_field(&w, at, 5), map.n, 1), map.p, map.n);
    }
    v = fbw_vec(&w, fbw_field(&w, root, 4), 1, 4); /* the empty buffer */
    fbw_table(&w, v, "");
    CHECK(w.n <= sizeof f->bytes / 2);
    memcpy(f->bytes + sizeof f->bytes / 2, c->bytes, c->n);
    f->n = sizeof f->bytes / 2 + c->n;
}

static npu_model *opened(const file *f) {
    npu_model *m = NULL;
    npu_diag   diag;
    if (!CHECK_INT(npu_model_open(&m, f->bytes, f->n, NULL, &diag), NPU_OK)) printf("    %s\n", diag.text);
    return m;
}

static uint8_t network[PART];
static size_t  n_network;

/* The adapter's network of an addition. */
static void make_network(void) {
    static const uint32_t four[1] = {4};
    void *m = add_model(NPU__NEURON_TYPE_TENSOR_FLOAT32, 1, four, 0, 0), *c;
    int   code;
    CHECK_INT(sw->NeuronModel_finish(m), 0);
    c = compiled(m, &code);
    CHECK_INT(sw->NeuronCompilation_getCompiledNetworkSize(c, &n_network), 0);
    CHECK(n_network <= sizeof network);
    CHECK_INT(sw->NeuronCompilation_storeCompiledNetwork(c, network, sizeof network), 0);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(m);
}

#endif
