/* libFuzzer target: any bytes as an Ethos-U command stream and the data it reads, through payload, listing,
 * check and run. An input is: words of the payload (two bytes), how far all buffers are off alignment (one byte), one
 * byte without meaning, the payload, and the rest is region 0.
 *
 * Built with FUZZ_MAKE_CORPUS it is a program that writes corpus/stream: fuzz_stream FOLDER */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ETHOSU
#define NPU_RT_ONLY_OPS(X) /* compiled models need none */
#define NPU__EU_MAX_WORK ((uint64_t)1 << 22)
#include "npu_rt.h"

#include "../hostile/stream_maker.h"

#ifndef FUZZ_MAKE_CORPUS

static int drop(void *user, const char *text, size_t n) {
    (void)user;
    (void)text;
    (void)n;
    return 0;
}

/* A block of exactly `n` bytes behind `shift` unused ones, so that the sanitizer sees a byte too far. */
static uint8_t *take(const uint8_t *from, size_t n, size_t shift, uint8_t **block) {
    *block = (uint8_t *)malloc(n + shift ? n + shift : 1);
    if (!*block) abort();
    if (from && n) memcpy(*block + shift, from, n);
    else memset(*block + shift, 0x5A, n);
    return *block + shift;
}

/* An input may ask for hours of work: its run is stopped. */
static int count_steps(void *user, int64_t steps) { return (*(int64_t *)user += steps) > (int64_t)1 << 22; }

static void run(const npu__eu_payload *p, const uint8_t *data, size_t bytes, size_t shift) {
    npu__eu_region regions[8];
    npu__eu_error  err;
    npu__eu_need   need;
    npu__eu_poll   poll;
    int64_t        steps = 0;
    uint8_t       *block[4], *work;
    size_t         work_bytes, sizes[3];
    npu_status     checked, s;
    memset(regions, 0, sizeof regions);
    sizes[0] = bytes;
    sizes[1] = MAKER_SCRATCH;
    sizes[2] = MAKER_FAST;
    for (int i = 0; i < 3; i++) {
        regions[i].bytes = sizes[i];
        regions[i].writable = i > 0;
    }
    checked = npu__eu_check(p, regions, &need, &err);
    work_bytes = checked == NPU_OK ? need.work_bytes : 4096;
    poll.fn = count_steps;
    poll.user = &steps;
    poll.since = 0;
    for (int i = 0; i < 3; i++) regions[i].base = take(i ? NULL : data, sizes[i], shift, &block[i]);
    work = take(NULL, work_bytes, shift, &block[3]);
    s = npu__eu_run(p, regions, work, work_bytes, &poll, &err);
    if (checked != NPU_OK && s == NPU_OK) abort(); /* what the check refuses does not run */
    if (checked == NPU_OK && s != NPU_OK && s != NPU_CANCELLED && strcmp(err.rule, "ethos_u.weights") != 0) abort();
    if (checked == NPU_OK && steps > need.steps) abort(); /* the check tells how much work there is */
    if (bytes && memcmp(regions[0].base, data, bytes) != 0) abort(); /* read-only */
    for (int i = 0; i < 4; i++) free(block[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    npu__eu_payload p;
    npu__eu_error   err;
    npu_writer      writer = {NULL, drop};
    npu__text       t;
    uint8_t        *block, *payload;
    size_t          n, shift;
    if (size < 4) return 0;
    n = 4 * ((size_t)data[0] | (size_t)data[1] << 8);
    if (n > size - 4) n = size - 4;
    shift = data[2] & 7u;
    payload = take(data + 4, n, shift, &block);
    if (npu__eu_payload_parse(&p, payload, n, &err) == NPU_OK) {
        for (int json = 0; json < 2; json++) {
            npu__text_init(&t, &writer);
            (void)npu__eu_disasm(&t, json, &p, &err);
            if (t.depth != 0) abort();
        }
        run(&p, data + 4 + n, size - 4 - n, shift);
    }
    free(block);
    return 0;
}

#else
#include <stdio.h>

int main(int argc, char **argv) {
    static maker m;
    for (int kind = 0; argc == 2 && kind < MAKER_KINDS; kind++) {
        char    path[512];
        uint8_t head[4] = {0, 0, 0, 0};
        FILE   *f;
        maker_make(&m, kind, (uint64_t)kind);
        head[0] = (uint8_t)(m.n_payload / 4);
        head[1] = (uint8_t)(m.n_payload / 4 >> 8);
        head[2] = (uint8_t)kind;
        snprintf(path, sizeof path, "%s/made_%d", argv[1], kind);
        f = fopen(path, "wb");
        if (!f || fwrite(head, 1, 4, f) != 4 || fwrite(m.payload, 1, m.n_payload, f) != m.n_payload ||
            fwrite(m.flash, 1, m.n_flash, f) != m.n_flash || fclose(f) != 0) return 1;
    }
    return argc == 2 ? 0 : 2;
}
#endif
