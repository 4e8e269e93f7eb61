/* Hostile command streams: truncations, mutants of commands and of what they read, memory one byte short. Everything
 * goes through payload, listing, check and run; each must end in a clean error or a correct run, and soon. Built with
 * ASan and UBSan by tests/run: every buffer ends exactly at the end of its allocation.
 *
 *     stream MUTANTS [MODEL...]    the streams are made by stream_maker.h; models compiled by Vela join them */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ETHOSU
#define NPU_RT_ONLY_OPS(X) /* compiled models need none */
#define NPU__EU_MAX_WORK ((uint64_t)1 << 24)
#include "npu_rt.h"
#include <stdio.h>
#include <time.h>

#include "stream_maker.h"

static long    passed, failed, runs, to_the_end, at_weights, stopped;
static double  slowest;
static int64_t longest; /* steps between two polls */

/* A mutant may ask for hours of work: its run is stopped. */
#define MAX_STEPS ((int64_t)1 << 25)

static int count_steps(void *user, int64_t steps) {
    int64_t *done = (int64_t *)user;
    if (steps > longest) longest = steps;
    *done += steps;
    return *done > MAX_STEPS;
}

static void check(int ok, const char *what, long n, const npu__eu_error *err) {
    if (ok) { passed++; return; }
    failed++;
    if (failed > 40) return;
    printf("FAIL %s %ld: %s: %s\n", what, n, err && err->rule ? err->rule : "no rule", err ? err->text : "");
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A copy that the sanitizer guards on both sides, `shift` bytes off any alignment. */
static uint8_t *guarded(const void *bytes, size_t n, size_t shift, uint8_t **block) {
    *block = (uint8_t *)malloc(n + shift ? n + shift : 1);
    if (!*block) exit(2);
    if (n && bytes) memcpy(*block + shift, bytes, n);
    else memset(*block + shift, 0, n);
    return *block + shift;
}

static int drop(void *user, const char *text, size_t n) {
    *(size_t *)user += n;
    return text == NULL;
}

static int is_clean(npu_status s, const npu__eu_error *err) {
    return s == NPU_OK || (err->rule && err->rule[0] && err->text[0] && err->word >= -1);
}

/* One case: the payload's tensor, and the three regions' contents and sizes. */
typedef struct situation {
    const uint8_t *payload, *content[3];
    size_t         n_payload, bytes[3], shift;
} situation;

/* What run does must agree with what check said, and leave read-only data alone. */
static void run_checked(const situation *c, const npu__eu_payload *p, npu_status checked, const npu__eu_need *need,
                        const char *what, long n) {
    size_t         work_bytes = checked == NPU_OK ? need->work_bytes : 65536;
    int64_t        steps = 0;
    npu__eu_poll   poll;
    npu__eu_region regions[8];
    npu__eu_error  err;
    uint8_t       *block[4], *work;
    npu_status     s;
    memset(regions, 0, sizeof regions);
    for (int i = 0; i < 3; i++) {
        regions[i].base = guarded(c->content[i], c->bytes[i], c->shift, &block[i]);
        regions[i].bytes = c->bytes[i];
        regions[i].writable = i > 0;
    }
    work = guarded(NULL, work_bytes, c->shift, &block[3]);
    poll.fn = count_steps;
    poll.user = &steps;
    poll.since = 0;
    s = npu__eu_run(p, regions, work, work_bytes, &poll, &err);
    runs++;
    check(s == NPU_CANCELLED ? steps > MAX_STEPS && !err.rule : is_clean(s, &err), what, n, &err);
    if (checked == NPU_OK) check(steps <= need->steps, "more steps than the check announced", n, &err);
    if (s == NPU_CANCELLED) {
        stopped++;
    } else if (checked == NPU_OK) { /* only what is in the regions can be wrong now */
        check(s == NPU_OK || !strcmp(err.rule, "ethos_u.weights"), what, n, &err);
        if (s == NPU_OK) to_the_end++;
        else at_weights++;
    } else {
        check(s != NPU_OK, "runs although the check refused", n, &err);
    }
    check(!c->bytes[0] || !memcmp(regions[0].base, c->content[0], c->bytes[0]), "read-only data changed", n, &err);
    for (int i = 0; i < 4; i++) free(block[i]);
}

/* Returns the status of the check (or of the payload), and the work it asks for. */
static npu_status live(const situation *c, int with_run, const char *what, long n, size_t *work_out) {
    npu__eu_payload p;
    npu__eu_error   err;
    npu__eu_region  regions[8];
    npu__text       t;
    npu_writer      writer;
    npu__eu_need    need;
    size_t          length = 0;
    uint8_t        *block, *bytes = guarded(c->payload, c->n_payload, c->shift, &block);
    double          start = seconds();
    npu_status      s = npu__eu_payload_parse(&p, bytes, c->n_payload, &err);
    memset(&need, 0, sizeof need);
    check(is_clean(s, &err), what, n, &err);
    if (s == NPU_OK) {
        writer.user = &length;
        writer.write = drop;
        for (int json = 0; json < 2; json++) {
            npu__text_init(&t, &writer);
            s = npu__eu_disasm(&t, json, &p, &err);
            check(is_clean(s, &err) && t.depth == 0, what, n, &err);
        }
        memset(regions, 0, sizeof regions);
        for (int i = 0; i < 3; i++) {
            regions[i].bytes = c->bytes[i];
            regions[i].writable = i > 0;
        }
        s = npu__eu_check(&p, regions, &need, &err);
        check(is_clean(s, &err), what, n, &err);
        check(s == NPU_OK || err.word < 0 || (size_t)err.word <= c->n_payload / 4, "word out of the payload", n, &err);
        if (with_run) run_checked(c, &p, s, &need, what, n);
    }
    free(block);
    start = seconds() - start;
    if (start > slowest) slowest = start;
    if (work_out) *work_out = need.work_bytes;
    return s;
}

/* ---- what is done to a good one ---- */

static uint64_t rng_state;
static uint32_t rng(uint32_t limit) {
    uint64_t z = rng_state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ (z >> 31)) % limit);
}

static void put_word(uint8_t *p, uint32_t v) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> 8 * i);
}

/* Cut after `n` bytes; and the stream cut after as many words, with a length that says so. */
static void truncations(const situation *good, const char *what, int with_run) {
    npu__eu_payload p;
    npu__eu_error   err;
    situation       c = *good;
    uint8_t        *copy = (uint8_t *)malloc(good->n_payload);
    if (!copy || npu__eu_payload_parse(&p, good->payload, good->n_payload, &err) != NPU_OK) exit(2);
    for (size_t n = 0; n < good->n_payload; n++) {
        c.n_payload = n;
        c.shift = n % 4;
        check(live(&c, with_run, what, (long)n, NULL) != NPU_OK, "truncated, but accepted", (long)n, NULL);
    }
    memcpy(copy, good->payload, good->n_payload);
    c.payload = copy;
    for (size_t n = 1; n < p.n_words; n++) {
        put_word(copy + 4 * (p.first_word - 1), (uint32_t)(n & 0xFFFFu) << 16 | (uint32_t)(n >> 16) << 8 | 2u);
        c.n_payload = 4 * (p.first_word + n);
        check(live(&c, with_run, what, (long)n, NULL) != NPU_OK, "no stop, but accepted", (long)n, NULL);
    }
    free(copy);
}

/* Regions one byte (and more) too small, and too little work memory. */
static void shortages(const situation *good, const char *what) {
    npu__eu_payload p;
    npu__eu_error   err;
    size_t          work_bytes = 0;
    situation       c = *good;
    npu_status      s = live(&c, 1, what, -1, &work_bytes);
    check(s == NPU_OK, "the unharmed stream", 0, &err);
    if (npu__eu_payload_parse(&p, c.payload, c.n_payload, &err) != NPU_OK) exit(2);
    for (size_t less = 16; less <= work_bytes; less = less * 2 + 1) { /* up to 15 are for alignment */
        npu__eu_region regions[8];
        uint8_t       *block[4], *work = guarded(NULL, work_bytes - less, 0, &block[3]);
        memset(regions, 0, sizeof regions);
        for (int i = 0; i < 3; i++) {
            regions[i].base = guarded(c.content[i], c.bytes[i], 0, &block[i]);
            regions[i].bytes = c.bytes[i];
            regions[i].writable = i > 0;
        }
        s = npu__eu_run(&p, regions, work, work_bytes - less, NULL, &err);
        check(s != NPU_OK && is_clean(s, &err), "too little work memory", (long)less, &err);
        for (int i = 0; i < 4; i++) free(block[i]);
    }
    for (int i = 0; i < 3; i++) {
        for (size_t n = c.bytes[i]; n > 0; n = n * 3 / 4) {
            c.bytes[i] = n - 1;
            live(&c, 1, "short region", (long)n, NULL);
        }
        c.bytes[i] = good->bytes[i];
    }
}

static void mutate_payload(uint8_t *m, size_t *n) {
    static const uint32_t odd[] = {0, 1, 2, 15, 16, 0x7F, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFFu,
                                   0x80000000u, 0xFFFFFFFFu};
    size_t words = *n / 4, at = 8 + rng((uint32_t)(words > 8 ? words - 8 : 1)), other = rng((uint32_t)words);
    uint32_t v;
    if (at >= words) at = words - 1;
    v = npu__eu_word(m, at);
    switch (rng(8)) {
    case 0: m[rng((uint32_t)*n)] ^= (uint8_t)(1u << rng(8)); break;
    case 1: put_word(m + 4 * at, v ^ 1u << rng(32)); break;
    case 2: /* two words change places */
        put_word(m + 4 * at, npu__eu_word(m, other));
        put_word(m + 4 * other, v);
        break;
    case 3: put_word(m + 4 * at, (v & 0xFFFFu) | odd[rng(14)] << 16); break; /* another parameter */
    case 4: put_word(m + 4 * at, (v & 0xFFFFu) | rng(0x10000) << 16); break;
    case 5: put_word(m + 4 * at, rng(2) ? odd[rng(14)] : rng(0xFFFFFFFFu)); break;
    case 6: put_word(m + 4 * at, (v & 0xFFFF0000u) | npu__eu_word(m, other) % 0x400u | (rng(2) ? 0x4000u : 0)); break;
    default: /* the length in the tag, sometimes with a tensor that agrees */
        put_word(m + 28, (uint32_t)rng((uint32_t)words + 8) << 16 | 2u);
        if (rng(2)) *n = rng((uint32_t)*n + 1);
        break;
    }
}

static void mutants(const situation *good, long count, const char *what, int with_run) {
    uint8_t *payload = (uint8_t *)malloc(good->n_payload), *content[2];
    for (int i = 0; i < 2; i++) content[i] = (uint8_t *)malloc(good->bytes[i]);
    if (!payload || !content[0] || !content[1]) exit(2);
    for (long i = 0; i < count; i++) {
        situation c = *good;
        uint32_t  n = rng(6), m = n ? rng(3) ? 0 : 1 + rng(4) : 1 + rng(16);
        memcpy(payload, good->payload, good->n_payload);
        c.payload = payload;
        c.shift = rng(4);
        while (n-- && c.n_payload > 64) mutate_payload(payload, &c.n_payload);
        for (int r = 0; r < 2; r++) {
            memcpy(content[r], good->content[r], good->bytes[r]);
            c.content[r] = content[r];
        }
        while (m--) { /* weights, scales, tables, or the data itself */
            int      r = rng(4) == 0;
            uint8_t *byte = &content[r][rng((uint32_t)good->bytes[r])];
            *byte = rng(2) ? (uint8_t)(*byte ^ 1u << rng(8)) : (uint8_t)rng(256);
        }
        live(&c, with_run, what, i, NULL);
    }
    free(payload);
    free(content[0]);
    free(content[1]);
}

/* ---- the streams ---- */

/* Weights in pieces of 1 to 64, as the device takes them. False when the stream ends. */
static int take_weights(npu__eu_wstream *s, int16_t *out, int32_t n) {
    while (n > 0) {
        int32_t        some = 1 + (int32_t)rng(64);
        const int16_t *w = npu__eu_wstream_take(s, some < n ? some : (some = n));
        if (!w) return 0;
        memcpy(out, w, (size_t)some * sizeof *w);
        out += some;
        n -= some;
    }
    return 1;
}

/* The maker's weights come back as they were written. */
static void weight_codings(maker *m) {
    static int16_t  want[4096], got[4096];
    npu__eu_wstream s;
    npu__eu_error   none;
    memset(&none, 0, sizeof none);
    for (int coding = 0; coding < CODE_COUNT; coding++) {
        uint32_t bytes, at;
        memset(m, 0, sizeof *m);
        m->rng = (uint64_t)coding;
        at = flash_weights(m, 4096, coding, &bytes, want);
        npu__eu_wstream_open(&s, m->flash + at, bytes, NULL);
        check(take_weights(&s, got, 4096) && !memcmp(got, want, sizeof want), "weight coding", coding, &none);
        check(!take_weights(&s, got, 4096), "past the end of the weights", coding, &none);
    }
}

static void made_streams(long count) {
    static maker   m;
    static uint8_t scratch[MAKER_SCRATCH], fast[MAKER_FAST];
    weight_codings(&m);
    for (int kind = 0; kind < MAKER_KINDS; kind++) {
        situation c;
        char      what[32];
        maker_make(&m, kind, 77u + (uint64_t)kind);
        for (size_t i = 0; i < sizeof scratch; i++) scratch[i] = (uint8_t)maker_random(&m, 256);
        memset(&c, 0, sizeof c);
        c.payload = m.payload;
        c.n_payload = m.n_payload;
        c.content[0] = m.flash;
        c.content[1] = scratch;
        c.content[2] = fast;
        c.bytes[0] = m.n_flash ? m.n_flash : 1;
        c.bytes[1] = sizeof scratch;
        c.bytes[2] = sizeof fast;
        snprintf(what, sizeof what, "stream %d", kind);
        rng_state = 0xABCDu + (uint64_t)kind;
        shortages(&c, what);
        truncations(&c, what, 1);
        mutants(&c, count / MAKER_KINDS + 1, what, 1);
        fprintf(stderr, "hostile: %s done, %ld runs so far\n", what, runs);
    }
}

static const npu__node *first_ethos_u(const npu_model *model) {
    for (int32_t i = 0; i < model->subgraphs[0].n_nodes; i++) {
        const npu__node *node = &model->subgraphs[0].nodes[i];
        if (npu__str_is(node->custom_name, "ethos-u") && node->n_in >= 4) return node;
    }
    return NULL;
}

/* A model's first operator ethos-u, without its real scratch contents. Its runs are long: fewer mutants. */
static void compiled_model(const char *path, long count) {
    static uint8_t   file[(size_t)1 << 21];
    FILE            *f = fopen(path, "rb");
    size_t           n = f ? fread(file, 1, sizeof file, f) : 0;
    npu_model       *model;
    const npu__node *node;
    situation        c;
    uint8_t         *zeros[3] = {NULL, NULL, NULL};
    if (f) fclose(f);
    if (npu_model_open(&model, file, n, NULL, NULL) != NPU_OK || !(node = first_ethos_u(model))) {
        printf("FAIL cannot use %s\n", path);
        exit(2);
    }
    memset(&c, 0, sizeof c);
    for (int i = 0; i < 4; i++) {
        const npu__tensor *x = &model->subgraphs[0].tensors[node->in[i]];
        size_t             bytes;
        if (!npu__shape_bytes(&x->shape, x->type, &bytes)) exit(2);
        if (i == 0) {
            c.payload = x->data;
            c.n_payload = x->data_bytes;
            continue;
        }
        c.bytes[i - 1] = bytes;
        if (!x->data) zeros[i - 1] = (uint8_t *)calloc(bytes, 1);
        c.content[i - 1] = x->data ? x->data : zeros[i - 1];
    }
    rng_state = 99;
    check(live(&c, 1, path, 0, NULL) == NPU_OK, path, 0, NULL);
    truncations(&c, path, 0);
    mutants(&c, count, path, 0);
    mutants(&c, count / 50 + 1, path, 1);
    for (int i = 0; i < 3; i++) free(zeros[i]);
    npu_model_close(model);
}

int main(int argc, char **argv) {
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count < 1) {
        printf("usage: stream MUTANTS [MODEL...]\n");
        return 2;
    }
    made_streams(count);
    for (int i = 2; i < argc; i++) compiled_model(argv[i], count);
    check(slowest < 60.0, "one case took seconds:", (long)slowest, NULL);
    check(longest < (int64_t)1 << 23, "steps between two polls:", (long)longest, NULL);
    fprintf(stderr, "hostile: %ld runs, %ld to the end, %ld refused at their weights, %ld stopped after %ld steps; at "
            "most %ld steps between polls; the slowest case took %.2f s\n", runs, to_the_end, at_weights, stopped,
            (long)MAX_STEPS, (long)longest, slowest);
    printf("hostile streams: %ld passed, %ld failed\n", passed, failed);
    return failed || !passed;
}
