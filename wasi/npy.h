/* numpy's .npy format, versions 1 to 3: a bounds-checked reader and a writer. Knows nothing of models. */
#ifndef NPU_RT_NPY_H
#define NPU_RT_NPY_H

#include <stddef.h>
#include <stdint.h>

enum { NPY_MAX_RANK = 8 };

typedef struct npy_array {
    char           dtype[8]; /* little-endian spelling, as in NPU_TYPE_LIST: "<f4", "|u1"; of strings "|S", "<U" */
    int            item_bytes;
    int            swap; /* the file is big-endian: swap groups of this many bytes; 0 = no */
    int            fortran;
    int            rank;
    int32_t        dims[NPY_MAX_RANK];
    size_t         elems;
    size_t         file_bytes; /* that its header speaks of; 0 while it is not read */
    const uint8_t *data; /* inside the bytes given */
} npy_array;

int npy_is(const uint8_t *bytes, size_t n);
/* Returns NULL or, for a file that is broken or of a kind not read here, the reason as a sentence's end. */
const char *npy_parse(const uint8_t *bytes, size_t n, npy_array *out);
/* Elements in C order and little-endian, elems * item_bytes bytes. */
void npy_copy(const npy_array *a, uint8_t *out);
/* Writes a version 1.0 header; returns its length. `cap` of 512 is always enough. */
size_t npy_header(char *out, size_t cap, const char *dtype, int rank, const int32_t *dims);

#endif
