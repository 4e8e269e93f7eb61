/* The versions of the rules for MediaTek's NPUs. */
#ifndef NPU__VENDOR_NEURON_PROFILES_H
#define NPU__VENDOR_NEURON_PROFILES_H

#include "../../vendor.h"

/* X(row, name, by line?, what its rows mirror, title). The last one is the default. */
#define NPU__NEURON_PROFILES(X) \
    X(PUB, "published", 1, "LiteRT's table for MediaTek", \
      "Operators that LiteRT's plugin for MediaTek Neuron compiles, as its document states them.") \
    X(L23, "litert-2.3", 0, "LiteRT 2.3.0", "Operators that the plugin for MediaTek Neuron in LiteRT 2.3.0 compiles.")

/* NPU__NEURON_NR_<row>, NPU__NEURON_P_<row>: number, and bit in the masks of rows. */
enum {
#define NPU__X(row, name, by_line, document, title) NPU__NEURON_NR_##row,
    NPU__NEURON_PROFILES(NPU__X)
#undef NPU__X
    NPU__NEURON_N_PROFILES
};
enum {
#define NPU__X(row, name, by_line, document, title) NPU__NEURON_P_##row = 1 << NPU__NEURON_NR_##row,
    NPU__NEURON_PROFILES(NPU__X)
#undef NPU__X
    NPU__NEURON_P_ALL = (1 << NPU__NEURON_N_PROFILES) - 1
};

#endif
