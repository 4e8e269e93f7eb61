/* npu_model_op: the operators of a model, one by one. */
#include "../graph/user_op.h"
#include "../ops/ops.h"

NPU_API int32_t npu_model_op_count(const npu_model *model, int32_t subgraph) {
    return subgraph >= 0 && subgraph < model->n_subgraphs ? model->subgraphs[subgraph].n_nodes : -1;
}

/* As NPU_RT_ONLY_OPS names it. */
NPU__FN const char *npu__op_keep(const npu__node *node) {
/* Compiled operators come with their vendor's switch, others with the caller: no name in the list keeps them. */
#define NPU_X(id, name, def) if (npu__str_is(node->custom_name, name)) return "";
#define NPU_Y(id, name, def) if (npu__str_is(node->custom_name, name)) return #id;
    if (npu__node_is_user(node)) return "";
    if (!node->def) return NULL;
    if (node->code != NPU__BUILTIN_CUSTOM) return npu__builtin_name(node->code);
    NPU__COMPILED_OPS(NPU_X)
    NPU__CUSTOM_OPS(NPU_Y)
    return NULL;
#undef NPU_X
#undef NPU_Y
}

NPU_API npu_status npu_model_op(const npu_model *model, int32_t subgraph, int32_t i, npu_op *out) {
    const npu__node *node;
    npu__str         name;
    if (i < 0 || i >= npu_model_op_count(model, subgraph)) return NPU_INVALID_ARGUMENT;
    node = &model->subgraphs[subgraph].nodes[i];
    name = npu__node_name(node);
    out->name = name.p;
    out->name_len = name.n;
    out->code = node->code;
    out->version = node->version;
    out->keep = npu__op_keep(node);
    out->inputs = node->in;
    out->outputs = node->out;
    out->n_inputs = node->n_in;
    out->n_outputs = node->n_out;
    return NPU_OK;
}
