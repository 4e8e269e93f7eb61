/* The software device: executes an Ethos-U55 or U65 command stream on memory regions, bit for bit as the hardware
 * does. */
#ifndef NPU__VENDOR_ETHOSU_DEVICE_H
#define NPU__VENDOR_ETHOSU_DEVICE_H

#include "../stream/payload.h"

#if NPU__HAS_ETHOSU

/* What one base pointer of the hardware reaches. Addresses in a stream are offsets from the base of a region. */
typedef struct npu__eu_region {
    uint8_t *base;
    uint64_t bytes;
    int32_t  writable;
} npu__eu_region;

#if NPU__HAS_EU_DEVICE

/* What running a stream takes. */
typedef struct npu__eu_need {
    size_t  work_bytes;  /* memory for npu__eu_run */
    int64_t steps, macs; /* as npu__work of graph/op.h counts them, each below NPU__EU_MAX_STEPS */
} npu__eu_need;

/* Asks whether to go on. `fn` is told how many steps were done since it was last asked, about NPU__EU_POLL_STEPS (a
 * fraction of a millisecond); what is not 0 stops the run. */
typedef struct npu__eu_poll {
    int (*fn)(void *user, int64_t steps); /* NULL: nobody is asked */
    void   *user;
    int64_t since; /* of the device; 0 at the start */
} npu__eu_poll;

#ifndef NPU__EU_POLL_STEPS
#  define NPU__EU_POLL_STEPS ((int64_t)1 << 18)
#endif

/* Is the run to stop? Once true, it stays true. */
NPU__FN int npu__eu_ask(npu__eu_poll *poll);
NPU__INLINE int npu__eu_polled(npu__eu_poll *poll, int64_t steps) {
    poll->since += steps;
    return poll->since >= NPU__EU_POLL_STEPS && npu__eu_ask(poll);
}

/* Walks the whole stream: every opcode, length, geometry and address against the sizes of the regions, whose base may
 * be NULL here. The walk takes time proportional to the stream's length. Contents of the regions are not looked at: a
 * weight stream can still be refused by the run. */
NPU__FN npu_status npu__eu_check(const npu__eu_payload *p, const npu__eu_region regions[8], npu__eu_need *need,
                                 npu__eu_error *err);
/* The same for a machine whose pointers have `word` bytes: they are a part of the work memory. */
NPU__FN npu_status npu__eu_check_for(size_t word, const npu__eu_payload *p, const npu__eu_region regions[8],
                                     npu__eu_need *need, npu__eu_error *err);

/* Runs the stream, with the same checks on the way. `work` (any alignment) holds all scratch, pointers too: it must lie
 * apart from the regions that can be written. `poll` may be NULL; when it stops the run, the status is NPU_CANCELLED
 * and `err` says nothing. */
NPU__FN npu_status npu__eu_run(const npu__eu_payload *p, const npu__eu_region regions[8], void *work, size_t work_bytes,
                               npu__eu_poll *poll, npu__eu_error *err);

#endif
#endif
#endif
