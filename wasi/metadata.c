/* A bounded reader for the few fields of TFLITE_METADATA (a flatbuffer, identifier M001) that preparing inputs needs.
 * The bytes come unverified from the model file: every position is checked; what is out of bounds is absent. */
#include <math.h>
#include <string.h>

#include "metadata.h"

typedef struct view {
    const uint8_t *p;
    size_t         n;
} view;

/* Fields of the public metadata schema, by their place in their table. */
enum {
    MODEL_SUBGRAPHS = 3,
    SUBGRAPH_INPUTS = 2,
    TENSOR_CONTENT = 3,
    TENSOR_UNITS = 4,
    CONTENT_TYPE = 0,
    CONTENT_PROPERTIES = 1,
    CONTENT_IS_AUDIO = 4,
    AUDIO_RATE = 0,
    AUDIO_CHANNELS = 1,
    UNIT_TYPE = 0,
    UNIT_OPTIONS = 1,
    UNIT_IS_NORMALIZATION = 1,
    NORM_MEAN = 0,
    NORM_STD = 1
};

/* Positions are offsets into the view; 0 (the root offset lies there) stands for "absent". */
static int read_bytes(view v, size_t at, void *out, size_t n) {
    if (at > v.n || n > v.n - at) return 0;
    memcpy(out, v.p + at, n);
    return 1;
}

static size_t follow(view v, size_t at) {
    uint32_t off;
    if (at == 0 || !read_bytes(v, at, &off, 4) || off == 0 || off > v.n - at) return 0;
    return at + off;
}

static size_t field(view v, size_t table, int slot) {
    int32_t  back;
    int64_t  vt;
    uint16_t size, off;
    if (table == 0 || !read_bytes(v, table, &back, 4)) return 0;
    vt = (int64_t)table - back;
    if (vt < 0 || !read_bytes(v, (size_t)vt, &size, 2) || 4 + 2 * slot + 2 > size) return 0;
    if (!read_bytes(v, (size_t)vt + 4 + 2 * (size_t)slot, &off, 2) || off == 0) return 0;
    return table + off;
}

static size_t sub_table(view v, size_t table, int slot) { return follow(v, field(v, table, slot)); }

/* Position of the first element, and how many of `elem` bytes there are. */
static size_t vector(view v, size_t table, int slot, size_t elem, uint32_t *n) {
    size_t at = sub_table(v, table, slot);
    *n = 0;
    if (at == 0 || !read_bytes(v, at, n, 4) || *n > (v.n - at - 4) / elem) return 0;
    return at + 4;
}

static size_t vector_table(view v, size_t table, int slot, uint32_t i) {
    uint32_t n;
    size_t   at = vector(v, table, slot, 4, &n);
    return at && i < n ? follow(v, at + 4 * (size_t)i) : 0;
}

/* The TensorMetadata table of an input. */
static size_t input_metadata(const npu_model *model, int32_t subgraph, int32_t input, view *v) {
    const char *name;
    const void *data;
    size_t      name_len, bytes;
    uint32_t    root;
    int32_t     i, n = npu_model_metadata(model, 0, NULL, NULL, NULL, NULL);
    for (i = 0; i < n; i++) {
        if (npu_model_metadata(model, i, &name, &name_len, &data, &bytes) < 0) continue;
        if (name_len != 15 || memcmp(name, "TFLITE_METADATA", 15) != 0) continue;
        v->p = (const uint8_t *)data;
        v->n = bytes;
        if (bytes < 8 || memcmp(v->p + 4, "M001", 4) != 0 || !read_bytes(*v, 0, &root, 4) || root >= bytes) return 0;
        return vector_table(*v, vector_table(*v, root, MODEL_SUBGRAPHS, (uint32_t)subgraph), SUBGRAPH_INPUTS,
                            (uint32_t)input);
    }
    return 0;
}

static int read_normalization(view v, size_t options, cli_normalization *out) {
    uint32_t n_mean, n_std, i;
    size_t   mean = vector(v, options, NORM_MEAN, 4, &n_mean), std = vector(v, options, NORM_STD, 4, &n_std);
    if (!mean || !std || n_mean == 0 || n_std == 0) return 0;
    out->n = (int)(n_mean > n_std ? n_mean : n_std);
    if (out->n > 4) return 0;
    for (i = 0; i < (uint32_t)out->n; i++) {
        if (!read_bytes(v, mean + 4 * (size_t)(n_mean == 1 ? 0 : i), &out->mean[i], 4)) return 0;
        if (!read_bytes(v, std + 4 * (size_t)(n_std == 1 ? 0 : i), &out->std[i], 4)) return 0;
        if ((n_mean != 1 && i >= n_mean) || (n_std != 1 && i >= n_std)) return 0;
        if (!isfinite(out->mean[i]) || !isfinite(out->std[i]) || out->std[i] <= 0) return 0;
    }
    return 1;
}

int cli_metadata_normalization(const npu_model *model, int32_t subgraph, int32_t input, cli_normalization *out) {
    view     v;
    uint32_t n, i;
    size_t   tensor = input_metadata(model, subgraph, input, &v);
    if (!tensor || !vector(v, tensor, TENSOR_UNITS, 4, &n)) return 0;
    for (i = 0; i < n; i++) {
        size_t  unit = vector_table(v, tensor, TENSOR_UNITS, i), at = field(v, unit, UNIT_TYPE);
        uint8_t type;
        if (!at || !read_bytes(v, at, &type, 1) || type != UNIT_IS_NORMALIZATION) continue;
        if (read_normalization(v, sub_table(v, unit, UNIT_OPTIONS), out)) return 1;
    }
    return 0;
}

int cli_metadata_audio(const npu_model *model, int32_t subgraph, int32_t input, uint32_t *rate, uint32_t *channels) {
    view    v;
    size_t  tensor = input_metadata(model, subgraph, input, &v), content, at;
    uint8_t type;
    if (!tensor) return 0;
    content = sub_table(v, tensor, TENSOR_CONTENT);
    at = field(v, content, CONTENT_TYPE);
    if (!at || !read_bytes(v, at, &type, 1) || type != CONTENT_IS_AUDIO) return 0;
    content = sub_table(v, content, CONTENT_PROPERTIES);
    at = field(v, content, AUDIO_RATE);
    if (!at || !read_bytes(v, at, rate, 4)) return 0;
    at = field(v, content, AUDIO_CHANNELS);
    *channels = 1;
    if (at && !read_bytes(v, at, channels, 4)) return 0;
    return 1;
}
