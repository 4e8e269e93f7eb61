/* MediaTek Neuron: the parts of its row in the list of vendors. */
#ifndef NPU__VENDOR_NEURON_NEURON_H
#define NPU__VENDOR_NEURON_NEURON_H

#include "composite.h"
#include "model.h"
#include "types.h"

#if NPU__HAS_NEURON && NPU__HAS_PLACEMENT

#if NPU__HAS_LOWERING
/* client.c: the segment's program through the functions of the adapter. */
NPU__FN npu_status npu__neuron_want(npu__seg *seg, npu__neuron_program *program);
NPU__FN npu_status npu__neuron_prepare(npu__seg *seg);
NPU__FN npu_status npu__neuron_invoke(npu__seg *seg);
NPU__FN void npu__neuron_release(npu__seg *seg);
#endif
/* rules/rules.c: what LiteRT's plugin takes. */
NPU__FN const npu__ruleset *npu__neuron_rules(void);
#if NPU__HAS_REPORTS
/* program.c: see npu__vendor. */
NPU__FN void npu__neuron_program_report(npu__text *t, npu__seg *seg, const npu__program_ask *ask);
#endif

#endif
#endif
