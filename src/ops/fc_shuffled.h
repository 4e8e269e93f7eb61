/* FULLY_CONNECTED whose weights are stored in blocks: Circle's SHUFFLED16x1FLOAT32, TFLite's SHUFFLED4x16INT8. */
#ifndef NPU__OPS_FC_SHUFFLED_H
#define NPU__OPS_FC_SHUFFLED_H

#include "fully_connected.h"

/* Orders of weights. */
enum { NPU__FC_PLAIN = 0, NPU__FC_4X16 = 1, NPU__FC_16X1 = 127 };

/* Shape of output 1, which only 4 x 16 may have: the input, as its kernel orders it. */
NPU__FN npu_status npu__fc_shuffled_infer(npu__ctx *c);
/* Once types and geometry are known; does nothing for plain weights. Reserves d->w for the weights in plain order. */
NPU__FN npu_status npu__fc_shuffled_prepare(npu__ctx *c, npu__fc_data *d);
NPU__FN void npu__fc_shuffled_fill(npu__ctx *c, const npu__fc_data *d);
/* Writes output 1, if there is one. */
NPU__FN void npu__fc_shuffled_input(npu__ctx *c, const npu__fc_data *d);

#endif
