/* The command stream of an operator `ethos-u`, as text or JSON. */
#include "../../graph/dump.h"
#include "ethosu.h"
#include "stream/disasm.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

#define NPU__STREAM_REGIONS 3 /* inputs 1 to 3 of the operator are the regions 0 to 2 */

NPU__FN const char *npu__stream_region_text(int32_t region) {
    return region == 0 ? "read-only data" : region == 1 ? "scratch" : "fast scratch";
}

NPU__FN const npu__tensor *npu__stream_tensor(const npu_model *m, const npu__node *node, int32_t input) {
    if (input >= node->n_in || node->in[input] < 0) return NULL;
    return &m->subgraphs[node->subgraph].tensors[node->in[input]];
}

NPU__FN void npu__stream_region(npu__text *t, int json, const npu__tensor *x, int32_t region) {
    size_t bytes;
    if (!x || !npu__shape_bytes(&x->shape, x->type, &bytes)) return;
    if (!json) {
        npu__text_f(t, "  region %d: %z bytes of %s, tensor \"%S\"\n", region, bytes, npu__stream_region_text(region),
                    &x->name);
        return;
    }
    npu__json_open(t, NULL, '{');
    npu__json_int(t, "region", region);
    npu__json_z(t, "use", npu__stream_region_text(region));
    npu__json_int(t, "bytes", (int64_t)bytes);
    npu__json_str(t, "tensor", x->name);
    npu__json_close(t, '}');
}

NPU__FN void npu__stream_config(npu__text *t, int json, const npu__eu_payload *p, size_t bytes) {
    const npu__eu_config *c = &p->config;
    if (!json) {
        /* bounded: 2048 MACs times 2 cores */
        npu__text_f(t, "  %s: %d MACs per cycle, %d %s, %d KiB of SHRAM%s\n", npu__eu_config_name(c),
                    c->macs * c->cores, c->cores, c->cores == 1 ? "core" : "cores", c->shram_bytes / 1024,
                    c->cores == 1 ? "" : " each");
        npu__text_f(t, "  driver payload: %z bytes; command stream: %z words from word %z on\n", bytes, p->n_words,
                    p->first_word);
        return;
    }
    npu__json_open(t, "config", '{');
    npu__json_z(t, "processor", npu__eu_config_name(c));
    npu__json_int(t, "product", c->product);
    npu__json_int(t, "macs_per_cycle", c->macs * c->cores); /* bounded: 2048 times 2 */
    npu__json_int(t, "cores", c->cores);
    npu__json_int(t, "shram_bytes", c->shram_bytes);
    npu__json_int(t, "stream_version", c->stream_version);
    npu__json_int(t, "payload_bytes", (int64_t)bytes);
    npu__json_int(t, "first_word", (int64_t)p->first_word);
    npu__json_int(t, "words", (int64_t)p->n_words);
    npu__json_close(t, '}');
}

/* Takes a payload from the bytes that may still be listed: many operators may name the same one. */
NPU__FN npu_status npu__stream_spend(uint64_t *left, size_t bytes, npu__eu_error *err) {
    if (bytes <= *left) {
        *left -= bytes;
        return NPU_OK;
    }
    *left = 0;
    return npu__eu_fail(err, NPU_LIMIT, "ethos_u.too_complex", -1, "the operators of this file share their command "
                             "streams so often that listing them would take too long");
}

NPU__FN npu_status npu__ethosu_list(npu__text *t, int json, const npu_model *m, const npu__node *node, uint64_t *left,
                                    npu__list_error *why) {
    const npu__tensor *x = npu__stream_tensor(m, node, 0);
    const size_t       bytes = x && x->data ? x->data_bytes : 0;
    npu__eu_payload    p;
    npu__eu_error      err;
    npu_status         s;
    memset(&err, 0, sizeof err);
    s = npu__stream_spend(left, bytes, &err);
    if (s == NPU_OK) s = npu__eu_payload_parse(&p, x ? x->data : NULL, bytes, &err);
    if (s == NPU_OK) {
        npu__stream_config(t, json, &p, x->data_bytes);
        if (json) npu__json_open(t, "regions", '[');
        for (int32_t i = 0; i < NPU__STREAM_REGIONS; i++) {
            npu__stream_region(t, json, npu__stream_tensor(m, node, i + 1), i);
        }
        if (json) npu__json_close(t, ']');
        s = npu__eu_disasm(t, json, &p, &err);
    }
    why->rule = err.rule;
    why->word = err.word;
    npu__format(why->text, sizeof why->text, "%s", err.text);
    return s;
}

#undef NPU__STREAM_REGIONS
#endif
