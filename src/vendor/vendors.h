/* The list of vendors: which there are, and which of them this build has. Beside the public header, the only file outside of
 * a vendor's folder that names one. It stands on base/config.h alone, so every layer may paste it.
 *
 * A new vendor adds here: its switch, its rows in the four lists, and the words that `./amalgamate --check` looks for. */
#ifndef NPU__VENDOR_VENDORS_H
#define NPU__VENDOR_VENDORS_H

#include "../base/config.h"

/* Every vendor that the source knows. X(id, name of its drivers, name for people, NPU_RT_BACKEND_<switch>) */
#define NPU__VENDORS_KNOWN(X) X(ethosu, "ethos-u", "Ethos-U", ETHOSU) X(neuron, "neuron", "MediaTek Neuron", NEURON) \
    X(mdla, "mdla", "MediaTek MDLA", MDLA)

/* What `./amalgamate --check` finds nowhere else: parts of words, in any case. */
#define NPU__VENDOR_WORDS_ethosu "ethos vela npu__eu npu__has_eu"
#define NPU__VENDOR_WORDS_neuron "neuron mediatek mtk"
#define NPU__VENDOR_WORDS_mdla "mdla mediatek mtk"

/* The only place that looks at NPU_RT_BACKEND_*. */
#if defined(NPU_RT_BACKEND_NONE) && !defined(NPU_RT_BACKEND_ALL) && \
    (defined(NPU_RT_BACKEND_ETHOSU) || defined(NPU_RT_BACKEND_NEURON) || defined(NPU_RT_BACKEND_MDLA))
#  error "npu_rt: define NPU_RT_BACKEND_NONE, NPU_RT_BACKEND_ALL, or those of NPU_RT_BACKEND_ETHOSU, _NEURON and _MDLA"
#endif
#if defined(NPU_RT_BACKEND_ALL) || defined(NPU_RT_BACKEND_ETHOSU)
#  define NPU__HAS_ETHOSU 1
#  define NPU__VENDORS_ETHOSU(X) X(ethosu)
#  define NPU__COMPILED_ETHOSU(X) X(ethos_u, "ethos-u", npu__op_ethos_u)
#else
#  define NPU__HAS_ETHOSU 0
#  define NPU__VENDORS_ETHOSU(X)
#  define NPU__COMPILED_ETHOSU(X)
#endif
#if defined(NPU_RT_BACKEND_ALL) || defined(NPU_RT_BACKEND_NEURON)
#  define NPU__HAS_NEURON 1
#  define NPU__VENDORS_NEURON(X) X(neuron)
#  define NPU__COMPILED_NEURON(X) X(DISPATCH_OP, "DISPATCH_OP", npu__op_neuron_dispatch)
#else
#  define NPU__HAS_NEURON 0
#  define NPU__VENDORS_NEURON(X)
#  define NPU__COMPILED_NEURON(X)
#endif
#if defined(NPU_RT_BACKEND_ALL) || defined(NPU_RT_BACKEND_MDLA)
#  define NPU__HAS_MDLA 1
#  define NPU__VENDORS_MDLA(X) X(mdla)
#  define NPU__CUSTOM_MDLA(X) \
    X(MTK_ABS, "MTK_ABS", npu__op_mtk_abs) \
    X(MTK_MIN_POOL, "MTK_MIN_POOL", npu__op_mtk_min_pool) \
    X(MTK_TRANSPOSE_CONV, "MTK_TRANSPOSE_CONV", npu__op_transpose_conv) \
    X(MTK_REVERSE, "MTK_REVERSE", npu__op_reverse_v2) \
    X(MTK_ELU, "MTK_ELU", npu__op_mtk_elu) \
    X(MTK_REQUANTIZE, "MTK_REQUANTIZE", npu__op_mtk_requantize) \
    X(MTK_DEPTH_TO_SPACE, "MTK_DEPTH_TO_SPACE", npu__op_depth_to_space) \
    X(MTK_CROP_AND_RESIZE, "MTK_CROP_AND_RESIZE", npu__op_mtk_crop_and_resize) \
    X(MTK_LAYER_NORMALIZATION, "MTK_LAYER_NORMALIZATION", npu__op_mtk_layer_normalization)
#  define NPU__CUSTOM_OPTIONS(X) \
    X("MTK_ABS", NONE) \
    X("MTK_MIN_POOL", Pool2DOptions) \
    X("MTK_TRANSPOSE_CONV", TransposeConvOptions) \
    X("MTK_REVERSE", NONE) \
    X("MTK_ELU", NONE) \
    X("MTK_REQUANTIZE", NONE) \
    X("MTK_DEPTH_TO_SPACE", DepthToSpaceOptions)
#else
#  define NPU__HAS_MDLA 0
#  define NPU__VENDORS_MDLA(X)
#  define NPU__CUSTOM_MDLA(X)
#endif
/* Software that stands in for the hardware. Without it, sessions need a driver (npu_session_desc.drivers). */
#ifdef NPU_RT_NO_SOFTWARE_DEVICE
#  define NPU__HAS_SOFTWARE_DEVICE 0
#else
#  define NPU__HAS_SOFTWARE_DEVICE 1
#endif

/* Vendors that only tests have. They lower: plans and sessions of such a build have segments. A vendor that lowers adds its switch
 * to the second NPU__HAS_LOWERING; without one, what segments take is in no build. */
#ifdef NPU__VENDORS_MORE
#  define NPU__HAS_VENDORS 1
#  define NPU__HAS_LOWERING 1
#else
#  define NPU__HAS_VENDORS (NPU__HAS_ETHOSU || NPU__HAS_NEURON || NPU__HAS_MDLA)
#  define NPU__HAS_LOWERING (NPU__HAS_NEURON || (NPU__HAS_MDLA && NPU__HAS_SOFTWARE_DEVICE))
#  define NPU__VENDORS_MORE(X)
#  define NPU__VENDORS_KNOWN_MORE(X)
#endif
/* Rules give verdicts to reports, and to plans that make segments. */
#define NPU__HAS_PLACEMENT (NPU__HAS_REPORTS || NPU__HAS_LOWERING)

/* Those of this build: X(id), for each a function npu__vendor_<id> that gives its row (vendor.h). The CPU's is the last. */
#define NPU__VENDORS(X) NPU__VENDORS_ETHOSU(X) NPU__VENDORS_NEURON(X) NPU__VENDORS_MDLA(X) NPU__VENDORS_MORE(X) X(none)

/* Those that also plan (planner.h): X(id), for each a function npu__planner_<id>. */
#define NPU__PLANNERS(X) NPU__VENDORS_MDLA(X)

/* Custom operators that stand for what a vendor's compiler made: X(id, name in the file, npu__opdef) */
#define NPU__COMPILED_OPS(X) NPU__COMPILED_ETHOSU(X) NPU__COMPILED_NEURON(X)
/* Custom operators that a vendor's converter makes, and that the CPU runs: X(id, name in the file, npu__opdef). Builtins do the
 * work of some. NPU__CUSTOM_OPTIONS: those whose options are a map with the fields of a builtin's table, or NONE: no options;
 * X(name in the file, table) */
#define NPU__VENDOR_OPS(X) NPU__CUSTOM_MDLA(X)
#ifdef NPU__CUSTOM_OPTIONS
#  define NPU__HAS_CUSTOM_OPTIONS 1
#else
#  define NPU__HAS_CUSTOM_OPTIONS 0
#endif

/* Numbers of the vendors, the same in every build: what a session keeps for each is as large in all of them. */
enum {
#define NPU__X(id, name, title, option) NPU__VENDOR_NR_##id,
    NPU__VENDORS_KNOWN(NPU__X) NPU__VENDORS_KNOWN_MORE(NPU__X)
#undef NPU__X
    NPU__N_VENDORS
};

#endif
