/* A segment through the functions of the Neuron adapter: the vendor's, the caller's, or the software adapter. */
#ifndef NPU__VENDOR_NEURON_CLIENT_H
#define NPU__VENDOR_NEURON_CLIENT_H

#include "../../ops/util.h"
#include "api.h"
#include "neuron.h"

#if NPU__HAS_NEURON && NPU__HAS_LOWERING

/* Memory of an input or output that the adapter wants padded: what goes there is copied row by row. */
typedef struct npu__neuron_border {
    uint8_t *staging; /* NULL: not padded, the value's own memory will do */
    size_t   bytes;
    uint32_t dims[NPU_MAX_RANK];
} npu__neuron_border;

/* What a session holds for a segment. */
typedef struct npu__neuron_run {
    const npu_neuron_driver *f;
    void                    *model, *compilation, *execution;
    npu__neuron_border      *borders; /* inputs, then outputs */
} npu__neuron_run;

typedef struct npu__neuron_call {
    npu__ctx                *c; /* a segment's, or that of an operator that the plugin made */
    const npu_neuron_driver *f;
    const npu__neuron_model *m;
    npu__neuron_run         *run;
    int32_t                  version; /* NPU__NEURON_VERSION_OF; 0: the adapter does not say */
} npu__neuron_call;

NPU__FN const npu_neuron_options *npu__neuron_options(npu__ctx *c);
/* The caller's functions; those of the software adapter where there are none. */
NPU__FN npu_status npu__neuron_functions(npu__ctx *c, const npu_neuron_driver **out);
/* What a function that is missing or failed says. `about`: an operand or operation; -1: neither. */
NPU__FN npu_status npu__neuron_missing(npu__ctx *c, const char *name);
NPU__FN npu_status npu__neuron_failed(npu__ctx *c, const char *name, int code, int64_t about);
NPU__FN npu_status npu__neuron_no_handle(npu__ctx *c, const char *name);

/* Calls a function that must be there. */
#define NPU__NEURON_CALL(k, about, name, arguments)                                                     \
    do {                                                                                                \
        int npu__code_;                                                                                 \
        if (!(k)->f->name) return npu__neuron_missing((k)->c, #name);                                 \
        npu__code_ = (k)->f->name arguments;                                                            \
        if (npu__code_ != NPU__NEURON_NO_ERROR) return npu__neuron_failed((k)->c, #name, npu__code_, about); \
    } while (0)
/* One that gives a handle. A failure may leave anything in it; success must not leave nothing. */
#define NPU__NEURON_MAKE(k, handle, name, arguments)                                          \
    do {                                                                                      \
        int npu__code_;                                                                       \
        if (!(k)->f->name) return npu__neuron_missing((k)->c, #name);                         \
        npu__code_ = (k)->f->name arguments;                                                  \
        if (npu__code_ != NPU__NEURON_NO_ERROR) (handle) = NULL;                              \
        if (npu__code_ != NPU__NEURON_NO_ERROR) return npu__neuron_failed((k)->c, #name, npu__code_, -1); \
        if (!(handle)) return npu__neuron_no_handle((k)->c, #name);                           \
    } while (0)
/* One that a build of the library may lack, without harm. */
#define NPU__NEURON_CALL_IF(k, about, name, arguments)              \
    do {                                                            \
        if ((k)->f->name) NPU__NEURON_CALL(k, about, name, arguments); \
    } while (0)

/* feed.c: the model, operand by operand, to k->run->model. */
NPU__FN npu_status npu__neuron_feed(npu__neuron_call *k);
/* A number that changes with everything that a compiled network depends on. */
NPU__FN uint64_t npu__neuron_key(const npu__neuron_call *k);

/* border.c: asks how inputs and outputs are padded, and copies. */
NPU__FN npu_status npu__neuron_borders_prepare(npu__neuron_call *k);
NPU__FN void npu__neuron_borders_release(npu__neuron_run *run, npu__ctx *c);
NPU__FN npu_status npu__neuron_borders_bind(npu__neuron_call *k);
NPU__FN void npu__neuron_borders_read(npu__neuron_call *k);

/* client.c: restores a compiled network, with which run->model and run->compilation are there; an execution of what
 * was compiled, and what it reads and writes; one run of it; the end of all that a run holds. */
NPU__FN npu_status npu__neuron_restore_bytes(npu__neuron_call *k, const void *network, size_t bytes);
NPU__FN npu_status npu__neuron_open(npu__neuron_call *k);
NPU__FN npu_status npu__neuron_compute(npu__neuron_call *k);
NPU__FN void npu__neuron_let_go(npu__neuron_run *run, npu__ctx *c);

#endif
#endif
