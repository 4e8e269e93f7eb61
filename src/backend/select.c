/* The backends of this build. */
#include "ethosu/ethosu.h"
#include "none/none.h"
#include "select.h"

#if NPU__HAS_REPORTS

NPU__FN const npu__backend *npu__backend_at(int32_t i) {
    if (i < 0 || i > NPU__HAS_ETHOSU) return NULL;
#if NPU__HAS_ETHOSU
    if (i == 0) return npu__backend_ethosu();
#endif
    return npu__backend_none();
}

NPU__FN const npu__backend *npu__backend_find(const char *name, npu_diag *diag) {
    const npu__backend *b;
    char                names[64];
    size_t              n = 0;
    names[0] = 0;
    for (int32_t i = 0; (b = npu__backend_at(i)) != NULL; i++) {
        if (name && strcmp(name, b->name) == 0) return b;
        if (n < sizeof names) n += npu__format(names + n, sizeof names - n, "%s%s", i ? ", " : "", b->name);
    }
    npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "backend.name", "this build has no backend \"%s\": it has %s",
                   name ? name : "(NULL)", names);
    return NULL;
}

#endif
