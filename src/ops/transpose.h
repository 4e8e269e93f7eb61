/* What others ask of a TRANSPOSE. */
#ifndef NPU__OPS_TRANSPOSE_H
#define NPU__OPS_TRANSPOSE_H

#include "move_util.h"

/* Two TRANSPOSEs that are prepared, of which `second` moves what `first` has written, in the same or another shape: turns it into one of
 * first's input. *same: nothing moves then. 0, and nothing is changed, where a dimension of one is no product of the other's. */
NPU__FN int npu__transpose_after(npu__ctx *second, const npu__ctx *first, int32_t *same);

#endif
