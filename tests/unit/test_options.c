/* Options structs: every table and every field, from the schema's rows; and what graph/ask.h answers about
 * them. Built alone: it asks what NPU_RT_DEBUG stops at. */
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

#include <stddef.h>

#include "fb_writer.h"
#include "test.h"

/* ---- the structs as the compiler lays them out ---- */

typedef struct row {
    int32_t     table;
    const char *field;
    size_t      at, bytes;
} row;

static const row rows[] = {
#define T(table)
#define F(table, slot, field, kind, sub, dflt) \
    {NPU__T_##table, #field, offsetof(npu__opts_##table, field), sizeof(((npu__opts_##table *)0)->field)},
    NPU__OPTS_TABLES(T, F)
#undef T
#undef F
};

static const struct {
    int32_t table;
    size_t  bytes;
} tables[] = {
#define T(table) {NPU__T_##table, sizeof(npu__opts_##table)},
#define F(table, slot, field, kind, sub, dflt)
    NPU__OPTS_TABLES(T, F)
#undef T
#undef F
};
#define N_TABLES ((int32_t)(sizeof tables / sizeof *tables))
#define N_ROWS ((int32_t)(sizeof rows / sizeof *rows))

static const npu__opts *default_of(int32_t table) {
    switch (table) {
#define T(table) case NPU__T_##table: return &npu__opts_default_##table()->is;
#define F(table, slot, field, kind, sub, dflt)
    NPU__OPTS_TABLES(T, F)
#undef T
#undef F
    default: return NULL;
    }
}

/* The struct of a table through NPU__OPTIONS. */
static const npu__opts *asked_of(const npu__node *node, int32_t table) {
    switch (table) {
#define T(table) case NPU__T_##table: return &NPU__OPTIONS(node, table)->is;
#define F(table, slot, field, kind, sub, dflt)
    NPU__OPTS_TABLES(T, F)
#undef T
#undef F
    default: return NULL;
    }
}

/* The row of field i of a table. */
static const row *row_of(int32_t table, int32_t i) {
    for (int32_t k = 0; k < N_ROWS; k++) if (rows[k].table == table && i-- == 0) return &rows[k];
    return NULL;
}

TEST(layout) {
    for (int32_t t = 0; t < N_TABLES; t++) {
        const int32_t table = tables[t].table;
        int32_t       n;
        npu__schema_fields(table, &n);
        for (int32_t i = 0; i < n; i++) CHECK_INT(npu__opts_offset(table, i, NPU_MACHINE_THIS), row_of(table, i)->at);
        CHECK(row_of(table, n) == NULL);
        CHECK(npu__opts_offset(table, n, NPU_MACHINE_THIS) <= tables[t].bytes);
        CHECK(npu__opts_offset(table, n, NPU_MACHINE_THIS) + 8 > tables[t].bytes); /* but for what rounds an array's element */
    }
}

/* The same rows where a pointer has 4 bytes, and where an int64_t may lie at any fourth byte. */
TEST(layout_elsewhere) {
    const struct {
        int32_t table, i;
        size_t  on64, on32, on_x86;
    } cases[] = {
        {NPU__T_Conv2DOptions, 7, 32, 32, 32}, {NPU__T_ReshapeOptions, 1, 24, 12, 12},
        {NPU__T_RandomOptions, 0, 8, 8, 4}, {NPU__T_RandomOptions, 2, 24, 24, 20},
        {NPU__T_StableHLOCompositeOptions, 1, 24, 12, 12}, {NPU__T_StableHLOCompositeOptions, 5, 56, 32, 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_INT(npu__opts_offset(cases[i].table, cases[i].i, NPU_MACHINE_64BIT), cases[i].on64);
        CHECK_INT(npu__opts_offset(cases[i].table, cases[i].i, NPU_MACHINE_32BIT), cases[i].on32);
        CHECK_INT(npu__opts_offset(cases[i].table, cases[i].i, NPU_MACHINE_X86_32), cases[i].on_x86);
    }
    for (int32_t t = 0; t < N_TABLES; t++) {
        const int32_t machine = sizeof(void *) == 8 ? NPU_MACHINE_64BIT : NPU_MACHINE_X86_32;
        int32_t       n;
        npu__schema_fields(tables[t].table, &n);
        CHECK_INT(npu__opts_offset(tables[t].table, n, machine), npu__opts_offset(tables[t].table, n, NPU_MACHINE_THIS));
    }
}

/* ---- reading ---- */

static npu__pool pool;

static void pool_open(uint64_t limit) {
    npu_allocator a;
    npu__allocator_resolve(&a, NULL);
    npu__pool_init(&pool, &a, limit);
}

static uint8_t space[1 << 14];
static fbw     w;

/* The bits that the file gets for a scalar: none of them a default. */
static uint64_t bits_of(const npu__schema_field *f) {
    switch (f->kind) {
    case NPU__K_BOOL: return f->dflt ? 0 : 2;
    case NPU__K_I8: return 0x9c;
    case NPU__K_F32: return 0x3f400000; /* 0.75 */
    case NPU__K_I64: return 0x8123456789abcdefu;
    default: return 0x89abcdefu;
    }
}

static int is_scalar(const npu__schema_field *f) { return f->kind < NPU__K_STR; }

/* A table with the fields of `with` (bit i: field i). */
static npu__tab write_table(int32_t table, uint64_t with) {
    char                     slots[65];
    int32_t                  n, last = 0;
    size_t                   at;
    const npu__schema_field *f = npu__schema_fields(table, &n);
    memset(slots, '.', sizeof slots);
    for (int32_t i = 0; i < n; i++) {
        if (!(with >> i & 1u)) continue;
        slots[f[i].slot] = (char)('0' + (is_scalar(&f[i]) ? npu__kind_bytes(f[i].kind) : 4u));
        last = f[i].slot + 1;
    }
    slots[last] = 0; /* a vtable ends with the last field that is there */
    w.buf = space;
    w.cap = sizeof space;
    w.n = 1; /* at odd addresses */
    at = fbw_table(&w, 0, slots);
    for (int32_t i = 0; i < n; i++) {
        if (!(with >> i & 1u)) continue;
        if (is_scalar(&f[i])) fbw_set(&w, at, f[i].slot, bits_of(&f[i]), npu__kind_bytes(f[i].kind));
        else if (f[i].kind == NPU__K_STR) fbw_str(&w, fbw_field(&w, at, f[i].slot), "named");
        else memset(space + fbw_vec(&w, fbw_field(&w, at, f[i].slot), 3, npu__kind_bytes(f[i].kind)), 0x5a, 3);
    }
    return space + at;
}

static int64_t scalar_at(const npu__schema_field *f, const uint8_t *p) {
    int32_t  v;
    uint32_t u;
    int64_t  l;
    float    x;
    switch (f->kind) {
    case NPU__K_F32: memcpy(&x, p, sizeof x); return (int64_t)(x * 1000.0f);
    case NPU__K_I64: memcpy(&l, p, sizeof l); return l;
    case NPU__K_U32: memcpy(&u, p, sizeof u); return u;
    default: memcpy(&v, p, sizeof v); return v;
    }
}

static int64_t want_of(const npu__schema_field *f) {
    switch (f->kind) {
    case NPU__K_BOOL: return f->dflt ? 0 : 1;
    case NPU__K_I8: return -100;
    case NPU__K_F32: return 750;
    case NPU__K_I64: return INT64_MIN + 0x0123456789abcdef;
    case NPU__K_U32: return 0x89abcdef;
    default: return INT32_MIN + 0x09abcdef;
    }
}

/* Field i holds what write_table wrote, or its default. */
static void check_field(const npu__opts *o, int32_t table, int32_t i, int written) {
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(table, &n) + i;
    const uint8_t           *p = (const uint8_t *)o + row_of(table, i)->at;
    npu__str                 s;
    npu__vec                 v;
    if (is_scalar(f)) {
        CHECK_INT(scalar_at(f, p), written ? want_of(f) : f->kind == NPU__K_F32 ? f->dflt * 1000 : f->dflt);
    } else if (f->kind == NPU__K_STR) {
        memcpy(&s, p, sizeof s);
        CHECK(s.p && npu__str_is(s, written ? "named" : ""));
    } else {
        memcpy(&v, p, sizeof v);
        CHECK_INT(v.n, written ? 3 : 0);
        CHECK(written ? v.p && v.p[0] == 0x5a && v.p[2] == 0x5a : v.p == NULL);
        CHECK(!written || (v.p > space && v.p < space + sizeof space)); /* a view */
    }
}

static void check_all(const npu__opts *o, int32_t table, uint64_t with, int given) {
    int32_t n;
    npu__schema_fields(table, &n);
    if (!CHECK(o != NULL) || !CHECK_INT(o->table, n ? table : NPU__T_NONE)) return;
    CHECK_INT(o->given, given);
    for (int32_t i = 0; i < n; i++) check_field(o, table, i, (int)(with >> i & 1u));
}

TEST(every_field) {
    for (int32_t t = 0; t < N_TABLES; t++) {
        const int32_t    table = tables[t].table;
        const npu__opts *o;
        npu__node        node;
        int32_t          n;
        memset(&node, 0, sizeof node);
        npu__schema_fields(table, &n);
        pool_open(1 << 20);
        check_all(npu__opts_from(&pool, table, NULL), table, 0, 0);                  /* no table */
        check_all(npu__opts_from(&pool, table, write_table(table, 0)), table, 0, 1); /* one with a vtable of no fields */
        o = npu__opts_from(&pool, table, write_table(table, UINT64_MAX));
        check_all(o, table, UINT64_MAX, 1);
        node.opts = o;
        if (n > 0) CHECK(asked_of(&node, table) == o);
        for (int32_t i = 0; i < n; i++) {
            check_all(npu__opts_from(&pool, table, write_table(table, (uint64_t)1 << i)), table, (uint64_t)1 << i, 1);
        }
        npu__pool_free(&pool);
    }
}

/* Options of another table than the operator's: whoever asks gets defaults of what he asked for, never other bytes. */
TEST(another_table) {
    for (int32_t t = 0; t < N_TABLES; t++) {
        const int32_t table = tables[t].table, other = tables[t ? 0 : 1].table;
        npu__node     node;
        int32_t       n;
        memset(&node, 0, sizeof node);
        npu__schema_fields(table, &n);
        pool_open(1 << 20);
        node.opts = npu__opts_from(&pool, other, write_table(other, UINT64_MAX));
        CHECK(asked_of(&node, table) == default_of(table));
        CHECK_INT(default_of(table)->table, table);
        for (int32_t i = 0; i < n; i++) check_field(default_of(table), table, i, 0);
        npu__pool_free(&pool);
    }
}

/* Written again: nothing of the first remains. */
TEST(read_twice) {
    npu__opts *o;
    pool_open(1 << 20);
    o = npu__opts_new(&pool, NPU__T_StableHLOCompositeOptions);
    check_all(o, o->table, 0, 0);
    npu__opts_read(o, write_table(o->table, UINT64_MAX));
    check_all(o, o->table, UINT64_MAX, 1);
    npu__opts_read(o, write_table(o->table, 2));
    check_all(o, o->table, 2, 1);
    npu__opts_read(o, NULL);
    check_all(o, o->table, 0, 0);
    npu__pool_free(&pool);
}

TEST(no_memory) {
    for (int32_t t = 0; t < N_TABLES; t++) {
        int32_t n;
        npu__schema_fields(tables[t].table, &n);
        pool_open(1);
        CHECK((npu__opts_from(&pool, tables[t].table, NULL) == NULL) == (n > 0));
        CHECK_INT(pool.over_limit, n > 0);
        npu__pool_free(&pool);
    }
    CHECK_INT(npu__opts_from(&pool, NPU__T_NONE, NULL)->table, NPU__T_NONE);
    CHECK(npu__opts_default_none() == npu__opts_default_none());
}

/* ---- sparse tensors ---- */

/* `n` levels, all one table, with index vectors of the union's member `type`. */
static npu__tab write_sparsity(uint32_t n, int format, int type) {
    size_t at, list, level, vec;
    memset(space, 0, sizeof space);
    w.n = 4;
    at = fbw_table(&w, 0, "444");
    vec = fbw_vec(&w, fbw_field(&w, at, 0), 2, 4);
    fbw_put(&w, vec + 4, 1, 4);
    fbw_vec(&w, fbw_field(&w, at, 1), 1, 4);
    list = fbw_vec(&w, fbw_field(&w, at, 2), n, 4);
    level = fbw_table(&w, 0, type ? "141414" : "14....");
    for (uint32_t i = 0; i < n; i++) fbw_put(&w, list + 4 * i, level - (list + 4 * i), 4);
    fbw_set(&w, level, 0, (uint64_t)format, 1);
    fbw_set(&w, level, 1, 7, 4);
    for (int k = 0; type && k < 2; k++) { /* segments have no elements, indices three */
        fbw_set(&w, level, 2 + 2 * k, (uint64_t)type, 1);
        vec = fbw_table(&w, fbw_field(&w, level, 3 + 2 * k), "4");
        fbw_vec(&w, fbw_field(&w, vec, 0), k ? 3 : 0, type == 1 ? 4 : type == 2 ? 2 : 1);
    }
    return space + at;
}

TEST(sparsity) {
    static const int32_t bytes[] = {0, 4, 2, 1, 0};
    for (int type = 0; type <= 4; type++) { /* 0: no vectors; 4: of a kind that nobody knows */
        const npu__sparsity *s;
        pool_open(1 << 20);
        s = npu__sparsity_new(&pool, write_sparsity(2, type != 0, type));
        if (!CHECK(s != NULL)) return;
        CHECK(s->values.p == NULL && s->values.n == 0);
        CHECK(s->order.n == 2 && npu__vec_i32(s->order, 1) == 1);
        CHECK(s->block_map.n == 1 && npu__vec_i32(s->block_map, 0) == 0);
        CHECK_INT(s->n_levels, 2);
        for (int i = 0; i < 2; i++) {
            const npu__sparse_level *l = &s->levels[i];
            CHECK_INT(l->dense, type == 0);
            CHECK_INT(l->dense_size, 7);
            CHECK_INT(l->segment_bytes, bytes[type]);
            CHECK_INT(l->index_bytes, bytes[type]);
            CHECK((l->segments.p != NULL) == (bytes[type] != 0) && l->segments.n == 0);
            CHECK((l->indices.p != NULL) == (bytes[type] != 0) && l->indices.n == (bytes[type] ? 3u : 0u));
        }
        npu__pool_free(&pool);
    }
}

/* A file may claim any number of levels: those that no tensor can have are counted and not read. */
TEST(sparsity_of_many_levels) {
    const npu__sparsity *s;
    size_t               before;
    pool_open(1 << 20);
    s = npu__sparsity_new(&pool, write_sparsity(1000, 0, 1));
    if (!CHECK(s != NULL)) return;
    CHECK_INT(s->n_levels, 1000);
    CHECK_INT(s->levels[NPU__SPARSE_LEVELS - 1].dense_size, 7);
    before = pool.total_bytes;
    CHECK(before <= 4096 + 64 + NPU__SPARSE_LEVELS * sizeof(npu__sparse_level));
    npu__pool_free(&pool);
    pool_open(1);
    CHECK(npu__sparsity_new(&pool, write_sparsity(2, 0, 1)) == NULL);
    npu__pool_free(&pool);
}

/* ---- questions ---- */

/* An operator with these options, and its tensors. */
static npu__node asked_node;
static npu__val  asked_val[4];
static npu__val *asked_in[3], *asked_out[1];

static npu__ctx ask_about(const npu__opts *opts, npu__shape in, npu__shape weights, npu__shape out) {
    npu__ctx c;
    memset(&c, 0, sizeof c);
    memset(&asked_node, 0, sizeof asked_node);
    asked_node.opts = opts;
    asked_val[0].shape = asked_val[2].shape = in; /* TRANSPOSE_CONV has its image there */
    asked_val[1].shape = weights;
    asked_val[3].shape = out;
    for (int i = 0; i < 3; i++) asked_in[i] = &asked_val[i];
    asked_out[0] = &asked_val[3];
    c.node = &asked_node;
    c.n_in = 3;
    c.n_out = 1;
    c.in = asked_in;
    c.out = asked_out;
    return c;
}

/* Of every table: the field of that name, and of no other. */
TEST(fused_activations) {
    for (int32_t t = 0; t < N_TABLES; t++) {
        const int32_t table = tables[t].table;
        npu__node     node;
        int32_t       n, has = 0;
        memset(&node, 0, sizeof node);
        npu__schema_fields(table, &n);
        for (int32_t i = 0; i < n; i++) has |= strcmp(row_of(table, i)->field, "fused_activation_function") == 0;
        pool_open(1 << 20);
        node.opts = npu__opts_from(&pool, table, write_table(table, UINT64_MAX));
        CHECK_INT(npu__fused_activation(&node), has ? -100 : NPU__ACT_NONE);
        node.opts = npu__opts_from(&pool, table, NULL);
        CHECK_INT(npu__fused_activation(&node), NPU__ACT_NONE);
        npu__pool_free(&pool);
    }
}

/* Options with four numbers that windows have; the others stay. */
#define WINDOW(type, opts, pad, sh, sw) \
    npu__opts_##type opts = *npu__opts_default_##type(); \
    opts.padding = pad; \
    opts.stride_h = sh; \
    opts.stride_w = sw

static void check_window(const npu__ctx *c, int32_t padding, const int32_t want[6]) {
    const npu__window x = npu__window_of(c);
    CHECK_INT(x.is_window, 1);
    CHECK_INT(x.padding, padding);
    CHECK_INT(x.stride_h, want[0]);
    CHECK_INT(x.stride_w, want[1]);
    CHECK_INT(x.dil_h, want[2]);
    CHECK_INT(x.dil_w, want[3]);
    CHECK_INT(x.k_h, want[4]);
    CHECK_INT(x.k_w, want[5]);
}

static void check_padding(const npu__ctx *c, int32_t top, int32_t bottom, int32_t left, int32_t right) {
    const npu__padding p = npu__padding_of(c);
    CHECK_INT(p.top, top);
    CHECK_INT(p.bottom, bottom);
    CHECK_INT(p.left, left);
    CHECK_INT(p.right, right);
}

TEST(windows) {
    const int32_t    steps[6] = {2, 3, 1, 1, 4, 5}, dilated[6] = {2, 3, 3, 2, 4, 5}, none[6] = {2, 3, 1, 1, 0, 0};
    const int32_t    low[6] = {2, 3, 1, 1, 1, 5}, lowest[6] = {2, 3, 1, 1, 1, 1};
    const npu__shape image = npu__shape_make(4, 1, 8, 9, 2), small = npu__shape_make(4, 1, 4, 3, 6), filter = npu__shape_make(4, 6, 4, 5, 2);
    npu__ctx         c;
    WINDOW(Conv2DOptions, conv, NPU__PAD_SAME, 2, 3);
    WINDOW(DepthwiseConv2DOptions, dw, NPU__PAD_SAME, 2, 3);
    WINDOW(TransposeConvOptions, tc, NPU__PAD_SAME, 2, 3);
    WINDOW(Pool2DOptions, pool2d, NPU__PAD_SAME, 2, 3);
    conv.dilation_h_factor = dw.dilation_h_factor = 3;
    conv.dilation_w_factor = dw.dilation_w_factor = 2;
    pool2d.filter_height = 4;
    pool2d.filter_width = 5;
    c = ask_about(&conv.is, image, filter, small); /* (4-1)*2 + 10 - 8 = 8 rows, (3-1)*3 + 9 - 9 = 6 columns */
    check_window(&c, NPU__PAD_SAME, dilated);
    check_padding(&c, 4, 4, 3, 3);
    c = ask_about(&dw.is, image, filter, small);
    check_window(&c, NPU__PAD_SAME, dilated);
    check_padding(&c, 4, 4, 3, 3);
    c = ask_about(&pool2d.is, image, filter, small); /* (4-1)*2 + 4 - 8 = 2, (3-1)*3 + 5 - 9 = 2 */
    check_window(&c, NPU__PAD_SAME, steps);
    check_padding(&c, 1, 1, 1, 1);
    pool2d.filter_width = 6; /* an odd cell lies behind */
    check_padding(&c, 1, 1, 1, 2);
    c = ask_about(&tc.is, small, filter, image); /* windows lie in the output */
    check_window(&c, NPU__PAD_SAME, steps);
    check_padding(&c, 1, 1, 1, 1);
    tc.padding = NPU__PAD_VALID;
    check_window(&c, NPU__PAD_VALID, steps);
    asked_in[1] = NULL;
    check_window(&c, NPU__PAD_VALID, none);
    c = ask_about(&tc.is, small, npu__shape_make(2, 5, 3, 0, 0), image);
    check_window(&c, NPU__PAD_VALID, low);
    c = ask_about(&tc.is, small, npu__shape_make(1, 5, 0, 0, 0), image);
    check_window(&c, NPU__PAD_VALID, lowest);
    c.n_in = 1;
    check_window(&c, NPU__PAD_VALID, none);
    c = ask_about(&npu__opts_default_AddOptions()->is, image, filter, small);
    CHECK_INT(npu__window_of(&c).is_window, 0);
    CHECK_INT(npu__window_of(&c).dil_h, 1);
}

TEST(window_ends) {
    int32_t after;
    CHECK_INT(npu__window_out(NPU__PAD_VALID, 7, 8, 1, 1), 0); /* TFLite's own: nothing, but no error */
    CHECK_INT(npu__window_out(NPU__PAD_VALID, 7, 9, 1, 1), -1);
    CHECK_INT(npu__window_out(NPU__PAD_SAME, 7, 9, 2, 1), 4);
    CHECK_INT(npu__window_out(NPU__PAD_SAME, 7, 3, 0, 1), -1);
    CHECK_INT(npu__window_out(NPU__PAD_SAME, 7, 0, 1, 1), -1);
    CHECK_INT(npu__window_out(NPU__PAD_SAME, 7, 3, 1, 0), -1);
    CHECK_INT(npu__window_out(NPU__PAD_SAME, -1, 3, 1, 1), -1);
    CHECK_INT(npu__window_pad(INT32_MAX, 1, 1, 1, 1, &after), 0);
    CHECK_INT(after, 0);
    CHECK_INT(npu__window_pad(1, INT32_MAX, 1, INT32_MAX, 1, &after), INT32_MAX / 2);
    CHECK_INT(after, INT32_MAX / 2 + 1);
}

TEST(axes) {
    CHECK_INT(npu__axis_in(0, 3), 0);
    CHECK_INT(npu__axis_in(2, 3), 2);
    CHECK_INT(npu__axis_in(3, 3), -1);
    CHECK_INT(npu__axis_in(-1, 3), 2);
    CHECK_INT(npu__axis_in(-3, 3), 0);
    CHECK_INT(npu__axis_in(-4, 3), -1);
    CHECK_INT(npu__axis_in(0, 0), -1);
    CHECK_INT(npu__axis_in(INT64_MIN, 8), -1);
    CHECK_INT(npu__axis_in(INT64_MAX, 8), -1);
}

TEST(quantization) {
    const float   one[] = {0.5f, 0.5f, 0.5f}, two[] = {0.5f, 0.5f, 0.25f};
    const int32_t zero[] = {1, 2, 3}, other[] = {1, 2, 4};
    float         odd[3];
    npu_quant     a, b;
    memset(&a, 0, sizeof a);
    CHECK(npu__quant_one_scale(&a));
    CHECK(!npu__quant_same(&a, &a)); /* neither has parameters */
    a.count = 3;
    a.scale = one;
    a.zero_point = zero;
    b = a;
    CHECK(npu__quant_one_scale(&a));
    CHECK(npu__quant_same(&a, &b));
    b.zero_point = other;
    CHECK(!npu__quant_same(&a, &b));
    b = a;
    b.scale = two;
    CHECK(!npu__quant_one_scale(&b));
    CHECK(!npu__quant_same(&a, &b));
    b.count = 2;
    CHECK(npu__quant_one_scale(&b));
    CHECK(!npu__quant_same(&a, &b));
    memcpy(odd, one, sizeof odd);
    memset(&odd[0], 0xff, sizeof odd[0]); /* a NaN */
    b = a;
    b.scale = odd;
    CHECK(!npu__quant_one_scale(&b));
    CHECK(!npu__quant_same(&b, &b));
}

int main(void) {
    RUN(layout);
    RUN(layout_elsewhere);
    RUN(every_field);
    RUN(another_table);
    RUN(read_twice);
    RUN(no_memory);
    RUN(sparsity);
    RUN(sparsity_of_many_levels);
    RUN(fused_activations);
    RUN(windows);
    RUN(window_ends);
    RUN(axes);
    RUN(quantization);
    return REPORT();
}
