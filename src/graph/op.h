/* What an operator is, and what it may ask for. The list of them is ops/ops.h; one file per family stands beside it.
 *
 * An op lives through five calls, all on the same npu__ctx:
 *
 *   infer    shapes of the outputs from shapes (and, where needed, values) of the inputs. Pure. Runs while planning, and
 *            again at run time for nodes whose inputs were not known then.
 *   prepare  everything else that can be known before data: checks types, quantization and options, fills ctx->data,
 *            requests scratch and kept memory. After prepare, eval may trust every shape, type and parameter.
 *   pack     once per session, memory bound: fills kept PACKED memory from constant inputs. May be NULL.
 *   eval     computes. Re-checks nothing but data-dependent indices. Must not allocate.
 *   work     what one eval takes, from shapes and op data: reports show it, budgets count it (npu__node_work).
 *
 * ctx->data (def->data long, zeroed before prepare) is written by prepare and read-only ever after.
 */
#ifndef NPU__GRAPH_OP_H
#define NPU__GRAPH_OP_H

#include "../tflite/schema.h"
#include "ir.h"

/* One tensor as an op sees it. */
typedef struct npu__val {
    const npu__tensor *t;     /* name, quantization, constness */
    int32_t            type;  /* npu_type */
    npu__shape         shape; /* the real one */
    size_t             bytes; /* of STRING: of its contents, 0 where there are none */
    void              *data;  /* infer, prepare: NULL unless constant (or folded). eval: always set, except 0-byte tensors */
    int32_t            known; /* shape is known (always true in prepare and eval) */
} npu__val;

typedef struct npu__env npu__env; /* what stands behind services.h */

typedef struct npu__ctx {
    const npu__node *node;
    int32_t          n_in, n_out, n_mid;
    npu__val       **in;  /* n_in entries, NULL = optional input left out */
    npu__val       **out; /* n_out entries, never NULL */
    npu__val       **mid; /* n_mid entries (intermediates: only t->quant is meaningful), may be NULL entries */
    void            *data;
    npu__env        *env;
} npu__ctx;

/* Flags of an op. */
enum {
    NPU__OP_INPLACE0 = 1,  /* output 0 may lie on input 0 when both have the same bytes and input 0 dies here */
    NPU__OP_INPLACE1 = 2,  /* likewise input 1 (broadcasting ops: sizes are equal, so that input is not the broadcast one) */
    NPU__OP_ALIAS    = 4,  /* output 0 IS input 0's bytes under another shape: eval must not copy when in and out coincide */
    NPU__OP_STATEFUL = 8,  /* never folded, never removed: resources, control flow, random, op state */
    NPU__OP_FLEX_ANY_TYPE = 16, /* outputs may have another type than the file declares (infer sets it) */
    NPU__OP_NAMES_KERNEL = 32,  /* the first member of the op data is `const char *kernel`, for profiles */
    NPU__OP_COMPILED = 128,     /* made by a vendor's compiler */
    NPU__OP_STRINGS = 512,      /* takes and gives STRING, or checks the types of all its values itself */
    NPU__OP_SHAPES_ONLY = 64    /* eval reads no input data, only shapes: folded as soon as these are known */
};

/* A flag of compiled operators: input `i`, one of the first 16, is memory to work in, which nobody writes before. Those that
 * have any have their program as input 0; their outputs may be variables, or tensors of which others wrote other parts. */
#define NPU__OP_WORKS_IN(i) ((uint32_t)1 << (16 + (i)))

/* What one eval takes. Both saturate instead of wrapping. */
typedef struct npu__work {
    int64_t macs;  /* multiply-accumulates, for reports; 0 for operators without */
    int64_t steps; /* passes through the innermost loop of the plainest kernel, MACs included: about a nanosecond each
                    * (a transcendental function counts 16) */
} npu__work;

#define NPU__DATA(type) NPU__SIZED(type)
#define NPU__NO_DATA NPU__NO_SIZE

struct npu__opdef {
    int32_t min_in, max_in, min_out, max_out; /* tensor counts incl. optional ones; max -1 = no limit */
    uint32_t optional_in; /* bit i: input i may be -1 (bit 31: that and every later one) */
    uint32_t flags;
    npu__size data; /* NPU__DATA(type) or NPU__NO_DATA */
    npu_status (*infer)(npu__ctx *);
    npu_status (*prepare)(npu__ctx *);
    npu_status (*pack)(npu__ctx *);
    npu_status (*eval)(npu__ctx *);
    npu__work (*work)(const npu__ctx *); /* after prepare. NULL: npu__work_elements */
};
/* What a definition begins with: ops/ops.c, which lists them, is another source. */
#ifdef NPU__ONE_UNIT
#  define NPU__OPDEF(name) static const npu__opdef name
#else
#  define NPU__OPDEF(name) extern const npu__opdef name; const npu__opdef name
#endif

/* Name for people: the builtin's, or the custom op's own. */
NPU__FN npu__str npu__node_name(const npu__node *node);
/* Notes that the failure to be recorded next is about this node. Under NPU_RT_NO_STRINGS too: names are there for other reasons. */
NPU__FN void npu__diag_about(npu_diag *diag, const npu__node *node);

/* Is it a part of the network that a vendor's compiler made, and this build knows it? */
NPU__FN int npu__node_compiled(const npu__node *node);
/* Are some of its inputs memory to work in, input 0 its program? */
NPU__FN int npu__node_works(const npu__node *node);
/* Is its input `i` memory to work in? */
NPU__FN int npu__node_works_in(const npu__node *node, int32_t i);

/* ---- work (work.c) ---- */

/* The one answer to "how much is this node": its operator's, or a step for each element. Shapes known, prepare done. */
NPU__FN npu__work npu__node_work(const npu__ctx *ctx);
/* One step for every element of every input and output. */
NPU__FN npu__work npu__work_elements(const npu__ctx *ctx);
/* That many multiply-accumulates, and a step for every element. */
NPU__FN npu__work npu__work_macs(const npu__ctx *ctx, int64_t macs);
/* No multiply-accumulates; `steps`, and one for every element. */
NPU__FN npu__work npu__work_steps(const npu__ctx *ctx, int64_t steps);

/* ---- what infer may say beside a status ---- */

/* "The shape depends on data that is not there yet": infer returns this and is called again at run time.
 * Everything else negative or unknown is a bug. */
#define NPU__DYNAMIC NPU_STATUS_COUNT

#include "services.h"

#endif
