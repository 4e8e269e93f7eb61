/* What an Ethos-U would need for one operation, estimated: cycles from block traversal, traffic from the same blocks.
 *
 * Pure functions over geometry; nothing here knows about files or graphs. An operation runs as a row of output blocks.
 * For each the MAC units work, then the output unit scales and writes, both pipelined over blocks; beside them run the
 * reads of feature maps and of the coded weights. The slowest of these sets the pace. notes/ethosu_cost.md says where
 * the formulas come from and how far they are off. */
#ifndef NPU__VENDOR_ETHOSU_COST_H
#define NPU__VENDOR_ETHOSU_COST_H

#include "../ethosu.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* One memory as the NPU sees it. */
typedef struct npu__cost_memory {
    double  bytes_per_cycle;
    int32_t burst;         /* bytes of a burst that costs no more than its share */
    int32_t read_latency;  /* cycles */
    int32_t write_latency;
    double  most;          /* bytes a cycle of one channel; 0: all */
} npu__cost_memory;

/* What moves data, each at its own pace. */
enum {
    NPU__COST_MAPS, NPU__COST_WEIGHTS, NPU__COST_SCALES, NPU__COST_COPIES,
    NPU__COST_STREAMS, /* maps read element by element */
    NPU__COST_WRITES,
    NPU__COST_FAST_WEIGHTS, /* stored as they are */
    NPU__COST_CHANNELS
};

/* One accelerator. */
typedef struct npu__cost_machine {
    const char *name;
    int32_t     product;     /* NPU__ETHOSU_U55, ... */
    int32_t     macs, cores; /* MACs per cycle of one core */
    int32_t     block_h, block_w, block_d; /* output elements computed at once: every block is a multiple of it */
    int32_t     banks;       /* of 1 KB internal memory, one core */
    int32_t     bank_step;   /* banks for 8- and 16-bit inputs come in such steps; 32-bit ones, inputs and
                              * accumulators, in twice that */
    int32_t     wide_step;   /* banks for 40-bit accumulators */
    int32_t     decoders;    /* units that decode weights */
    /* Ethos-U85 instead has a memory for inputs and one for accumulators, and a choice of smallest blocks. */
    int32_t     in_bytes, accumulator_bytes, out_bytes, between_bytes;
    int32_t     n_shapes, shapes[3][3]; /* height, width, channels */
    int32_t     under_way[NPU__COST_CHANNELS]; /* reads of 16 bytes at once; 0: enough */
} npu__cost_machine;

enum { NPU__COST_SRAM, NPU__COST_STORE, NPU__COST_UNDECIDED }; /* where bytes are: fast memory, or the slow one that
                                                                * holds the model */

typedef struct npu__cost_system {
    npu__cost_machine machine;
    const char              *memory_mode;
    const char              *store_name;  /* "flash" or "dram" */
    npu__cost_memory         memory[2];   /* NPU__COST_SRAM, NPU__COST_STORE */
    double                   clock_hz;    /* unless the caller asks for another */
    int32_t                  model_in_sram;   /* weights and constants too */
    int32_t                  arena_in_store;  /* feature maps live in the slow memory; SRAM is a cache of */
    int64_t                  cache_bytes;     /* this size. Else: SRAM that weights may be copied to */
} npu__cost_system;

enum {
    NPU__COST_CONV,
    NPU__COST_DEPTHWISE,
    NPU__COST_POOL,       /* average or maximum; with a 1x1 window also copies, rescaling and lone activations */
    NPU__COST_REDUCE,     /* sum over channels */
    NPU__COST_ELEMENTWISE,
    NPU__COST_CPU         /* not the NPU's: takes time, costs nothing here */
};
enum { NPU__COST_ADD, NPU__COST_MUL, NPU__COST_MAX, NPU__COST_OTHER }; /* which output speed */
enum { NPU__COST_ACT_NONE, NPU__COST_ACT_CLAMP, NPU__COST_ACT_LOOKUP };

/* A feature map. h 0: none. */
typedef struct npu__cost_map {
    int32_t h, w, c, bits;
    int32_t linear;   /* channels of a pixel lie together (NHWC); else bricks of 16 channels */
    int32_t where;    /* NPU__COST_SRAM or NPU__COST_STORE */
    int32_t constant; /* a number of the instruction: costs no read */
    int32_t range;    /* whose bytes these are (npu__cost_range); -1: nobody's */
} npu__cost_map;

typedef struct npu__cost_op {
    int32_t       kind, unit, activation; /* NPU__COST_... */
    npu__cost_map in[2], out;
    int32_t       kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, upscale;
    int32_t       repeat;       /* so many, all alike */
    int32_t       apart;        /* not in a row: others run between them */
    int32_t       has_weights;
    int32_t       sparse;       /* two of four weights along the input channels are zero: an Ethos-U85 skips them */
    int64_t       weight_bytes; /* coded */
    int64_t       scale_bytes;
    int32_t       scale_parts;  /* with scales of their own; 0: one */
    int64_t       table_bytes;  /* lookup table to load from the store */
    int32_t       whole;        /* cannot run in stripes */
    int32_t       product;      /* 1: of vectors and a matrix, without a window; 2: both are feature maps */
    int32_t       chained;      /* operations that take its output element by element before it is stored */
    int32_t       first_bits;   /* of the output that the first of them takes */
    double        chain_cycles; /* an element, of all of them */
    npu__cost_map also[2];      /* what they read beside it */
    int32_t       thin_in, thin_out; /* a byte an element of the input, the output, is all that is moved */
    int32_t       run;          /* elements that are written side by side, where the order changes; 0: as stored */
    int32_t       scratch;      /* its output stays where feature maps are kept, never in the cache */
    int32_t       copies, resize; /* kinds of POOL, of ELEMENTWISE: moves only; to another height and width */
} npu__cost_op;

typedef struct npu__cost {
    int64_t cycles;              /* in all: the largest of the next three */
    int64_t npu, sram, store;    /* computing; moving data of either memory */
    int32_t block[3], in_block[3]; /* of the output and the input: height, width, channels */
    int32_t smallest[3];         /* computed at once */
    int32_t part_kernel;         /* weights are read by window position first */
} npu__cost;

/* cost_system.c. `mode` NULL: the accelerator's usual one. 0: no such mode, or an accelerator that has no figures. */
NPU__FN int npu__cost_system_make(npu__cost_system *out, const char *accelerator, const char *mode);

/* cost_block.c. Every dimension must be in [1, 2^20], those of windows in [1, 2^16]. Fills in what is known of the
 * blocks when the output is computed `rows` at a time. */
NPU__FN int  npu__cost_part_kernel(const npu__cost_machine *m, const npu__cost_op *op);
NPU__FN void npu__cost_choose_block(npu__cost *out, const npu__cost_machine *m, const npu__cost_op *op, int32_t rows);
/* Rows, columns and channels that inputs of an Ethos-U85 are held in units of. */
NPU__FN void npu__cost_in_unit(const npu__cost_machine *m, int32_t depth, int32_t bits, int32_t *unit);
/* Input rows that `rows` of the output look at. */
NPU__FN int32_t npu__cost_rows_in(const npu__cost_op *op, int32_t rows);

/* cost_cycles.c: parts of an estimate, for an operation whose blocks are chosen. */
/* Cycles of computing `depth` output channels, with scales from memory `from`; `first` and `last`: of its parts. */
NPU__FN double npu__cost_run(const npu__cost_system *s, const npu__cost_op *op, const npu__cost *c, int32_t depth,
                             int from, int first, int last);
/* Times that all weights are read; bytes of the first input that are, for `depth` output channels. */
NPU__FN double npu__cost_refetch(const npu__cost_op *op, const npu__cost *c);
NPU__FN double npu__cost_read_bytes(const npu__cost_op *op, const npu__cost *c, int32_t depth);
/* Cycles to read `bytes` through a channel; to copy them from the store to SRAM. */
NPU__FN double npu__cost_out_cycles(const npu__cost_machine *m, const npu__cost_op *op);
NPU__FN double npu__cost_read_cycles(const npu__cost_system *s, int where, int channel, double bytes);
NPU__FN double npu__cost_copy_cycles(const npu__cost_system *s, double bytes);

/* Weights and scales that are copied to SRAM first, slice by slice (of output channels) while others compute. */
typedef struct npu__cost_copy {
    int32_t parts;      /* buffers that slices take turns in; 0: no copy */
    int64_t buffer[2];  /* bytes of each */
    double  first;      /* bytes of the first slice */
    int32_t ahead;      /* the first slice is copied while the operation before computes */
    int32_t last_part;  /* buffer of the last slice */
    double  last;       /* cycles of computing the last slice */
} npu__cost_copy;

/* Fills in cycles. `slack`: cycles before it during which anything may be fetched. */
NPU__FN void npu__cost_estimate(npu__cost *out, const npu__cost_system *system, const npu__cost_op *op,
                                const npu__cost_copy *copy, double slack);

/* cost_schedule.c: the order of things. A range of memory that operations share. */
typedef struct npu__cost_range {
    int64_t bytes;
    int32_t first, last;      /* steps that keep it in use; first > last: never */
    int32_t touched_first, touched_last; /* likewise, for the caller and the CPU */
    int32_t readers, reader;  /* steps that read it, the last of them */
    int32_t writers, writer;
    int32_t kept;             /* the CPU or the caller sees it too: whole, and in the arena */
    int32_t linear;           /* not in bricks */
    int32_t root;             /* itself, or the range whose bytes it takes over */
    int32_t where;            /* NPU__COST_SRAM or NPU__COST_STORE */
} npu__cost_range;

typedef struct npu__cost_step {
    npu__cost_op   op;        /* kind NPU__COST_CPU: not the NPU's */
    int32_t        row;       /* of the caller */
    int32_t        time;
    int32_t        cascade;   /* the last step of its cascade; -1: in none */
    int32_t        rows;      /* of the output at a time */
    npu__cost      cost;
    npu__cost_copy copy;
    double         slack;     /* cycles in which the next step may fetch */
    int64_t        room;      /* bytes of fast memory left */
    int64_t        live;      /* bytes of fast memory in use */
} npu__cost_step;

typedef struct npu__cost_schedule {
    const npu__cost_system *system;
    npu__cost_step         *steps;
    npu__cost_range        *ranges;
    int32_t                 n_steps, n_ranges;
    int32_t                *moved;       /* scratch: for each step */
    int64_t                *fast, *slow; /* bytes in use at each time: 2 x n_steps + 2, zeros before */
} npu__cost_schedule;

/* Marks that the caller or the CPU uses a range at a step. */
NPU__FN void npu__cost_touch_outside(npu__cost_range *r, int32_t step);
/* Decides on stripes, copies of weights and the memory of every range, then estimates every step. `worth`: scratch, as
 * many zeros as there are ranges. */
NPU__FN void npu__cost_plan_steps(npu__cost_schedule *w, double *worth);
/* cost_chain.c, cost_cascade.c, cost_copy.c, cost_place.c: its parts. */
NPU__FN void npu__cost_chain(npu__cost_schedule *w);
NPU__FN void npu__cost_cascades(npu__cost_schedule *w);
NPU__FN void npu__cost_propose(npu__cost_schedule *w, int32_t i, int64_t limit);
NPU__FN void npu__cost_place(npu__cost_schedule *w, double *worth);
NPU__FN int32_t npu__cost_range_root(const npu__cost_schedule *w, int32_t range);
NPU__FN int64_t npu__cost_map_bytes(const npu__cost_map *m);

/* cost_weights.c. Weights in the file's order: output channels (depthwise: last) apart, `inner` kernel elements of
 * `channels` input channels each. */
typedef struct npu__cost_weights {
    const uint8_t *data;
    int32_t        is_signed;
    int32_t        zero_point;
    int32_t        outputs, channels, kernel; /* kernel: height x width */
    int32_t        last;      /* output channels are the last axis of the data, not the first */
    int32_t        depthwise;
    int32_t        block_d; /* output channels computed at once */
    int32_t        distinct; /* values, and weights with padding, of which zero: npu__cost_weight_bytes fills them in */
    int64_t        padded, zeros;
    int32_t        channel_step, kernel_step; /* kernel elements and their channels are padded to these */
    int64_t        steps;    /* of the kernel, taken apart into pieces of 8 x 8 */
    int32_t        between;  /* zeros behind each step of the kernel */
} npu__cost_weights;

/* Are at least two of every four weights, along the input channels, zero? */
NPU__FN int npu__cost_weights_sparse(const npu__cost_weights *w);
/* Bytes of the coded stream. */
NPU__FN int64_t npu__cost_weight_bytes(npu__cost_weights *w);
/* The same, or what an Ethos-U85 stores instead of `coded` bytes where decoding them would be the slower way. */
NPU__FN int64_t npu__cost_stored_weights(const npu__cost_system *s, const npu__cost_weights *w, int64_t coded);

#endif
#endif
