/* Networks of one operator, written as text, for the tests of what Neuron makes of them. A tensor is
 *
 *     type dims [@quantization] [=values]         "c1x5x7x3@.1:-3", "i2=1,2", "f", "-" (left out)
 *
 * type: f float32, h float16, b bool, i int32, l int64, c int8, u uint8, s int16, w uint16, n int4, t int2, d float64.
 * dims: "?3" is 3 now, and open in the signature. Quantization: scale:zero point; axis*n: n scales 0.01, 0.02, ... along
 * the axis; with a + behind, zero points that are not 0; #: by blocks. Values: of a constant, with % of a pattern. Options are
 * "name=value name=value": enums by name, floats with a point; those that begin with ~ are attributes of a composite. */
#ifndef TESTS_UNIT_NEURON_NETS_H
#define TESTS_UNIT_NEURON_NETS_H

#include <stdarg.h>

#include "descs.h"
#include "test.h"

typedef struct net_row {
    const char *op, *in, *out, *options, *want; /* want: parts of what is said, with | between them */
} net_row;

typedef struct net {
    npu_graph  *g;
    npu_model  *model;
    npu_diag    diag;
    npu_status  s;
    int32_t     in[8], out[4], given[8], n_in, n_out, n_given;
    int32_t     types[8];
    int         composite;
} net;

static const char *const net_letters = "fhbilcuswntd";
static const npu_type    net_types[] = {NPU_FLOAT32, NPU_FLOAT16, NPU_BOOL,  NPU_INT32,  NPU_INT64, NPU_INT8,
                                        NPU_UINT8,   NPU_INT16,   NPU_UINT16, NPU_INT4, NPU_INT2,  NPU_FLOAT64};

static size_t net_bytes(npu_type type, size_t n) { return (n * (size_t)npu_type_bits(type) + 7) / 8; }

static void net_put(uint8_t *p, npu_type type, size_t i, double v) {
    const float   f = (float)v;
    const int64_t x = (int64_t)v;
    const size_t  bits = (size_t)npu_type_bits(type);
    if (type == NPU_FLOAT32) memcpy(p + 4 * i, &f, 4);
    else if (type == NPU_FLOAT64) memcpy(p + 8 * i, &v, 8);
    else if (type == NPU_FLOAT16) p[2 * i + 1] = (uint8_t)(0x3c + 4 * (x & 3)); /* powers of two */
    else if (bits < 8) p[i * bits / 8] |= (uint8_t)((x & ((1 << bits) - 1)) << (i * bits % 8));
    else memcpy(p + i * bits / 8, &x, bits / 8);
}

/* What is behind the '=' of a constant. */
static void net_values(const char *text, npu_type type, uint8_t *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (*text == '%') {
            net_put(p, type, i, type == NPU_BOOL ? (double)(i & 1) : (double)((int)(i * 5 % 13) - 6));
            continue;
        }
        net_put(p, type, i, strtod(text, (char **)(uintptr_t)&text));
        text += *text == ',';
    }
}

static const char *net_quant(const char *p, npu_quant *q, npu_blockwise *blocks, npu_tensor_desc *d) {
    static float   scales[8];
    static int32_t zeros[8];
    char          *end;
    const double   first = strtod(p, &end);
    q->count = 1;
    if (*p == '#') {
        memset(blocks, 0, sizeof *blocks);
        blocks->block_size = 2;
        blocks->zero_points = -1;
        d->blockwise = blocks;
        q->count = 0;
        return p + 1;
    }
    q->scale = scales;
    q->zero_point = zeros;
    memset(zeros, 0, sizeof zeros);
    scales[0] = (float)first;
    if (*end == '*') {
        q->axis = (int32_t)first;
        q->count = (int32_t)strtol(end + 1, &end, 10);
        for (int i = 0; i < q->count; i++) scales[i] = 0.01f * (float)(i + 1);
        if (*end == '+') for (int i = 0; i < q->count; i++) zeros[i] = i - 1;
        return end + (*end == '+');
    }
    if (*end == ':') zeros[0] = (int32_t)strtol(end + 1, &end, 10);
    return end;
}

/* A tensor of the text up to the next space. *constant: it has values. */
static int32_t net_tensor_of(net *k, int32_t sub, const char *p, int *constant, int32_t *type) {
    static uint8_t  data[4096];
    npu_tensor_desc d;
    npu_blockwise   blocks;
    int32_t         signature[NPU_MAX_RANK], index = -1;
    size_t          n = 1;
    int             open = 0;
    memset(&d, 0, sizeof d);
    d.type = net_types[strchr(net_letters, *p++) - net_letters];
    while ((*p >= '0' && *p <= '9') || *p == '?') {
        signature[d.rank] = *p == '?' ? -1 : 0;
        open |= *p == '?';
        p += *p == '?';
        d.dims[d.rank] = (int32_t)strtol(p, (char **)(uintptr_t)&p, 10);
        if (!signature[d.rank]) signature[d.rank] = d.dims[d.rank];
        n *= (size_t)d.dims[d.rank++];
        p += *p == 'x';
    }
    if (open) d.dims_signature = signature;
    if (*p == '@') p = net_quant(p + 1, &d.quant, &blocks, &d);
    *constant = *p == '=' && sub == 0;
    *type = (int32_t)d.type;
    if (*constant) {
        memset(data, 0, sizeof data);
        net_values(p + 1, d.type, data, n);
        d.data = data;
        d.bytes = net_bytes(d.type, n);
    }
    if (k->s == NPU_OK) k->s = npu_graph_tensor(k->g, sub, &d, &index, &k->diag);
    return index;
}

static const char *net_next(const char *p) {
    p += strcspn(p, " ");
    return *p ? p + 1 : NULL;
}

static void net_tensors(net *k, const net_row *row) {
    int constant;
    for (const char *p = row->in; p && *p; p = net_next(p)) {
        if (*p == '-') {
            k->in[k->n_in++] = -1;
            continue;
        }
        k->in[k->n_in] = net_tensor_of(k, 0, p, &constant, &k->types[k->n_given]);
        if (!constant) k->given[k->n_given++] = k->in[k->n_in];
        k->n_in++;
    }
    for (const char *p = row->out; p && *p; p = net_next(p)) {
        int32_t type;
        k->out[k->n_out++] = net_tensor_of(k, 0, p, &constant, &type);
    }
}

/* ---- composites: a subgraph that gives the right shape, and attributes as a flexbuffer's map ---- */

static void net_decomposition(net *k, const net_row *row) {
    int32_t     in[8], n = 0, out, sub, type;
    int         constant;
    npu_op_desc o;
    if (k->s == NPU_OK) k->s = npu_graph_subgraph(k->g, "body", &sub, &k->diag);
    for (const char *p = row->in; p && *p; p = net_next(p))
        if (*p != '-') in[n++] = net_tensor_of(k, 1, p, &constant, &type);
    out = net_tensor_of(k, 1, row->out, &constant, &type);
    if (n == 0) in[n++] = net_tensor_of(k, 1, row->out, &constant, &type);
    o = op_desc(n > 1 ? "MUL" : "RELU", in, n > 1 ? 2 : 1, &out, 1);
    if (k->s == NPU_OK) k->s = npu_graph_op(k->g, 1, &o, NULL, &k->diag);
    if (k->s == NPU_OK) k->s = npu_graph_inputs(k->g, 1, in, n, &k->diag);
    if (k->s == NPU_OK) k->s = npu_graph_outputs(k->g, 1, &out, 1, &k->diag);
}

/* A map of up to four entries, of 8 bytes a number: keys in order, integers and (with a point) floats. "name=text"
 * pairs, and strings where the value is no number. */
typedef struct net_map {
    uint8_t p[256];
    size_t  n;
} net_map;

static void net_map_add(net_map *m, const void *p, size_t n) {
    memcpy(m->p + m->n, p, n);
    m->n += n;
}
static void net_map_int(net_map *m, int64_t v) { net_map_add(m, &v, 8); }

static void net_map_make(net_map *m, int n, const char *const *keys, const char *const *values) {
    size_t at[4], text[4], list, map;
    memset(m, 0, sizeof *m);
    for (int i = 0; i < n; i++) {
        at[i] = m->n;
        net_map_add(m, keys[i], strlen(keys[i]) + 1);
    }
    for (int i = 0; i < n; i++) {
        const uint8_t length = (uint8_t)strlen(values[i]);
        net_map_add(m, &length, 1);
        text[i] = m->n;
        net_map_add(m, values[i], strlen(values[i]) + 1);
    }
    m->n = (m->n + 7) / 8 * 8;
    net_map_int(m, n);
    list = m->n;
    for (int i = 0; i < n; i++) net_map_int(m, (int64_t)(m->n - at[i]));
    net_map_int(m, (int64_t)(m->n - list));
    net_map_int(m, 8);
    net_map_int(m, n);
    map = m->n;
    for (int i = 0; i < n; i++) {
        char        *end;
        const double v = strtod(values[i], &end);
        if (*end) net_map_int(m, (int64_t)(m->n - text[i]));
        else if (strchr(values[i], '.')) net_map_add(m, &v, 8);
        else net_map_int(m, (int64_t)v);
    }
    for (int i = 0; i < n; i++) {
        char *end;
        (void)strtod(values[i], &end);
        m->p[m->n++] = *end ? 5 << 2 : (uint8_t)((strchr(values[i], '.') ? 3 : 1) << 2 | 3);
    }
    m->p[m->n] = (uint8_t)(m->n - map);
    m->p[m->n + 1] = 9 << 2 | 3;
    m->p[m->n + 2] = 1;
    m->n += 3;
}

static void net_attributes(net *k, int32_t op, int n, char keys[4][40], char values[4][40]) {
    const char *key[4], *value[4];
    net_map     map;
    int64_t     ints[256];
    for (int i = 0; i < n; i++) {
        key[i] = keys[i];
        value[i] = values[i];
    }
    net_map_make(&map, n, key, value);
    for (size_t i = 0; i < map.n; i++) ints[i] = map.p[i];
    if (k->s == NPU_OK) k->s = npu_graph_option_ints(k->g, 0, op, "composite_attributes", ints, (int32_t)map.n, &k->diag);
    if (k->s == NPU_OK) k->s = npu_graph_option_int(k->g, 0, op, "decomposition_subgraph_index", 1, &k->diag);
}

static void net_options(net *k, const net_row *row, int32_t op) {
    char keys[4][40], values[4][40];
    int  n = 0;
    for (const char *p = row->options; p && *p; p = net_next(p)) {
        char        name[40], value[40], *end;
        const char *eq = strchr(p, '=');
        const size_t n_name = (size_t)(eq - p), n_value = strcspn(eq + 1, " ");
        snprintf(name, sizeof name, "%.*s", (int)n_name, p);
        snprintf(value, sizeof value, "%.*s", (int)n_value, eq + 1);
        if (name[0] == '~') {
            snprintf(keys[n], sizeof keys[n], "%.38s", name + 1);
            snprintf(values[n++], sizeof values[0], "%.39s", value);
            continue;
        }
        (void)strtod(value, &end);
        if (k->s != NPU_OK) return;
        if (*end) k->s = npu_graph_option_str(k->g, 0, op, name, value, &k->diag);
        else if (strchr(value, '.')) k->s = npu_graph_option_float(k->g, 0, op, name, strtod(value, NULL), &k->diag);
        else k->s = npu_graph_option_int(k->g, 0, op, name, strtol(value, NULL, 10), &k->diag);
    }
    if (k->composite) net_attributes(k, op, n, keys, values);
}

/* The network; NULL: no memory, or (which fails the test) a row that none can be made of. */
static npu_model *net_make(net *k, const net_row *row, const npu_allocator *a) {
    npu_model_desc desc;
    npu_op_desc    o;
    int32_t        op = 0;
    memset(k, 0, sizeof *k);
    memset(&desc, 0, sizeof desc);
    if (a) desc.allocator = *a;
    k->composite = strcmp(row->op, "STABLEHLO_COMPOSITE") == 0;
    k->s = npu_graph_create(&k->g, &desc, &k->diag);
    if (k->s == NPU_OK) k->s = npu_graph_subgraph(k->g, "main", NULL, &k->diag);
    net_tensors(k, row);
    o = op_desc(row->op, k->in, k->n_in, k->out, k->n_out);
    if (k->s == NPU_OK) k->s = npu_graph_op(k->g, 0, &o, &op, &k->diag);
    if (k->s == NPU_OK) k->s = npu_graph_inputs(k->g, 0, k->given, k->n_given, &k->diag);
    if (k->s == NPU_OK) k->s = npu_graph_outputs(k->g, 0, k->out, k->n_out, &k->diag);
    if (k->composite) net_decomposition(k, row);
    net_options(k, row, op);
    if (k->s == NPU_OK) k->s = npu_graph_finish(k->g, &k->model, &k->diag);
    npu_graph_destroy(k->g);
    if (k->s != NPU_OK && k->s != NPU_OUT_OF_MEMORY) {
        test_fail(__FILE__, __LINE__, "net_make");
        printf("    %s %s -> %s: %s\n", row->op, row->in, row->out, k->diag.text);
    }
    return k->model;
}

/* ---- what is said of it ---- */

typedef struct net_text {
    char   text[1 << 17];
    size_t n;
} net_text;

static int net_write(void *user, const char *text, size_t n) {
    net_text *t = (net_text *)user;
    if (n > sizeof t->text - 1 - t->n) return 1;
    memcpy(t->text + t->n, text, n);
    t->n += n;
    t->text[t->n] = 0;
    return 0;
}

static npu_status net_lower(const npu_model *m, const char *profile, const char *runtime, npu_format format, net_text *out,
                            npu_diag *diag) {
    npu_lower_desc d;
    npu_writer     w;
    memset(&d, 0, sizeof d);
    d.backend = "neuron";
    d.profile = profile;
    d.runtime = runtime;
    w.user = out;
    w.write = net_write;
    out->n = 0;
    out->text[0] = 0;
    return npu_model_lower(m, &d, format, &w, diag);
}

static npu_status net_check(const npu_model *m, const char *profile, npu_format format, net_text *out) {
    npu_check_desc d;
    npu_writer     w;
    memset(&d, 0, sizeof d);
    d.backend = "neuron";
    d.profile = profile;
    w.user = out;
    w.write = net_write;
    out->n = 0;
    out->text[0] = 0;
    return npu_check_with(m, &d, format, &w, NULL, NULL);
}

/* Has the text every part of `want`? A part after ! must not be there. */
static int net_says(const char *text, const char *want, const net_row *row) {
    char part[256];
    int  ok = 1;
    for (const char *p = want; *p;) {
        const size_t n = strcspn(p, "|");
        const int    not_there = *p == '!';
        snprintf(part, sizeof part, "%.*s", (int)(n - (size_t)not_there), p + not_there);
        if ((strstr(text, part) != NULL) == not_there) {
            test_fail(__FILE__, __LINE__, row->op);
            printf("    %s -> %s (%s): %s \"%s\"\n%s\n", row->in, row->out, row->options,
                   not_there ? "there is" : "lacks", part, text);
            ok = 0;
        }
        p += n + (p[n] == '|');
    }
    return ok;
}

/* ---- a run ---- */

/* A run with the driver (NULL: the software adapter with exact floats). What it gave is in `out`. */
static npu_status net_run(const net *k, const npu_plan *plan, const npu_neuron_driver *driver, const npu_allocator *a,
                          uint8_t *out, size_t room, npu_diag *diag) {
    npu_neuron_options options;
    npu_neuron_driver  exact;
    npu_session_desc   d;
    npu_driver         list;
    npu_session       *s = NULL;
    npu_tensor         t;
    npu_status         status;
    memset(&d, 0, sizeof d);
    memset(&exact, 0, sizeof exact);
    memset(&options, 0, sizeof options);
    options.exact_float32 = 1;
    options.preference = NPU__NEURON_PREFER_SUSTAINED_SPEED;
    options.priority = NPU__NEURON_PRIORITY_HIGH;
    exact.options = &options;
    if (a) d.allocator = *a;
    list.vendor = "neuron";
    list.functions = driver ? driver : &exact;
    d.drivers = &list;
    d.n_drivers = 1;
    status = npu_session_create(&s, plan, &d, diag);
    for (int32_t i = 0; status == NPU_OK && i < k->n_given; i++) {
        CHECK_INT(npu_session_input(s, i, &t), NPU_OK);
        memset(t.data, 0, t.bytes);
        net_values("%", (npu_type)k->types[i], (uint8_t *)t.data,
                   t.bytes * 8 / (size_t)npu_type_bits((npu_type)k->types[i]));
    }
    if (status == NPU_OK) status = npu_session_invoke(s, diag);
    for (int32_t i = 0; status == NPU_OK && i < k->n_out; i++) {
        CHECK_INT(npu_session_output(s, i, &t), NPU_OK);
        if (CHECK(t.bytes <= room)) memcpy(out, t.data, t.bytes);
        out += t.bytes;
        room -= t.bytes;
    }
    npu_session_destroy(s);
    return status;
}

static npu_status net_plan(const npu_model *m, const char *backend, const npu_allocator *a, npu_plan **out, npu_diag *diag) {
    npu_plan_desc d;
    memset(&d, 0, sizeof d);
    d.backend = backend;
    if (a) d.allocator = *a;
    return npu_plan_create(out, m, &d, diag);
}

#endif
