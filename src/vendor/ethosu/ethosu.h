/* Arm Ethos-U: the parts of its row in the list of vendors. */
#ifndef NPU__VENDOR_ETHOSU_ETHOSU_H
#define NPU__VENDOR_ETHOSU_ETHOSU_H

#include "../vendor.h"
#include "hardware.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* rules/rules.c: what its converter places on the NPU. */
NPU__FN const npu__ruleset *npu__backend_ethosu(void);
/* compiled.c and list.c: what a network holds that Vela compiled. See npu__vendor. */
NPU__FN int npu__ethosu_compiled_report(npu__text *t, int json, const npu_model *m);
NPU__FN npu_status npu__ethosu_list(npu__text *t, int json, const npu_model *m, const npu__node *node, uint64_t *left,
                                    npu__list_error *err);
/* cost/: see npu__vendor. */
NPU__FN const char *npu__cost_mode_name(int32_t i);
NPU__FN int npu__ethosu_cost_of(npu__cost_plan *out, const npu__target *target, const char *mode);
NPU__FN npu_status npu__cost_walk(npu__cost_plan *out, npu__pool *pool, const npu__placement *p,
                                  const npu__nodes *nodes, npu_diag *diag);

#endif
#endif
