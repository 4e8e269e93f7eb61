/* ANeuralNetworksMemory_*: memory of the caller's behind a descriptor, and memory that is NNAPI's own (here plain memory). */
#include "nnapi.h"

#if NPU__HAS_NNAPI

#if defined(__linux__) || defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
#  include <sys/mman.h>
#  include <sys/stat.h>
#  define NPU__NN_MMAP 1
#else
#  define NPU__NN_MMAP 0
#endif

NPU__FN int npu__nn_memory_new(ANeuralNetworksMemory **memory) {
    npu_allocator          a;
    ANeuralNetworksMemory *m;
    if (!npu__allocator_resolve(&a, NULL)) return NPU__NN_OUT_OF_MEMORY;
    m = (ANeuralNetworksMemory *)a.alloc(a.user, sizeof *m, 64);
    if (!m) return NPU__NN_OUT_OF_MEMORY;
    memset(m, 0, sizeof *m);
    m->allocator = a;
    m->readable = m->writable = 1;
    *memory = m;
    return NPU__NN_NO_ERROR;
}

/* A mapping of the descriptor's bytes; it begins at a page, which may lie before `offset`. */
NPU__FN int npu__nn_map(ANeuralNetworksMemory *m, size_t size, int protect, int fd, size_t offset) {
#if NPU__NN_MMAP
    const size_t before = offset % 65536; /* a multiple of all page sizes */
    struct stat  file;
    size_t       end;
    if (!npu__add_size(size, offset, &end)) return NPU__NN_BAD_DATA;
    /* Behind the file's end a mapping has no bytes: reading there would end the program. */
    if (fstat(fd, &file) != 0 || file.st_size < 0 || (uint64_t)file.st_size < end) return NPU__NN_UNMAPPABLE;
    m->mapped_bytes = size + before; /* bounded: the file is as long */
    m->mapped = mmap(NULL, m->mapped_bytes, protect, MAP_SHARED, fd, (off_t)(offset - before));
    if (m->mapped == MAP_FAILED) m->mapped = NULL;
    if (!m->mapped) return NPU__NN_UNMAPPABLE;
    m->base = (uint8_t *)m->mapped + before;
    m->bytes = size;
    m->readable = (protect & PROT_READ) != 0;
    m->writable = (protect & PROT_WRITE) != 0;
    return NPU__NN_NO_ERROR;
#else
    (void)m; (void)size; (void)protect; (void)fd; (void)offset;
    return NPU__NN_UNMAPPABLE;
#endif
}

NPU_API int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset, ANeuralNetworksMemory **memory) {
    ANeuralNetworksMemory *m;
    int                    r;
    if (!memory) return NPU__NN_UNEXPECTED_NULL;
    *memory = NULL;
    if (size == 0 || fd < 0) return NPU__NN_BAD_DATA;
    NPU__NN_TRY(npu__nn_memory_new(&m));
    r = npu__nn_map(m, size, protect, fd, offset);
    if (r == NPU__NN_NO_ERROR) *memory = m;
    else ANeuralNetworksMemory_free(m);
    return r;
}

/* As the header says of all platforms but Android. */
NPU_API int ANeuralNetworksMemory_createFromAHardwareBuffer(const AHardwareBuffer *ahwb, ANeuralNetworksMemory **memory) {
    if (memory) *memory = NULL;
    return ahwb && memory ? NPU__NN_BAD_STATE : NPU__NN_UNEXPECTED_NULL;
}

NPU_API void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory) {
    npu_allocator a;
    if (!memory) return;
    a = memory->allocator;
#if NPU__NN_MMAP
    if (memory->mapped) munmap(memory->mapped, memory->mapped_bytes);
#endif
    if (memory->n_roles > 0) {
        /* bounded: a list in memory */
        a.free(a.user, memory->roles, (size_t)memory->n_roles * sizeof *memory->roles);
        a.free(a.user, memory->base, memory->bytes);
    }
    a.free(a.user, memory, sizeof *memory);
}

/* ---- descriptions of memory that is NNAPI's own ---- */

NPU_API int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc) {
    npu_allocator              a;
    ANeuralNetworksMemoryDesc *d;
    if (!desc) return NPU__NN_UNEXPECTED_NULL;
    *desc = NULL;
    if (!npu__allocator_resolve(&a, NULL)) return NPU__NN_OUT_OF_MEMORY;
    d = (ANeuralNetworksMemoryDesc *)a.alloc(a.user, sizeof *d, 64);
    if (!d) return NPU__NN_OUT_OF_MEMORY;
    memset(d, 0, sizeof *d);
    d->allocator = a;
    npu__pool_init(&d->pool, &a, UINT64_MAX);
    *desc = d;
    return NPU__NN_NO_ERROR;
}

NPU_API void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc) {
    npu_allocator a;
    if (!desc) return;
    a = desc->allocator;
    npu__pool_free(&desc->pool);
    a.free(a.user, desc, sizeof *desc);
}

/* Takes what is known of a shape into the description's; false where they contradict. */
NPU__FN int npu__nn_join(npu__shape *shape, uint32_t rank, const uint32_t *dims) {
    if (rank == 0) return 1;
    if (shape->rank != 0 && (uint32_t)shape->rank != rank) return 0;
    for (uint32_t i = 0; i < rank; i++) {
        const int32_t dim = dims[i] > INT32_MAX ? -1 : (int32_t)dims[i], had = shape->rank == 0 ? 0 : shape->dims[i];
        if (dim < 0 || (dim != 0 && had != 0 && dim != had)) return 0;
        shape->dims[i] = NPU__MAX(dim, had);
    }
    shape->rank = (int32_t)rank;
    return 1;
}

/* Are the operands alike in all but their shapes? */
NPU__FN int npu__nn_alike(const npu__nn_operand *a, const npu__nn_operand *b) {
    return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point && a->n_channels == b->n_channels;
}

NPU__FN int npu__nn_add_role(ANeuralNetworksMemoryDesc *d, const ANeuralNetworksCompilation *c, uint32_t index, int output,
                             float frequency) {
    const npu__nn_operand *o, *first;
    npu__shape             shape;
    void                  *list;
    if (!d || !c) return NPU__NN_UNEXPECTED_NULL;
    if (d->finished) return NPU__NN_BAD_STATE;
    if (!(frequency > 0.0f && frequency <= 1.0f)) return NPU__NN_BAD_DATA;
    NPU__NN_TRY(npu__nn_operand_at(c, (int64_t)index, output, &o));
    for (int32_t i = 0; i < d->n_roles; i++) {
        const npu__nn_role *r = &d->roles[i];
        if (r->compilation == c && r->index == index && r->output == output) return NPU__NN_BAD_DATA;
    }
    shape = d->shape;
    if (!npu__nn_join(&shape, o->n_dims, o->dims)) return NPU__NN_BAD_DATA;
    if (d->n_roles > 0) {
        NPU__NN_TRY(npu__nn_operand_at(d->roles[0].compilation, (int64_t)d->roles[0].index, d->roles[0].output, &first));
        if (!npu__nn_alike(o, first)) return NPU__NN_BAD_DATA;
    }
    list = npu__graph_grow(&d->pool, d->roles, d->n_roles, sizeof *d->roles);
    if (!list) return NPU__NN_OUT_OF_MEMORY;
    d->roles = (npu__nn_role *)list;
    d->roles[d->n_roles].compilation = c;
    d->roles[d->n_roles].index = index;
    d->roles[d->n_roles++].output = output;
    d->shape = shape;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksMemoryDesc_addInputRole(ANeuralNetworksMemoryDesc *desc, const ANeuralNetworksCompilation *compilation,
                                                   uint32_t index, float frequency) {
    return npu__nn_add_role(desc, compilation, index, 0, frequency);
}

NPU_API int ANeuralNetworksMemoryDesc_addOutputRole(ANeuralNetworksMemoryDesc *desc, const ANeuralNetworksCompilation *compilation,
                                                    uint32_t index, float frequency) {
    return npu__nn_add_role(desc, compilation, index, 1, frequency);
}

NPU_API int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc, uint32_t rank, const uint32_t *dimensions) {
    npu__shape shape;
    if (!desc || (rank > 0 && !dimensions)) return NPU__NN_UNEXPECTED_NULL;
    if (desc->finished) return NPU__NN_BAD_STATE;
    if (rank > NPU_MAX_RANK) return NPU__NN_BAD_DATA;
    shape = desc->shape;
    if (!npu__nn_join(&shape, rank, dimensions)) return NPU__NN_BAD_DATA;
    desc->shape = shape;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc) {
    if (!desc) return NPU__NN_UNEXPECTED_NULL;
    if (desc->finished) return NPU__NN_BAD_STATE;
    if (desc->n_roles == 0) return NPU__NN_BAD_DATA;
    desc->finished = 1;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc, ANeuralNetworksMemory **memory) {
    const npu__nn_operand *o;
    ANeuralNetworksMemory *m;
    size_t                 bytes, roles;
    if (!memory) return NPU__NN_UNEXPECTED_NULL;
    *memory = NULL;
    if (!desc) return NPU__NN_UNEXPECTED_NULL;
    if (!desc->finished) return NPU__NN_BAD_STATE;
    NPU__NN_TRY(npu__nn_operand_at(desc->roles[0].compilation, (int64_t)desc->roles[0].index, desc->roles[0].output, &o));
    if (desc->shape.rank == 0 && !o->type->scalar) return NPU__NN_OP_FAILED; /* of no known size */
    if (!npu__shape_bytes(&desc->shape, o->type->element, &bytes) || bytes == 0) return NPU__NN_OP_FAILED;
    roles = (size_t)desc->n_roles * sizeof *desc->roles; /* bounded: a list in memory */
    NPU__NN_TRY(npu__nn_memory_new(&m));
    m->roles = (npu__nn_role *)m->allocator.alloc(m->allocator.user, roles, 64);
    m->base = (uint8_t *)m->allocator.alloc(m->allocator.user, bytes, 64);
    m->bytes = bytes;
    if (!m->roles || !m->base) {
        if (m->roles) m->allocator.free(m->allocator.user, m->roles, roles);
        if (m->base) m->allocator.free(m->allocator.user, m->base, bytes);
        ANeuralNetworksMemory_free(m);
        return NPU__NN_OUT_OF_MEMORY;
    }
    memcpy(m->roles, desc->roles, roles);
    memset(m->base, 0, bytes);
    m->n_roles = desc->n_roles;
    *memory = m;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src, const ANeuralNetworksMemory *dst) {
    union { const ANeuralNetworksMemory *from; ANeuralNetworksMemory *to; } d; /* const is the API's: its content changes */
    if (!src || !dst) return NPU__NN_UNEXPECTED_NULL;
    if (src->bytes != dst->bytes || (src->n_roles > 0 && !src->written) || !src->readable || !dst->writable) return NPU__NN_BAD_DATA;
    memmove(dst->base, src->base, src->bytes);
    d.from = dst;
    d.to->written = 1;
    return NPU__NN_NO_ERROR;
}

NPU__FN int npu__nn_memory_part(const ANeuralNetworksMemory *memory, const ANeuralNetworksCompilation *c, int32_t index, int output,
                                size_t offset, size_t *length) {
    if (memory->n_roles > 0) {
        if (offset != 0 || (*length != 0 && *length != memory->bytes) || (!output && !memory->written)) return NPU__NN_BAD_DATA;
        *length = memory->bytes;
        for (int32_t i = 0; i < memory->n_roles; i++) {
            const npu__nn_role *r = &memory->roles[i];
            if (r->compilation == c && r->index == (uint32_t)index && r->output == output) return NPU__NN_NO_ERROR;
        }
        return NPU__NN_BAD_DATA;
    }
    if (offset > memory->bytes || *length > memory->bytes - offset) return NPU__NN_BAD_DATA;
    return (output ? memory->writable : memory->readable) ? NPU__NN_NO_ERROR : NPU__NN_BAD_DATA;
}

#endif
