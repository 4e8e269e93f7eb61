/* The verifier: one loop over an explicit stack, driven by the schema's field descriptors. */
#include "verify.h"

enum { NPU__VF_DEPTH = 8 }; /* the schema nests tables six deep */

/* A table being walked and the field it stands at; in a vector of tables also the element. */
typedef struct npu__vf_frame {
    const npu__schema_field *fields;
    uint64_t                 pos;   /* of the table */
    uint64_t                 elems; /* first element of the vector of tables being walked, 0 outside of one */
    int64_t                  i, n;
    int32_t                  table, field, n_fields;
} npu__vf_frame;

/* What lies where, for files that are cut short. */
typedef struct npu__vf_survey {
    uint64_t end;    /* the furthest byte that the file speaks of */
    uint64_t last, full; /* start of the last thing that lies in the file as a whole, and the furthest end of one */
    uint64_t cut;    /* start of the first one that runs past the end; UINT64_MAX: none */
    int64_t  beyond; /* things that start behind the end */
    int      is_model; /* the root says that it is a model of the known version: what follows is no accident */
} npu__vf_survey;

#define NPU__VF_FAR ((uint64_t)1 << 38)
#define NPU__VF_GONE NPU_STATUS_COUNT /* in a survey: it lies behind the end, which is noted; the walk goes on */

typedef struct npu__vf {
    const uint8_t *p;
    uint64_t       n;
    uint64_t       budget; /* bytes that may still be referred to */
    npu_diag      *diag;
    npu__vf_survey *survey; /* NULL: what lies behind the end is an error */
    int            circle;
    int32_t        depth;
    npu__vf_frame  stack[NPU__VF_DEPTH];
} npu__vf;

/* ---- messages: "Tensor.name of subgraphs[0].tensors[3]: what is wrong" ---- */

typedef struct npu__vf_text {
    char   buf[192];
    size_t n;
} npu__vf_text;

NPU__FN void npu__vf_put(npu__vf_text *t, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    t->n += npu__vformat(t->buf + t->n, sizeof t->buf - t->n, fmt, args);
    va_end(args);
    t->n = NPU__MIN(t->n, sizeof t->buf - 1);
}

NPU__FN void npu__vf_put_field(npu__vf_text *t, const npu__vf_frame *f) {
    if (f->field < 0 || f->field >= f->n_fields) return;
    npu__vf_put(t, ".%s", npu__schema_field_name(&f->fields[f->field]));
    if (f->elems) npu__vf_put(t, "[%l]", f->i);
}

NPU__FN void npu__vf_put_where(npu__vf_text *t, const npu__vf *v) {
    t->n = 0;
    t->buf[0] = 0;
    if (v->depth == 0) {
        npu__vf_put(t, "Model");
        return;
    }
    npu__vf_put(t, "%s", npu__schema_table_name(v->stack[v->depth - 1].table));
    npu__vf_put_field(t, &v->stack[v->depth - 1]);
    if (v->depth > 1) npu__vf_put(t, " of Model");
    for (int32_t d = 0; d + 1 < v->depth; d++) npu__vf_put_field(t, &v->stack[d]);
}

/* Where the walk stands, as far as the public record has a place for it. */
NPU__FN void npu__vf_locate(const npu__vf *v) {
    const npu__vf_frame *f = v->stack;
    if (v->depth < 1 || !f->elems || f->fields[f->field].sub != NPU__T_SubGraph) return;
    v->diag->subgraph = (int32_t)NPU__MIN(f->i, INT32_MAX);
    f++;
    if (v->depth < 2 || !f->elems || f->fields[f->field].sub != NPU__T_Operator) return;
    v->diag->op = (int32_t)NPU__MIN(f->i, INT32_MAX);
}

NPU__FN npu_status npu__vf_fail(const npu__vf *v, const char *rule, uint64_t pos, const char *fmt, ...) {
    if (!v->diag || v->diag->status != NPU_OK) return NPU_INVALID_MODEL;
    v->diag->file_offset = (int64_t)pos;
    npu__vf_locate(v);
#if NPU__HAS_STRINGS
    {
        npu__vf_text where, what;
        va_list      args;
        npu__vf_put_where(&where, v);
        va_start(args, fmt);
        npu__vformat(what.buf, sizeof what.buf, fmt, args);
        va_end(args);
        return npu__diag_fail(v->diag, NPU_INVALID_MODEL, rule, "%s: %s", where.buf, what.buf);
    }
#else
    (void)fmt;
    return npu__diag_fail(v->diag, NPU_INVALID_MODEL, rule, "");
#endif
}

/* ---- pieces of the format; positions are offsets in the file and never wrap in 64 bits ---- */

NPU__FN uint32_t npu__vf_u32(const npu__vf *v, uint64_t pos) { return npu__rd_u32(v->p + (size_t)pos); }
NPU__FN uint16_t npu__vf_u16(const npu__vf *v, uint64_t pos) { return npu__rd_u16(v->p + (size_t)pos); }
NPU__FN int npu__vf_inside(const npu__vf *v, uint64_t pos, uint64_t bytes) {
    return bytes <= v->n && pos <= v->n - bytes;
}

/* Notes where something lies; NPU__VF_GONE, or NPU_OK when nothing is amiss or nobody surveys. */
NPU__FN npu_status npu__vf_note(npu__vf *v, uint64_t pos, uint64_t bytes) {
    npu__vf_survey *s = v->survey;
    if (!s) return NPU_OK;
    if (npu__vf_inside(v, pos, bytes)) {
        s->last = NPU__MAX(s->last, pos);
        s->full = NPU__MAX(s->full, pos + bytes); /* bounded: inside the file */
        return NPU_OK;
    }
    if (pos >= NPU__VF_FAR || bytes >= NPU__VF_FAR) return NPU_OK; /* no file is that long: it is damaged */
    s->end = NPU__MAX(s->end, pos + bytes);
    if (pos < v->n) s->cut = NPU__MIN(s->cut, pos);
    else s->beyond++;
    return NPU__VF_GONE;
}

NPU__FN npu_status npu__vf_charge(npu__vf *v, uint64_t pos, uint64_t bytes) {
    if (bytes > v->budget) {
        return npu__vf_fail(v, "fb.too_complex", pos,
                            "the file refers to the same bytes so often that reading it would take too long");
    }
    v->budget -= bytes;
    return NPU_OK;
}

/* Follows the offset stored at `ref` to something at least `bytes` long. */
NPU__FN npu_status npu__vf_follow(npu__vf *v, uint64_t ref, uint64_t bytes, uint64_t *pos) {
    uint32_t offset = npu__vf_u32(v, ref);
    *pos = ref + offset;
    if (offset != 0 && npu__vf_inside(v, *pos, bytes)) return NPU_OK;
    if (offset - 1 < INT32_MAX && npu__vf_note(v, *pos, bytes) == NPU__VF_GONE) return NPU__VF_GONE;
    if (offset == 0) return npu__vf_fail(v, "fb.offset_range", ref, "the offset stored at %l is 0", (int64_t)ref);
    return npu__vf_fail(v, "fb.offset_range", ref, "the offset stored at %l leads to %l, outside the file (%l bytes)",
                        (int64_t)ref, (int64_t)*pos, (int64_t)v->n);
}

/* A vector or string whose offset is stored at `ref`. */
NPU__FN npu_status npu__vf_vector(npu__vf *v, uint64_t ref, const npu__schema_field *f, uint64_t *elems,
                                  uint32_t *n) {
    uint64_t   pos, bytes, elem_bytes = npu__kind_bytes(f->kind);
    int        is_str = f->kind == NPU__K_STR;
    npu_status s = npu__vf_follow(v, ref, 4, &pos);
    if (s != NPU_OK) return s;
    *n = npu__vf_u32(v, pos);
    bytes = *n * elem_bytes; /* bounded: 32 bits times 8 */
    *elems = pos + 4;
    s = npu__vf_note(v, pos, bytes + (is_str ? 5u : 4u));
    if (s != NPU_OK) return s;
    if (!npu__vf_inside(v, *elems, bytes + (is_str ? 1u : 0u))) {
        if (is_str) {
            return npu__vf_fail(v, "fb.string_range", pos,
                                "string of %l bytes at offset %l runs past the end of the file (%l bytes)",
                                (int64_t)bytes, (int64_t)pos, (int64_t)v->n);
        }
        return npu__vf_fail(v, "fb.vector_range", pos,
                            "vector of %l elements of %l bytes at offset %l runs past the end of the file (%l bytes)",
                            (int64_t)*n, (int64_t)elem_bytes, (int64_t)pos, (int64_t)v->n);
    }
    if (is_str && v->p[(size_t)(*elems + bytes)] != 0) {
        return npu__vf_fail(v, "fb.string_end", *elems + bytes,
                            "string of %l bytes at offset %l does not end in a 0 byte", (int64_t)bytes, (int64_t)pos);
    }
    /* Nobody copies weights while a model is opened, so many Buffers may share theirs. */
    if (f->kind == NPU__K_VU8 && v->stack[v->depth - 1].table == NPU__T_Buffer) bytes = 0;
    return npu__vf_charge(v, pos, 4 + bytes);
}

/* Checks the table whose offset is stored at `ref`, up to but not including its fields, and steps into it. */
NPU__FN npu_status npu__vf_enter(npu__vf *v, uint64_t ref, int32_t table) {
    npu__vf_frame *f;
    uint64_t       pos;
    int64_t        vt;
    uint16_t       vt_bytes, bytes;
    npu_status     s = npu__vf_follow(v, ref, 4, &pos);
    if (s != NPU_OK) return s;
    vt = (int64_t)pos - npu__rd_i32(v->p + (size_t)pos);
    if (vt >= 0 && (s = npu__vf_note(v, (uint64_t)vt, 4)) != NPU_OK) return s;
    if (vt < 0 || !npu__vf_inside(v, (uint64_t)vt, 4)) {
        return npu__vf_fail(v, "fb.vtable_range", pos,
                            "table at offset %l has its vtable at %l, outside the file (%l bytes)", (int64_t)pos, vt,
                            (int64_t)v->n);
    }
    vt_bytes = npu__vf_u16(v, (uint64_t)vt);
    bytes = npu__vf_u16(v, (uint64_t)vt + 2);
    if (vt_bytes >= 4 && vt_bytes % 2 == 0 && bytes >= 4) {
        s = npu__vf_note(v, (uint64_t)vt, vt_bytes);
        if (s == NPU_OK) s = npu__vf_note(v, pos, bytes);
        if (s != NPU_OK) return s;
    }
    if (vt_bytes < 4 || vt_bytes % 2 != 0 || !npu__vf_inside(v, (uint64_t)vt, vt_bytes)) {
        return npu__vf_fail(v, "fb.vtable_size", (uint64_t)vt,
                            "vtable at offset %l cannot be %d bytes long (file: %l bytes)", vt, (int)vt_bytes,
                            (int64_t)v->n);
    }
    if (bytes < 4 || !npu__vf_inside(v, pos, bytes)) {
        return npu__vf_fail(v, "fb.table_size", (uint64_t)vt + 2,
                            "table at offset %l cannot be %d bytes long (file: %l bytes)", (int64_t)pos, (int)bytes,
                            (int64_t)v->n);
    }
    s = npu__vf_charge(v, pos, 16);
    if (s != NPU_OK) return s;
    if (v->depth == NPU__VF_DEPTH) return npu__vf_fail(v, "fb.too_complex", pos, "tables are nested too deep");
    f = &v->stack[v->depth++];
    f->pos = pos;
    f->elems = 0;
    f->i = f->n = 0;
    f->table = table;
    f->field = -1;
    f->fields = npu__schema_fields(table, &f->n_fields);
    return NPU_OK;
}

/* ---- the walk ---- */

/* Buffers and custom options may lie behind the flatbuffer; offsets 0 and 1 mean that they do not. */
NPU__FN npu_status npu__vf_stored_range(npu__vf *v, npu__tab t, int offset_slot, int size_slot, const char *rule) {
    uint64_t offset = npu__tab_u64(t, offset_slot, 0), size = npu__tab_u64(t, size_slot, 0);
    int      weights = v->stack[v->depth - 1].table == NPU__T_Buffer; /* may be shared, like those inside: see npu__vf_vector */
    if (offset <= 1) return NPU_OK;
    if (npu__vf_note(v, offset, size) == NPU__VF_GONE) return NPU__VF_GONE;
    if (npu__vf_inside(v, offset, size)) return weights ? NPU_OK : npu__vf_charge(v, offset, size);
    return npu__vf_fail(v, rule, v->stack[v->depth - 1].pos,
                        "offset %l and size %l lie outside the file (%l bytes; a negative number is beyond 2^63)",
                        (int64_t)offset, (int64_t)size, (int64_t)v->n);
}

NPU__FN npu_status npu__vf_leave(npu__vf *v) {
    npu__vf_frame *f = &v->stack[v->depth - 1];
    npu__tab       t = v->p + (size_t)f->pos;
    npu_status     s = NPU_OK;
    if (f->table == NPU__T_Model && v->survey) v->survey->is_model = v->circle || npu__tab_u32(t, NPU__S_Model_version, 0) == 3;
    if (f->table == NPU__T_Buffer) {
        s = npu__vf_stored_range(v, t, NPU__S_Buffer_offset, NPU__S_Buffer_size, "tflite.buffer_range");
    } else if (f->table == NPU__T_Operator) {
        s = npu__vf_stored_range(v, t, NPU__S_Operator_large_custom_options_offset,
                                 NPU__S_Operator_large_custom_options_size, "tflite.custom_range");
    }
    v->depth--;
    return s;
}

NPU__FN npu_status npu__vf_field(npu__vf *v, npu__vf_frame *f) {
    const npu__schema_field *d = &f->fields[f->field];
    npu__tab                 t = v->p + (size_t)f->pos;
    const uint8_t           *at = npu__tab_field(t, d->slot);
    uint64_t                 bytes = d->kind < NPU__K_STR ? npu__field_bytes_in(v->circle, f->table, d) : 4;
    uint64_t                 ref, target;
    uint32_t                 offset, n;
    uint16_t                 table_bytes = npu__rd_u16(t - npu__rd_i32(t) + 2);
    npu_status               s;
    if (!at) return NPU_OK;
    offset = (uint32_t)(at - t);
    if (offset < 4 || offset + bytes > table_bytes) {
        return npu__vf_fail(v, "fb.field_range", f->pos,
                            "field of %l bytes at %d in a table of %d bytes at offset %l", (int64_t)bytes,
                            (int)offset, (int)table_bytes, (int64_t)f->pos);
    }
    ref = f->pos + offset;
    if (d->kind < NPU__K_UNION) return NPU_OK;
    if (d->kind == NPU__K_TAB) return npu__vf_enter(v, ref, d->sub);
    if (d->kind == NPU__K_UNION) {
        int32_t table = npu__union_table_in(v->circle, d->sub, npu__tab_u8(t, d->slot - 1, 0));
        return table == NPU__T_NONE ? npu__vf_follow(v, ref, 1, &target) : npu__vf_enter(v, ref, table);
    }
    s = npu__vf_vector(v, ref, d, &target, &n);
    if (s == NPU_OK && d->kind == NPU__K_VTAB && n > 0) {
        f->elems = target;
        f->n = n;
        f->i = -1;
    }
    return s;
}

NPU__FN npu_status npu__vf_walk(npu__vf *v, const uint8_t *bytes, size_t n) {
    npu_status s;
    v->p = bytes;
    v->n = n;
    v->circle = npu__is_circle(bytes, n);
    v->budget = 8 * (uint64_t)n + 65536;
    v->depth = 0;
    s = npu__vf_enter(v, 0, NPU__T_Model);
    while ((s == NPU_OK || s == NPU__VF_GONE) && v->depth > 0) {
        npu__vf_frame *f = &v->stack[v->depth - 1];
        if (f->elems) {
            if (++f->i < f->n) {
                /* bounded: f->i is less than a number of 32 bits */
                s = npu__vf_enter(v, f->elems + 4 * (uint64_t)f->i, f->fields[f->field].sub);
                continue;
            }
            f->elems = 0;
        }
        s = ++f->field < f->n_fields ? npu__vf_field(v, f) : npu__vf_leave(v);
    }
    return s;
}

/* Is all that is wrong with the file that its end is missing? Then everything else in it is sound, and what runs past the
 * end is the last thing before it; or several things lie behind the end, and what is whole does not reach up to it. Otherwise
 * an offset or a length is damaged. */
NPU__FN int npu__vf_truncated(const uint8_t *bytes, size_t n, uint64_t *end) {
    npu__vf        v;
    npu__vf_survey survey;
    npu_status     s;
    memset(&survey, 0, sizeof survey);
    survey.cut = UINT64_MAX;
    v.diag = NULL;
    v.survey = &survey;
    s = npu__vf_walk(&v, bytes, n);
    *end = survey.end;
    if ((s != NPU_OK && s != NPU__VF_GONE) || !survey.is_model) return 0;
    return survey.cut < n ? survey.cut > survey.last && survey.cut >= survey.full : survey.beyond > 1 && n - survey.full >= 16;
}

NPU__FN npu_status npu__verify_model(const uint8_t *bytes, size_t n, npu__tab *model, npu_diag *diag) {
    npu__vf    v;
    uint64_t   end;
    npu_status s = npu__verify_identifier(bytes, n, diag);
    *model = NULL;
    if (s != NPU_OK) return s;
    v.diag = diag;
    v.survey = NULL;
    s = npu__vf_walk(&v, bytes, n);
    if (s == NPU_OK) {
        *model = npu__fb_follow(bytes);
    } else if (diag && diag->status == s && npu__vf_truncated(bytes, n, &end)) {
        diag->status = NPU_OK; /* the place stays: where it was noticed */
        return npu__diag_fail(diag, s, "fb.truncated", "truncated: %l bytes, the file speaks of %l; copy or download it "
                              "again", (int64_t)n, (int64_t)end);
    }
    return s;
}

/* ---- what the model view needs beside the getters ---- */

NPU__FN npu__span npu__span_in_file(const uint8_t *bytes, npu__vec inside, uint64_t offset, uint64_t size) {
    npu__span span;
    span.p = inside.p;
    span.n = inside.n;
    if (!inside.p && offset > 1) {
        span.p = bytes + (size_t)offset;
        span.n = (size_t)size;
    }
    return span;
}

NPU__FN npu__span npu__buffer_span(const uint8_t *bytes, npu__tab buffer) {
    return npu__span_in_file(bytes, npu__tab_vec(buffer, NPU__S_Buffer_data),
                             npu__tab_u64(buffer, NPU__S_Buffer_offset, 0),
                             npu__tab_u64(buffer, NPU__S_Buffer_size, 0));
}

NPU__FN npu__span npu__custom_options_span(const uint8_t *bytes, npu__tab op) {
    return npu__span_in_file(bytes, npu__tab_vec(op, NPU__S_Operator_custom_options),
                             npu__tab_u64(op, NPU__S_Operator_large_custom_options_offset, 0),
                             npu__tab_u64(op, NPU__S_Operator_large_custom_options_size, 0));
}
