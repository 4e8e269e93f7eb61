/* Opens, plans and reports on models, and counts what that takes: executed edges of the control flow graph (of a build
 * with -fsanitize-coverage=trace-pc-guard,no-prune) and bytes at the peak. Both are the same at every run.
 *
 *   reports FILE...        for each file and phase a line: phase, status, edges, peak bytes
 *   reports --all FILE...  every backend, profile, accelerator and memory mode instead: for sanitizers; a line per file
 *
 * What the C library does for us in one call (memcpy, memset, memcmp, memchr, strlen) counts as one edge for every 16
 * bytes: a loop hidden there is still a loop. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOT_COUNTED __attribute__((no_sanitize("coverage")))

static uint64_t edges;

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
NOT_COUNTED void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
    (void)start;
    (void)stop;
}
NOT_COUNTED void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    (void)guard;
    edges++;
}

#ifndef REPORTS_LINKED /* with an object that has the implementation, and counts nothing */
NOT_COUNTED static void *counted_memcpy(void *d, const void *s, size_t n) {
    edges += n / 16;
    return memcpy(d, s, n);
}
NOT_COUNTED static void *counted_memmove(void *d, const void *s, size_t n) {
    edges += n / 16;
    return memmove(d, s, n);
}
NOT_COUNTED static void *counted_memset(void *d, int c, size_t n) {
    edges += n / 16;
    return memset(d, c, n);
}
NOT_COUNTED static int counted_memcmp(const void *a, const void *b, size_t n) {
    edges += n / 16;
    return memcmp(a, b, n);
}
NOT_COUNTED static void *counted_memchr(const void *p, int c, size_t n) {
    const void *at = memchr(p, c, n);
    edges += (at ? (size_t)((const char *)at - (const char *)p) : n) / 16;
    return (void *)(uintptr_t)at;
}
NOT_COUNTED static size_t counted_strlen(const char *s) {
    size_t n = strlen(s);
    edges += n / 16;
    return n;
}
#  define memcpy counted_memcpy
#  define memmove counted_memmove
#  define memset counted_memset
#  define memcmp counted_memcmp
#  define memchr counted_memchr
#  define strlen counted_strlen
#  define NPU_RT_BACKEND_ALL
#  define NPU_RT_IMPLEMENTATION
#endif
#include "npu_rt.h"

/* ---- memory: what is in use, and the most there was since `peak` was last set ---- */

typedef struct memory {
    size_t used, peak;
} memory;

NOT_COUNTED static void *counted_alloc(void *user, size_t bytes, size_t align) {
    memory *m = (memory *)user;
    void   *p = aligned_alloc(align, (bytes + align - 1) / align * align);
    if (!p) return NULL;
    m->used += bytes;
    if (m->used > m->peak) m->peak = m->used;
    return p;
}

NOT_COUNTED static void counted_free(void *user, void *p, size_t bytes) {
    if (p) ((memory *)user)->used -= bytes;
    free(p);
}

/* ---- phases ---- */

typedef struct bench {
    npu_allocator allocator;
    memory        memory;
    npu_model    *model;
    uint64_t      written; /* bytes of the report */
    int           quiet;
} bench;

NOT_COUNTED static int sink(void *user, const char *text, size_t n) {
    (void)text;
    ((bench *)user)->written += n;
    return 0;
}

static void begin(bench *b) {
    edges = 0;
    b->written = 0;
    b->memory.peak = b->memory.used;
}

static void end(const bench *b, const char *phase, npu_status s) {
    if (!b->quiet) {
        printf("%s %s %llu %llu %llu\n", phase, npu_status_name(s), (unsigned long long)edges,
               (unsigned long long)b->memory.peak, (unsigned long long)b->written);
    }
}

/* A plan and a session; of a backend with the CPU for what it cannot compile. */
static void run_plan(bench *b, const char *backend) {
    npu_plan     *plan = NULL;
    npu_session  *session = NULL;
    npu_plan_desc desc;
    npu_diag      diag;
    npu_status    s;
    char          name[48];
    memset(&desc, 0, sizeof desc);
    desc.allocator = b->allocator;
    desc.backend = backend;
    desc.fallback = 1;
    begin(b);
    s = npu_plan_create(&plan, b->model, &desc, &diag);
    snprintf(name, sizeof name, "plan%s%s", backend ? ":" : "", backend ? backend : "");
    end(b, name, s);
    if (s != NPU_OK) return;
    if (!b->quiet) {
        npu_session_desc sd;
        memset(&sd, 0, sizeof sd);
        sd.allocator = b->allocator;
        begin(b);
        s = npu_session_create(&session, plan, &sd, &diag);
        snprintf(name, sizeof name, "session%s%s", backend ? ":" : "", backend ? backend : "");
        end(b, name, s);
        npu_session_destroy(session);
    }
    npu_plan_destroy(plan);
}

static void run_reports(bench *b, npu_format format) {
    npu_writer w;
    npu_diag   diag;
    w.user = b;
    w.write = sink;
    begin(b);
    end(b, format == NPU_FORMAT_JSON ? "info.json" : "info", npu_model_info(b->model, NULL, format, &w, &diag));
    begin(b);
    end(b, format == NPU_FORMAT_JSON ? "dump.json" : "dump", npu_model_dump(b->model, format, &w, &diag));
    begin(b);
    end(b, format == NPU_FORMAT_JSON ? "stream.json" : "stream", npu_model_stream(b->model, format, &w, &diag));
}

static void run_check(bench *b, const char *backend, const char *profile, npu_format format) {
    npu_writer        w;
    npu_diag          diag;
    npu_check_summary summary;
    char              name[96];
    w.user = b;
    w.write = sink;
    snprintf(name, sizeof name, "check:%s", profile);
    begin(b);
    end(b, name, npu_check(b->model, backend, profile, format, &w, &summary, &diag));
}

static void run_cost(bench *b, const char *backend, const char *mode, npu_format format) {
    npu_writer    w;
    npu_diag      diag;
    npu_cost_desc desc;
    char          name[96];
    memset(&desc, 0, sizeof desc);
    desc.backend = backend;
    desc.memory_mode = mode;
    w.user = b;
    w.write = sink;
    snprintf(name, sizeof name, "cost:%s", backend);
    begin(b);
    end(b, name, npu_cost(b->model, &desc, format, &w, NULL, &diag));
}

static void run_lower(bench *b, const char *backend, const char *profile, npu_format format) {
    npu_writer     w;
    npu_diag       diag;
    npu_lower_desc desc;
    char           name[96];
    memset(&desc, 0, sizeof desc);
    desc.backend = backend;
    desc.profile = profile;
    w.user = b;
    w.write = sink;
    snprintf(name, sizeof name, "lower:%s", backend);
    begin(b);
    end(b, name, npu_model_lower(b->model, &desc, format, &w, &diag));
}

static void run_planner(bench *b, const char *backend, const char *profile, int supplied, npu_format format) {
    npu_writer           w;
    npu_diag             diag;
    npu_plan_report_desc desc;
    char                 name[96];
    memset(&desc, 0, sizeof desc);
    desc.backend = backend;
    desc.profile = profile;
    if (supplied) desc.fusion_rules = "A: CONV MATH1 MATH2 ACT1|ACT2 RESIZE POOL\nB: MATH1|MATH2 ACT1|ACT2 POOL\n";
    w.user = b;
    w.write = sink;
    snprintf(name, sizeof name, "planner:%s%s", backend, supplied ? "+" : "");
    begin(b);
    end(b, name, npu_model_plan_report(b->model, &desc, format, &w, NULL, &diag));
}

static void run_compare(bench *b, npu_format format) {
    static const char *const names[] = {"text", "json", "markdown", "dot", "html"};
    npu_writer               w;
    npu_diag                 diag;
    char                     name[96];
    w.user = b;
    w.write = sink;
    snprintf(name, sizeof name, "compare:%s", names[format]);
    begin(b);
    end(b, name, npu_compare(b->model, NULL, NULL, 0, NULL, format, &w, &diag));
}

static void run_chosen(bench *b) {
    const char *profile;
    run_plan(b, NULL);
    run_plan(b, "neuron");
    run_reports(b, NPU_FORMAT_TEXT);
    run_reports(b, NPU_FORMAT_JSON);
    for (int32_t i = 0; (profile = npu_backend_profile("ethos-u", i)) != NULL; i++) {
        run_check(b, "ethos-u", profile, NPU_FORMAT_JSON);
    }
    for (int32_t i = 0; (profile = npu_backend_profile("ethos-u85-256", i)) != NULL; i++) {
        run_check(b, "ethos-u85-256", profile, NPU_FORMAT_TEXT);
    }
    for (int32_t i = 0; (profile = npu_backend_profile("neuron", i)) != NULL; i++) {
        run_check(b, "neuron", profile, NPU_FORMAT_JSON);
    }
    run_lower(b, "neuron", NULL, NPU_FORMAT_JSON);
    for (int32_t i = 0; (profile = npu_backend_profile("mdla1.5", i)) != NULL; i++) {
        run_check(b, "mdla1.5", profile, NPU_FORMAT_JSON);
    }
    run_planner(b, "mdla1.5", "guide-relax-fp32", 0, NPU_FORMAT_TEXT);
    run_planner(b, "mdla3.0", "guide-relax-fp32", 1, NPU_FORMAT_JSON);
    run_cost(b, "ethos-u55-128", NULL, NPU_FORMAT_JSON);
    run_cost(b, "ethos-u85-256", NULL, NPU_FORMAT_TEXT);
    run_compare(b, NPU_FORMAT_JSON);
    run_compare(b, NPU_FORMAT_HTML);
}

static void run_all(bench *b) {
    const char *backend, *profile, *mode;
    b->quiet = 1;
    run_plan(b, NULL);
    run_plan(b, "neuron");
    run_reports(b, NPU_FORMAT_TEXT);
    run_reports(b, NPU_FORMAT_JSON);
    for (int f = NPU_FORMAT_TEXT; f <= NPU_FORMAT_HTML; f++) run_compare(b, (npu_format)f); /* not as DOT: an error, quickly */
    for (int32_t i = 0; (backend = npu_backend_name(i)) != NULL; i++) {
        for (int32_t k = 0; (profile = npu_backend_profile(backend, k)) != NULL; k++) {
            run_check(b, backend, profile, (i + k) % 2 ? NPU_FORMAT_JSON : NPU_FORMAT_TEXT);
            run_lower(b, backend, profile, k % 2 ? NPU_FORMAT_TEXT : NPU_FORMAT_DOT);
            run_planner(b, backend, profile, (i + k) % 2, k % 2 ? NPU_FORMAT_TEXT : NPU_FORMAT_JSON);
        }
        for (int32_t k = 0; (mode = npu_cost_memory_mode(k)) != NULL; k++) {
            run_cost(b, backend, mode, (i + k) % 2 ? NPU_FORMAT_JSON : NPU_FORMAT_TEXT);
        }
    }
}

static uint8_t *read_file(const char *path, size_t *n) {
    FILE    *f = fopen(path, "rb");
    uint8_t *bytes;
    long     size;
    if (!f || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    rewind(f);
    *n = (size_t)size;
    bytes = (uint8_t *)malloc(*n ? *n : 1);
    if (!bytes || fread(bytes, 1, *n, f) != *n) exit(1);
    fclose(f);
    return bytes;
}

int main(int argc, char **argv) {
    int all = argc > 1 && strcmp(argv[1], "--all") == 0;
    for (int i = 1 + all; i < argc; i++) {
        bench          b;
        npu_model_desc desc;
        npu_diag       diag;
        npu_status     s;
        size_t         n;
        clock_t        start = clock();
        uint8_t       *bytes = read_file(argv[i], &n);
        memset(&b, 0, sizeof b);
        b.allocator.user = &b.memory;
        b.allocator.alloc = counted_alloc;
        b.allocator.free = counted_free;
        memset(&desc, 0, sizeof desc);
        desc.allocator = b.allocator;
        if (!all) printf("file %s %llu\n", argv[i], (unsigned long long)n);
        begin(&b);
        s = npu_model_open(&b.model, bytes, n, &desc, &diag);
        b.quiet = all;
        end(&b, "open", s);
        if (s == NPU_OK) {
            if (all) run_all(&b);
            else run_chosen(&b);
        } else if (!all) {
            printf("# %s: %s\n", diag.rule ? diag.rule : "", diag.text);
        }
        npu_model_close(b.model);
        free(bytes);
        if (all) {
            printf("%s %s %.2f\n", argv[i], s == NPU_OK ? "ok" : diag.rule, (double)(clock() - start) / CLOCKS_PER_SEC);
            fflush(stdout);
        }
        if (b.memory.used) {
            fprintf(stderr, "%s: %llu bytes were not given back\n", argv[i], (unsigned long long)b.memory.used);
            return 1;
        }
    }
    return 0;
}
