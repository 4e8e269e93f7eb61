/* The custom operator DISPATCH_OP: a part of a network that LiteRT compiled ahead of time. Of MediaTek's plugin it
 * holds bytecode for the Neuron adapter (container.h), which a driver's library restores, or the software adapter
 * where the bytecode is its own. */
#include "adapter/adapter.h"
#include "client.h"
#include "container.h"
#include "sizes.h"

#if NPU__HAS_NEURON && NPU__HAS_LOWERING

typedef struct npu__neuron_dispatch_data {
    const char    *kernel;
    const uint8_t *network;
    size_t         bytes;
    int32_t        run; /* slot of an npu__neuron_run */
} npu__neuron_dispatch_data;

NPU__FN npu_status npu__neuron_dispatch_infer(npu__ctx *c) {
    for (int32_t i = 0; i < c->n_out; i++) NPU__TRY(npu__set_shape(c, i, &c->out[i]->t->shape));
    return NPU_OK;
}

NPU__FN npu_status npu__neuron_dispatch_prepare(npu__ctx *c) {
    npu__neuron_dispatch_data *data = (npu__neuron_dispatch_data *)c->data;
    const npu__span            file = npu__ctx_file(c);
    const npu__neuron_dispatch d = npu__neuron_dispatch_of(c->node, file.p, file.n);
    npu__neuron_bytecode       b;
    const int                  found = npu__neuron_bytecode_find(&b, &d);
    NPU__POLL(c, b.looked_at);
    if (!found) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "neuron.container",
                         "the file holds no MediaTek bytecode for \"%S\": it was cut off, or "
                         "compiled for another vendor", &d.name);
    }
    if (npu__running(c)) {
        return NPU__FAIL(c, NPU_UNSUPPORTED, "neuron.dynamic",
                         "a compiled network cannot be opened while the session runs: the shapes of "
                         "its inputs depend on data");
    }
    for (int32_t i = 0; i < c->n_in + c->n_out; i++) {
        const npu__val *v = i < c->n_in ? c->in[i] : c->out[i - c->n_in];
        if (npu__shape_eq(&v->shape, &v->t->shape) && npu_type_bits((npu_type)v->type) >= 8) continue;
        return NPU__FAIL(c, NPU_UNSUPPORTED, "neuron.shape",
                         "all inputs and outputs must be as they were when it was compiled");
    }
    data->kernel = "neuron";
    data->network = b.data.p;
    data->bytes = b.data.n;
    data->run = npu__want_packed(c, 5 * npu__ctx_word(c)); /* bounded: a word has 8 bytes */
    return data->run < 0 ? NPU_LIMIT : NPU_OK;
}

/* Do the values of the operator suit what the network reads and writes? Asked of adapters that say it. */
NPU__FN npu_status npu__neuron_dispatch_fits(npu__neuron_call *k) {
    for (int32_t i = 0; i < k->c->n_in + k->c->n_out; i++) {
        const int       output = i >= k->c->n_in;
        const npu__val *v = output ? k->c->out[i - k->c->n_in] : k->c->in[i];
        int (*ask)(void *, int32_t, size_t *) =
            output ? k->f->NeuronCompilation_getOutputPaddedSize : k->f->NeuronCompilation_getInputPaddedSize;
        size_t bytes = 0;
        if (!ask) continue;
        /* An error: of a size that is open until the run, which compares then. */
        if (ask(k->run->compilation, output ? i - k->c->n_in : i, &bytes) != NPU__NEURON_NO_ERROR ||
            bytes >= v->bytes) continue;
        return NPU__FAIL(k->c, NPU_INVALID_MODEL, "neuron.size",
                         "%s %d has %z bytes: the compiled network has none of this size",
                         output ? "output" : "input", output ? i - k->c->n_in : i, v->bytes);
    }
    return NPU_OK;
}

NPU__FN npu_status npu__neuron_dispatch_restore(npu__neuron_call *k, const npu__neuron_dispatch_data *d) {
#if NPU__HAS_NEURON_SOFTWARE
    if (k->f->NeuronModel_restoreFromCompiledNetwork == npu__nsw_NeuronModel_restoreFromCompiledNetwork) {
        npu_allocator a = npu__ctx_allocator(k->c);
        int           code;
        if (!npu__nsw_network_is(d->network, d->bytes)) {
            return NPU__FAIL(k->c, NPU_UNSUPPORTED, "neuron.bytecode",
                             "the %z bytes of bytecode are for MediaTek's hardware, which software "
                             "cannot run: give the session a driver for \"neuron\" on the phone, or use the model before it was compiled",
                             d->bytes);
        }
        code = npu__nsw_restore(&k->run->model, &k->run->compilation, d->network, d->bytes, &a);
        if (code == NPU__NEURON_BAD_DATA) {
            return NPU__FAIL(k->c, NPU_INVALID_MODEL, "neuron.network",
                             "the compiled network is damaged, or of another version of npu_rt");
        }
        if (code != NPU__NEURON_NO_ERROR) return npu__neuron_failed(k->c, "NeuronModel_restoreFromCompiledNetwork", code,
                                                                    -1);
        return NPU_OK;
    }
#endif
    return npu__neuron_restore_bytes(k, d->network, d->bytes);
}

NPU__FN void npu__neuron_dispatch_release(npu__ctx *c) {
    const npu__neuron_dispatch_data *d = (const npu__neuron_dispatch_data *)c->data;
    npu__neuron_let_go((npu__neuron_run *)npu__slot(c, d->run), c);
}

NPU__FN npu_status npu__neuron_dispatch_pack(npu__ctx *c) {
    const npu__neuron_dispatch_data *d = (const npu__neuron_dispatch_data *)c->data;
    npu__neuron_call                 k;
    memset(&k, 0, sizeof k);
    k.c = c;
    k.run = (npu__neuron_run *)npu__slot(c, d->run);
    memset(k.run, 0, sizeof *k.run);
    NPU__TRY(npu__at_end(c, npu__neuron_dispatch_release));
    NPU__TRY(npu__neuron_functions(c, &k.f));
    k.run->f = k.f;
    NPU__TRY(npu__neuron_dispatch_restore(&k, d));
    NPU__TRY(npu__neuron_dispatch_fits(&k));
    return npu__neuron_open(&k);
}

NPU__FN npu_status npu__neuron_dispatch_eval(npu__ctx *c) {
    const npu__neuron_dispatch_data *d = (const npu__neuron_dispatch_data *)c->data;
    npu__neuron_call                 k;
    memset(&k, 0, sizeof k);
    k.c = c;
    k.run = (npu__neuron_run *)npu__slot(c, d->run);
    k.f = k.run->f;
    return npu__neuron_compute(&k);
}

/* How much the network computes is not known: what it reads and writes, and its bytes. */
NPU__FN npu__work npu__neuron_dispatch_work(const npu__ctx *c) {
    const npu__neuron_dispatch_data *d = (const npu__neuron_dispatch_data *)c->data;
    return npu__work_steps(c, (int64_t)d->bytes);
}

NPU__OPDEF(npu__op_neuron_dispatch) = {0, -1, 1, -1, 0, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL | NPU__OP_COMPILED,
                                       NPU__DATA(npu__neuron_dispatch_data),
                                       npu__neuron_dispatch_infer, npu__neuron_dispatch_prepare, npu__neuron_dispatch_pack,
                                       npu__neuron_dispatch_eval, npu__neuron_dispatch_work};

#endif
