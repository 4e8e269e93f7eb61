/* The verdict on what Vela made: a command stream runs on the accelerator it was compiled for, and on no other. */
#include "../stream/payload.h"
#include "../ethosu.h"

#if NPU__HAS_REPORTS && NPU__HAS_ETHOSU

NPU__FN int npu__ethosu_compiled_for(const npu__rule *rule, const npu__ctx *c, npu__got *got) {
    const npu__val *v = c->n_in > 0 ? c->in[0] : NULL;
    const char     *name;
    char            u85[24];
    npu__eu_error   err;
    (void)rule;
    if (npu__got_too_much(got, v ? (int64_t)(v->t->data_bytes / 4) : 0)) return 1;
    name = npu__eu_payload_processor(u85, v ? v->t->data : NULL, v ? v->t->data_bytes : 0, &err);
    if (!name) return npu__got_f(got, "a damaged command stream: %s", err.text);
    if (!got->target->accelerator || strcmp(got->target->accelerator, name) == 0) return 0;
    return npu__got_f(got, "compiled for %s", name);
}

#endif
