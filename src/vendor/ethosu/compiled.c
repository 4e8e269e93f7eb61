/* Counting what is inside the command streams of a compiled network. */
#include "ethosu.h"
#include "stream/payload.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* Operations of a stream: X(name, opcode). */
#define NPU__COMPILED_OPERATIONS(X) \
    X(conv, NPU__EU_OP_CONV) X(depthwise, NPU__EU_OP_DEPTHWISE) X(pool, NPU__EU_OP_POOL) X(elementwise, NPU__EU_OP_ELEMENTWISE)

typedef struct npu__compiled {
    const npu__node *node;
    const char      *processor;
    char             u85[24];
    size_t           words;
    int64_t          dma;
#define NPU__X(name, code) int64_t name;
    NPU__COMPILED_OPERATIONS(NPU__X)
#undef NPU__X
    size_t           memory[3]; /* read-only data, scratch, fast scratch */
    npu__eu_error    err;       /* rule NULL: all of it was read */
} npu__compiled;

NPU__FN const npu__tensor *npu__compiled_tensor(const npu_model *m, const npu__node *node, int32_t input) {
    if (input >= node->n_in || node->in[input] < 0) return NULL;
    return &m->subgraphs[node->subgraph].tensors[node->in[input]];
}

NPU__FN void npu__compiled_count(npu__compiled *c, const npu__eu_payload *p) {
    npu__eu_command command;
    size_t          at = 0;
    npu_status      s;
    do {
        s = npu__eu_next(p, &at, &command, &c->err);
        if (s != NPU_OK) return;
        c->dma += command.code == NPU__EU_OP_DMA_START;
#define NPU__X(name, opcode) c->name += command.code == (opcode);
        NPU__COMPILED_OPERATIONS(NPU__X)
#undef NPU__X
    } while (command.name);
}

/* `left`: bytes of streams that may still be read, as many operators may name the same one. */
NPU__FN void npu__compiled_look(npu__compiled *c, const npu_model *m, const npu__node *node, uint64_t *left) {
    const npu__tensor *x = npu__compiled_tensor(m, node, 0);
    npu__eu_payload    p;
    memset(c, 0, sizeof *c);
    c->node = node;
    for (int32_t i = 0; i < 3; i++) {
        const npu__tensor *region = npu__compiled_tensor(m, node, i + 1);
        if (region && !npu__shape_bytes(&region->shape, region->type, &c->memory[i])) c->memory[i] = 0;
    }
    if (x && x->data_bytes > *left) {
        npu__eu_fail(&c->err, NPU_LIMIT, "ethos_u.too_complex", -1, "not counted: operators share their streams too often");
        return;
    }
    if (x) *left -= x->data_bytes;
    c->processor = npu__eu_payload_processor(c->u85, x ? x->data : NULL, x ? x->data_bytes : 0, &c->err);
    if (c->err.rule || npu__eu_payload_parse(&p, x ? x->data : NULL, x ? x->data_bytes : 0, &c->err) != NPU_OK) return;
    c->words = p.n_words;
    npu__compiled_count(c, &p);
}

NPU__FN void npu__compiled_json(npu__text *t, const npu__compiled *c) {
    npu__json_open(t, NULL, '{');
    npu__json_int(t, "subgraph", c->node->subgraph);
    npu__json_int(t, "index", c->node->index);
    npu__json_key(t, "accelerator");
    if (c->processor) npu__json_quoted(t, npu__str_of(c->processor));
    else npu__text_f(t, "null");
    npu__json_int(t, "words", (int64_t)c->words);
    npu__json_open(t, "operations", '{');
#define NPU__X(name, code) npu__json_int(t, #name, c->name);
    NPU__COMPILED_OPERATIONS(NPU__X)
#undef NPU__X
    npu__json_int(t, "dma", c->dma);
    npu__json_close(t, '}');
    npu__json_int(t, "read_only_bytes", (int64_t)c->memory[0]);
    npu__json_int(t, "scratch_bytes", (int64_t)c->memory[1]);
    npu__json_int(t, "fast_scratch_bytes", (int64_t)c->memory[2]);
    npu__json_key(t, "problem");
    if (c->err.rule) npu__json_quoted(t, npu__str_of(c->err.text));
    else npu__text_f(t, "null");
    npu__json_close(t, '}');
}

NPU__FN void npu__compiled_text(npu__text *t, const npu__compiled *c) {
    int64_t all = 0;
    npu__text_f(t, "compiled by Vela for %s: subgraph %d, operator %d is a command stream", c->processor ? c->processor : "?",
                c->node->subgraph, c->node->index);
    if (c->words) npu__text_f(t, " of %z words", c->words);
    npu__text_f(t, "\n");
    if (c->words) {
#define NPU__X(name, code) all += c->name;
        NPU__COMPILED_OPERATIONS(NPU__X)
#undef NPU__X
        npu__text_f(t, "  inside: %l operations (", all);
#define NPU__X(name, code) npu__text_f(t, code == NPU__EU_OP_CONV ? "%s x%l" : ", %s x%l", #name, c->name);
        NPU__COMPILED_OPERATIONS(NPU__X)
#undef NPU__X
        npu__text_f(t, "), %l DMA transfers\n", c->dma);
    }
    npu__text_f(t, "  memory: %z bytes of read-only data, %z bytes of scratch, %z bytes of fast scratch\n", c->memory[0],
                c->memory[1], c->memory[2]);
    if (c->err.rule) npu__text_f(t, "  %s\n", c->err.text);
}

NPU__FN int npu__ethosu_compiled_report(npu__text *t, int json, const npu_model *m) {
    uint64_t      left = 8 * (uint64_t)m->n_bytes;
    npu__compiled c;
    int           any = 0;
    for (int32_t g = 0; g < m->n_subgraphs; g++) {
        for (int32_t i = 0; i < m->subgraphs[g].n_nodes; i++) {
            if (npu__vendor_of(&m->subgraphs[g].nodes[i]) != npu__vendor_ethosu()) continue;
            npu__compiled_look(&c, m, &m->subgraphs[g].nodes[i], &left);
            if (json) npu__compiled_json(t, &c);
            else npu__compiled_text(t, &c);
            any = 1;
        }
    }
    return any;
}

#undef NPU__COMPILED_OPERATIONS
#endif
