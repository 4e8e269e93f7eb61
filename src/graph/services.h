/* What an operator may ask of the engine that plans and runs it: the other half of the contract in op.h. Include that.
 *
 * The engine stands above the operators: plan/ (env.c, resources.c, plan.c) and run/ (services.c) implement these functions. This
 * is the one header that declares what a layer above defines (./amalgamate --check knows it by name): a table of pointers
 * would say the same, and cost a call that no compiler can inline in every loop that polls. */
#ifndef NPU__GRAPH_SERVICES_H
#define NPU__GRAPH_SERVICES_H

#include "../vendor/vendors.h"

/* ---- services: every phase ---- */

/* Fails with a rule id ("conv_2d.filter_rank") and a sentence; gives `status`. Format: see npu__format.
 * A macro, so that compilers see that what a failure returns is not NPU_OK. */
#define NPU__FAIL(ctx, status, ...) (npu__explain((ctx), (status), __VA_ARGS__), (status))
NPU__FN void npu__explain(npu__ctx *ctx, npu_status status, const char *rule, const char *fmt, ...);
NPU__FN npu_isa npu__ctx_isa(const npu__ctx *ctx);
/* prepare: bytes of a pointer or a size_t where the plan is to run. Scratch that holds some must be asked for by this. */
NPU__FN size_t npu__ctx_word(const npu__ctx *ctx);
NPU__FN int32_t npu__ctx_threads(const npu__ctx *ctx);
/* Tensor `index` of the node's subgraph, NULL when there is none: blockwise quantization names its scales that way. */
NPU__FN const npu__tensor *npu__ctx_tensor(const npu__ctx *ctx, int32_t index);
/* Subgraph `index` of the model, NULL when there is none: for operators that look at what they would call, and do not. */
NPU__FN const npu__subgraph *npu__ctx_subgraph(const npu__ctx *ctx, int32_t index);

/* ---- services: infer ---- */

/* Sets output i's shape, keeping its declared type. Checks rank and total size; fails with "op.output_size". */
NPU__FN npu_status npu__set_shape(npu__ctx *ctx, int32_t i, const npu__shape *shape);
NPU__FN npu_status npu__set_shape_type(npu__ctx *ctx, int32_t i, const npu__shape *shape, int32_t type);

/* ---- services: prepare ---- */

/* Each returns a slot >= 0 (keep it in ctx->data), or -1 after the memory request failed (limit): then return LIMIT.
 * All memory is 64-aligned. */
NPU__FN int32_t npu__want_scratch(npu__ctx *ctx, size_t bytes); /* lives during eval only, contents undefined */
/* At least `least` bytes, which may be 0, and as many up to `most` as lie free beside the tensors of that time: work memory that is
 * only faster when it is larger makes no arena larger. npu__slot_bytes says in eval how many there are. */
NPU__FN int32_t npu__want_scratch_upto(npu__ctx *ctx, size_t least, size_t most);
NPU__FN int32_t npu__want_packed(npu__ctx *ctx, size_t bytes);  /* filled by pack, constant afterwards */
NPU__FN int32_t npu__want_state(npu__ctx *ctx, size_t bytes);   /* zeroed at create and reset, kept between invokes */
/* False while preparing at run time (data-dependent shapes): nothing can be packed, so choose kernels that read the
 * weights as they lie. Also false when input `i` is not constant. */
NPU__FN int npu__can_pack(const npu__ctx *ctx, int32_t input);
/* May pack read `bytes` of constants of which it keeps next to nothing (sums of rows)? False: nodes that share them have read so many
 * already that a small file would take long to start. What pack keeps as large as it reads is bounded by the plan's memory. */
NPU__FN int npu__may_sum(npu__ctx *ctx, size_t bytes);
/* prepare: may pack keep `bytes` more than a slower kernel needs? All that do have a quarter of the plan's memory for it. */
NPU__FN int npu__may_grow(npu__ctx *ctx, size_t bytes);

/* prepare: a border of zeros that input 0 has without lying in memory, NULL: none. Only convolutions are asked to do with one. */
struct npu__padding;
NPU__FN const struct npu__padding *npu__ctx_border(const npu__ctx *ctx);

/* ---- services: pack and eval ---- */

NPU__FN void *npu__slot(const npu__ctx *ctx, int32_t slot);
NPU__FN size_t npu__slot_bytes(const npu__ctx *ctx, int32_t slot);

/* pack, eval: the functions that the caller gave for vendor number `vendor` (NPU__VENDOR_NR_...), a struct of the public header;
 * NULL when the session has none. */
NPU__FN const void *npu__driver(const npu__ctx *ctx, int32_t vendor);

/* prepare: the model's file; p is NULL of a model that was built by calls. */
NPU__FN npu__span npu__ctx_file(const npu__ctx *ctx);
/* pack: `release` is called when the session goes, last come first, also if it was never finished. */
NPU__FN npu_status npu__at_end(npu__ctx *ctx, void (*release)(npu__ctx *));
/* What was explained is no failure after all: there is another way. The caller finds it as a note, with the status OK. */
NPU__FN void npu__excuse(npu__ctx *ctx);
/* pack (and a segment's prepare, release): memory beside the session's own, from its allocator and counted against the plan's limit.
 * `alloc` gives NULL where there is none. */
NPU__FN npu_allocator npu__ctx_allocator(npu__ctx *ctx);
/* Steps that one invoke of the session may take (npu_session_desc.max_work): for what runs in a session of its own inside. */
NPU__FN int64_t npu__ctx_max_work(const npu__ctx *ctx);

/* fn(arg, begin, end, thread) over [0, n) split into contiguous pieces, at most ctx_threads at a time; serial when
 * n < 2 * grain. Results must not depend on the split. `thread` < ctx_threads indexes scratch that is the call's alone while it lasts.
 * Long loops are done in rounds, between which the session's cancel function is asked: after a stop the rest of [0, n),
 * and every later call in this eval, does nothing. So eval must not trust indices that a loop was to compute. */
typedef void (*npu__range_fn)(void *arg, int64_t begin, int64_t end, int32_t thread);
NPU__FN void npu__parallel(npu__ctx *ctx, int64_t n, int64_t grain, npu__range_fn fn, void *arg);
/* Where a call's time does not only depend on how much it has to do: pieces are at least `tile` long, if there is more than one of a part,
 * and begin at multiples of it from where the part does. */
NPU__FN void npu__parallel_tiles(npu__ctx *ctx, int64_t n, int64_t grain, int64_t tile, npu__range_fn fn, void *arg);

/* For evals that loop on their own: in the outer loop, say how many steps the pass took. Leaves eval when the session is
 * to stop. A pass should take less than a few milliseconds. */
#define NPU__POLL(ctx, steps)                                       \
    do {                                                            \
        if (npu__poll((ctx), (steps))) return NPU_CANCELLED;        \
    } while (0)
NPU__FN int npu__poll(npu__ctx *ctx, int64_t steps);

/* eval: memory for contents that are known at run time only (STRING), in the place of what the value had: `bytes` long, zeroed, or
 * none at all for 0. `v` is an output of the node or, with `subgraph` >= 0, an input of a subgraph that it calls. The bytes are
 * charged as steps. Errors: LIMIT, OUT_OF_MEMORY, explained. */
NPU__FN npu_status npu__value_room(npu__ctx *ctx, int32_t subgraph, npu__val *v, size_t bytes);
/* eval: takes steps that only the data tell from the budget, beside those of `work`. Errors: LIMIT, CANCELLED, explained. */
NPU__FN npu_status npu__charge(npu__ctx *ctx, int64_t steps);

/* ---- services: resources and control flow ---- */

/* infer: the id of the resource variable (container, name); the same pair gives the same id. -1: out of memory. */
NPU__FN int32_t npu__resource_id(npu__ctx *ctx, npu__str container, npu__str name);
/* prepare: variable `id` must be able to hold `bytes`. */
NPU__FN npu_status npu__resource_declare(npu__ctx *ctx, int32_t id, size_t bytes);
/* eval: memory of variable `id` and how many bytes were last assigned (0: never). NULL for an unknown id. */
NPU__FN void *npu__resource_ptr(npu__ctx *ctx, int32_t id, size_t *assigned_bytes, size_t *capacity);
NPU__FN void  npu__resource_assigned(npu__ctx *ctx, int32_t id, size_t bytes);
/* eval: other memory of variable `id`, of a size that only running tells: zeroed, in the place of what it had; it lasts until
 * npu_session_reset. Errors: LIMIT, OUT_OF_MEMORY, explained. */
NPU__FN npu_status npu__resource_room(npu__ctx *ctx, int32_t id, size_t bytes, void **out);
/* eval: that memory, NULL where there is none. */
NPU__FN void *npu__resource_held(npu__ctx *ctx, int32_t id);
/* Every phase: false while planning. */
NPU__FN int npu__running(const npu__ctx *ctx);
/* infer, prepare: this node calls `subgraph` (checked to exist and not to recurse, and planned). The first call that is
 * planned decides its shapes: its inputs take those of this node's inputs from `first_in` on, as many as there are (-1: as declared). */
NPU__FN npu_status npu__call_declare(npu__ctx *ctx, int32_t subgraph, int32_t first_in);
/* How many inputs and outputs a declared subgraph has (every phase). */
NPU__FN npu_status npu__call_counts(npu__ctx *ctx, int32_t subgraph, int32_t *n_in, int32_t *n_out);
/* Inputs and outputs of a declared subgraph (every phase), and running it (not while planning;
 * fails when the session's budget of calls for this invoke is used up: an endless loop must end). */
NPU__FN npu_status npu__call_input(npu__ctx *ctx, int32_t subgraph, int32_t i, npu__val **out);
NPU__FN npu_status npu__call_output(npu__ctx *ctx, int32_t subgraph, int32_t i, npu__val **out);
NPU__FN npu_status npu__call_run(npu__ctx *ctx, int32_t subgraph);
/* infer, while planning: input `i` of a declared subgraph has another shape at every call. Then npu__call_again, which plans it so:
 * a subgraph not more than twice. */
NPU__FN npu_status npu__call_open(npu__ctx *ctx, int32_t subgraph, int32_t i);
NPU__FN npu_status npu__call_again(npu__ctx *ctx, int32_t subgraph, int32_t first_in);
/* Every phase; `i` is not negative. */
NPU__FN int npu__call_is_open(const npu__ctx *ctx, int32_t subgraph, int32_t i);
/* Not while planning: copies a value to input `i` of a subgraph, with its shape where that is open. */
NPU__FN npu_status npu__call_give(npu__ctx *ctx, int32_t subgraph, int32_t i, const npu__val *from);
/* eval: true the first time it is asked by this node in this session since create or reset. */
NPU__FN int npu__first_time(npu__ctx *ctx);
/* Likewise of a subgraph, whoever calls it. */
NPU__FN int npu__first_call(npu__ctx *ctx, int32_t subgraph);

/* ---- services: segments (vendor/segment.h) ---- */

typedef struct npu__seg npu__seg;
#if NPU__HAS_LOWERING
/* lower: zeroed memory that lives as long as the plan, for the program. LIMIT, OUT_OF_MEMORY: explained already. */
NPU__FN npu_status npu__seg_alloc(npu__seg *seg, size_t count, npu__size elem, void **out);
/* lower: operator i of the segment may be run by the CPU (npu__seg_eval): its values and its kernel's memory are planned. */
NPU__FN void npu__seg_keep(npu__seg *seg, int32_t i);
/* invoke: runs operator i, which lower kept, on the CPU. */
NPU__FN npu_status npu__seg_eval(npu__seg *seg, int32_t i);
#endif

#endif
