/* The backends of this build, by the names users choose them by. */
#include "select.h"

#if NPU__HAS_PLACEMENT

/* Finds the i-th target over all vendors, or (name not NULL) the one of that name. */
NPU__FN int npu__backend_target(npu__backend *out, int32_t i, const char *name) {
    const npu__vendor *v;
    for (int32_t n = 0; (v = npu__vendor_at(n)) != NULL; n++) {
        const npu__ruleset *set = v->rules ? v->rules() : NULL;
        for (int32_t k = 0; set && k < set->n_targets; k++) {
            if (name ? strcmp(name, set->targets[k].name) : i--) continue;
            out->vendor = v;
            out->set = set;
            out->target = &set->targets[k];
            return 1;
        }
    }
    return 0;
}

NPU__FN const npu__target *npu__backend_at(int32_t i) {
    npu__backend b;
    return i >= 0 && npu__backend_target(&b, i, NULL) ? b.target : NULL;
}

NPU__FN const npu__profile *npu__backend_profile_of(const npu__backend *b, int32_t i) {
    const npu__profile *p = b->set->profiles, *last = NULL;
    for (int32_t k = 0; k < b->set->n_profiles; k++) {
        if (p[k].targets & b->target->kind) last = &p[k];
    }
    if (i == 0) return last;
    for (int32_t k = 0; k < b->set->n_profiles && i > 0; k++) {
        if ((p[k].targets & b->target->kind) && &p[k] != last && --i == 0) return &p[k];
    }
    return NULL;
}

NPU__FN const npu__profile *npu__backend_profile_at(const char *name, int32_t i) {
    npu__backend b;
    return name && npu__backend_target(&b, 0, name) ? npu__backend_profile_of(&b, i) : NULL;
}

NPU__FN size_t npu__backend_list(char *out, size_t cap, size_t n, const char *name) {
    return n < cap ? n + npu__format(out + n, cap - n, "%s%s", n ? ", " : "", name) : n;
}

/* Where a name begins to differ from the one before it: behind what both have up to the last dash. There are many names, and a message
 * is short: "a-32, -64, -128". */
NPU__FN const char *npu__backend_rest(const char *name, const char *before) {
    const char *dash = strrchr(name, '-');
    const size_t n = dash ? (size_t)(dash - name) : 0;
    return n && before && strncmp(name, before, n + 1) == 0 && !strchr(before + n + 1, '-') ? dash : name;
}

NPU__FN npu_status npu__backend_find(npu__backend *out, const char *name, const char *profile, npu_diag *diag) {
    const npu__target *t;
    const char        *before = NULL;
    char               names[208];
    size_t             n = 0;
    names[0] = 0;
    if (!name || !npu__backend_target(out, 0, name)) {
        for (int32_t i = 0; (t = npu__backend_at(i)) != NULL; i++) {
            n = npu__backend_list(names, sizeof names, n, npu__backend_rest(t->name, before));
            before = t->name;
        }
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "backend.name", "this build has no backend \"%s\": it has %s",
                              name ? name : "(NULL)", names);
    }
    for (int32_t i = 0; (out->profile = npu__backend_profile_of(out, i)) != NULL; i++) {
        if (!profile || strcmp(profile, out->profile->name) == 0) return NPU_OK;
        n = npu__backend_list(names, sizeof names, n, out->profile->name);
    }
    return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "backend.profile", "backend %s has no profile \"%s\": it has %s",
                          out->target->name, profile, names);
}

NPU__FN const npu__profile *npu__backend_relaxed(const npu__backend *b) {
    const size_t n = strlen(b->profile->name), more = strlen(NPU__RELAXED);
    if (n > more && strcmp(b->profile->name + n - more, NPU__RELAXED) == 0) return b->profile;
    for (int32_t k = 0; k < b->set->n_profiles; k++) {
        const npu__profile *p = &b->set->profiles[k];
        if ((p->targets & b->target->kind) && strncmp(p->name, b->profile->name, n) == 0 && strcmp(p->name + n, NPU__RELAXED) == 0) {
            return p;
        }
    }
    return NULL;
}

NPU__FN int npu__runtime_version(const char *text, uint32_t *out) {
    uint32_t v = 0, part = 0;
    int      parts = 1, digits = 0;
    for (; *text; text++) {
        if (*text == '.') {
            if (!digits || ++parts > 3) return 0;
            v = v << 8 | part; /* bounded: three parts of 8 bits */
            part = 0;
            digits = 0;
        } else if (*text >= '0' && *text <= '9') {
            part = part * 10 + (uint32_t)(*text - '0'); /* bounded: 255 before */
            digits = 1;
            if (part > 255) return 0;
        } else {
            return 0;
        }
    }
    *out = v << 8 | part; /* bounded: likewise */
    return digits && parts == 3;
}

#endif
