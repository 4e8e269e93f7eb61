/* Listing a command stream. Registers are remembered, so that the line of an operation can say what it works on. */
#include "disasm.h"

#if NPU__HAS_ETHOSU && NPU__HAS_REPORTS

#define NPU__EU_UNSET 0xFFFFFFFFu

typedef struct npu__eu_listing {
    npu__text *t;
    int        json;
    uint32_t   narrow[NPU__EU_CMD0_SPAN]; /* registers of form 0 by opcode; NPU__EU_UNSET until one is set */
    uint64_t   wide[NPU__EU_CMD1_SPAN];   /* and of form 1 */
} npu__eu_listing;

/* ---- one item of a line: "key value", or the value alone where that says enough (`bare`); JSON has the key ---- */

NPU__FN void npu__eu_item_text(npu__eu_listing *d, const char *key, const char *value, int bare) {
    if (d->json) npu__json_z(d->t, key, value);
    else if (bare) npu__text_f(d->t, " %s", value);
    else npu__text_f(d->t, " %s %s", key, value);
}

NPU__FN void npu__eu_item_int(npu__eu_listing *d, const char *key, int64_t value, int bare) {
    if (d->json) npu__json_int(d->t, key, value);
    else if (bare) npu__text_f(d->t, " %l", value);
    else npu__text_f(d->t, " %s %l", key, value);
}

NPU__FN void npu__eu_item_flag(npu__eu_listing *d, const char *key, int value) {
    if (d->json) npu__json_bool(d->t, key, value);
    else if (value) npu__text_f(d->t, " %s", key);
}

/* Two or three numbers, rows first: " stride 2x2". */
NPU__FN void npu__eu_item_dims(npu__eu_listing *d, const char *key, int32_t n, const uint32_t *dims) {
    if (d->json) npu__json_open(d->t, key, '[');
    else npu__text_f(d->t, " %s ", key);
    for (int32_t i = 0; i < n; i++) {
        if (d->json) npu__json_int(d->t, NULL, dims[i]);
        else npu__text_f(d->t, i ? "x%u" : "%u", (unsigned)dims[i]);
    }
    if (d->json) npu__json_close(d->t, ']');
}

/* ---- values of registers ---- */

enum npu__eu_reading {
    NPU__EU_READ_PART, NPU__EU_READ_NUMBER, NPU__EU_READ_FLAG,
#define NPU__X_LIST(list) NPU__EU_READ_##list,
    NPU__EU_VALUE_LISTS(NPU__X_LIST)
#undef NPU__X_LIST
    NPU__EU_READ_COUNT
};

/* The text of a value; NULL for one that its list does not have. */
NPU__FN const char *npu__eu_value_text(int32_t reading, uint32_t value) {
#define NPU__X(name, number, text) if (value == (number)) return text;
#define NPU__X_LIST(list) if (reading == NPU__EU_READ_##list) { NPU__EU_##list##_LIST(NPU__X) }
    NPU__EU_VALUE_LISTS(NPU__X_LIST)
#undef NPU__X_LIST
#undef NPU__X
    return NULL;
}

NPU__FN void npu__eu_item_value(npu__eu_listing *d, const char *key, int32_t reading, uint32_t value, int bare) {
    const char *text = npu__eu_value_text(reading, value);
    if (text) npu__eu_item_text(d, key, text, bare);
    else npu__eu_item_int(d, key, value, bare);
}

/* Where an address belongs to: the register with its region, and for DMA perhaps SHRAM. */
NPU__FN int32_t npu__eu_region_of(int32_t code) {
    switch (code) {
    case NPU__EU_SET_IFM_BASE0: case NPU__EU_SET_IFM_BASE1: case NPU__EU_SET_IFM_BASE2: case NPU__EU_SET_IFM_BASE3:
        return NPU__EU_SET_IFM_REGION;
    case NPU__EU_SET_IFM2_BASE0: case NPU__EU_SET_IFM2_BASE1: case NPU__EU_SET_IFM2_BASE2: case NPU__EU_SET_IFM2_BASE3:
        return NPU__EU_SET_IFM2_REGION;
    case NPU__EU_SET_OFM_BASE0: case NPU__EU_SET_OFM_BASE1: case NPU__EU_SET_OFM_BASE2: case NPU__EU_SET_OFM_BASE3:
        return NPU__EU_SET_OFM_REGION;
    case NPU__EU_SET_WEIGHT_BASE: case NPU__EU_SET_WEIGHT1_BASE: return NPU__EU_SET_WEIGHT_REGION;
    case NPU__EU_SET_SCALE_BASE: case NPU__EU_SET_SCALE1_BASE: return NPU__EU_SET_SCALE_REGION;
    case NPU__EU_SET_DMA0_SRC: return NPU__EU_SET_DMA0_SRC_REGION;
    default: return NPU__EU_SET_DMA0_DST_REGION;
    }
}

/* "region 1+0x40", and "..0x80" behind it where the length is known (`bytes` >= 0). */
NPU__FN void npu__eu_place(npu__eu_listing *d, int32_t code, uint64_t address, int64_t bytes) {
    int32_t  region_code = npu__eu_region_of(code);
    uint32_t region = d->narrow[region_code];
    int      is_dma = code == NPU__EU_SET_DMA0_SRC || code == NPU__EU_SET_DMA0_DST, in_shram;
    char     hex[20];
    in_shram = is_dma && region != NPU__EU_UNSET && npu__eu_field(region, NPU__EU_F_SET_DMA0_SRC_REGION_SHRAM);
    if (d->json) {
        if (is_dma) npu__json_bool(d->t, "shram", in_shram);
        if (!in_shram && region != NPU__EU_UNSET) npu__json_int(d->t, "region", region & 255u);
        npu__json_int(d->t, "address", (int64_t)address);
        if (bytes >= 0) npu__json_int(d->t, "bytes", bytes);
        return;
    }
    if (in_shram) npu__text_f(d->t, " shram");
    else if (region == NPU__EU_UNSET) npu__text_f(d->t, " region ?");
    else npu__text_f(d->t, " region %u", (unsigned)(region & 255u));
    npu__text_f(d->t, "+%s", npu__eu_hex(hex, address));
    if (bytes >= 0) npu__text_f(d->t, "..%s", npu__eu_hex(hex, address + (uint64_t)bytes));
}

/* The same as an item of its own, of a register that was set before; nothing if it never was. */
NPU__FN void npu__eu_item_place(npu__eu_listing *d, const char *key, int32_t code, int32_t length_code) {
    uint64_t address = d->wide[code & 0x3FF], bytes = length_code ? d->wide[length_code & 0x3FF] : UINT64_MAX;
    if (address == UINT64_MAX) return;
    if (d->json) npu__json_open(d->t, key, '{');
    else npu__text_f(d->t, " %s", key);
    npu__eu_place(d, code, address, bytes == UINT64_MAX ? -1 : (int64_t)bytes);
    if (d->json) npu__json_close(d->t, '}');
}

/* ---- registers made of fields ---- */

typedef struct npu__eu_field_row {
    int32_t     code, id, reading;
    const char *key;
} npu__eu_field_row;

NPU__FN const char *npu__eu_type_text(char out[8], uint32_t is_signed, uint32_t log2_bytes) {
    npu__format(out, 8, "%s%d", is_signed ? "int" : "uint", 8 << log2_bytes); /* bounded: a field of 2 bits */
    return out;
}

NPU__FN void npu__eu_item_stride(npu__eu_listing *d, uint32_t v) {
    uint32_t pair[2];
    pair[0] = 1 + (npu__eu_field(v, NPU__EU_F_SET_KERNEL_STRIDE_Y_LOW) |
                   npu__eu_field(v, NPU__EU_F_SET_KERNEL_STRIDE_Y_HIGH) << 1); /* bounded: a field of 3 bits */
    pair[1] = 1 + (npu__eu_field(v, NPU__EU_F_SET_KERNEL_STRIDE_X_LOW) |
                   npu__eu_field(v, NPU__EU_F_SET_KERNEL_STRIDE_X_HIGH) << 1); /* bounded: a field of 3 bits */
    npu__eu_item_dims(d, "stride", 2, pair);
}

/* What several fields make together: a type, the strides. */
NPU__FN void npu__eu_item_composed(npu__eu_listing *d, int32_t code, uint32_t v) {
    char     type[8];
    uint32_t pair[2];
    switch (code) {
    case NPU__EU_SET_IFM_PRECISION: case NPU__EU_SET_IFM2_PRECISION:
        npu__eu_type_text(type, v & 1u, npu__eu_field(v, NPU__EU_F_SET_IFM_PRECISION_LOG2_BYTES));
        npu__eu_item_text(d, "type", type, 1);
        break;
    case NPU__EU_SET_OFM_PRECISION:
        npu__eu_type_text(type, v & 1u, npu__eu_field(v, NPU__EU_F_SET_OFM_PRECISION_LOG2_BYTES));
        npu__eu_item_text(d, "type", type, 1);
        break;
    case NPU__EU_SET_KERNEL_STRIDE:
        npu__eu_item_stride(d, v);
        pair[0] = 1 + npu__eu_field(v, NPU__EU_F_SET_KERNEL_STRIDE_DILATION_Y);
        pair[1] = 1 + npu__eu_field(v, NPU__EU_F_SET_KERNEL_STRIDE_DILATION_X);
        npu__eu_item_dims(d, "dilation", 2, pair);
        break;
    default: break;
    }
}

NPU__FN void npu__eu_item_fields(npu__eu_listing *d, int32_t code, uint32_t v) {
    static const npu__eu_field_row rows[] = {
#define NPU__X(reg, field, first, bits, reading, key) \
    {NPU__EU_##reg, NPU__EU_F_##reg##_##field, NPU__EU_READ_##reading, key},
        NPU__EU_FIELD_LIST(NPU__X)
#undef NPU__X
    };
    uint32_t reserved = v & npu__eu_reserved_bits(code);
    npu__eu_item_composed(d, code, v);
    for (int32_t i = 0; i < NPU__COUNT(rows); i++) {
        uint32_t x = npu__eu_field(v, rows[i].id);
        int32_t  how = rows[i].reading;
        if (rows[i].code != code || how == NPU__EU_READ_PART) continue;
        if (how == NPU__EU_READ_FLAG) npu__eu_item_flag(d, rows[i].key, x != 0);
        else if (how == NPU__EU_READ_NUMBER) npu__eu_item_int(d, rows[i].key, x, 0);
        else npu__eu_item_value(d, rows[i].key, how, x, how == NPU__EU_READ_LAYOUT || how == NPU__EU_READ_ACTIVATION);
    }
    if (reserved) npu__eu_item_int(d, "reserved_bits", reserved, 0);
}

/* ---- operations ---- */

/* Three (or two) registers that hold sizes less one; nothing unless all were set. */
NPU__FN void npu__eu_item_sizes(npu__eu_listing *d, const char *key, int32_t n, int32_t c0, int32_t c1, int32_t c2) {
    uint32_t dims[3];
    dims[0] = d->narrow[c0];
    dims[1] = d->narrow[c1];
    dims[2] = n > 2 ? d->narrow[c2] : 0;
    for (int32_t i = 0; i < n; i++) {
        if (dims[i]++ == NPU__EU_UNSET) return;
    }
    npu__eu_item_dims(d, key, n, dims);
}

/* What the operation works on, from the registers as they are now. */
NPU__FN void npu__eu_item_operation(npu__eu_listing *d, int32_t code) {
    uint32_t precision = d->narrow[NPU__EU_SET_OFM_PRECISION], stride = d->narrow[NPU__EU_SET_KERNEL_STRIDE];
    char     type[8];
    if (code == NPU__EU_OP_DMA_START) {
        if (d->wide[NPU__EU_SET_DMA0_LEN & 0x3FF] != UINT64_MAX) {
            npu__eu_item_int(d, "bytes", (int64_t)d->wide[NPU__EU_SET_DMA0_LEN & 0x3FF], 0);
        }
        npu__eu_item_place(d, "from", NPU__EU_SET_DMA0_SRC, 0);
        npu__eu_item_place(d, "to", NPU__EU_SET_DMA0_DST, 0);
        return;
    }
    if (code != NPU__EU_OP_ELEMENTWISE) {
        npu__eu_item_sizes(d, "kernel", 2, NPU__EU_SET_KERNEL_HEIGHT_M1, NPU__EU_SET_KERNEL_WIDTH_M1, 0);
        if (stride != NPU__EU_UNSET) npu__eu_item_stride(d, stride);
    }
    npu__eu_item_sizes(d, "output", 3, NPU__EU_SET_OFM_HEIGHT_M1, NPU__EU_SET_OFM_WIDTH_M1, NPU__EU_SET_OFM_DEPTH_M1);
    if (precision != NPU__EU_UNSET) {
        npu__eu_type_text(type, precision & 1u, npu__eu_field(precision, NPU__EU_F_SET_OFM_PRECISION_LOG2_BYTES));
        npu__eu_item_text(d, "type", type, 1);
    }
    npu__eu_item_place(d, "at", NPU__EU_SET_OFM_BASE0, 0);
    if (code == NPU__EU_OP_CONV || code == NPU__EU_OP_DEPTHWISE) {
        npu__eu_item_place(d, "weights", NPU__EU_SET_WEIGHT_BASE, NPU__EU_SET_WEIGHT_LENGTH);
        npu__eu_item_place(d, "scales", NPU__EU_SET_SCALE_BASE, NPU__EU_SET_SCALE_LENGTH);
    }
}

/* ---- commands ---- */

NPU__FN void npu__eu_item_command(npu__eu_listing *d, const npu__eu_command *c, int32_t kind) {
    uint32_t v = c->param;
    switch (kind) {
    case NPU__EU_K_MASK: case NPU__EU_K_CHANNEL: case NPU__EU_K_WAIT: case NPU__EU_K_COUNT:
        if (kind != NPU__EU_K_CHANNEL || v) npu__eu_item_int(d, "value", v, 1);
        break;
    case NPU__EU_K_LESS_1: /* as it is in the word, so that it can be compared with other listings */
        if (d->json) npu__json_int(d->t, "value", (int64_t)v + 1);
        else npu__text_f(d->t, " %u+1", (unsigned)v);
        break;
    case NPU__EU_K_SIGNED: npu__eu_item_int(d, "value", (int16_t)v, 1); break;
    case NPU__EU_K_REGION: npu__eu_item_int(d, "region", v, 1); break;
    case NPU__EU_K_FIELDS: npu__eu_item_fields(d, c->code, v); break;
    case NPU__EU_K_POOL: npu__eu_item_value(d, "operation", NPU__EU_READ_POOL, v, 1); break;
    case NPU__EU_K_ELEMENT: npu__eu_item_value(d, "operation", NPU__EU_READ_ELEMENT, v, 1); break;
    case NPU__EU_K_UPSCALE: npu__eu_item_value(d, "value", NPU__EU_READ_UPSCALE, v, 1); break;
    case NPU__EU_K_PARALLEL: npu__eu_item_value(d, "value", NPU__EU_READ_PARALLEL, v, 1); break;
    case NPU__EU_K_ACC_FORMAT: npu__eu_item_value(d, "value", NPU__EU_READ_ACC_FORMAT, v, 1); break;
    case NPU__EU_K_ADDRESS: npu__eu_place(d, c->code, npu__eu_wide(c), -1); break;
    case NPU__EU_K_STRIDE: case NPU__EU_K_LENGTH: npu__eu_item_int(d, "value", (int64_t)npu__eu_wide(c), 1); break;
    case NPU__EU_K_SCALE:
        npu__eu_item_int(d, "scale", c->payload, 1);
        npu__eu_item_int(d, "shift", v, 0);
        break;
    default: break;
    }
}

NPU__FN int npu__eu_is_operation(int32_t code) {
    return code == NPU__EU_OP_CONV || code == NPU__EU_OP_DEPTHWISE || code == NPU__EU_OP_POOL ||
           code == NPU__EU_OP_ELEMENTWISE || code == NPU__EU_OP_DMA_START;
}

NPU__FN void npu__eu_list_command(npu__eu_listing *d, const npu__eu_command *c) {
    int32_t     kind;
    const char *name = npu__eu_command_info(c->code, &kind);
    if (c->code & NPU__EU_FORM_1) d->wide[c->code & 0x3FF] = npu__eu_wide(c);
    else d->narrow[c->code] = c->param;
    if (d->json) {
        npu__json_open(d->t, NULL, '{');
        npu__json_int(d->t, "word", (int64_t)c->word);
        npu__json_z(d->t, "name", name);
        npu__json_int(d->t, "param", c->param);
        if (c->code & NPU__EU_FORM_1) npu__json_int(d->t, "payload", c->payload);
    } else {
        char   digits[24];
        size_t n = npu__format(digits, sizeof digits, "%z", c->word);
        while (n++ < 7) npu__text_put(d->t, " ", 1);
        npu__text_f(d->t, "%s  %s", digits, name);
    }
    npu__eu_item_command(d, c, kind);
    if (npu__eu_is_operation(c->code)) npu__eu_item_operation(d, c->code);
    if (d->json) npu__json_close(d->t, '}');
    else npu__text_put(d->t, "\n", 1);
}

NPU__FN npu_status npu__eu_disasm(npu__text *t, int json, const npu__eu_payload *p, npu__eu_error *err) {
    npu__eu_listing d;
    npu__eu_command c;
    size_t          at = 0;
    npu_status      s;
    d.t = t;
    d.json = json;
    memset(d.narrow, 0xFF, sizeof d.narrow);
    memset(d.wide, 0xFF, sizeof d.wide);
    if (json) npu__json_open(t, "commands", '[');
    do {
        s = npu__eu_next(p, &at, &c, err);
        if (s == NPU_OK) npu__eu_list_command(&d, &c);
    } while (s == NPU_OK && c.name && !t->failed);
    if (json) npu__json_close(t, ']');
    return s;
}

#undef NPU__EU_UNSET

#endif
