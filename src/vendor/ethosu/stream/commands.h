/* The commands of Ethos-U55 and U65 as lists: opcodes, bit fields of registers, and the values that fields take.
 * A command word holds the opcode in bits 0-9, its form in bits 14-15 and a parameter in bits 16-31. Form 0 is that one
 * word; form 1 is followed by a word of data (the parameter then holds bits 32-39 of an address, or a shift). */
#ifndef NPU__VENDOR_ETHOSU_COMMANDS_H
#define NPU__VENDOR_ETHOSU_COMMANDS_H

#include "../../../base/base.h"
#include "../../vendors.h"

#if NPU__HAS_ETHOSU

/* How a command's value reads. X(kind): of the operations first, then of the registers. */
#define NPU__EU_KIND_LIST(X)                                                                                      \
    X(NONE)      /* no parameter */                                                                               \
    X(MASK)      /* a mask of events */                                                                           \
    X(POOL)      /* a pooling operation */                                                                        \
    X(ELEMENT)   /* an elementwise operation */                                                                   \
    X(CHANNEL)   /* a DMA channel and mode */                                                                     \
    X(WAIT)      /* how many operations may still be under way */                                                 \
    X(COUNT)     /* a plain number */                                                                             \
    X(LESS_1)    /* a number of which one was subtracted: 0 is 1 */                                               \
    X(SIGNED)    /* 16 bits with sign */                                                                          \
    X(REGION)    /* which base pointer the addresses of a group belong to */                                      \
    X(FIELDS)    /* see NPU__EU_FIELD_LIST */                                                                     \
    X(UPSCALE) X(PARALLEL) X(ACC_FORMAT) /* a value of the list of that name */                                   \
    X(ADDRESS)   /* form 1: 40 bits, an offset in the group's region */                                           \
    X(STRIDE)    /* form 1: 40 bits, bytes from one element to the next */                                        \
    X(LENGTH)    /* form 1: bytes, 32 bits and for DMA 40 */                                                      \
    X(SCALE)     /* form 1: a 32 bit multiplier; the parameter is the shift */

enum npu__eu_kind {
#define NPU__X(kind) NPU__EU_K_##kind,
    NPU__EU_KIND_LIST(NPU__X)
#undef NPU__X
    NPU__EU_KIND_COUNT
};

/* X(name, opcode, kind, meaning). Commands of one word. */
#define NPU__EU_CMD0_LIST(X)                                                                                      \
    X(OP_STOP,            0x000, MASK,     "end of the stream")                                                   \
    X(OP_IRQ,             0x001, MASK,     "raise an interrupt and go on")                                        \
    X(OP_CONV,            0x002, NONE,     "convolution")                                                         \
    X(OP_DEPTHWISE,       0x003, NONE,     "depthwise convolution")                                               \
    X(OP_POOL,            0x005, POOL,     "pooling")                                                             \
    X(OP_ELEMENTWISE,     0x006, ELEMENT,  "elementwise operation")                                               \
    X(OP_DMA_START,       0x010, CHANNEL,  "copy memory")                                                         \
    X(OP_DMA_WAIT,        0x011, WAIT,     "wait for copies")                                                     \
    X(OP_KERNEL_WAIT,     0x012, WAIT,     "wait for operations")                                                 \
    X(OP_PMU_MASK,        0x013, MASK,     "switch performance counters")                                         \
    X(SET_IFM_PAD_TOP,    0x100, COUNT,    "rows of padding above the input")                                     \
    X(SET_IFM_PAD_LEFT,   0x101, COUNT,    "columns of padding left of the input")                                \
    X(SET_IFM_PAD_RIGHT,  0x102, COUNT,    "columns of padding right of the input")                               \
    X(SET_IFM_PAD_BOTTOM, 0x103, COUNT,    "rows of padding below the input")                                     \
    X(SET_IFM_DEPTH_M1,   0x104, LESS_1,   "channels of the input")                                               \
    X(SET_IFM_PRECISION,  0x105, FIELDS,   "type and layout of the input")                                        \
    X(SET_IFM_UPSCALE,    0x107, UPSCALE,  "upscaling of the input by 2")                                         \
    X(SET_IFM_ZERO_POINT, 0x109, SIGNED,   "zero point of the input")                                             \
    X(SET_IFM_WIDTH0_M1,  0x10A, LESS_1,   "columns in the left tiles of the input")                              \
    X(SET_IFM_HEIGHT0_M1, 0x10B, LESS_1,   "rows in tile 0 of the input")                                         \
    X(SET_IFM_HEIGHT1_M1, 0x10C, LESS_1,   "rows in tile 1 of the input")                                         \
    X(SET_IFM_IB_END,     0x10D, COUNT,    "end of the input buffers in SHRAM")                                   \
    X(SET_IFM_REGION,     0x10F, REGION,   "region of the input")                                                 \
    X(SET_OFM_WIDTH_M1,   0x111, LESS_1,   "columns of the output")                                               \
    X(SET_OFM_HEIGHT_M1,  0x112, LESS_1,   "rows of the output")                                                  \
    X(SET_OFM_DEPTH_M1,   0x113, LESS_1,   "channels of the output")                                              \
    X(SET_OFM_PRECISION,  0x114, FIELDS,   "type, layout, scaling and rounding of the output")                    \
    X(SET_OFM_BLK_WIDTH_M1,  0x115, LESS_1, "columns of an output block")                                         \
    X(SET_OFM_BLK_HEIGHT_M1, 0x116, LESS_1, "rows of an output block")                                            \
    X(SET_OFM_BLK_DEPTH_M1,  0x117, LESS_1, "channels of an output block")                                        \
    X(SET_OFM_ZERO_POINT, 0x118, SIGNED,   "zero point of the output")                                            \
    X(SET_OFM_WIDTH0_M1,  0x11A, LESS_1,   "columns in the left tiles of the output")                             \
    X(SET_OFM_HEIGHT0_M1, 0x11B, LESS_1,   "rows in tile 0 of the output")                                        \
    X(SET_OFM_HEIGHT1_M1, 0x11C, LESS_1,   "rows in tile 1 of the output")                                        \
    X(SET_OFM_REGION,     0x11F, REGION,   "region of the output")                                                \
    X(SET_KERNEL_WIDTH_M1,  0x120, LESS_1, "columns the kernel spans, dilation included")                         \
    X(SET_KERNEL_HEIGHT_M1, 0x121, LESS_1, "rows the kernel spans, dilation included")                            \
    X(SET_KERNEL_STRIDE,  0x122, FIELDS,   "strides, dilation and order of the weights")                          \
    X(SET_PARALLEL_MODE,  0x123, PARALLEL, "how two cores share the work")                                        \
    X(SET_ACC_FORMAT,     0x124, ACC_FORMAT, "type of the accumulators")                                          \
    X(SET_ACTIVATION,     0x125, FIELDS,   "activation")                                                          \
    X(SET_ACTIVATION_MIN, 0x126, SIGNED,   "least output")                                                        \
    X(SET_ACTIVATION_MAX, 0x127, SIGNED,   "greatest output")                                                     \
    X(SET_WEIGHT_REGION,  0x128, REGION,   "region of the weights")                                               \
    X(SET_SCALE_REGION,   0x129, REGION,   "region of the biases and scales")                                     \
    X(SET_AB_START,       0x12D, COUNT,    "first accumulator buffer in SHRAM")                                   \
    X(SET_BLOCKDEP,       0x12F, COUNT,    "blocks that may run before the last operation has ended")             \
    X(SET_DMA0_SRC_REGION, 0x130, FIELDS,  "region that is copied from")                                          \
    X(SET_DMA0_DST_REGION, 0x131, FIELDS,  "region that is copied to")                                            \
    X(SET_DMA0_SIZE0,     0x132, COUNT,    "rows of a two-dimensional copy")                                      \
    X(SET_DMA0_SIZE1,     0x133, COUNT,    "planes of a three-dimensional copy")                                  \
    X(SET_IFM2_BROADCAST, 0x180, FIELDS,   "broadcasting of the second input")                                    \
    X(SET_IFM2_SCALAR,    0x181, COUNT,    "the second input as one number, 16 bits as they are")                 \
    X(SET_IFM2_PRECISION, 0x185, FIELDS,   "type and layout of the second input")                                 \
    X(SET_IFM2_ZERO_POINT, 0x189, SIGNED,  "zero point of the second input")                                      \
    X(SET_IFM2_WIDTH0_M1, 0x18A, LESS_1,   "columns in the left tiles of the second input")                       \
    X(SET_IFM2_HEIGHT0_M1, 0x18B, LESS_1,  "rows in tile 0 of the second input")                                  \
    X(SET_IFM2_HEIGHT1_M1, 0x18C, LESS_1,  "rows in tile 1 of the second input")                                  \
    X(SET_IFM2_IB_START,  0x18D, COUNT,    "first buffer of the second input in SHRAM")                           \
    X(SET_IFM2_REGION,    0x18F, REGION,   "region of the second input")

/* X(name, opcode, kind, meaning). Commands of two words. */
#define NPU__EU_CMD1_LIST(X)                                                                                      \
    X(SET_IFM_BASE0,      0x000, ADDRESS,  "tile 0 of the input: top left")                                       \
    X(SET_IFM_BASE1,      0x001, ADDRESS,  "tile 1 of the input: top right")                                      \
    X(SET_IFM_BASE2,      0x002, ADDRESS,  "tile 2 of the input: bottom left")                                    \
    X(SET_IFM_BASE3,      0x003, ADDRESS,  "tile 3 of the input: bottom right")                                   \
    X(SET_IFM_STRIDE_X,   0x004, STRIDE,   "bytes between columns of the input")                                  \
    X(SET_IFM_STRIDE_Y,   0x005, STRIDE,   "bytes between rows of the input")                                     \
    X(SET_IFM_STRIDE_C,   0x006, STRIDE,   "bytes between channel groups of the input")                           \
    X(SET_OFM_BASE0,      0x010, ADDRESS,  "tile 0 of the output: top left")                                      \
    X(SET_OFM_BASE1,      0x011, ADDRESS,  "tile 1 of the output: top right")                                     \
    X(SET_OFM_BASE2,      0x012, ADDRESS,  "tile 2 of the output: bottom left")                                   \
    X(SET_OFM_BASE3,      0x013, ADDRESS,  "tile 3 of the output: bottom right")                                  \
    X(SET_OFM_STRIDE_X,   0x014, STRIDE,   "bytes between columns of the output")                                 \
    X(SET_OFM_STRIDE_Y,   0x015, STRIDE,   "bytes between rows of the output")                                    \
    X(SET_OFM_STRIDE_C,   0x016, STRIDE,   "bytes between channel groups of the output")                          \
    X(SET_WEIGHT_BASE,    0x020, ADDRESS,  "weight stream of core 0")                                             \
    X(SET_WEIGHT_LENGTH,  0x021, LENGTH,   "bytes of the weight stream of core 0")                                \
    X(SET_SCALE_BASE,     0x022, ADDRESS,  "biases and scales of core 0")                                         \
    X(SET_SCALE_LENGTH,   0x023, LENGTH,   "bytes of biases and scales of core 0")                                \
    X(SET_OFM_SCALE,      0x024, SCALE,    "scale of the output")                                                 \
    X(SET_OPA_SCALE,      0x025, SCALE,    "scale of operand A")                                                  \
    X(SET_OPB_SCALE,      0x026, SCALE,    "scale of operand B")                                                  \
    X(SET_DMA0_SRC,       0x030, ADDRESS,  "where the copy comes from")                                           \
    X(SET_DMA0_DST,       0x031, ADDRESS,  "where the copy goes")                                                 \
    X(SET_DMA0_LEN,       0x032, LENGTH,   "bytes of the copy, or of one row of it")                              \
    X(SET_DMA0_SKIP0,     0x033, STRIDE,   "bytes left out after each row of the copy")                           \
    X(SET_DMA0_SKIP1,     0x034, STRIDE,   "bytes left out after each plane of the copy")                         \
    X(SET_IFM2_BASE0,     0x080, ADDRESS,  "tile 0 of the second input: top left")                                \
    X(SET_IFM2_BASE1,     0x081, ADDRESS,  "tile 1 of the second input: top right")                               \
    X(SET_IFM2_BASE2,     0x082, ADDRESS,  "tile 2 of the second input: bottom left")                             \
    X(SET_IFM2_BASE3,     0x083, ADDRESS,  "tile 3 of the second input: bottom right")                            \
    X(SET_IFM2_STRIDE_X,  0x084, STRIDE,   "bytes between columns of the second input")                           \
    X(SET_IFM2_STRIDE_Y,  0x085, STRIDE,   "bytes between rows of the second input")                              \
    X(SET_IFM2_STRIDE_C,  0x086, STRIDE,   "bytes between channel groups of the second input")                    \
    X(SET_WEIGHT1_BASE,   0x090, ADDRESS,  "weight stream of core 1")                                             \
    X(SET_WEIGHT1_LENGTH, 0x091, LENGTH,   "bytes of the weight stream of core 1")                                \
    X(SET_SCALE1_BASE,    0x092, ADDRESS,  "biases and scales of core 1")                                         \
    X(SET_SCALE1_LENGTH,  0x093, LENGTH,   "bytes of biases and scales of core 1")

#define NPU__EU_FORM_1 0x4000 /* in npu__eu_command.code: the command has a second word */

/* npu__eu_command.code: NPU__EU_OP_CONV, NPU__EU_SET_IFM_BASE0, ... */
enum npu__eu_code {
#define NPU__X(name, opcode, kind, about) NPU__EU_##name = (opcode),
    NPU__EU_CMD0_LIST(NPU__X)
#undef NPU__X
#define NPU__X(name, opcode, kind, about) NPU__EU_##name = NPU__EU_FORM_1 | (opcode),
    NPU__EU_CMD1_LIST(NPU__X)
#undef NPU__X
    NPU__EU_CMD0_SPAN = 0x190, /* opcodes of each form are below these: sizes of tables by opcode */
    NPU__EU_CMD1_SPAN = 0x094
};

/* Fields of the registers of kind FIELDS: X(register, field, first bit, bits, reading, key in reports). Other bits are
 * reserved. The reading is the name of a list of values below, NUMBER, FLAG, or PART (of what several fields make). */
#define NPU__EU_FIELD_LIST(X)                                                                                     \
    X(SET_IFM_PRECISION,   SIGNED,        0,  1, PART,       "signed")                                            \
    X(SET_IFM_PRECISION,   LOG2_BYTES,    2,  2, PART,       "log2_bytes")                                        \
    X(SET_IFM_PRECISION,   LAYOUT,        6,  2, LAYOUT,     "layout")                                            \
    X(SET_IFM_PRECISION,   SCALE_MODE,    8,  2, SCALE_MODE, "scale")                                             \
    X(SET_IFM_PRECISION,   ROUNDING,     14,  2, ROUNDING,   "rounding")                                          \
    X(SET_IFM2_PRECISION,  SIGNED,        0,  1, PART,       "signed")                                            \
    X(SET_IFM2_PRECISION,  LOG2_BYTES,    2,  2, PART,       "log2_bytes")                                        \
    X(SET_IFM2_PRECISION,  LAYOUT,        6,  2, LAYOUT,     "layout")                                            \
    X(SET_OFM_PRECISION,   SIGNED,        0,  1, PART,       "signed")                                            \
    X(SET_OFM_PRECISION,   LOG2_BYTES,    1,  2, PART,       "log2_bytes")                                        \
    X(SET_OFM_PRECISION,   LAYOUT,        6,  2, LAYOUT,     "layout")                                            \
    X(SET_OFM_PRECISION,   GLOBAL_SCALE,  8,  1, FLAG,       "global_scale")                                      \
    X(SET_OFM_PRECISION,   ROUNDING,     14,  2, ROUNDING,   "rounding")                                          \
    X(SET_KERNEL_STRIDE,   X_LOW,         0,  1, PART,       "x_low")                                             \
    X(SET_KERNEL_STRIDE,   Y_LOW,         1,  1, PART,       "y_low")                                             \
    X(SET_KERNEL_STRIDE,   TRAVERSAL,     2,  1, TRAVERSAL,  "weights")                                           \
    X(SET_KERNEL_STRIDE,   DILATION_X,    3,  1, PART,       "dilation_x")                                        \
    X(SET_KERNEL_STRIDE,   DILATION_Y,    4,  1, PART,       "dilation_y")                                        \
    X(SET_KERNEL_STRIDE,   SUB_4X4,       5,  1, FLAG,       "sub_4x4")                                           \
    X(SET_KERNEL_STRIDE,   X_HIGH,        6,  3, PART,       "x_high")                                            \
    X(SET_KERNEL_STRIDE,   Y_HIGH,        9,  3, PART,       "y_high")                                            \
    X(SET_ACTIVATION,      FUNCTION,      0, 12, ACTIVATION, "function")                                          \
    X(SET_ACTIVATION,      CLIP,         12,  4, CLIP,       "range")                                             \
    X(SET_DMA0_SRC_REGION, REGION,        0,  8, NUMBER,     "region")                                            \
    X(SET_DMA0_SRC_REGION, SHRAM,         8,  1, FLAG,       "shram")                                             \
    X(SET_DMA0_SRC_REGION, SHAPE,         9,  2, DMA_SHAPE,  "shape")                                             \
    X(SET_DMA0_DST_REGION, REGION,        0,  8, NUMBER,     "region")                                            \
    X(SET_DMA0_DST_REGION, SHRAM,         8,  1, FLAG,       "shram")                                             \
    X(SET_DMA0_DST_REGION, SHAPE,         9,  2, DMA_SHAPE,  "shape")                                             \
    X(SET_IFM2_BROADCAST,  HEIGHT,        0,  1, FLAG,       "height")                                            \
    X(SET_IFM2_BROADCAST,  WIDTH,         1,  1, FLAG,       "width")                                             \
    X(SET_IFM2_BROADCAST,  DEPTH,         2,  1, FLAG,       "depth")                                             \
    X(SET_IFM2_BROADCAST,  SWAP,          6,  1, FLAG,       "swap")                                              \
    X(SET_IFM2_BROADCAST,  SCALAR,        7,  1, FLAG,       "scalar")

/* Field constants, for npu__eu_field: first bit in the low byte, number of bits above it. */
enum npu__eu_field_id {
#define NPU__X(reg, field, first, bits, reading, key) NPU__EU_F_##reg##_##field = (first) | (bits) << 8,
    NPU__EU_FIELD_LIST(NPU__X)
#undef NPU__X
    NPU__EU_F_NONE = 0
};

/* Field `id` (NPU__EU_F_...) of a register's 16 bits. */
NPU__INLINE uint32_t npu__eu_field(uint32_t param, int id) {
    return param >> (id & 255) & ((1u << (id >> 8)) - 1u); /* bounded: a field has less than 16 bits */
}

/* The lists of values: X(name, value, text). */
#define NPU__EU_POOL_LIST(X) X(POOL_MAX, 0, "max") X(POOL_AVERAGE, 1, "average") X(POOL_REDUCE_SUM, 2, "reduce_sum")
#define NPU__EU_ELEMENT_LIST(X)                                                                                   \
    X(ELEMENT_MUL, 0, "mul") X(ELEMENT_ADD, 1, "add") X(ELEMENT_SUB, 2, "sub") X(ELEMENT_MIN, 3, "min")           \
    X(ELEMENT_MAX, 4, "max") X(ELEMENT_LRELU, 5, "lrelu") X(ELEMENT_ABS, 6, "abs") X(ELEMENT_CLZ, 7, "clz")       \
    X(ELEMENT_SHR, 8, "shr") X(ELEMENT_SHL, 9, "shl")
#define NPU__EU_UPSCALE_LIST(X) X(UPSCALE_OFF, 0, "none") X(UPSCALE_NEAREST, 1, "nearest") X(UPSCALE_ZEROS, 2, "zeros")
#define NPU__EU_PARALLEL_LIST(X) X(PARALLEL_OFF, 0, "one core") X(PARALLEL_DEPTH, 1, "cores share channels")
#define NPU__EU_ACC_FORMAT_LIST(X)                                                                                \
    X(ACC_FORMAT_INT32, 0, "int32") X(ACC_FORMAT_INT40, 1, "int40") X(ACC_FORMAT_S5_10, 2, "s5.10")
#define NPU__EU_LAYOUT_LIST(X) X(LAYOUT_NHWC, 0, "NHWC") X(LAYOUT_NHCWB16, 1, "NHCWB16")
#define NPU__EU_SCALE_MODE_LIST(X)                                                                                \
    X(SCALE_MODE_BOTH, 0, "OPA+OPB") X(SCALE_MODE_OPA, 1, "OPA") X(SCALE_MODE_OPB, 2, "OPB")
#define NPU__EU_ROUNDING_LIST(X)                                                                                  \
    X(ROUNDING_TFL, 0, "tfl") X(ROUNDING_TRUNCATE, 1, "truncate") X(ROUNDING_NATURAL, 2, "natural")
#define NPU__EU_TRAVERSAL_LIST(X) X(DEPTH_FIRST, 0, "depth first") X(PART_KERNEL_FIRST, 1, "part kernel first")
#define NPU__EU_ACTIVATION_LIST(X)                                                                                \
    X(ACTIVATION_CLAMP, 0, "clamp") X(ACTIVATION_TANH, 3, "tanh") X(ACTIVATION_SIGMOID, 4, "sigmoid")             \
    X(ACTIVATION_LUT0, 16, "lut0") X(ACTIVATION_LUT1, 17, "lut1") X(ACTIVATION_LUT2, 18, "lut2")                  \
    X(ACTIVATION_LUT3, 19, "lut3") X(ACTIVATION_LUT4, 20, "lut4") X(ACTIVATION_LUT5, 21, "lut5")                  \
    X(ACTIVATION_LUT6, 22, "lut6") X(ACTIVATION_LUT7, 23, "lut7")
#define NPU__EU_CLIP_LIST(X)                                                                                      \
    X(CLIP_OFM, 0, "output") X(CLIP_UINT8, 2, "uint8") X(CLIP_INT8, 3, "int8") X(CLIP_INT16, 5, "int16")
#define NPU__EU_DMA_SHAPE_LIST(X) X(DMA_1D, 0, "1d") X(DMA_2D, 1, "2d") X(DMA_3D, 2, "3d")

/* X(list): every list of values above. */
#define NPU__EU_VALUE_LISTS(X)                                                                                    \
    X(POOL) X(ELEMENT) X(UPSCALE) X(PARALLEL) X(ACC_FORMAT) X(LAYOUT) X(SCALE_MODE) X(ROUNDING) X(TRAVERSAL)      \
    X(ACTIVATION) X(CLIP) X(DMA_SHAPE)

/* NPU__EU_POOL_MAX, NPU__EU_ELEMENT_ADD, NPU__EU_ROUNDING_TFL, ... */
enum npu__eu_value {
#define NPU__X(name, value, text) NPU__EU_##name = (value),
#define NPU__X_LIST(list) NPU__EU_##list##_LIST(NPU__X)
    NPU__EU_VALUE_LISTS(NPU__X_LIST)
#undef NPU__X_LIST
#undef NPU__X
    NPU__EU_VALUE_END
};

#endif
#endif
