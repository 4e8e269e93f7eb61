/* The graph as text or JSON. */
#ifndef NPU__GRAPH_DUMP_H
#define NPU__GRAPH_DUMP_H

#include "../base/text.h"
#include "op.h"

#if NPU__HAS_REPORTS

/* "INT8[1,96,96,3]"; -1 where the signature leaves a dimension open. */
NPU__FN void npu__dump_type_shape(npu__text *t, int32_t type, const npu__shape *shape);
/* Adds a JSON array of the dims. */
NPU__FN void npu__json_shape(npu__text *t, const char *key, const npu__shape *shape);
/* Adds "quantization": {scale[], zero_point[], axis}, at most 16 channels listed. Nothing for unquantized tensors. */
NPU__FN void npu__json_quant(npu__text *t, const npu_quant *q);

/* dump_dot.c: all of it in Graphviz's language. */
NPU__FN npu_status npu__dump_dot(const npu_model *model, const npu_writer *writer, npu_diag *diag);

#endif
#endif
