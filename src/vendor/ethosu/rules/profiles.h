/* The versions of the rules, and which names they go with. */
#ifndef NPU__VENDOR_ETHOSU_PROFILES_H
#define NPU__VENDOR_ETHOSU_PROFILES_H

#include "../hardware.h"

/* Kinds of target: the family without a certain product, and the products. */
enum {
    NPU__ETHOSU_FOR_FAMILY = 1,
    NPU__ETHOSU_FOR_U55 = 2 << NPU__ETHOSU_U55,
    NPU__ETHOSU_FOR_U65 = 2 << NPU__ETHOSU_U65,
    NPU__ETHOSU_FOR_U85 = 2 << NPU__ETHOSU_U85
};

/* X(row, name, targets, by line?, as declared?, hooks of npu__profile, what its rows mirror, title). The last one a target
 * has is its default. Targets: F the family, A .. C the products U55, U65, U85. */
#define NPU__ETHOSU_PROFILES(X, F, A, B, C) \
    X(VELA_3_2, "vela-3.2", F | A | B, 0, 1, NPU__NO_HOOKS, "Vela 3.2.0", \
      "Operators that Vela 3.2.0 places on Ethos-U55 and Ethos-U65.") \
    X(PUBLISHED, "published", F | A | B | C, 1, 0, NPU__NO_HOOKS, "Supported Ops 0.1", \
      "Operators that can be placed on the Ethos-U NPU, as its converter's report (0.1) states them.") \
    X(VELA_5_2_U55, "vela-5.2", A, 0, 1, NPU__V52_HOOKS, "Vela 5.2.0", "Operators that Vela 5.2.0 places on Ethos-U55.") \
    X(VELA_5_2_U65, "vela-5.2", B, 0, 1, NPU__V52_HOOKS, "Vela 5.2.0", "Operators that Vela 5.2.0 places on Ethos-U65.") \
    X(VELA_5_2_U85, "vela-5.2", C, 0, 1, NPU__V52_HOOKS, "Vela 5.2.0", "Operators that Vela 5.2.0 places on Ethos-U85.")

enum {
#define NPU__X(row, name, targets, by_line, declared, hooks, document, title) NPU__ETHOSU_NR_##row,
    NPU__ETHOSU_PROFILES(NPU__X, 0, 0, 0, 0)
#undef NPU__X
    NPU__ETHOSU_N_PROFILES
};
/* NPU__ETHOSU_P_<row>: the bit of a profile in the masks of rows. */
enum {
#define NPU__X(row, name, targets, by_line, declared, hooks, document, title) \
    NPU__ETHOSU_P_##row = 1 << NPU__ETHOSU_NR_##row,
    NPU__ETHOSU_PROFILES(NPU__X, 0, 0, 0, 0)
#undef NPU__X
    NPU__ETHOSU_P_NONE = 0
};

/* Sets of profiles, by which rows say where they hold: X(set, its profiles), NPU__ETHOSU_P_<set>. A new version that keeps rows
 * of an older one joins the sets here; rows change only where the rules do. */
#define NPU__ETHOSU_PROFILE_SETS(X, P) \
    X(PUB, P##PUBLISHED) \
    X(V32, P##VELA_3_2) \
    X(U55, P##VELA_5_2_U55) X(U65, P##VELA_5_2_U65) X(U85, P##VELA_5_2_U85) /* what Vela 5.2 says of that product */ \
    X(V52, P##VELA_5_2_U55 | P##VELA_5_2_U65 | P##VELA_5_2_U85)
enum {
#define NPU__X(set, profiles) NPU__ETHOSU_P_##set = profiles,
    NPU__ETHOSU_PROFILE_SETS(NPU__X, NPU__ETHOSU_P_)
#undef NPU__X
    NPU__ETHOSU_P_END
};

#endif
