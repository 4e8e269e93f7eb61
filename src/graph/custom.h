/* Custom operators whose options are those of a builtin (NPU__CUSTOM_OPTIONS): a flexbuffer's map whose keys are the names of the
 * fields of the builtin's table. They are filled into the struct that the builtin reads, and refused where they say anything else. */
#ifndef NPU__GRAPH_CUSTOM_H
#define NPU__GRAPH_CUSTOM_H

#include "../tflite/flexbuf.h"
#include "op.h"

/* The options of a node whose name and custom options are there, as `dflt` of any other. NULL: no memory. */
NPU__FN const npu__opts *npu__custom_opts(npu__pool *pool, const npu__node *node, const npu__opts *dflt);
/* Before infer: are its options such that the struct says all of it? */
NPU__FN npu_status npu__custom_check(npu__ctx *c);
#if NPU__HAS_CUSTOM_OPTIONS
/* Has the node's map no keys but `keys`, and each once? For operators that read their own options. No bytes are an empty map. */
NPU__FN npu_status npu__custom_keys(npu__ctx *c, const char *const *keys, int32_t n);
/* The value of an option of the node; null: it has none. */
NPU__FN npu__flex npu__custom_option(const npu__node *node, const char *key);
#endif

#endif
