/* Reading what the plugin left: every read is checked where it happens, as nothing of it was verified with the model. */
#include "../../tflite/flexbuf.h"
#include "../vendor.h"
#include "container.h"
#include "adapter/adapter.h"

#if NPU__HAS_NEURON

enum {
    NPU__NEURON_MAX_NAME = 256,   /* bytes of a subgraph's or buffer's name */
    NPU__NEURON_MAX_ENTRIES = 4096, /* subgraphs and buffers: each operator looks for its own among them */
    NPU__NEURON_ENTRY_STEPS = 32  /* work of looking at an entry of the container */
};

/* ---- flatbuffers ---- */

typedef npu__span npu__neuron_fb;

NPU__FN int npu__neuron_fb_u32(npu__neuron_fb b, size_t at, uint32_t *out) {
    if (at > b.n || b.n - at < 4) return 0;
    *out = npu__rd_u32(b.p + at);
    return 1;
}

/* What the offset at `at` points to. */
NPU__FN int npu__neuron_fb_follow(npu__neuron_fb b, size_t at, size_t *out) {
    uint32_t offset;
    if (!npu__neuron_fb_u32(b, at, &offset) || offset == 0 || offset > b.n - at) return 0;
    *out = at + offset;
    return 1;
}

/* Where a table has field `slot`, with room for `bytes`. */
NPU__FN int npu__neuron_fb_field(npu__neuron_fb b, size_t table, uint32_t slot, size_t bytes, size_t *out) {
    uint32_t back;
    int64_t  vtable;
    uint16_t offset;
    if (!npu__neuron_fb_u32(b, table, &back)) return 0;
    vtable = (int64_t)table - (int32_t)back;
    /* bounded, here and below: slots are below 5 */
    if (vtable < 0 || vtable > (int64_t)b.n - 4) return 0;
    if (npu__rd_u16(b.p + vtable) < 6 + 2 * slot || vtable + 6 + 2 * (int64_t)slot > (int64_t)b.n) return 0;
    offset = npu__rd_u16(b.p + vtable + 4 + 2 * slot);
    if (offset == 0 || offset > b.n - table || bytes > b.n - table - offset) return 0;
    *out = table + offset;
    return 1;
}

/* A vector's or string's elements. */
NPU__FN int npu__neuron_fb_vector(npu__neuron_fb b, size_t table, uint32_t slot, size_t elem, npu__span *out) {
    size_t   at;
    uint32_t n;
    if (!npu__neuron_fb_field(b, table, slot, 4, &at) || !npu__neuron_fb_follow(b, at, &at)) return 0;
    if (!npu__neuron_fb_u32(b, at, &n) || n > (b.n - at - 4) / elem) return 0;
    out->p = b.p + at + 4;
    out->n = n;
    return 1;
}

NPU__FN npu__str npu__neuron_fb_str(npu__neuron_fb b, size_t table, uint32_t slot) {
    npu__span s = {NULL, 0};
    npu__str  str;
    npu__neuron_fb_vector(b, table, slot, 1, &s);
    str.p = (const char *)s.p;
    str.n = s.n;
    return str;
}

/* Is it the name? Longer ones than any compiler writes are nobody's: a file may have a million entries that all share one string. */
NPU__FN int npu__neuron_fb_named(npu__neuron_fb b, size_t table, uint32_t slot, npu__str name) {
    const npu__str s = npu__neuron_fb_str(b, table, slot);
    return s.n <= NPU__NEURON_MAX_NAME && npu__str_eq(s, name);
}

/* Table i of a vector of them. */
NPU__FN int npu__neuron_fb_at(npu__neuron_fb b, npu__span tables, size_t i, size_t *out) {
    return npu__neuron_fb_follow(b, (size_t)(tables.p - b.p) + 4 * i, out); /* bounded: the vector is in memory */
}

/* ---- the container ---- */

NPU__FN npu__neuron_dispatch npu__neuron_dispatch_of(const npu__node *node, const uint8_t *file, size_t n_file) {
    npu__neuron_dispatch d;
    const npu__flex      map = npu__flex_root(node->custom, node->custom_bytes);
    const int64_t        at = npu__flex_i64(npu__flex_get(map, "bytecode_offset"), -1);
    const int64_t        n = npu__flex_i64(npu__flex_get(map, "bytecode_size"), -1);
    memset(&d, 0, sizeof d);
    d.name = npu__flex_str(npu__flex_get(map, "name"));
    if (!file || at <= 0 || n <= 0 || (uint64_t)at > n_file || (uint64_t)n > n_file - (uint64_t)at) return d;
    d.container.p = file + at;
    d.container.n = (size_t)n;
    return d;
}

/* The buffer that a subgraph names: by number, or by its identifier. */
NPU__FN int npu__neuron_bytecode_data(npu__neuron_bytecode *out, npu__neuron_fb b, size_t subgraph, npu__span buffers) {
    enum { INDEX = 1, IDENTIFIER = 2 };
    size_t   at, value, i = 0;
    uint32_t index;
    npu__str want;
    if (!npu__neuron_fb_field(b, subgraph, 2, 1, &at)) return 0;
    if (!npu__neuron_fb_field(b, subgraph, 3, 4, &value) || !npu__neuron_fb_follow(b, value, &value)) return 0;
    if (b.p[at] == INDEX) {
        index = 0; /* which flatbuffers leave out */
        if (npu__neuron_fb_field(b, value, 0, 4, &at)) index = npu__rd_u32(b.p + at);
        if (index >= buffers.n) return 0;
        return npu__neuron_fb_at(b, buffers, index, &at) && npu__neuron_fb_vector(b, at, 1, 1, &out->data);
    }
    if (b.p[at] != IDENTIFIER) return 0;
    want = npu__neuron_fb_str(b, value, 0);
    for (; want.p && i < buffers.n; i++, out->looked_at += NPU__NEURON_ENTRY_STEPS) {
        if (!npu__neuron_fb_at(b, buffers, i, &at)) return 0;
        if (npu__neuron_fb_named(b, at, 0, want)) return npu__neuron_fb_vector(b, at, 1, 1, &out->data);
    }
    return 0;
}

NPU__FN int npu__neuron_bytecode_find(npu__neuron_bytecode *out, const npu__neuron_dispatch *d) {
    const npu__neuron_fb b = d->container;
    npu__span            subgraphs, buffers;
    size_t               root, at, field;
    memset(out, 0, sizeof *out);
    if (!b.p || !npu__neuron_fb_follow(b, 0, &root)) return 0;
    if (!npu__neuron_fb_vector(b, root, 1, 4, &subgraphs) || !npu__neuron_fb_vector(b, root, 2, 4, &buffers)) return 0;
    if (subgraphs.n > NPU__NEURON_MAX_ENTRIES || buffers.n > NPU__NEURON_MAX_ENTRIES) return 0;
    if (npu__neuron_fb_field(b, root, 4, 12, &at)) {
        for (size_t i = 0; i < 3; i++) out->sdk[i] = npu__rd_u32(b.p + at + 4 * i); /* bounded: three */
    }
    for (size_t i = 0; i < subgraphs.n; i++, out->looked_at += NPU__NEURON_ENTRY_STEPS) {
        if (!npu__neuron_fb_at(b, subgraphs, i, &at)) return 0;
        if (!npu__neuron_fb_named(b, at, 0, d->name)) continue;
        if (npu__neuron_fb_field(b, at, 1, 1, &field)) out->type = b.p[field];
        return npu__neuron_bytecode_data(out, b, at, buffers);
    }
    return 0;
}

/* ---- report ---- */

#if NPU__HAS_REPORTS

#define NPU__NEURON_MOST_LISTED 64

/* Does the software adapter know it as its own? All else is the vendor's, which no software reads. */
NPU__FN int npu__neuron_bytecode_ours(const npu__neuron_bytecode *b) {
#if NPU__HAS_NEURON_SOFTWARE
    return npu__nsw_network_is(b->data.p, b->data.n);
#else
    (void)b;
    return 0;
#endif
}

NPU__FN const char *npu__neuron_bytecode_kind(const npu__neuron_bytecode *b) {
    if (npu__neuron_bytecode_ours(b)) return "npu_rt's software adapter";
    return b->type == 0 ? "DLA" : b->type == 1 ? "DLB" : "a cache of the adapter";
}

NPU__FN void npu__neuron_compiled_one(npu__text *t, int json, const npu__node *node, const npu__neuron_dispatch *d, int found,
                                      const npu__neuron_bytecode *b) {
    if (json) {
        npu__json_open(t, NULL, '{');
        npu__json_int(t, "subgraph", node->subgraph);
        npu__json_int(t, "index", node->index);
        npu__json_str(t, "name", d->name);
        if (found) {
            npu__json_str(t, "bytecode", npu__str_of(npu__neuron_bytecode_kind(b)));
            npu__json_int(t, "bytes", (int64_t)b->data.n);
            npu__json_bool(t, "software", npu__neuron_bytecode_ours(b));
        }
        npu__json_close(t, '}');
        return;
    }
    npu__text_f(t, "subgraph %d, operator %d: %S, compiled for a MediaTek NPU by LiteRT's plugin\n", node->subgraph, node->index,
                &d->name);
    if (found) npu__text_f(t, "  %z bytes for %s", b->data.n, npu__neuron_bytecode_kind(b));
    else npu__text_f(t, "  no bytecode of this name is in the file");
    if (b->sdk[0]) npu__text_f(t, ", Neuron SDK %u.%u.%u", b->sdk[0], b->sdk[1], b->sdk[2]);
    npu__text_f(t, "\n");
    if (found && !npu__neuron_bytecode_ours(b)) {
        npu__text_f(t, "  no network that npu_rt's software adapter can read, so taken as bytes for DLA: the phone's library runs them\n");
    }
}

NPU__FN int npu__neuron_compiled(npu__text *t, int json, const npu_model *m) {
    int64_t left = NPU__NEURON_ENTRY_STEPS << 20; /* steps that may still be taken */
    int     any = 0;
    for (int32_t g = 0; g < m->n_subgraphs; g++) {
        for (int32_t i = 0; i < m->subgraphs[g].n_nodes; i++) {
            const npu__node     *node = &m->subgraphs[g].nodes[i];
            npu__neuron_dispatch d;
            npu__neuron_bytecode b;
            int                  found;
            if (node->code != NPU__BUILTIN_CUSTOM || !npu__str_is(node->custom_name, "DISPATCH_OP") || left <= 0) continue;
            if (any++ == NPU__NEURON_MOST_LISTED && !json) npu__text_f(t, "and more such operators\n");
            if (any > NPU__NEURON_MOST_LISTED) continue;
            d = npu__neuron_dispatch_of(node, m->bytes, m->n_bytes);
            found = npu__neuron_bytecode_find(&b, &d);
            left -= b.looked_at;
            npu__neuron_compiled_one(t, json, node, &d, found, &b);
        }
    }
    return any;
}
#endif

#endif
