/* Options structs from tables: one loop over the schema's rows. */
#include "options.h"

/* How far an int64_t must lie from the beginning, beside its own bytes. */
typedef struct npu__opts_wide {
    uint8_t first;
    int64_t second;
} npu__opts_wide;

/* Structs are laid out as every C compiler does it: each field at the next multiple of its alignment. So neither offsets nor
 * sizes need tables of their own (tests/unit/test_options.c compares with the compiler's), and a plan for another machine
 * knows what the structs take there. */
NPU__FN size_t npu__opts_offset(int32_t table, int32_t i, int32_t machine) {
    const npu__size          vec = NPU__SIZE(npu__vec), word = NPU__SIZE(npu__word), wide = NPU__SIZE(npu__opts_wide);
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(table, &n);
    size_t                   end = sizeof(npu__opts), at = end;
    for (int32_t k = 0; k <= i && k < n; k++) {
        size_t bytes = 4, align = 4;
        if (f[k].kind >= NPU__K_STR) {
            bytes = npu__size_on(&vec, machine); /* npu__str is as long */
            align = npu__size_on(&word, machine);
        } else if (f[k].kind == NPU__K_I64) {
            bytes = 8;
            align = npu__size_on(&wide, machine) - 8;
        }
        at = npu__align_up(end, align);
        end = at + bytes; /* bounded: the schema's rows are few */
    }
    return i < n ? at : end;
}

NPU__FN const npu__opts *npu__opts_check(const npu__opts *opts, int32_t table, const npu__opts *otherwise) {
#if NPU__HAS_DEBUG
    NPU__ASSERT(opts->table == table);
#endif
    return opts->table == table ? opts : otherwise;
}

/* What field `f` of `raw` says, or its default, into `to`. */
NPU__FN void npu__opts_read_field(const npu__schema_field *f, npu__tab raw, void *to) {
    const uint8_t *p = npu__tab_field(raw, f->slot);
    if (f->kind == NPU__K_STR) {
        *(npu__str *)to = npu__tab_str(raw, f->slot);
    } else if (f->kind > NPU__K_STR) {
        *(npu__vec *)to = npu__tab_vec(raw, f->slot);
    } else if (f->kind == NPU__K_I64) {
        *(int64_t *)to = p ? npu__rd_i64(p) : f->dflt;
    } else if (f->kind == NPU__K_F32) {
        *(float *)to = p ? npu__rd_f32(p) : (float)f->dflt;
    } else if (f->kind == NPU__K_BOOL) {
        *(int32_t *)to = p ? *p != 0 : f->dflt;
    } else if (f->kind == NPU__K_I8) {
        *(int32_t *)to = p ? (int8_t)*p : f->dflt;
    } else {
        *(int32_t *)to = p ? npu__rd_i32(p) : f->dflt; /* I32, and the bits of U32 */
    }
}

NPU__FN void npu__opts_read(npu__opts *opts, npu__tab raw) {
    int32_t                  n;
    const npu__schema_field *f = npu__schema_fields(opts->table, &n);
    for (int32_t i = 0; i < n; i++) {
        npu__opts_read_field(&f[i], raw, (uint8_t *)opts + npu__opts_offset(opts->table, i, NPU_MACHINE_THIS));
    }
    opts->given = raw != NULL;
}

NPU__FN npu__opts *npu__opts_new(npu__pool *pool, int32_t table) {
    npu__size  bytes = NPU__NO_SIZE;
    npu__opts *opts;
    int32_t    n;
    npu__schema_fields(table, &n);
    bytes.here = npu__opts_offset(table, n, NPU_MACHINE_THIS);
#if NPU__HAS_REPORTS
    for (int32_t m = 1; m < NPU_MACHINE_COUNT; m++) bytes.there[m - 1] = (uint16_t)npu__opts_offset(table, n, m);
#endif
    opts = (npu__opts *)npu__pool_new(pool, 1, bytes);
    if (!opts) return NULL;
    opts->table = (uint8_t)table;
    npu__opts_read(opts, NULL);
    return opts;
}

NPU__FN const npu__opts *npu__opts_from(npu__pool *pool, int32_t table, npu__tab raw) {
    static const npu__opts none[] = {{NPU__T_NONE, 0}, {NPU__T_NONE, 1}};
    int32_t                n;
    npu__opts             *opts;
    npu__schema_fields(table, &n);
    if (n == 0) return &none[raw != NULL];
    opts = npu__opts_new(pool, table);
    if (opts && raw) npu__opts_read(opts, raw);
    return opts;
}
