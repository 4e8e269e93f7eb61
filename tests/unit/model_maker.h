/* Small models for tests: filled in as plain structs, broken on purpose, then written as a .tflite file. */
#ifndef TESTS_UNIT_MODEL_MAKER_H
#define TESTS_UNIT_MODEL_MAKER_H

#include "fb_writer.h"

enum { MK_TENSORS = 40, MK_OPS = 24, MK_GRAPHS = 44, MK_BUFFERS = 16, MK_BYTES = 1 << 20 };

/* Builtin codes and types of options (BuiltinOptions) that the tests use. */
enum {
    MK_ADD = 0, MK_CONCAT = 2, MK_CONV = 3, MK_DEQUANTIZE = 6, MK_FC = 9, MK_RELU = 19, MK_RESHAPE = 22, MK_SVDF = 27,
    MK_CUSTOM = 32, MK_PAD = 34, MK_SUB = 41, MK_SPLIT = 49, MK_CAST = 53, MK_LESS = 58, MK_NEG = 59, MK_SLICE = 65, MK_SHAPE = 77,
    MK_UNPACK = 88, MK_FILL = 94, MK_RANGE = 96, MK_WHERE = 109, MK_IF = 118, MK_WHILE = 119, MK_DENSIFY = 124, MK_CALL_ONCE = 129,
    MK_VAR = 142, MK_READ = 143, MK_ASSIGN = 144
};
enum { MK_O_NONE = 0, MK_O_CONV = 1, MK_O_SVDF = 6, MK_O_FC = 8, MK_O_CONCAT = 10, MK_O_ADD = 11, MK_O_RESHAPE = 17,
       MK_O_IF = 92, MK_O_WHILE = 93, MK_O_CALL_ONCE = 103, MK_O_VAR = 111 };

typedef struct mk_tensor {
    int         type, rank, dims[10], n_sig, sig[10], variable, external, n_scale, n_zero, axis, sparse, blockwise;
    unsigned    buffer;
    float       scale[4];
    int64_t     zero[4];
    const char *name;
} mk_tensor;

typedef struct mk_op {
    int         code, opcode; /* opcode: index in the file; 0: an entry of its own */
    const char *custom;       /* name of a custom operator */
    int         n_in, in[40], n_out, out[8], n_mid, mid[4];
    int         options;      /* MK_O_...; the table's fields and their values follow. Above 256: of BuiltinOptions2 */
    const char *fields;       /* as fbw_table wants them; 's' is a string, 'v' a vector of two int32, 'B', 'I' and 'L' one
                               * of twenty elements of 1, 4 and 8 bytes */
    int64_t     value[20];
    const char *text[8];
    const void *data;         /* custom options */
    size_t      data_bytes;
} mk_op;

typedef struct mk_graph {
    int       n_tensors, n_ops, n_in, n_out, in[8], out[8];
    int       many; /* so many copies of the last tensor follow, and are outputs of operator 0 behind its own */
    mk_tensor t[MK_TENSORS];
    mk_op     op[MK_OPS];
} mk_graph;

typedef struct mk_sig {
    const char *key;
    unsigned    graph;
    int         n_in, n_out, in[4], out[4];
} mk_sig;

typedef struct mk {
    unsigned version;
    int      n_graphs, n_buffers, n_sigs, n_meta;
    mk_graph g[MK_GRAPHS];
    struct {
        const void *p;
        size_t      n;
        uint64_t    offset, size; /* stored behind the tables where size > 0; the file has them as they are here */
    } buffer[MK_BUFFERS];
    mk_sig   sig[4];
    struct {
        const char *name;
        unsigned    buffer;
    } meta[4];
    int shift; /* bytes in front, to move constants off their alignment: a string of that length */
} mk;

static void mk_init(mk *m) {
    memset(m, 0, sizeof *m);
    m->version = 3;
    m->n_graphs = 1;
    m->n_buffers = 1;
}

/* A buffer with contents; its index. */
static unsigned mk_buffer(mk *m, const void *p, size_t n) {
    m->buffer[m->n_buffers].p = p;
    m->buffer[m->n_buffers].n = n;
    return (unsigned)m->n_buffers++;
}

/* A tensor of up to four dimensions (-1: none); its index. */
static int mk_t(mk *m, int graph, int type, int d0, int d1, int d2, int d3) {
    mk_graph  *g = &m->g[graph];
    mk_tensor *t = &g->t[g->n_tensors];
    int        dims[4];
    dims[0] = d0;
    dims[1] = d1;
    dims[2] = d2;
    dims[3] = d3;
    t->type = type;
    for (int i = 0; i < 4 && dims[i] != -1; i++) t->dims[t->rank++] = dims[i];
    t->name = "t";
    return g->n_tensors++;
}

static int mk_const(mk *m, int graph, int type, int d0, int d1, const void *p, size_t n) {
    int t = mk_t(m, graph, type, d0, d1, -1, -1);
    m->g[graph].t[t].buffer = mk_buffer(m, p, n);
    return t;
}

static void mk_quant(mk *m, int graph, int t, float scale, int64_t zero) {
    m->g[graph].t[t].n_scale = m->g[graph].t[t].n_zero = 1;
    m->g[graph].t[t].scale[0] = scale;
    m->g[graph].t[t].zero[0] = zero;
}

static void mk_in(mk *m, int graph, int t) { m->g[graph].in[m->g[graph].n_in++] = t; }
static void mk_out(mk *m, int graph, int t) { m->g[graph].out[m->g[graph].n_out++] = t; }

/* An operator with up to three inputs and one output (-9: none). */
static mk_op *mk_node(mk *m, int graph, int code, int in0, int in1, int in2, int out) {
    mk_op *o = &m->g[graph].op[m->g[graph].n_ops++];
    memset(o, 0, sizeof *o);
    o->code = code;
    if (in0 != -9) o->in[o->n_in++] = in0;
    if (in1 != -9) o->in[o->n_in++] = in1;
    if (in2 != -9) o->in[o->n_in++] = in2;
    if (out != -9) o->out[o->n_out++] = out;
    return o;
}

static mk_op *mk_options(mk_op *o, int options, const char *fields, int64_t v0, int64_t v1) {
    o->options = options;
    o->fields = fields;
    o->value[0] = v0;
    o->value[1] = v1;
    return o;
}

/* ---- writing ---- */

static void mk_ints(fbw *w, size_t ref, const int *p, int n) {
    size_t at = fbw_vec(w, ref, (size_t)n, 4);
    for (int i = 0; i < n; i++) fbw_put(w, at + 4 * (size_t)i, (uint32_t)p[i], 4);
}

static void mk_write_quant(fbw *w, size_t ref, const mk_tensor *t) {
    size_t q = fbw_table(w, ref, "..44144"), at;
    at = fbw_vec(w, fbw_field(w, q, 2), (size_t)t->n_scale, 4);
    for (int i = 0; i < t->n_scale; i++) memcpy(w->buf + at + 4 * (size_t)i, &t->scale[i % 4], 4);
    at = fbw_vec(w, fbw_field(w, q, 3), (size_t)t->n_zero, 8);
    for (int i = 0; i < t->n_zero; i++) fbw_put(w, at + 8 * (size_t)i, (uint64_t)t->zero[i % 4], 8);
    fbw_set(w, q, 4, t->blockwise ? 2 : 0, 1);
    at = fbw_table(w, fbw_field(w, q, 5), "444");
    fbw_set(w, at, 0, (uint32_t)t->blockwise, 4); /* the tensor of its scales; blocks of one */
    fbw_set(w, at, 2, 1, 4);
    fbw_set(w, q, 6, (uint32_t)t->axis, 4);
}

static void mk_write_tensor(fbw *w, size_t ref, const mk_tensor *t) {
    char fields[] = "41444..4..4";
    size_t at;
    fields[5] = t->variable ? '1' : '.';
    fields[6] = t->sparse ? '4' : '.';
    if (!t->n_scale && !t->blockwise) fields[4] = '.';
    if (!t->n_sig) fields[7] = '.';
    at = fbw_table(w, ref, fields);
    mk_ints(w, fbw_field(w, at, 0), t->dims, t->rank);
    fbw_set(w, at, 1, (uint8_t)t->type, 1);
    fbw_set(w, at, 2, t->buffer, 4);
    fbw_str(w, fbw_field(w, at, 3), t->name);
    if (t->n_scale || t->blockwise) mk_write_quant(w, fbw_field(w, at, 4), t);
    if (t->variable) fbw_set(w, at, 5, 1, 1);
    if (t->sparse) fbw_table(w, fbw_field(w, at, 6), "...");
    if (t->n_sig) mk_ints(w, fbw_field(w, at, 7), t->sig, t->n_sig);
    fbw_set(w, at, 10, (unsigned)t->external, 4);
}

static void mk_write_options(fbw *w, size_t ref, const mk_op *o) {
    char   fields[24];
    size_t n = o->fields ? strlen(o->fields) : 0, at;
    for (size_t i = 0; i < n; i++) fields[i] = strchr("svBIL", o->fields[i]) ? '4' : o->fields[i];
    fields[n] = 0;
    at = fbw_table(w, ref, fields);
    for (size_t i = 0; i < n; i++) {
        if (o->fields[i] == '.') continue;
        if (o->fields[i] == 's') {
            fbw_str(w, fbw_field(w, at, (int)i), o->text[i] ? o->text[i] : "");
        } else if (o->fields[i] == 'v') {
            size_t v = fbw_vec(w, fbw_field(w, at, (int)i), 2, 4);
            fbw_put(w, v, (uint32_t)o->value[i], 4);
            fbw_put(w, v + 4, (uint32_t)(o->value[i] >> 32), 4);
        } else if (strchr("BIL", o->fields[i])) {
            size_t bytes = o->fields[i] == 'B' ? 1 : o->fields[i] == 'I' ? 4 : 8, v = fbw_vec(w, fbw_field(w, at, (int)i), 20, bytes);
            for (size_t k = 0; k < 20; k++) fbw_put(w, v + k * bytes, (uint64_t)o->value[i], bytes);
        } else {
            fbw_set(w, at, (int)i, (uint64_t)o->value[i], (size_t)(o->fields[i] - '0'));
        }
    }
}

/* Indices, and then `many` from `first` on. */
static void mk_ints_and(fbw *w, size_t ref, const int *p, int n, int many, int first) {
    size_t at = fbw_vec(w, ref, (size_t)(n + many), 4);
    for (int i = 0; i < n + many; i++) fbw_put(w, at + 4 * (size_t)i, (uint32_t)(i < n ? p[i] : first + i - n), 4);
}

static void mk_write_op(fbw *w, size_t ref, const mk_op *o, int opcode, int many, int first) {
    char   fields[] = "444..........";
    size_t at;
    int    slot = o->options > 256 ? 11 : 3;
    if (o->options) memcpy(fields + slot, "14", 2);
    fields[5] = o->data ? '4' : '.';
    fields[8] = o->n_mid ? '4' : '.';
    at = fbw_table(w, ref, fields);
    fbw_set(w, at, 0, (uint32_t)(o->opcode ? o->opcode : opcode), 4);
    mk_ints(w, fbw_field(w, at, 1), o->in, o->n_in);
    mk_ints_and(w, fbw_field(w, at, 2), o->out, o->n_out, many, first);
    if (o->options) {
        fbw_set(w, at, slot, (uint64_t)o->options & 255u, 1);
        mk_write_options(w, fbw_field(w, at, slot + 1), o);
    }
    if (o->data) {
        size_t v = fbw_vec(w, fbw_field(w, at, 5), o->data_bytes, 1);
        memcpy(w->buf + v, o->data, o->data_bytes);
    }
    if (o->n_mid) mk_ints(w, fbw_field(w, at, 8), o->mid, o->n_mid);
}

static void mk_write_graph(fbw *w, size_t ref, const mk_graph *g, int first_opcode) {
    size_t at = fbw_table(w, ref, "44444"), v;
    v = fbw_vec(w, fbw_field(w, at, 0), (size_t)(g->n_tensors + g->many), 4);
    for (int i = 0; i < g->n_tensors + g->many; i++) {
        mk_write_tensor(w, v + 4 * (size_t)i, &g->t[i < g->n_tensors ? i : g->n_tensors - 1]);
    }
    mk_ints(w, fbw_field(w, at, 1), g->in, g->n_in);
    mk_ints(w, fbw_field(w, at, 2), g->out, g->n_out);
    v = fbw_vec(w, fbw_field(w, at, 3), (size_t)g->n_ops, 4);
    for (int i = 0; i < g->n_ops; i++) mk_write_op(w, v + 4 * (size_t)i, &g->op[i], first_opcode + i, i ? 0 : g->many, g->n_tensors);
    fbw_str(w, fbw_field(w, at, 4), "main");
}

static void mk_write_sigs(fbw *w, size_t ref, const mk *m) {
    size_t v = fbw_vec(w, ref, (size_t)m->n_sigs, 4);
    for (int i = 0; i < m->n_sigs; i++) {
        const mk_sig *s = &m->sig[i];
        size_t        at = fbw_table(w, v + 4 * (size_t)i, "444.4");
        fbw_set(w, at, 4, s->graph, 4);
        for (int out = 0; out < 2; out++) {
            int    n = out ? s->n_out : s->n_in;
            size_t list = fbw_vec(w, fbw_field(w, at, out), (size_t)n, 4);
            for (int k = 0; k < n; k++) {
                size_t map = fbw_table(w, list + 4 * (size_t)k, "44");
                fbw_str(w, fbw_field(w, map, 0), out ? "y" : "x");
                fbw_set(w, map, 1, (uint32_t)(out ? s->out[k] : s->in[k]), 4);
            }
        }
        fbw_str(w, fbw_field(w, at, 2), s->key);
    }
}

static void mk_write_opcodes(fbw *w, size_t ref, const mk *m) {
    size_t n = 0, v;
    for (int g = 0; g < m->n_graphs; g++) n += (size_t)m->g[g].n_ops;
    v = fbw_vec(w, ref, n, 4);
    for (int g = 0; g < m->n_graphs; g++) {
        for (int i = 0; i < m->g[g].n_ops; i++, v += 4) {
            const mk_op *o = &m->g[g].op[i];
            size_t       at = fbw_table(w, v, o->custom ? "1444" : "1.44");
            fbw_set(w, at, 0, (uint64_t)(o->code < 127 ? o->code : 127), 1);
            if (o->custom) fbw_str(w, fbw_field(w, at, 1), o->custom);
            fbw_set(w, at, 2, 1, 4);
            fbw_set(w, at, 3, (uint64_t)o->code, 4);
        }
    }
}

/* The file, in memory that the next call uses again; aligned to 64. */
static const uint8_t *mk_file(const mk *m, size_t *n) {
    static uint64_t space[MK_BYTES / 8 + 8];
    fbw             w;
    size_t          root, v;
    int             first = 0;
    w.buf = (uint8_t *)space + (64 - (uintptr_t)space % 64) % 64;
    w.n = 0;
    w.cap = MK_BYTES;
    fbw_add(&w, 0, 4);
    memcpy(w.buf + fbw_add(&w, 0, 4), "TFL3", 4);
    root = fbw_table(&w, 0, "4444444" "4");
    fbw_put(&w, 0, root, 4);
    fbw_set(&w, root, 0, m->version, 4);
    fbw_ref(&w, fbw_field(&w, root, 3)); /* the description */
    fbw_add(&w, (uint64_t)m->shift, 4);
    for (int i = 0; i <= m->shift; i++) fbw_add(&w, i < m->shift ? 'd' : 0, 1);
    v = fbw_vec(&w, fbw_field(&w, root, 4), (size_t)m->n_buffers, 4);
    for (int i = 0; i < m->n_buffers; i++) {
        int    behind = m->buffer[i].size > 0;
        size_t at = fbw_table(&w, v + 4 * (size_t)i, behind ? ".88" : m->buffer[i].n ? "4" : "");
        if (behind) {
            fbw_set(&w, at, 1, m->buffer[i].offset, 8);
            fbw_set(&w, at, 2, m->buffer[i].size, 8);
        } else if (m->buffer[i].n) {
            size_t data = fbw_vec(&w, fbw_field(&w, at, 0), m->buffer[i].n, 1);
            if (m->buffer[i].p) memcpy(w.buf + data, m->buffer[i].p, m->buffer[i].n);
        }
    }
    mk_write_opcodes(&w, fbw_field(&w, root, 1), m);
    v = fbw_vec(&w, fbw_field(&w, root, 2), (size_t)m->n_graphs, 4);
    for (int i = 0; i < m->n_graphs; i++) {
        mk_write_graph(&w, v + 4 * (size_t)i, &m->g[i], first);
        first += m->g[i].n_ops;
    }
    fbw_vec(&w, fbw_field(&w, root, 5), 0, 4);
    v = fbw_vec(&w, fbw_field(&w, root, 6), (size_t)m->n_meta, 4);
    for (int i = 0; i < m->n_meta; i++) {
        size_t at = fbw_table(&w, v + 4 * (size_t)i, "44");
        fbw_str(&w, fbw_field(&w, at, 0), m->meta[i].name);
        fbw_set(&w, at, 1, m->meta[i].buffer, 4);
    }
    mk_write_sigs(&w, fbw_field(&w, root, 7), m);
    fbw_align(&w, 16);
    *n = w.n;
    return w.buf;
}

#endif
