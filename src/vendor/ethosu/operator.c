/* The custom operator "ethos-u": a part of a network that Vela compiled for an Arm Ethos-U.
 *
 * Inputs: the command stream, read-only data (weights, scales, tables), scratch, fast scratch, then feature maps.
 * Addresses in the stream are relative to memory regions: 0 is the read-only data, 1 the scratch tensor, 2 the fast one.
 * Feature maps lie inside the scratch tensor, where plan/offline.c puts them, so running means: hand over the stream and
 * the regions' bases, to a driver (npu_session_desc.drivers) or to the software device. */
#include "../../ops/util.h"
#include "../vendor.h"
#if NPU__HAS_ETHOSU
#include "device/device.h"
#include "sizes.h"

enum { NPU__ETHOS_U_STREAM, NPU__ETHOS_U_READ_ONLY, NPU__ETHOS_U_SCRATCH, NPU__ETHOS_U_FAST, NPU__ETHOS_U_FIRST_MAP };

typedef struct npu__ethos_u_data {
    const char    *kernel;
    npu__eu_payload payload;
    int32_t         work; /* slot; software device only */
#if NPU__HAS_EU_DEVICE
    npu__eu_need    need;
#endif
} npu__ethos_u_data;

NPU__FN npu_status npu__ethos_u_infer(npu__ctx *c) {
    for (int32_t i = 0; i < c->n_out; i++) NPU__TRY(npu__set_shape(c, i, &c->out[i]->t->shape));
    return NPU_OK;
}

/* Regions 0, 1 and 2; all others are empty. */
NPU__FN void npu__ethos_u_regions(const npu__ctx *c, npu__eu_region regions[8]) {
    memset(regions, 0, 8 * sizeof *regions);
    for (int32_t i = 0; i < 3; i++) {
        const npu__val *v = c->in[NPU__ETHOS_U_READ_ONLY + i];
        regions[i].base = (uint8_t *)v->data;
        regions[i].bytes = v->bytes;
        regions[i].writable = i > 0;
    }
}

NPU__FN npu_status npu__ethos_u_error(npu__ctx *c, npu_status s, const npu__eu_error *err) {
    if (err->word < 0) return NPU__FAIL(c, s, err->rule, "%s", err->text);
    return NPU__FAIL(c, s, err->rule, "%s (word %l of the command stream's tensor)", err->text, err->word);
}

/* Dimensions may be grouped in another way than in the file, but there must be as many elements. */
NPU__FN int npu__ethos_u_as_compiled(const npu__val *v) {
    size_t bytes;
    return !v || (npu__shape_bytes(&v->t->shape, v->type, &bytes) && bytes == v->bytes);
}

NPU__FN npu_status npu__ethos_u_prepare(npu__ctx *c) {
    npu__ethos_u_data *d = (npu__ethos_u_data *)c->data;
    const npu__val    *stream = c->in[NPU__ETHOS_U_STREAM], *weights = c->in[NPU__ETHOS_U_READ_ONLY];
    npu__eu_error      err;
    npu_status         s;
    if (!npu__is_const(stream) || (!npu__is_const(weights) && weights->bytes)) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "ethos_u.constant",
                         "the command stream and the read-only data (inputs 0 and 1) must be stored in the model");
    }
    for (int32_t i = NPU__ETHOS_U_SCRATCH; i <= NPU__ETHOS_U_FAST; i++) {
        const npu__val *v = c->in[i]; /* while planning, a value that was folded has data, and an empty one may have */
        if (!npu__is_const(v) && (npu__running(c) || !v->data || v->bytes == 0)) continue;
        return NPU__FAIL(c, NPU_INVALID_MODEL, "ethos_u.scratch", "scratch (input %d) must not be a constant", i);
    }
    for (int32_t i = NPU__ETHOS_U_FIRST_MAP; i < c->n_in; i++) {
        if (npu__ethos_u_as_compiled(c->in[i])) continue;
        return NPU__FAIL(c, NPU_UNSUPPORTED, "ethos_u.shape",
                         "input %d has another size than the one the network was compiled for", i);
    }
    s = npu__eu_payload_parse(&d->payload, stream->data, stream->bytes, &err);
    if (s != NPU_OK) return npu__ethos_u_error(c, s, &err);
    d->kernel = "ethos-u driver";
#if NPU__HAS_EU_DEVICE
    {
        npu__eu_region regions[8];
        npu__ethos_u_regions(c, regions);
        s = npu__eu_check_for(npu__ctx_word(c), &d->payload, regions, &d->need, &err);
        if (s != NPU_OK) return npu__ethos_u_error(c, s, &err);
        d->kernel = "ethos-u software device";
        d->work = npu__want_scratch(c, d->need.work_bytes);
        if (d->work < 0) return NPU_LIMIT;
    }
#endif
    return NPU_OK;
}

NPU__FN const npu_ethosu_driver *npu__ethos_u_driver(const npu__ctx *c) {
    return (const npu_ethosu_driver *)npu__driver(c, NPU__VENDOR_NR_ethosu);
}

NPU__FN npu_status npu__ethos_u_pack(npu__ctx *c) {
    if (NPU__HAS_EU_DEVICE || npu__ethos_u_driver(c)) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "ethos_u.no_driver",
                     "this build has no software device: give the session a driver (npu_session_desc.drivers)");
}

NPU__FN npu_status npu__ethos_u_drive(npu__ctx *c, const npu_ethosu_driver *driver) {
    const npu__val *stream = c->in[NPU__ETHOS_U_STREAM];
    npu__eu_region  regions[8];
    uint64_t        base[3];
    size_t          bytes[3];
    int             code;
    npu__ethos_u_regions(c, regions);
    for (int32_t i = 0; i < 3; i++) {
        base[i] = (uint64_t)(uintptr_t)regions[i].base;
        bytes[i] = (size_t)regions[i].bytes;
    }
    code = driver->invoke(driver->user, stream->data, stream->bytes, base, bytes, 3);
    if (code == 0) return NPU_OK;
    return NPU__FAIL(c, NPU_RUNTIME, "ethos_u.driver", "the driver returned %d", code);
}

#if NPU__HAS_EU_DEVICE
NPU__FN int npu__ethos_u_poll(void *user, int64_t steps) { return npu__poll((npu__ctx *)user, steps); }
#endif

/* What the stream asks for, which the check has added up. A driver's processor does the same work. */
NPU__FN npu__work npu__ethos_u_work(const npu__ctx *c) {
#if NPU__HAS_EU_DEVICE
    const npu__ethos_u_data *d = (const npu__ethos_u_data *)c->data;
    npu__work                w = npu__work_steps(c, d->need.steps);
    w.macs = d->need.macs;
    return w;
#else
    return npu__work_elements(c);
#endif
}

NPU__FN npu_status npu__ethos_u_eval(npu__ctx *c) {
    const npu_ethosu_driver *driver = npu__ethos_u_driver(c);
    if (driver) return npu__ethos_u_drive(c, driver);
#if NPU__HAS_EU_DEVICE
    {
        const npu__ethos_u_data *d = (const npu__ethos_u_data *)c->data;
        npu__eu_region           regions[8];
        npu__eu_error            err;
        npu__eu_poll             poll;
        npu_status               s;
        npu__ethos_u_regions(c, regions);
        poll.fn = npu__ethos_u_poll;
        poll.user = c;
        poll.since = 0;
        s = npu__eu_run(&d->payload, regions, npu__slot(c, d->work), d->need.work_bytes, &poll, &err);
        return s == NPU_OK || s == NPU_CANCELLED ? s : npu__ethos_u_error(c, s, &err);
    }
#else
    return NPU__FAIL(c, NPU_UNSUPPORTED, "ethos_u.no_driver", "no driver");
#endif
}

NPU__OPDEF(npu__op_ethos_u) = {
    NPU__ETHOS_U_FIRST_MAP, -1, 0, -1, 0, NPU__OP_STATEFUL | NPU__OP_NAMES_KERNEL | NPU__OP_COMPILED |
        NPU__OP_WORKS_IN(NPU__ETHOS_U_SCRATCH) | NPU__OP_WORKS_IN(NPU__ETHOS_U_FAST),
    NPU__DATA(npu__ethos_u_data), npu__ethos_u_infer, npu__ethos_u_prepare, npu__ethos_u_pack, npu__ethos_u_eval,
    npu__ethos_u_work};

#endif
