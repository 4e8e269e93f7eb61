/* Resource variables: an id for every (container, name). A crit-bit tree finds them: time linear in the length of the names
 * whatever they are, where a list is quadratic and a hash table can be made so. */
#include "plan.h"

/* Symbol `i` of a key: 8 bytes of the container's length, container, name. 0x100 tells a zero byte from the end. */
NPU__FN uint32_t npu__resource_symbol(const npu__resource *r, size_t i) {
    const uint64_t n = r->container.n;
    if (i < 8) return 0x100u | (uint32_t)(n >> (8 * i) & 255u); /* bounded: i < 8 */
    i -= 8;
    if (i < r->container.n) return 0x100u | (uint8_t)r->container.p[i];
    i -= r->container.n;
    return i < r->name.n ? 0x100u | (uint8_t)r->name.p[i] : 0;
}

/* First symbol in which two keys differ, and the highest bit of the difference; false: the same key. */
NPU__FN int npu__resource_differ(const npu__resource *a, const npu__resource *b, size_t *symbol, uint32_t *bit) {
    const size_t end = 8 + NPU__MAX(a->container.n + a->name.n, b->container.n + b->name.n);
    for (size_t i = 0; i < end; i++) {
        uint32_t x = npu__resource_symbol(a, i) ^ npu__resource_symbol(b, i);
        if (!x) continue;
        while (x & (x - 1)) x &= x - 1;
        *symbol = i;
        *bit = x;
        return 1;
    }
    return 0;
}

/* On which side of a fork at (symbol, bit) does a key lie? What lies there: another fork's number, or ~id of a variable. */
NPU__FN int npu__resource_side(const npu__resource *key, size_t symbol, uint32_t bit) {
    return (npu__resource_symbol(key, symbol) & bit) != 0;
}

NPU__FN int npu__resource_grow(npu_plan *p) {
    const int32_t  cap = p->cap_resources ? p->cap_resources * 2 : 16; /* bounded: operators, at most 2^31 / sizeof */
    npu__resource *r = (npu__resource *)npu__pool_new(&p->pool, (size_t)cap, NPU__SIZE(npu__resource));
    npu__fork     *f = (npu__fork *)npu__pool_new(&p->pool, (size_t)cap, NPU__SIZE(npu__fork));
    if (!r || !f) return 0;
    if (p->n_resources) {
        memcpy(r, p->resources, (size_t)p->n_resources * sizeof *r); /* bounded, here and below: was allocated */
        memcpy(f, p->forks, (size_t)p->n_resources * sizeof *f);
    }
    p->resources = r;
    p->forks = f;
    p->cap_resources = cap;
    return 1;
}

/* Hangs variable `id`, which differs from its nearest relative in (symbol, bit), into the tree. Fork n belongs to variable n:
 * the first variable has none. */
NPU__FN void npu__resource_hang(npu_plan *p, int32_t id, size_t symbol, uint32_t bit) {
    const npu__resource *key = &p->resources[id];
    npu__fork           *fork = &p->forks[id];
    int32_t             *at = &p->resource_root;
    const int            side = npu__resource_side(key, symbol, bit);
    while (*at >= 0) {
        npu__fork *f = &p->forks[*at];
        if (f->symbol > symbol || (f->symbol == symbol && f->bit < bit)) break;
        at = &f->next[npu__resource_side(key, f->symbol, f->bit)];
    }
    fork->symbol = symbol;
    fork->bit = bit;
    fork->next[side] = ~id;
    fork->next[!side] = *at;
    *at = id;
}

NPU__FN int32_t npu__resource_id(npu__ctx *ctx, npu__str container, npu__str name) {
    npu_plan     *p = ctx->env->plan;
    npu__resource key;
    size_t        symbol = 0;
    uint32_t      bit = 0;
    memset(&key, 0, sizeof key);
    key.container = container;
    key.name = name;
    if (p->n_resources) {
        int32_t at = p->resource_root;
        while (at >= 0) at = p->forks[at].next[npu__resource_side(&key, p->forks[at].symbol, p->forks[at].bit)];
        if (!npu__resource_differ(&p->resources[~at], &key, &symbol, &bit)) return ~at;
    }
    if (ctx->env->session) return -1; /* every VAR_HANDLE was seen while planning */
    if (p->n_resources == p->cap_resources && !npu__resource_grow(p)) return -1;
    p->resources[p->n_resources] = key;
    if (p->n_resources) npu__resource_hang(p, p->n_resources, symbol, bit);
    else p->resource_root = ~0;
    return p->n_resources++;
}

NPU__FN npu_status npu__resource_declare(npu__ctx *ctx, int32_t id, size_t bytes) {
    npu_plan *p = ctx->env->plan;
    if (id < 0 || id >= p->n_resources) {
        return NPU__FAIL(ctx, NPU_INVALID_MODEL, "resource.id", "resource variable %d does not exist", id);
    }
    if (ctx->env->session) {
        if (bytes <= p->resources[id].bytes) return NPU_OK;
        return NPU__FAIL(ctx, NPU_RUNTIME, "resource.size", "resource variable %d holds at most %z bytes: %z do not fit",
                         id, p->resources[id].bytes, bytes);
    }
    p->resources[id].bytes = NPU__MAX(p->resources[id].bytes, bytes);
    return NPU_OK;
}
