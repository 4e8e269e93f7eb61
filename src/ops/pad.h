/* What others ask of a PAD. */
#ifndef NPU__OPS_PAD_H
#define NPU__OPS_PAD_H

#include "../graph/ask.h"
#include "move_util.h"

/* After prepare: is it a border of zeros (zero points, where quantized) around the two middle dimensions of four? */
NPU__FN int npu__pad_border_of(const npu__ctx *c, npu__padding *b);

#endif
