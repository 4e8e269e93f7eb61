/* The driver payload: what Vela puts into the first input of an operator `ethos-u`. A sequence of driver actions after
 * the mark "COP1", of which one names the processor and one holds the command stream. */
#ifndef NPU__VENDOR_ETHOSU_PAYLOAD_H
#define NPU__VENDOR_ETHOSU_PAYLOAD_H

#include "../hardware.h"
#include "commands.h"

#if NPU__HAS_ETHOSU

/* What is wrong with a stream. `rule`: "ethos_u.payload", "ethos_u.command", ...; programs should test it. */
typedef struct npu__eu_error {
    const char *rule;
    int64_t     word; /* of the command, in 32-bit words from the start of the payload tensor; -1: not about one */
    char        text[NPU__HAS_STRINGS ? 160 : 1]; /* a sentence; "" under NPU_RT_NO_STRINGS */
} npu__eu_error;

typedef struct npu__eu_config {
    int32_t product;     /* NPU__ETHOSU_U55, ... */
    int32_t macs, cores; /* MACs per cycle of one core */
    int32_t shram_bytes; /* of one core */
    int32_t stream_version;
} npu__eu_config;

typedef struct npu__eu_payload {
    npu__eu_config config;
    const uint8_t *bytes; /* the whole tensor, any alignment */
    size_t         first_word, n_words; /* the command stream in it */
} npu__eu_payload;

typedef struct npu__eu_command {
    size_t      word;    /* offset from the start of the payload tensor */
    int32_t     code;    /* NPU__EU_OP_CONV, ... */
    uint32_t    param;   /* 16 bits */
    uint32_t    payload; /* of commands with NPU__EU_FORM_1 */
    const char *name;    /* "NPU_OP_CONV"; "" in builds without strings and reports; NULL past the end */
} npu__eu_command;

/* Fills `err` (may be NULL) and returns `status`. The first error wins: `err->rule` must be NULL before. */
NPU__FN npu_status npu__eu_fail(npu__eu_error *err, npu_status status, const char *rule, int64_t word, const char *fmt,
                                ...);

/* Finds processor and command stream. The stream itself is not looked at. `err` is set up by this and npu__eu_next.
 * INVALID_MODEL "ethos_u.payload" or "ethos_u.config", UNSUPPORTED "ethos_u.product" and "ethos_u.payload". */
NPU__FN npu_status npu__eu_payload_parse(npu__eu_payload *out, const void *bytes, size_t n_bytes, npu__eu_error *err);

/* The command at word *at of the stream, which starts at 0 and is moved on. At NPU_OP_STOP out->name is NULL (and word,
 * code and param are those of the stop); there is no next one then.
 * INVALID_MODEL "ethos_u.command" (unknown, or cut off) or "ethos_u.stop" (none at the end). */
NPU__FN npu_status npu__eu_next(const npu__eu_payload *p, size_t *at, npu__eu_command *out, npu__eu_error *err);

/* Name of the processor that a payload is for, also of those whose streams are not read here ("ethos-u85-256", kept in
 * `u85`). NULL for a damaged payload. */
NPU__FN const char *npu__eu_payload_processor(char u85[24], const void *bytes, size_t n_bytes, npu__eu_error *err);

/* How a command's value reads: NPU__EU_K_...; -1 for a code that is not in the lists. */
NPU__FN int32_t npu__eu_kind(int32_t code);
/* Bits of a register of kind FIELDS that belong to no field: they must be zero. */
NPU__FN uint32_t npu__eu_reserved_bits(int32_t code);
/* Address, stride or length of a command of form 1: 40 bits. */
NPU__INLINE uint64_t npu__eu_wide(const npu__eu_command *c) { return (uint64_t)(c->param & 255u) << 32 | c->payload; }
/* Name of the processor: "ethos-u55-128". */
NPU__FN const char *npu__eu_config_name(const npu__eu_config *config);
/* "0x1f" into `out`, which is returned. */
NPU__FN const char *npu__eu_hex(char out[20], uint64_t v);

/* Word `i` of bytes that may lie anywhere. */
NPU__INLINE uint32_t npu__eu_word(const uint8_t *bytes, size_t i) {
    const uint8_t *p = bytes + i * 4u; /* bounded: a word of the tensor */
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Name and kind of a command; NULL for a code that is not in the lists. */
NPU__FN const char *npu__eu_command_info(int32_t code, int32_t *kind);
NPU__FN void npu__eu_error_clear(npu__eu_error *err); /* NULL is fine */

#endif
#endif
