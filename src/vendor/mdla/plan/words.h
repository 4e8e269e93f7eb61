/* What a plan rests on, and what it cannot say. */
#ifndef NPU__VENDOR_MDLA_PLAN_WORDS_H
#define NPU__VENDOR_MDLA_PLAN_WORDS_H

#define NPU__MDLA_ASSUMED(X) \
    X("int8 tensors whose zero points are all 0 are symmetric ones") \
    X("tensors of fewer than 4 dimensions are laid out as if dimensions of 1 stood in front") \
    X("output channels bound the utilisation by OC / 4 up to 4 of them, by OC / (16 * ceil(OC / 16)) above") \
    X("RELU6 and RELU_N1_TO_1 are ReLU to the fusion rules; a fused activation is a stage of its own there") \
    X("rate_H and rate_W of a transposed convolution are its strides") \
    X("a pool has one tile: the whole output of an image, channels as in 16C") \
    X("points of RESIZE_BILINEAR are elements of its output") \
    X("data of 16 bits has the int16 rate, whatever the weights are") \
    X("operators that run as one overlap: a group takes as long as the slowest of them, its convolutions one after the " \
      "other") \
    X("a sequence of rule C that starts with rule B is a rule B to deep layer fusion") \
    X("a group reads its inputs from external memory, weights too, and writes its outputs there") \
    X("groups run one after the other, as do those of a chain") \
    X("what the MDLA does not take runs on the CPU, but for operators that the MVPU was said to take") \
    X("CPU and APU have memory of their own; the MVPU shares that of the MDLA, as the DSP does") \
    X("types are converted where data enters and leaves the MDLA, at the network's ends and at other devices") \
    X("constants are converted when the network is compiled") \
    X("fused operators and chains are those that may be: the compiler fuses what pays") \
    X("a tensor whose type and layout both change is moved once for each")

#define NPU__MDLA_UNKNOWN(X) \
    X("the clock, the number of cores, bandwidths: cycles are lower bounds, and no time follows without a clock") \
    X("the order of stages in the fusion rules A, B, D and E: only what the text proves is fused, or what you supply") \
    X("how much storage for weights deep layer fusion has, and the sizes of tiles: without a given size, nothing bounds " \
      "chains") \
    X("throughput of DIV, SOFTMAX, POW, RSQRT and of all that moves data; of scaling down; of small filters") \
    X("how MDLA 2.0 and 3.0 run float data with quantized weights") \
    X("what the MVPU takes, and how long devices take to get ready")

#endif
