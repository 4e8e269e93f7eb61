/* npu_model_stream: the command streams of a model that Vela compiled, as text or JSON. */
#include "stream/disasm.h"
#include "../../graph/dump.h"

#if NPU__HAS_REPORTS

#if NPU__HAS_ETHOSU

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

/* What is wrong, in the listing itself too: it may be read without the diagnostic. */
NPU__FN void npu__stream_error(npu__text *t, int json, const npu__eu_error *err) {
    if (json) {
        npu__json_open(t, "error", '{');
        npu__json_z(t, "rule", err->rule);
        npu__json_int(t, "word", err->word);
        npu__json_z(t, "text", err->text);
        npu__json_close(t, '}');
    } else if (err->word >= 0) {
        npu__text_f(t, "  %s at word %l: %s\n", err->rule, err->word, err->text);
    } else {
        npu__text_f(t, "  %s: %s\n", err->rule, err->text);
    }
}

NPU__FN npu_status npu__stream_fail(npu_diag *diag, npu_status s, const npu__node *node, const npu__eu_error *err) {
    npu__diag_about(diag, node);
    if (err->word < 0) {
        return npu__diag_fail(diag, s, err->rule, "ethos-u (subgraph %d, operator %d): %s", node->subgraph, node->index,
                              err->text);
    }
    return npu__diag_fail(diag, s, err->rule, "ethos-u (subgraph %d, operator %d): %s (word %l of the command stream's "
                          "tensor)", node->subgraph, node->index, err->text, err->word);
}

/* Takes a payload from the bytes that may still be listed: many operators may name the same one. */
NPU__FN npu_status npu__stream_spend(uint64_t *left, size_t bytes, npu__eu_error *err) {
    if (bytes <= *left) {
        *left -= bytes;
        return NPU_OK;
    }
    *left = 0;
    memset(err, 0, sizeof *err);
    return npu__eu_fail(err, NPU_LIMIT, "ethos_u.too_complex", -1, "the operators of this file share their command "
                             "streams so often that listing them would take too long");
}

/* The error of the whole listing, where programs look for errors of every command. */
NPU__FN void npu__stream_error_json(npu__text *t, npu_status s, const npu__node *node, const npu__eu_error *err) {
    npu__json_open(t, "error", '{');
    npu__json_z(t, "status", npu_status_name(s));
    npu__json_z(t, "rule", err->rule);
    npu__json_z(t, "message", err->text);
    npu__json_int(t, "subgraph", node->subgraph);
    npu__json_int(t, "index", node->index);
    npu__json_str(t, "op", npu__node_name(node));
    npu__json_int(t, "word", err->word);
    npu__json_int(t, "exit_code", npu_status_exit_code(s));
    npu__json_close(t, '}');
}

/* `left`: bytes of payloads that may still be listed. */
NPU__FN npu_status npu__stream_list(npu__text *t, int json, const npu_model *m, const npu__node *node, uint64_t *left,
                                    npu__eu_error *err) {
    const npu__tensor *x = npu__stream_tensor(m, node, 0);
    npu__eu_payload    p;
    npu_status         s;
    if (json) {
        npu__json_open(t, NULL, '{');
        npu__json_int(t, "subgraph", node->subgraph);
        npu__json_int(t, "op", node->index);
    } else {
        npu__text_f(t, "subgraph %d, operator %d\n", node->subgraph, node->index);
    }
    s = npu__stream_spend(left, x && x->data ? x->data_bytes : 0, err);
    if (s == NPU_OK) s = npu__eu_payload_parse(&p, x ? x->data : NULL, x && x->data ? x->data_bytes : 0, err);
    if (s == NPU_OK) {
        npu__stream_config(t, json, &p, x->data_bytes);
        if (json) npu__json_open(t, "regions", '[');
        for (int32_t i = 0; i < NPU__STREAM_REGIONS; i++) {
            npu__stream_region(t, json, npu__stream_tensor(m, node, i + 1), i);
        }
        if (json) npu__json_close(t, ']');
        s = npu__eu_disasm(t, json, &p, err);
    }
    if (s != NPU_OK) npu__stream_error(t, json, err);
    if (json) npu__json_close(t, '}');
    return s;
}

/* Every operator's stream; the first damaged one decides the status, the others are listed all the same. */
NPU__FN npu_status npu__stream_model(npu__text *t, int json, const npu_model *m, int32_t *n, npu_diag *diag) {
    npu_status       s = NPU_OK;
    npu__eu_error    first, err;
    const npu__node *at = NULL;
    uint64_t         left = 8 * (uint64_t)m->n_bytes;
    for (int32_t g = 0; g < m->n_subgraphs; g++) {
        for (int32_t i = 0; i < m->subgraphs[g].n_nodes; i++) {
            const npu__node *node = &m->subgraphs[g].nodes[i];
            npu_status       one;
            if (!npu__node_compiled(node)) continue;
            if (*n == 0 && json) {
                npu__json_open(t, NULL, '{');
                npu__json_open(t, "streams", '[');
            }
            *n += 1;
            one = npu__stream_list(t, json, m, node, &left, &err);
            if (s != NPU_OK || one == NPU_OK) continue;
            s = one;
            first = err;
            at = node;
        }
    }
    if (*n && json) {
        npu__json_close(t, ']');
        if (at) npu__stream_error_json(t, s, at, &first);
        npu__json_close(t, '}');
    }
    return at ? npu__stream_fail(diag, s, at, &first) : s;
}

#undef NPU__STREAM_REGIONS
#endif

NPU_API npu_status npu_model_stream(const npu_model *model, npu_format format, const npu_writer *writer,
                                    npu_diag *diag) {
    npu__diag_clear(diag);
    if (!model || !writer || !writer->write || (format != NPU_FORMAT_TEXT && format != NPU_FORMAT_JSON)) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.report", "npu_model_stream: needs a model, a writer and "
                              "the format TEXT or JSON");
    }
#if NPU__HAS_ETHOSU
    {
        npu__text  t;
        npu_status s, ended;
        int32_t    n = 0;
        npu__text_init(&t, writer);
        s = npu__stream_model(&t, format == NPU_FORMAT_JSON, model, &n, diag);
        ended = npu__text_end(&t, diag);
        if (n == 0) {
            return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "ethos_u.no_stream", "the model has no operator ethos-u: "
                                  "it was not compiled for an Ethos-U; vela --accelerator-config ethos-u55-128 "
                                  "MODEL.tflite does that");
        }
        return s != NPU_OK ? s : ended;
    }
#else
    return npu__diag_fail(diag, NPU_UNSUPPORTED, "ethos_u.build", "this build does not know Ethos-U: define "
                          "NPU_RT_BACKEND_ETHOSU or NPU_RT_BACKEND_ALL");
#endif
}

#endif
