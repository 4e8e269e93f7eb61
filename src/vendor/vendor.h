/* What a vendor is to everybody else: one row of facts and functions. Nothing outside of its folder asks it in another way.
 *
 * A member that is NULL says "it has no such thing": a vendor may have rules only, or only run what its compiler made. */
#ifndef NPU__VENDOR_VENDOR_H
#define NPU__VENDOR_VENDOR_H

#include "../base/text.h"
#include "cost.h"
#include "segment.h"
#include "vendors.h"

typedef struct npu__vendor npu__vendor;

/* A compiled operator's feature maps lie inside an input that is memory to work in, at offsets that the compiler wrote into the
 * model (plan/offline.c). */
typedef struct npu__working {
    int32_t     memory;    /* that input */
    int32_t     extra;     /* another input to work in, in which no feature map lies; -1: none */
    int32_t     first_map; /* inputs from here on, and all outputs, are feature maps */
    int32_t     align;     /* of every offset */
    const char *missing_text, *offset_text; /* said of a tensor without offset, and with one that cannot be */
    const char *scratch, *offline_scratch, *offline_constant, *offline_missing, *offline_offset, *offline_overlap; /* rules */
} npu__working;

/* Why a compiled operator's program cannot be listed, or not to its end. */
typedef struct npu__list_error {
    const char *rule; /* NULL: it was */
    int64_t     word; /* where, from the start of the program's tensor; -1: nowhere */
    char        text[160];
} npu__list_error;

#if NPU__HAS_REPORTS
/* What a report asks of a lowered segment. */
typedef struct npu__program_ask {
    int32_t     number;  /* of the segment, from 0 */
    uint32_t    runtime; /* version of the vendor's library, major * 65536 + minor * 256 + patch; 0: the newest known */
    npu_format  format;  /* TEXT, JSON (an object's members) or DOT (statements) */
    uint64_t   *left;    /* bytes of constants that may still be hashed, as many operands may share them */
} npu__program_ask;
#endif

struct npu__vendor {
    const char *name;     /* of drivers, see npu_driver */
    int32_t     number;   /* NPU__VENDOR_NR_...; -1: takes no driver */
    const char *compiler; /* the program that makes its compiled operators; NULL: it has none */
    /* Is it an operator that this vendor's compiler made? */
    int (*claims)(const npu__node *node);
    const npu__working *working;
    /* A driver from a member of the descriptor that is older than the list of drivers. */
    const void *(*driver_before)(const npu_session_desc *desc);
    /* The four calls of a segment (segment.h); all NULL: analysis only. Failures explain themselves by NPU__FAIL(&seg->ctx, ...);
     * of those that do not, the engine says what failed. */
    npu_status (*lower)(npu__seg *seg);   /* once, when a model is planned: UNSUPPORTED may send it back to the CPU */
    npu_status (*prepare)(npu__seg *seg); /* once a session, memory bound */
    npu_status (*invoke)(npu__seg *seg);
    void (*release)(npu__seg *seg);       /* when a session that prepared it goes */
#if NPU__HAS_PLACEMENT
    const npu__ruleset *(*rules)(void); /* NULL: none in this build, which may lack reports */
#endif
#if NPU__HAS_REPORTS
    /* Says what is inside of the model's compiled operators: text, or elements of a JSON array. Nonzero: it has some. */
    int (*compiled)(npu__text *t, int json, const npu_model *model);
    /* Lists the program of a compiled operator, as text or members of a JSON object. *left: bytes of programs that may still be
     * read, as many operators may name the same one. */
    npu_status (*list)(npu__text *t, int json, const npu_model *model, const npu__node *node, uint64_t *left,
                       npu__list_error *err);
    const char *list_none_rule, *list_none_text; /* for a model without such operators */
    /* Says what `lower` made of a segment (seg->ctx.data). */
    void (*program)(npu__text *t, npu__seg *seg, const npu__program_ask *ask);
    const char *example; /* a target that costs are known of, for messages */
    /* The i-th way to lay out memory, NULL past the end. */
    const char *(*memory_mode)(int32_t i);
    /* Fills in what is known of a target before any graph is seen: names, clock, units. `mode` NULL: the usual one. 0: there
     * are no figures for this target, or no such mode. */
    int (*cost_of)(npu__cost_plan *out, const npu__target *target, const char *mode);
    /* Estimates a placed graph. `out` went through cost_of. Memory comes from `pool`. Errors: OUT_OF_MEMORY. */
    npu_status (*cost)(npu__cost_plan *out, npu__pool *pool, const npu__placement *p, const npu__nodes *nodes, npu_diag *diag);
#endif
};

/* The i-th vendor of this build, the CPU's last; NULL past the end. */
NPU__FN const npu__vendor *npu__vendor_at(int32_t i);
/* Whose compiler made this operator; NULL: nobody's. */
NPU__FN const npu__vendor *npu__vendor_of(const npu__node *node);

#define NPU__X(id) NPU__FN const npu__vendor *npu__vendor_##id(void);
NPU__VENDORS(NPU__X)
#undef NPU__X

#endif
