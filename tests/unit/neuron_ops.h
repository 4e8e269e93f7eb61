/* Neuron models of one operation, written as text, for the tests of the software adapter. An operand is
 *
 *     type dims [@quantization] [=values]         "C2x3@.5:1", "F3=1,2,3", "i=2", "i~" (left out), "i" (a scalar
 * without value)
 *
 * type: a capital letter is a tensor's (operand_letters), a small one a scalar's, $name the argument string of the
 * extension.
 * dims: ? is open. Quantization: scale:zero point; axis*n[+]: n scales 1, 2, ... along the axis, with zero points 0, 1,
 * ... */
#ifndef TESTS_UNIT_NEURON_OPS_H
#define TESTS_UNIT_NEURON_OPS_H

#include "neuron_kit.h"

static const char operand_letters[] = "FHIZBUCYSTWVPQNfhiub";
static const int32_t operand_types[] = {
    NPU__NEURON_TYPE_TENSOR_FLOAT32, NPU__NEURON_TYPE_TENSOR_FLOAT16, NPU__NEURON_TYPE_TENSOR_INT32,
    NPU__NEURON_TYPE_EXT_TENSOR_UINT32, NPU__NEURON_TYPE_TENSOR_BOOL8, NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM,
    NPU__NEURON_TYPE_TENSOR_QUANT8_ASYMM_SIGNED, NPU__NEURON_TYPE_TENSOR_QUANT8_SYMM, NPU__NEURON_TYPE_TENSOR_QUANT16_SYMM,
    NPU__NEURON_TYPE_EXT_TENSOR_QUANT16_ASYMM_SIGNED, NPU__NEURON_TYPE_TENSOR_QUANT16_ASYMM,
    NPU__NEURON_TYPE_EXT_TENSOR_INT32_SYMM_PER_CHANNEL, NPU__NEURON_TYPE_TENSOR_QUANT8_SYMM_PER_CHANNEL,
    NPU__NEURON_TYPE_EXT_TENSOR_QUANT8_ASYMM_SIGNED_PER_CHANNEL, NPU__NEURON_TYPE_EXT_TENSOR_QUANT4_ASYMM_SIGNED,
    NPU__NEURON_TYPE_FLOAT32, NPU__NEURON_TYPE_FLOAT16, NPU__NEURON_TYPE_INT32, NPU__NEURON_TYPE_UINT32,
    NPU__NEURON_TYPE_BOOL};

enum { OEM = -1 }; /* the extension's operation */

typedef struct op_row {
    int32_t     code;
    const char *in, *out;
    int32_t     add, finish, compile; /* what the adapter says to each, as far as it comes */
    const char *said;                 /* with OP_FAILED: why; with 0: the first output's values as it runs */
} op_row;

typedef struct op_model {
    void    *m;
    uint32_t in[16], out[8], given[16], n_in, n_out, n_given;
    int32_t  n;
    int      code; /* of the first call that failed */
    uint8_t  values[16][256];
} op_model;

static size_t op_element(int32_t type) {
    const npu__nsw_type *t = npu__nsw_type_find(type);
    return t ? (size_t)npu_type_bits((npu_type)t->element) / 8 : 1;
}

static void op_put(uint8_t *p, int32_t type, double v) {
    const npu__nsw_type *t = npu__nsw_type_find(type);
    const float          f = (float)v;
    const int32_t        i = (int32_t)(int64_t)v;
    if (t->element == NPU_FLOAT32) memcpy(p, &f, 4);
    else if (t->element == NPU_FLOAT16) npu__nsw_put(p, npu__f16_from_f32(f), 2);
    else memcpy(p, &i, op_element(type));
}

static double op_get(const uint8_t *p, int32_t type) {
    const npu__nsw_type *t = npu__nsw_type_find(type);
    switch (t->element) {
    case NPU_FLOAT32: { float f; memcpy(&f, p, 4); return (double)f; }
    case NPU_FLOAT16: return (double)npu__f16_to_f32((uint16_t)(p[0] | p[1] << 8));
    case NPU_INT8: return (int8_t)p[0];
    case NPU_INT16: return (int16_t)(p[0] | p[1] << 8);
    case NPU_INT32: { int32_t i; memcpy(&i, p, 4); return i; }
    default: return p[0];
    }
}

/* Calls behind one that failed are not made. */
#define OP_CALL(k, call) do { if ((k)->code == 0) (k)->code = (call); } while (0)

static void op_name(op_model *k, const char *p) {
    const uint32_t n = (uint32_t)strcspn(p, " "), bytes = n + NPU__NEURON_OEM_BESIDE;
    uint8_t       *to = k->values[k->n];
    int32_t        type = 0;
    memset(to, 0, bytes);
    memcpy(to, NPU__NEURON_OEM_HEAD, NPU__NEURON_OEM_HEAD_BYTES);
    to[NPU__NEURON_OEM_HEAD_BYTES] = (uint8_t)n;
    memcpy(to + NPU__NEURON_OEM_HEAD_BYTES + 4, p, n);
    OP_CALL(k, sw->NeuronModel_getExtensionOperandType(k->m, NPU__NEURON_OEM_EXTENSION, NPU__NEURON_OEM_OPERAND, &type));
    OP_CALL(k, add_operand(k->m, type, 1, &bytes, 0, 0));
    OP_CALL(k, sw->NeuronModel_setOperandValue(k->m, k->n, to, bytes));
}

/* "axis*n" and "axis*n+" */
static void op_channels(op_model *k, const char *p) {
    static const float       scales[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const int32_t     zeros[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    npu_neuron_channels      all;
    npu_neuron_channels_symm symm;
    char                    *end;
    all.axis = symm.axis = (uint32_t)strtol(p, &end, 10);
    all.n_scales = all.n_zero_points = symm.n_scales = (uint32_t)strtol(end + 1, &end, 10);
    all.scales = symm.scales = scales;
    all.zero_points = zeros;
    if (*end == '+') OP_CALL(k, sw->NeuronModel_setOperandPerChannelQuantParams(k->m, k->n, &all));
    else OP_CALL(k, sw->NeuronModel_setOperandSymmPerChannelQuantParams(k->m, k->n, &symm));
}

/* Adds the operand; true: it has a value. */
static int op_operand(op_model *k, const char *p) {
    const char    one[2] = {*p, 0};
    const size_t  which = strcspn(operand_letters, one);
    int32_t       type, zero = 0;
    uint32_t      dims[NPU_MAX_RANK + 1], rank = 0;
    size_t        n = 1;
    float         scale = 0;
    const char   *quant = NULL;
    if (*p == '$') {
        op_name(k, p + 1);
        return 1;
    }
    type = operand_types[which];
    for (p++; (*p >= '0' && *p <= '9') || *p == '?' || *p == 'x'; p++) {
        char *end;
        if (*p == 'x') continue;
        dims[rank++] = *p == '?' ? UINT32_MAX : (uint32_t)strtol(p, &end, 10);
        if (*p != '?') p = end - 1;
        n *= dims[rank - 1];
    }
    if (*p == '@') {
        char *end;
        quant = p + 1;
        scale = strtof(quant, &end);
        if (*end == ':') zero = (int32_t)strtol(end + 1, &end, 10);
        if (*end == '*') scale = 0;
        else quant = NULL;
        p += strcspn(p, " =~");
    }
    OP_CALL(k, add_operand(k->m, type, rank, dims, scale, zero));
    if (quant) op_channels(k, quant);
    if (*p == '~') OP_CALL(k, sw->NeuronModel_setOperandValue(k->m, k->n, NULL, 0));
    if (*p != '=') return *p == '~' || n == 0; /* nobody fills what is empty */
    p++;
    for (size_t i = 0; i < n; i++, p += *p == ',') {
        op_put(k->values[k->n] + i * op_element(type), type, strtod(p, (char **)(uintptr_t)&p));
    }
    OP_CALL(k, sw->NeuronModel_setOperandValue(k->m, k->n, k->values[k->n], n * op_element(type)));
    return 1;
}

static int op_tolerant; /* there may be no memory for a model or an operand */

/* The operation's model, not finished; k->code: what it was refused with. */
static void op_make(op_model *k, const op_row *row) {
    int32_t code = row->code;
    memset(k, 0, sizeof *k);
    k->code = sw->NeuronModel_create(&k->m);
    for (const char *p = row->in; *p; p += strcspn(p, " "), p += *p == ' ', k->n++) {
        const int scalar = strchr("fhiub", *p) != NULL;
        if (!op_operand(k, p) && !scalar) k->given[k->n_given++] = (uint32_t)k->n;
        k->in[k->n_in++] = (uint32_t)k->n;
    }
    for (const char *p = row->out; *p; p += strcspn(p, " "), p += *p == ' ', k->n++) {
        op_operand(k, p);
        k->out[k->n_out++] = (uint32_t)k->n;
    }
    if (!op_tolerant) CHECK_INT(k->code, 0);
    OP_CALL(k, sw->NeuronModel_identifyInputsAndOutputs(k->m, k->n_given, k->given, k->n_out, k->out));
    if (code == OEM) {
        OP_CALL(k, sw->NeuronModel_getExtensionOperationType(k->m, NPU__NEURON_OEM_EXTENSION, NPU__NEURON_OEM_OPERATION,
            &code));
    }
    OP_CALL(k, sw->NeuronModel_addOperation(k->m, code, k->n_in, k->in, k->n_out, k->out));
}

/* One run: inputs are 1, 2, 3, ... (of an open dimension: 2). The first output's values, with a space behind each. */
static int op_run(const op_model *k, void *c, char *out, size_t room) {
    static uint8_t in[8][512], result[8][512];
    const npu__nsw_model *m = (const npu__nsw_model *)k->m;
    void    *e;
    uint32_t dims[NPU_MAX_RANK], rank = 0;
    size_t   n = 1, at = 0;
    int      r = sw->NeuronExecution_create(c, &e);
    for (uint32_t i = 0; r == 0 && i < k->n_given; i++) {
        const npu__nsw_operand *o = &m->operands[k->given[i]];
        size_t                  elements = 1;
        for (uint32_t d = 0; d < o->n_dims; d++) elements *= npu__nsw_dim_open(o->dims[d]) ? 2 : o->dims[d];
        for (size_t v = 0; v < elements; v++) op_put(in[i] + v * op_element(o->code), o->code, (double)(v + 1));
        r = sw->NeuronExecution_setInput(e, (int32_t)i, NULL, in[i], elements * op_element(o->code));
    }
    for (uint32_t i = 0; r == 0 && i < k->n_out; i++)
        r = sw->NeuronExecution_setOutput(e, (int32_t)i, NULL, result[i], sizeof result[i]);
    if (r == 0) r = sw->NeuronExecution_compute(e);
    if (r == 0) r = sw->NeuronExecution_getOutputOperandRank(e, 0, &rank);
    if (r == 0) r = sw->NeuronExecution_getOutputOperandDimensions(e, 0, dims);
    for (uint32_t i = 0; i < rank; i++) n *= dims[i];
    for (size_t i = 0; r == 0 && i < n && at < room; i++) {
        const int32_t type = m->operands[k->out[0]].code;
        at += (size_t)snprintf(out + at, room - at, "%.4g ", op_get(result[0] + i * op_element(type), type));
    }
    sw->NeuronExecution_free(e);
    return r;
}

static void op_row_check(const op_row *row) {
    char     got[1024] = "";
    op_model k;
    void    *c = NULL;
    int      ok;
    op_make(&k, row);
    ok = CHECK_INT(k.code, row->add);
    if (k.code == 0) ok &= CHECK_INT(k.code = sw->NeuronModel_finish(k.m), row->finish);
    if (k.code == 0) {
        CHECK_INT(sw->NeuronCompilation_create(k.m, &c), 0);
        ok &= CHECK_INT(k.code = sw->NeuronCompilation_finish(c), row->compile);
    }
    if (k.code == NPU__NEURON_OP_FAILED) ok &= CHECK_HAS(((npu__nsw_compilation *)c)->diag.text, row->said);
    if (k.code == 0) {
        ok &= CHECK_INT(op_run(&k, c, got, sizeof got), 0);
        ok &= CHECK_STR(got, row->said);
    }
    if (!ok) printf("    operation %d %s -> %s\n", row->code, row->in, row->out);
    sw->NeuronCompilation_free(c);
    sw->NeuronModel_free(k.m);
}

#endif
