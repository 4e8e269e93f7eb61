/* libFuzzer target: any bytes as a file that the command line reads. FUZZ_NPY, FUZZ_WAV, FUZZ_IMAGE (two bytes first: they
 * choose the model's input) or FUZZ_METADATA (what a TFLITE_METADATA entry holds). */
#include "../unit/tflite_sources.h"
#undef NPU_RT_IMPLEMENTATION /* the command line's files include the header */

#include "watch.h"

/* Metadata of a model that is not there. */
static const uint8_t *metadata_bytes;
static size_t         metadata_n;

static int32_t one_metadata(const npu_model *model, int32_t i, const char **name, size_t *name_len, const void **data,
                            size_t *bytes) {
    int32_t n = metadata_bytes ? 1 : 0;
    (void)model;
    if (!name) return n;
    if (i >= n) return -1;
    *name = "TFLITE_METADATA";
    *name_len = strlen(*name);
    *data = metadata_bytes;
    *bytes = metadata_n;
    return 0;
}
#define npu_model_metadata one_metadata

#include "../../wasi/metadata.c"

#include "../../wasi/cli.h"

/* What the readers say to people. */
int cli_error(int code, const char *fmt, ...) {
    promise(code != 0 && fmt[0], "an error without a code");
    return code;
}
void cli_note(const char *fmt, ...) { promise(fmt[0] != 0, "a note without words"); }

int cli_check_memory(uint64_t bytes, const char *what) {
    (void)bytes;
    (void)what;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#ifdef FUZZ_NPY
#include "../../wasi/npy.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    npy_array   a;
    char        header[512];
    uint8_t    *out;
    const char *why = npy_parse(bytes, n, &a);
    if (why) {
        promise(why[0] != 0, "a refusal without a reason");
        return 0;
    }
    promise(a.elems * (size_t)a.item_bytes <= n, "more elements than bytes");
    out = (uint8_t *)malloc(a.elems * (size_t)a.item_bytes + 1);
    if (!out) abort();
    npy_copy(&a, out);
    promise(npy_header(header, sizeof header, a.dtype, a.rank, a.dims) <= sizeof header, "a header that is too long");
    free(out);
    return 0;
}
#endif

#ifdef FUZZ_METADATA
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    metadata_bytes = bytes;
    metadata_n = n;
    for (int32_t i = 0; i < 6; i++) {
        cli_normalization norm;
        uint32_t          rate, channels;
        if (cli_metadata_normalization(NULL, i & 1, i / 2, &norm)) {
            promise(norm.n >= 1 && norm.n <= 4 && norm.std[0] > 0, "a normalization that divides by nothing");
        }
        (void)cli_metadata_audio(NULL, i & 1, i / 2, &rate, &channels);
    }
    return 0;
}
#endif

#if defined(FUZZ_WAV) || defined(FUZZ_IMAGE)
#ifdef FUZZ_WAV
#include "../../wasi/wav.c"
#define READ wav_input
#else
#include "../../wasi/jpeg.c"
#include "../../wasi/image.c"

#include "../../wasi/resample.c"
#define READ image_input
#endif

/* An image may ask for a gigabyte by right: small ones only, but for production. */
static int is_small(const uint8_t *bytes, size_t n) {
#if defined(FUZZ_IMAGE) && !defined(FUZZ_PRODUCTION)
    int w, h, channels;
    if (n < INT32_MAX && !jpeg_refused(bytes, n) && stbi_info_from_memory(bytes, (int)n, &w, &h, &channels)) return (int64_t)w * h <= 1 << 18;
#else
    (void)bytes;
    (void)n;
#endif
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    static const npu_type types[] = {NPU_FLOAT32, NPU_UINT8, NPU_INT8, NPU_INT16};
    static const float    scale = 0.0078125f;
    static const int32_t  zero = 3;
    cli_run    run;
    cli_args   args;
    cli_input  in;
    uint8_t    head = n > 1 ? bytes[0] : 0, shape = n > 1 ? bytes[1] : 0;
    if (n < 2 || !is_small(bytes + 2, n - 2)) return 0;
    memset(&run, 0, sizeof run);
    memset(&args, 0, sizeof args);
    memset(&in, 0, sizeof in);
    run.args = &args;
    run.inputs = &in;
    args.has_normalize = head >> 2 & 1;
    args.mean = 10;
    args.std = 0.5;
    in.declared.type = types[head & 3];
    in.declared.rank = 1 + (shape & 3);
    for (int i = 0; i < 4; i++) {
        in.declared.dims[i] = i == 0 && in.declared.rank == 4 ? 1 : (shape >> 2 & 15) + 1;
        in.declared.dims_signature[i] = shape >> (4 + i) & 1 ? -1 : in.declared.dims[i];
    }
    in.declared.dims[in.declared.rank - 1] = head & 8 ? 1 : head & 16 ? 3 : 9;
    in.declared.quant.count = head >> 5 & 1;
    in.declared.quant.scale = &scale;
    in.declared.quant.zero_point = &zero;
    if (READ(&run, 0, bytes + 2, n - 2, "a file") == CLI_OK) {
        size_t elems = 1;
        for (int i = 0; i < in.rank; i++) elems *= (size_t)in.dims[i];
        promise(in.bytes == elems * (size_t)npu_type_bits(in.declared.type) / 8, "bytes that the shape does not say");
        promise(hash_bytes(0, in.data, in.bytes) + 1 != 0, "unreadable data");
    }
    free(in.data);
    return 0;
}
#endif
