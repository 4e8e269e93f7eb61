/* Arm Ethos-U: what its converter places on the NPU. */
#ifndef NPU__BACKEND_ETHOSU_ETHOSU_H
#define NPU__BACKEND_ETHOSU_ETHOSU_H

#include "../select.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

/* Versions of the vendor's document: the mask column of the rows. */
enum { NPU__ETHOSU_PUBLISHED = 1 };

NPU__FN const npu__backend *npu__backend_ethosu(void);

#endif
#endif
