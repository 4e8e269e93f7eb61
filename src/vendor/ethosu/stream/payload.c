/* Taking a driver payload apart. Every length is checked against the tensor before it is believed. */
#include "payload.h"

#if NPU__HAS_ETHOSU

#define NPU__EU_MARK 0x31504F43u /* "COP1" */
#define NPU__EU_MARK_2 0x32504F43u /* "COP2", which holds the same in another wrapping */

/* Driver actions, by the low byte of their tag; bits 8-15 are reserved, the rest is a parameter. */
enum npu__eu_action {
    NPU__EU_ACTION_CONFIG = 1, /* the words CONFIG and ID of the processor follow */
    NPU__EU_ACTION_STREAM = 2, /* commands follow; how many words: the parameter, and bits 16-23 in the reserved byte */
    NPU__EU_ACTION_READ = 3,   /* reports a register of the processor */
    NPU__EU_ACTION_SHRAM = 4,  /* shows internal memory */
    NPU__EU_ACTION_NOP = 5
};

NPU__FN npu_status npu__eu_fail(npu__eu_error *err, npu_status status, const char *rule, int64_t word, const char *fmt,
                                ...) {
    va_list args;
    if (!err || err->rule) return status;
    err->rule = rule;
    err->word = word;
    va_start(args, fmt);
#if NPU__HAS_STRINGS
    npu__vformat(err->text, sizeof err->text, fmt, args);
#else
    (void)fmt;
#endif
    va_end(args);
    return status;
}

NPU__FN void npu__eu_error_clear(npu__eu_error *err) {
    if (!err) return;
    err->rule = NULL;
    err->word = -1;
    err->text[0] = 0;
}

NPU__FN const char *npu__eu_hex(char out[20], uint64_t v) {
    static const char digits[] = "0123456789abcdef";
    size_t            n = 2;
    int               shift = 60;
    out[0] = '0';
    out[1] = 'x';
    while (shift > 0 && !(v >> shift & 15u)) shift -= 4;
    for (; shift >= 0; shift -= 4) out[n++] = digits[v >> shift & 15u];
    out[n] = 0;
    return out;
}

/* ---- the processor ---- */

typedef struct npu__eu_config_row {
    const char *name;
    int32_t     product, macs, cores, shram_kib;
} npu__eu_config_row;

NPU__FN const npu__eu_config_row *npu__eu_config_rows(int32_t *n) {
    static const npu__eu_config_row rows[] = {
#define NPU__X(name, product, macs, cores, shram_kib, ...) {name, NPU__ETHOSU_##product, macs, cores, shram_kib},
        NPU__ETHOSU_WITH_SHRAM(NPU__X)
#undef NPU__X
    };
    *n = NPU__COUNT(rows);
    return rows;
}

NPU__FN const char *npu__eu_config_name(const npu__eu_config *config) {
    int32_t                   n;
    const npu__eu_config_row *rows = npu__eu_config_rows(&n);
    for (int32_t i = 0; i < n; i++) {
        if (rows[i].product == config->product && rows[i].macs == config->macs && rows[i].cores == config->cores) {
            return rows[i].name;
        }
    }
    return "unknown";
}

/* Bits 0-3 log2 of all MACs per cycle, 4-7 version of the stream, 8-15 KiB of SHRAM of all cores, 28-31 product. Early
 * compilers (Vela 3.2.0) leave out the product: sizes tell, but for U65-256, which works as U55-256 does. */
NPU__FN npu_status npu__eu_config_parse(npu__eu_config *out, uint32_t word, int64_t at, npu__eu_error *err) {
    int32_t                   n, product = (int32_t)(word >> 28), log2_macs = (int32_t)(word & 15u);
    int32_t                   shram_kib = (int32_t)(word >> 8 & 255u);
    const npu__eu_config_row *rows = npu__eu_config_rows(&n);
    if (product == NPU__ETHOSU_U85) {
        return npu__eu_fail(err, NPU_UNSUPPORTED, "ethos_u.product", at, "the stream is for Ethos-U85, whose commands "
                            "differ; compile the model for Ethos-U55 or Ethos-U65");
    }
    for (int32_t i = 0; i < n; i++) {
        /* bounded: 4 bits to shift by; a list of ours */
        if ((product && rows[i].product != product) || rows[i].macs * rows[i].cores != 1 << log2_macs) continue;
        if (rows[i].shram_kib * rows[i].cores != shram_kib) continue; /* bounded: a list of ours */
        out->product = rows[i].product;
        out->macs = rows[i].macs;
        out->cores = rows[i].cores;
        out->shram_bytes = rows[i].shram_kib * 1024; /* bounded: likewise */
        out->stream_version = (int32_t)(word >> 4 & 15u);
        return NPU_OK;
    }
    if (product > NPU__ETHOSU_U85) {
        return npu__eu_fail(err, NPU_UNSUPPORTED, "ethos_u.product", at, "the stream is for product %d, which is not "
                            "known; compile the model for Ethos-U55 or Ethos-U65", product);
    }
    return npu__eu_fail(err, NPU_INVALID_MODEL, "ethos_u.config", at, "there is no %s with 2^%d MACs per cycle and %d "
                        "KiB of SHRAM", product ? "Ethos-U65" : "Ethos-U55", log2_macs, shram_kib);
}

/* ---- the payload ---- */

/* The driver action at word *at, which is moved past it. */
NPU__FN npu_status npu__eu_action_parse(npu__eu_payload *out, size_t n_words, size_t *at, int *has_config,
                                        npu__eu_error *err) {
    uint32_t tag = npu__eu_word(out->bytes, *at);
    size_t   left = n_words - *at - 1, size;
    int64_t  word = (int64_t)*at;
    switch (tag & 255u) {
    case NPU__EU_ACTION_READ: case NPU__EU_ACTION_SHRAM: case NPU__EU_ACTION_NOP:
        *at += 1;
        return NPU_OK;
    case NPU__EU_ACTION_CONFIG:
        if (left < 2 || *has_config) {
            return npu__eu_fail(err, NPU_INVALID_MODEL, "ethos_u.payload", word, *has_config
                                ? "a second configuration" : "the configuration is cut off");
        }
        *has_config = 1;
        *at += 3;
        return npu__eu_config_parse(&out->config, npu__eu_word(out->bytes, *at - 2), word + 1, err);
    case NPU__EU_ACTION_STREAM:
        size = (size_t)(tag >> 16 | (tag >> 8 & 255u) << 16);
        if (out->n_words) {
            return npu__eu_fail(err, NPU_INVALID_MODEL, "ethos_u.payload", word, "a second command stream");
        }
        if (size == 0 || size > left) {
            return npu__eu_fail(err, NPU_INVALID_MODEL, "ethos_u.payload", word, "a command stream of %z words where "
                                "%z are left in the tensor", size, left);
        }
        if ((*at + 1) % 4 != 0) {
            /* bounded: a byte of the tensor */
            return npu__eu_fail(err, NPU_INVALID_MODEL, "ethos_u.payload", word, "the command stream starts at byte "
                                "%z, not at a multiple of 16", (*at + 1) * 4);
        }
        out->first_word = *at + 1;
        out->n_words = size;
        *at += 1 + size;
        return NPU_OK;
    default:
        return npu__eu_fail(err, NPU_INVALID_MODEL, "ethos_u.payload", word, "driver action %u does not exist",
                            (unsigned)(tag & 255u));
    }
}

NPU__FN npu_status npu__eu_payload_parse(npu__eu_payload *out, const void *bytes, size_t n_bytes, npu__eu_error *err) {
    size_t     at = 1, n_words = n_bytes / 4;
    int        has_config = 0;
    npu_status st = NPU_OK;
    memset(out, 0, sizeof *out);
    npu__eu_error_clear(err);
    out->bytes = (const uint8_t *)bytes;
    if (!bytes || n_words == 0 || n_bytes % 4 != 0) {
        return npu__eu_fail(err, NPU_INVALID_MODEL, "ethos_u.payload", -1, "the tensor of the command stream has %z "
                            "bytes, not some whole words", n_bytes);
    }
    if (npu__eu_word(out->bytes, 0) == NPU__EU_MARK_2) {
        return npu__eu_fail(err, NPU_UNSUPPORTED, "ethos_u.payload", 0, "the driver payload has the format COP2; "
                            "compile the model with --cop-format COP1");
    }
    if (npu__eu_word(out->bytes, 0) != NPU__EU_MARK) {
        return npu__eu_fail(err, NPU_INVALID_MODEL, "ethos_u.payload", 0, "the driver payload does not start with "
                            "COP1");
    }
    while (st == NPU_OK && at < n_words) st = npu__eu_action_parse(out, n_words, &at, &has_config, err);
    if (st == NPU_OK && (!has_config || !out->n_words)) {
        st = npu__eu_fail(err, NPU_INVALID_MODEL, "ethos_u.payload", -1, "the driver payload has no %s",
                          has_config ? "command stream" : "configuration");
    }
    return st;
}

NPU__FN const char *npu__eu_payload_processor(char u85[24], const void *bytes, size_t n_bytes, npu__eu_error *err) {
    npu__eu_payload p;
    uint32_t        config;
    if (npu__eu_payload_parse(&p, bytes, n_bytes, err) == NPU_OK) return npu__eu_config_name(&p.config);
    if (strcmp(err->rule, "ethos_u.product") != 0) return NULL;
    config = npu__eu_word(p.bytes, (size_t)err->word);
    if (config >> 28 != 2 || (config & 15u) < 7 || (config & 15u) > 11) return NULL;
    npu__format(u85, 24, "ethos-u85-%d", 1 << (config & 15u));
    return u85;
}

/* ---- commands ---- */

#if NPU__HAS_STRINGS || NPU__HAS_REPORTS
#define NPU__EU_NAME(name) "NPU_" #name
#else
#define NPU__EU_NAME(name) ""
#endif

/* Name and kind of a command; NULL for a code that is not in the lists. */
NPU__FN const char *npu__eu_command_info(int32_t code, int32_t *kind) {
    switch (code) {
#define NPU__X(name, opcode, reads, about) case NPU__EU_##name: *kind = NPU__EU_K_##reads; return NPU__EU_NAME(name);
        NPU__EU_CMD0_LIST(NPU__X)
        NPU__EU_CMD1_LIST(NPU__X)
#undef NPU__X
    default: *kind = -1; return NULL;
    }
}
#undef NPU__EU_NAME

NPU__FN int32_t npu__eu_kind(int32_t code) {
    int32_t kind;
    npu__eu_command_info(code, &kind);
    return kind;
}

NPU__FN uint32_t npu__eu_reserved_bits(int32_t code) {
    uint32_t known = npu__eu_kind(code) == NPU__EU_K_FIELDS ? 0u : 0xFFFFu;
#define NPU__X(reg, field, first, bits, reading, key) \
    if (code == NPU__EU_##reg) known |= ((1u << (bits)) - 1u) << (first);
    NPU__EU_FIELD_LIST(NPU__X)
#undef NPU__X
    return ~known & 0xFFFFu;
}

NPU__FN npu_status npu__eu_next(const npu__eu_payload *p, size_t *at, npu__eu_command *out, npu__eu_error *err) {
    uint32_t word;
    int32_t  kind;
    char     hex[20];
    npu__eu_error_clear(err);
    memset(out, 0, sizeof *out);
    out->word = p->first_word + *at;
    if (*at >= p->n_words) {
        return npu__eu_fail(err, NPU_INVALID_MODEL, "ethos_u.stop", (int64_t)out->word, "the command stream ends "
                            "without NPU_OP_STOP");
    }
    word = npu__eu_word(p->bytes, out->word);
    out->code = (int32_t)(word & 0xFFFFu); /* the form's bits and those that must be zero make codes of their own */
    out->param = word >> 16;
    out->name = npu__eu_command_info(out->code, &kind);
    if (!out->name) {
        return npu__eu_fail(err, NPU_INVALID_MODEL, "ethos_u.command", (int64_t)out->word, "%s is no command of "
                            "Ethos-U55 or Ethos-U65", npu__eu_hex(hex, word));
    }
    if (out->code & NPU__EU_FORM_1) {
        if (p->n_words - *at < 2) {
            return npu__eu_fail(err, NPU_INVALID_MODEL, "ethos_u.command", (int64_t)out->word, "%s is cut off by the "
                                "end of the stream", out->name);
        }
        out->payload = npu__eu_word(p->bytes, out->word + 1);
        *at += 1;
    }
    *at += 1;
    if (out->code == NPU__EU_OP_STOP) out->name = NULL;
    return NPU_OK;
}

#undef NPU__EU_MARK
#undef NPU__EU_MARK_2

#endif
