/* The software device: executes an Ethos-U55 or U65 command stream on memory regions, bit for bit as the hardware
 * does. */
#ifndef NPU__ETHOSU_DEVICE_H
#define NPU__ETHOSU_DEVICE_H

#include "payload.h"

#if NPU__HAS_ETHOSU

/* What one base pointer of the hardware reaches. Addresses in a stream are offsets from the base of a region. */
typedef struct npu__eu_region {
    uint8_t *base;
    uint64_t bytes;
    int32_t  writable;
} npu__eu_region;

#if NPU__HAS_EU_DEVICE

/* Walks the whole stream: every opcode, length, geometry and address against the sizes of the regions, whose base may
 * be NULL here. *work_bytes is the memory that npu__eu_run needs. Contents of the regions are not looked at: a weight
 * stream can still be refused by the run. */
NPU__FN npu_status npu__eu_check(const npu__eu_payload *p, const npu__eu_region regions[8], size_t *work_bytes,
                                 npu__eu_error *err);

/* Runs the stream, with the same checks on the way. `work` (any alignment) holds all scratch. */
NPU__FN npu_status npu__eu_run(const npu__eu_payload *p, const npu__eu_region regions[8], void *work, size_t work_bytes,
                               npu__eu_error *err);

#endif
#endif
#endif
