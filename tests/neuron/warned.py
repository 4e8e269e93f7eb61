"""What a model is when the plugin has done to it what `npu_rt check` warns of: the same network, changed as the warnings say.

data = changed(data, ops)         # ops: those of npu_rt check --json"""

import mutated


def _set(**fields):
    def change(op):
        options = op.builtinOptions if op.builtinOptions is not None else op.builtinOptions2
        for name, value in fields.items():
            assert hasattr(options, name), name
            setattr(options, name, value)

    return change


# Warnings that change numbers, and what to.
CHANGES = {
    "neuron.concatenation.activation": _set(fusedActivationFunction=0),
    "neuron.transpose_conv.activation": _set(fusedActivationFunction=0),
    "neuron.l2_normalization.activation": _set(fusedActivationFunction=0),
    "neuron.strided_slice.masks": _set(ellipsisMask=0, newAxisMask=0),
    "neuron.strided_slice.offset": _set(offset=False),
    "neuron.gelu.tanh": _set(approximate=True),
    "neuron.asymmetric_inputs": _set(asymmetricQuantizeInputs=False),
}
# Those that don't, on an adapter that takes such operands: ours does, or says that it doesn't.
HARMLESS = {
    "neuron.keep_dims",
    "neuron.resize_bilinear.order",  # "or refuses the model": ours takes the size that the output has
    "neuron.fully_connected.reshape",
    "neuron.zero_bias",
    "neuron.conv.bias",
    "neuron.scalar_tensor",
    "neuron.leaky_relu.alpha",
    "neuron.reshape.shape",
    "neuron.scales",  # "what the adapter computes with is unknown": where they are missing, ours takes nothing
}
# Of composites, whose parts say nothing of what the plugin makes: norms.py says it.
NORMS = {
    "neuron.rms_norm.epsilon",
    "neuron.rms_norm.beta",
    "neuron.l2_norm.attributes",
    "neuron.group_norm.epsilon",
    "neuron.group_norm.axis",
}


def warnings(ops):
    """[(subgraph, operator, rule)] of what is taken."""
    return [(op["subgraph"], op["index"], w["rule"]) for op in ops if op["placed"] for w in op["warnings"]]


def changed(data, ops):
    """The file as the warnings say, or the same one where none of them changes a number."""
    todo = [w for w in warnings(ops) if w[2] in CHANGES]
    if not todo:
        return data
    model = mutated.load(data)
    for subgraph, index, rule in todo:
        CHANGES[rule](model.subgraphs[subgraph].operators[index])
    return mutated.pack(model)
