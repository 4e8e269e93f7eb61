/* Versions of MediaTek's accelerator, and of the rules for them. */
#ifndef NPU__VENDOR_MDLA_VERSIONS_H
#define NPU__VENDOR_MDLA_VERSIONS_H

#include "../vendor.h"

/* X(row, target, title). `row` is ten times the version. */
#define NPU__MDLA_VERSIONS(X) X(15, "mdla1.5", "MDLA 1.5") X(20, "mdla2.0", "MDLA 2.0") X(30, "mdla3.0", "MDLA 3.0")

#define NPU__MDLA_GUIDE "Model Design Guide"
#define NPU__MDLA_NOTES "Model Design Guide and MDLA Guidelines"
#define NPU__MDLA_TITLE(version) "Operators that the compiler for " version " takes, and what it makes of them, as the " \
      "Model Design Guide states it."
#define NPU__MDLA_RELAXED(version) NPU__MDLA_TITLE(version) " FP32 runs as FP16 (--relax-fp32)."
#define NPU__MDLA_NOTED(version) NPU__MDLA_TITLE(version) " With the limits of the public part of the guidelines for " \
      "" version "."

/* X(row, version, name, document, title). A target's default is its last one. */
#define NPU__MDLA_PROFILES(X) \
    X(NR20, 20, "guidelines-relax-fp32", NPU__MDLA_NOTES, NPU__MDLA_NOTED("MDLA 2.0") " FP32 runs as FP16 (--relax-fp32).") \
    X(NR30, 30, "guidelines-relax-fp32", NPU__MDLA_NOTES, NPU__MDLA_NOTED("MDLA 3.0") " FP32 runs as FP16 (--relax-fp32).") \
    X(N20, 20, "guidelines", NPU__MDLA_NOTES, NPU__MDLA_NOTED("MDLA 2.0")) \
    X(N30, 30, "guidelines", NPU__MDLA_NOTES, NPU__MDLA_NOTED("MDLA 3.0")) \
    X(R15, 15, "guide-relax-fp32", NPU__MDLA_GUIDE, NPU__MDLA_RELAXED("MDLA 1.5")) \
    X(R20, 20, "guide-relax-fp32", NPU__MDLA_GUIDE, NPU__MDLA_RELAXED("MDLA 2.0")) \
    X(R30, 30, "guide-relax-fp32", NPU__MDLA_GUIDE, NPU__MDLA_RELAXED("MDLA 3.0")) \
    X(G15, 15, "guide", NPU__MDLA_GUIDE, NPU__MDLA_TITLE("MDLA 1.5")) \
    X(G20, 20, "guide", NPU__MDLA_GUIDE, NPU__MDLA_TITLE("MDLA 2.0")) \
    X(G30, 30, "guide", NPU__MDLA_GUIDE, NPU__MDLA_TITLE("MDLA 3.0"))

/* NPU__MDLA_V<version>: a target's kind. NPU__MDLA_P_<row>: a profile's bit in the masks of rows. */
enum {
#define NPU__X(row, target, title) NPU__MDLA_NR_##row,
    NPU__MDLA_VERSIONS(NPU__X)
#undef NPU__X
    NPU__MDLA_N_VERSIONS
};
enum {
#define NPU__X(row, target, title) NPU__MDLA_V##row = 1 << NPU__MDLA_NR_##row,
    NPU__MDLA_VERSIONS(NPU__X)
#undef NPU__X
    NPU__MDLA_V_END = 0
};
enum {
#define NPU__X(row, version, name, document, title) NPU__MDLA_PNR_##row,
    NPU__MDLA_PROFILES(NPU__X)
#undef NPU__X
    NPU__MDLA_N_PROFILES
};
enum {
#define NPU__X(row, version, name, document, title) NPU__MDLA_P_##row = 1 << NPU__MDLA_PNR_##row,
    NPU__MDLA_PROFILES(NPU__X)
#undef NPU__X
    NPU__MDLA_P_15 = NPU__MDLA_P_G15 | NPU__MDLA_P_R15, /* those of a version; from a version on */
    NPU__MDLA_P_20 = NPU__MDLA_P_G20 | NPU__MDLA_P_R20 | NPU__MDLA_P_N20 | NPU__MDLA_P_NR20,
    NPU__MDLA_P_30 = NPU__MDLA_P_G30 | NPU__MDLA_P_R30 | NPU__MDLA_P_N30 | NPU__MDLA_P_NR30,
    NPU__MDLA_P_FROM30 = NPU__MDLA_P_30,
    NPU__MDLA_P_FROM20 = NPU__MDLA_P_20 | NPU__MDLA_P_30,
    NPU__MDLA_P_FROM15 = (1 << NPU__MDLA_N_PROFILES) - 1,
    NPU__MDLA_P_ALL = NPU__MDLA_P_FROM15,
    NPU__MDLA_P_NOTES20 = NPU__MDLA_P_N20 | NPU__MDLA_P_NR20,
    NPU__MDLA_P_NOTES30 = NPU__MDLA_P_N30 | NPU__MDLA_P_NR30,
    NPU__MDLA_P_RELAXED = NPU__MDLA_P_R15 | NPU__MDLA_P_R20 | NPU__MDLA_P_R30 | NPU__MDLA_P_NR20 | NPU__MDLA_P_NR30,
    NPU__MDLA_P_STRICT = NPU__MDLA_P_ALL & ~NPU__MDLA_P_RELAXED
};

#if NPU__HAS_PLACEMENT
/* The version of a target: 15, 20 or 30. */
NPU__INLINE int32_t npu__mdla_version(const npu__target *t) {
    return t->kind == NPU__MDLA_V15 ? 15 : t->kind == NPU__MDLA_V20 ? 20 : 30;
}
#endif

#endif
