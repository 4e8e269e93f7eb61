/* The device at work: registers, the operation they describe, scratch memory, and what each kind of operation does. */
#ifndef NPU__VENDOR_ETHOSU_EXEC_H
#define NPU__VENDOR_ETHOSU_EXEC_H

#include "fm.h"
#include "lanes.h"
#include "output.h"
#include "weights.h"

#if NPU__HAS_EU_DEVICE

/* A stream that asks for more is refused, so that no file can keep a program busy for hours: in all, steps
 * (multiplications, elements, bytes copied), of which ResNet-50 needs 2^32; bytes of scratch, of which MobileNet V2
 * needs 2^20. */
#ifndef NPU__EU_MAX_STEPS
#  define NPU__EU_MAX_STEPS ((uint64_t)1 << 38)
#endif
#ifndef NPU__EU_MAX_WORK
#  define NPU__EU_MAX_WORK ((uint64_t)1 << 28)
#endif

/* Registers keep their values between operations: compilers leave out what has not changed. */
typedef struct npu__eu_regs {
    uint16_t narrow[NPU__EU_CMD0_SPAN - 0x100]; /* form 0, from opcode 0x100 on */
    uint64_t wide[NPU__EU_CMD1_SPAN];           /* form 1: parameter above 32 bits of data */
} npu__eu_regs;

typedef struct npu__eu_dev {
    const npu__eu_payload *p;
    const npu__eu_region  *regions;
    npu__eu_error         *err;
    int64_t                word; /* of the command under way, for errors */
    int                    run;  /* 0: only check */
    uint8_t               *work; /* aligned to 16; NULL in a check */
    uint64_t               work_bytes, used, most, steps, macs;
    int                    short_of_work;
    size_t                 pointer_bytes; /* of the machine that runs it */
    uint8_t               *lut;  /* NPU__EU_LUT_BYTES in `work` */
    npu__eu_poll           poll;
    npu__eu_regs           regs;
} npu__eu_dev;

/* An operation as its registers describe it, checked: all elements of its maps lie in their regions. */
typedef struct npu__eu_op {
    npu__eu_fm  ifm, ifm2, ofm;
    npu__eu_out out;
    int32_t     kh, kw, stride_y, stride_x, dilation_y, dilation_x; /* kh and kw count elements */
    int32_t     pad_top, pad_left, pad_bottom, pad_right;
    int32_t     upscale, up_h, up_w; /* size of the upscaled input */
} npu__eu_op;

#define NPU__EU_FAIL(d, status, rule, ...) npu__eu_fail((d)->err, status, rule, (d)->word, __VA_ARGS__)
#define NPU__EU_TRY(x)                       \
    do {                                     \
        npu_status npu__s = (x);             \
        if (npu__s != NPU_OK) return npu__s; \
    } while (0)

/* Leaves the operation when the caller wants the run to stop. `steps` were done since the last time. */
#define NPU__EU_POLL(d, steps)                                                      \
    do {                                                                            \
        if (npu__eu_polled(&(d)->poll, (int64_t)(steps))) return NPU_CANCELLED;     \
    } while (0)

NPU__INLINE int32_t npu__eu_reg(const npu__eu_dev *d, int code) { return d->regs.narrow[code - 0x100]; }
NPU__INLINE int32_t npu__eu_reg_signed(const npu__eu_dev *d, int code) { return (int16_t)d->regs.narrow[code - 0x100]; }
NPU__INLINE uint64_t npu__eu_reg_wide(const npu__eu_dev *d, int code) {
    return d->regs.wide[code & ~NPU__EU_FORM_1] & (((uint64_t)1 << 40) - 1u);
}
/* Strides have a sign. */
NPU__INLINE int64_t npu__eu_reg_step(const npu__eu_dev *d, int code) {
    uint64_t v = npu__eu_reg_wide(d, code);
    return v >> 39 ? (int64_t)v - ((int64_t)1 << 40) : (int64_t)v;
}
/* Scales: 32 bits of data, and the parameter as shift. */
NPU__INLINE uint32_t npu__eu_reg_scale(const npu__eu_dev *d, int code, int32_t *shift) {
    *shift = (int32_t)(d->regs.wide[code & ~NPU__EU_FORM_1] >> 32 & 63u);
    return (uint32_t)d->regs.wide[code & ~NPU__EU_FORM_1];
}

/* `n` elements of scratch for this operation, aligned to 16; NULL in a check, or when that is too much: after the last
 * one, npu__eu_taken says. */
NPU__FN void *npu__eu_take(npu__eu_dev *d, uint64_t n, size_t elem_bytes);
NPU__FN npu_status npu__eu_taken(npu__eu_dev *d);
/* Zeroes elements of scratch, in pieces. */
NPU__FN npu_status npu__eu_blank(npu__eu_dev *d, int16_t *p, size_t n);
/* Counts a * b * c steps: everything that a run does in a loop, before it does it. */
NPU__FN npu_status npu__eu_spend(npu__eu_dev *d, uint64_t a, uint64_t b, uint64_t c);
/* Is the span inside a region? *mem is its base. `what` begins the error's text. */
NPU__FN npu_status npu__eu_reach(npu__eu_dev *d, int32_t region, const npu__eu_span *span, int write, const char *what,
                                 uint8_t **mem);

/* Registers to operation (op.c): the output with everything that follows an accumulator; kernel, strides and padding,
 * from which comes the size of the input; the inputs of given sizes. */
NPU__FN npu_status npu__eu_op_ofm(npu__eu_dev *d, npu__eu_op *op);
NPU__FN npu_status npu__eu_op_window(npu__eu_dev *d, npu__eu_op *op);
NPU__FN npu_status npu__eu_op_ifm(npu__eu_dev *d, npu__eu_op *op, int32_t h, int32_t w, int32_t c);
NPU__FN npu_status npu__eu_op_ifm2(npu__eu_dev *d, npu__eu_op *op, int32_t h, int32_t w, int32_t c);

/* ---- rows of a convolution's input (rows.c) ---- */

#define NPU__EU_MAX_CONV_ROWS 64

/* Rows as int16 less the zero point, upscaled, with padding columns, as many as a kernel spans: each is read once as
 * the kernel moves down. 16 elements after a row may be read and mean nothing. */
typedef struct npu__eu_rows {
    npu__eu_dev      *d;
    const npu__eu_op *op;
    int32_t           n, held[NPU__EU_MAX_CONV_ROWS]; /* rows that are kept, and which: -1 none */
    size_t            pitch;
    int16_t          *rows, *blank, *temp;
} npu__eu_rows;

/* They will be walked through `passes` times. */
NPU__FN npu_status npu__eu_rows_open(npu__eu_dev *d, npu__eu_rows *r, const npu__eu_op *op, uint64_t passes);
/* Row `y` of the upscaled input; above and below there are zeros. NULL: the run is to stop. */
NPU__FN const int16_t *npu__eu_row(npu__eu_rows *r, int32_t y);

/* ---- weights of an operation (kernel.c) ---- */

/* Streams, biases and scales. With two cores, each has the channels whose number is its own modulo 2. */
typedef struct npu__eu_kernel {
    npu__eu_wstream stream[2];
    npu__eu_worder  order[2];
    int32_t         cores, block; /* output channels of a block, of both cores together */
    const uint8_t  *scales[2];
} npu__eu_kernel;

/* Checks addresses and shapes, opens the streams, and takes op->out's arrays of channels. */
NPU__FN npu_status npu__eu_kernel_open(npu__eu_dev *d, npu__eu_kernel *k, npu__eu_op *op, int depthwise);
/* Decodes `n` output channels from `c`, a multiple of the block. Channel c goes to the place of channel 0. */
NPU__FN npu_status npu__eu_kernel_decode(npu__eu_dev *d, npu__eu_kernel *k, int32_t c, int32_t n, int16_t *dst,
                                         size_t step_c, size_t step_y, size_t step_x);

/* ---- operations ---- */

NPU__FN npu_status npu__eu_do_conv(npu__eu_dev *d);
NPU__FN npu_status npu__eu_do_depthwise(npu__eu_dev *d);
NPU__FN npu_status npu__eu_do_pool(npu__eu_dev *d, uint32_t mode);
NPU__FN npu_status npu__eu_do_elementwise(npu__eu_dev *d, uint32_t mode);
NPU__FN npu_status npu__eu_do_dma(npu__eu_dev *d);

#endif
#endif
