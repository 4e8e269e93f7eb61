/* What an NPU accepts: rule rows that mirror its vendor's document, and the verdict they give on an operator.
 *
 * One row decides, explains and documents: verdicts, the supported-ops report and the tests read the same table. Rows
 * of several versions share a table; each says by a mask which versions ("profiles") it belongs to. */
#ifndef NPU__VENDOR_RULES_H
#define NPU__VENDOR_RULES_H

#include "../graph/op.h"
#include "vendors.h"

#if NPU__HAS_PLACEMENT

/* Around what rows say to people: builds without reports keep only what decides. */
#if NPU__HAS_REPORTS
#  define NPU__PROSE(text) text
#else
#  define NPU__PROSE(text) NULL
#endif

typedef struct npu__rule npu__rule;
typedef struct npu__backend npu__backend;

/* Who reads and writes the tensors of a subgraph. */
typedef struct npu__links {
    const size_t  *first;  /* readers of tensor t: reader[first[t]] up to, not including, reader[first[t + 1]] */
    const int32_t *reader; /* nodes in execution order; one that reads a tensor twice is there twice */
    const int32_t *writer; /* by tensor: the first node that writes it, or one of the next two */
    const uint8_t *dead;   /* by node: no output of the subgraph depends on it; it is not among the readers */
} npu__links;
enum { NPU__NOBODY = -1, NPU__CALLER = -2 };

/* What the verdicts of one report share. Stored contents and scales may be shared by any number of operators, so that
 * looking at them for each would take time without end: `left` values may be looked at in all, 16 for each byte of the
 * file and some. A file that does not share needs two or three. */
typedef struct npu__scene {
    const npu__links *links; /* by subgraph */
    int64_t           left;
    npu__span         file;  /* p is NULL: a model built by calls */
} npu__scene;

struct npu__target;

/* What a predicate may look at beside the node, and the measured value that goes with a broken rule. */
typedef struct npu__got {
#if NPU__HAS_REPORTS
    char                      text[160];
#endif
    npu__scene               *scene;
    const struct npu__target *target;
} npu__got;

#if NPU__HAS_REPORTS
#  define NPU__GOT_CLEAR(got) ((void)((got)->text[0] = 0))
#  define NPU__GOT_TEXT(got) ((got)->text)
#else
#  define NPU__GOT_CLEAR(got) ((void)(got))
#  define NPU__GOT_TEXT(got) ""
#endif

/* In place of an operator's code: every operator in the list of the profile, or (ANY) truly every one. */
enum { NPU__EVERY_OP = -1, NPU__ANY_OP = -2 };

struct npu__rule {
    const char *id;         /* stable: "<vendor>.conv_2d.stride_1_3". From here to `constraint`: NPU__PROSE */
    const char *text;       /* the rule as a sentence, in our words */
    const char *limit;      /* the values allowed: "[1, 3]", "int8" */
    const char *hint;       /* what to change: a short imperative sentence */
    const char *section;    /* part of the vendor's document, for profiles that are one */
    const char *constraint; /* the vendor's own name of it, for profiles that mirror a program */
    int32_t     bullet;     /* line of the section, from 1; 0: no line of its own */
    int32_t     code;       /* builtin operator it is about, NPU__EVERY_OP or NPU__ANY_OP */
    uint32_t    any_of;     /* 0, or: only operators of one of these groups */
    uint32_t    none_of;    /* not those of these groups */
    uint32_t    profiles;   /* versions that have it */
    int64_t     lo, hi;     /* numeric limits; lo > hi: it has none. INT64_MIN: none below */
    /* Nonzero when the node breaks the rule; then *got says what was measured. Reads types, shapes, options and
     * constants of any node of this code, however malformed: nothing has been prepared. */
    int (*broken)(const npu__rule *rule, const npu__ctx *ctx, npu__got *got);
};

typedef struct npu__backend_op {
    const char *name;
    int32_t     code;     /* 32: a custom op of that name */
    uint32_t    groups;   /* what rows for some operators, or for all but some, choose by */
    uint32_t    profiles;
    const char *note;     /* what the vendor says of it, or makes of it; NULL: nothing. NPU__PROSE */
} npu__backend_op;

/* One version of the rules. */
typedef struct npu__profile {
    const char *name;     /* "published" */
    const char *document; /* what its rows mirror */
    const char *title;    /* for reports */
    uint32_t    bit;      /* in the masks of rows */
    uint32_t    targets;  /* kinds of target it exists for */
    int32_t     by_line;  /* rows are known by section and line; otherwise by `constraint` */
    int32_t     declared; /* reports look at shapes and constants as the file has them, not as they are inferred and folded
                           * (a plan places what it will run, so always the latter) */
    /* Does nobody read this input of a placed operator once the network is compiled? NULL: a profile that leaves every
     * operator where it is, needed or not. */
    int (*unread)(const npu__node *node, int32_t input);
    /* Gives outputs that the file declares without a shape one, as reading the file does: shapes[tensor] are those
     * declared, and those given to nodes before. NULL: they stay without. */
    void (*complete)(npu__shape *shapes, const npu__node *node);
    /* Is the node taken as a part of several that are compiled as one? Then no rule is asked. NULL: there are none. */
    int (*merged)(const npu__backend *b, npu__scene *scene, const npu__ctx *ctx);
} npu__profile;

/* A name to choose a backend by: a family, or one piece of hardware. */
typedef struct npu__target {
    const char *name;
    const char *accelerator; /* NULL: no certain one */
    uint32_t    kind;        /* one bit, see npu__profile.targets */
    int32_t     usual;       /* stands for its family where NPUs are compared */
} npu__target;

/* What a vendor takes: everything its folder knows. */
typedef struct npu__ruleset {
    int32_t                n_targets, n_profiles, n_ops, n_rules;
    const npu__target     *targets;
    const npu__profile    *profiles; /* a target's default is the last one it has */
    const npu__backend_op *ops;
    const npu__rule       *rules;
    const npu__rule       *not_listed; /* broken by an operator that the profile does not list */
    const npu__rule       *compiled;   /* the only one for operators that the vendor's compiler made; NULL: like any other */
    /* Rows that refuse nothing: what the vendor's tools make of an operator, silently, that its model does not say. `hint`: what
     * follows. Reports alone ask them; NULL: there are none. */
    int32_t                n_warnings;
    const npu__rule       *warnings;
} npu__ruleset;

/* What was chosen by name: rules of this set with this profile's bit, no others. */
struct npu__backend {
    const struct npu__vendor *vendor;
    const npu__ruleset *set;
    const npu__target  *target;
    const npu__profile *profile;
};

/* Takes the broken rules of one node, in table order. */
typedef struct npu__why {
    void *user;
    void (*add)(void *user, const npu__rule *rule, const char *got); /* NULL: only the count matters */
} npu__why;

/* Makes the scene of a model; memory comes from `pool`, 0 when there is none. A report starts from a copy, so that all
 * reports on a model say the same. */
NPU__FN int npu__scene_make(npu__scene *out, npu__pool *pool, const npu_model *model);

/* Fills in gone[node]: 1 where the node has outputs and nobody needs one of them, on the way to an output of the
 * subgraph or to a node without outputs. `placed`, by node, may be NULL: what placed nodes do not read is not needed
 * (see npu__profile.unread, which is not NULL then). Linear in the subgraph; 0 when there is no memory. */
NPU__FN int npu__unneeded(uint8_t *gone, npu__pool *pool, const npu__subgraph *g, const npu__profile *profile,
                          const uint8_t *placed);

/* How many rules refuse the node: 0 = the backend takes it. All are reported, not the first. `why` may be NULL. */
NPU__FN int32_t npu__backend_verdict(const npu__backend *b, npu__scene *scene, const npu__ctx *ctx,
                                     const npu__why *why);
/* Is the rule one of the profile, and one for this operator? */
NPU__FN int npu__backend_has_rule(const npu__backend *b, const npu__rule *rule, const npu__backend_op *op);
#if NPU__HAS_REPORTS
/* The warnings about a node that the backend takes, in table order; returns how many. */
NPU__FN int32_t npu__backend_warnings(const npu__backend *b, npu__scene *scene, const npu__ctx *ctx, const npu__why *why);
/* Where the rule comes from: "Supported Ops 0.1, CONV_2D, line 1". */
NPU__FN void npu__backend_source(const npu__backend *b, const npu__rule *rule, char *out, size_t cap);
#endif

/* For predicates, before they look at `values` stored values or scales: 1 (broken, and stated) when too many were
 * looked at already. */
NPU__FN int npu__got_too_much(npu__got *got, int64_t values);
#if NPU__HAS_REPORTS
/* For predicates: states the measured value, and returns 1. Format as in npu__format. */
NPU__FN int npu__got_f(npu__got *got, const char *fmt, ...);
/* Appends to a list that starts empty; what does not fit is left out. */
NPU__FN void npu__got_add(npu__got *got, const char *fmt, ...);
#else
NPU__FN int npu__got_nothing(npu__got *got, const char *fmt, ...);
/* sizeof: nothing is computed, and no text is kept. */
#  define npu__got_f(got, ...) ((int)(sizeof npu__got_nothing((got), __VA_ARGS__) > 0))
#  define npu__got_add(got, ...) ((void)sizeof npu__got_nothing((got), __VA_ARGS__))
#endif

#endif
#endif
