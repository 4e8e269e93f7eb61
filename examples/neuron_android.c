/* A model on a MediaTek phone: its parts for the NPU are compiled by the vendor's library, kept in a file and found again,
 * the CPU runs the rest. Without the library, or where it fails, the CPU runs everything, and the program says why.
 *
 *     cc -O2 -I.. neuron_android.c -lm -ldl -o neuron_android && ./neuron_android model.tflite
 *
 * The app's manifest must name the library (uses-native-library). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NPU_RT_BACKEND_NEURON
#define NPU_RT_NO_SOFTWARE_DEVICE /* the NPU or the CPU: nothing that stands in for the NPU */
#define NPU_RT_NEURON_DLOPEN
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

static void *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    void *bytes = NULL;
    long  size;
    if (f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) > 0 && fseek(f, 0, SEEK_SET) == 0) {
        bytes = malloc(*n = (size_t)size);
        if (bytes && fread(bytes, 1, *n, f) != *n) *n = 0;
    }
    if (f) fclose(f);
    return bytes;
}

/* Compiled networks: a file each, by a key that changes with the model, the library's version and the options. */
static const char *cache_name(uint64_t key) {
    static char name[40];
    snprintf(name, sizeof name, "npu_rt-%08lx%08lx.neuron", (unsigned long)(key >> 32), (unsigned long)(key & 0xffffffffu));
    return name;
}
static void *g_loaded; /* the last one: it must stay until the session exists */
static const void *cache_load(void *user, uint64_t key, size_t *bytes) {
    (void)user;
    free(g_loaded);
    g_loaded = read_file(cache_name(key), bytes);
    if (g_loaded) printf("compiled before: %s\n", cache_name(key));
    return g_loaded;
}
static void cache_store(void *user, uint64_t key, const void *network, size_t bytes) {
    FILE *f = fopen(cache_name(key), "wb");
    (void)user;
    if (f && fwrite(network, 1, bytes, f) == bytes) printf("compiled now: %s\n", cache_name(key));
    if (f) fclose(f);
}

static void say_who_ran(const npu_session *session) {
    npu_op_profile p;
    int            on_npu = 0, i, n = npu_session_op_count(session, 0);
    for (i = 0; i < n && npu_session_op_profile(session, 0, i, &p) == NPU_OK; i++) on_npu += p.vendor != NULL;
    printf("%d of %d operators on the NPU\n", on_npu, n);
}

int main(int argc, char **argv) {
    npu_neuron_options options = {"--opt-accuracy --opt 3", 2, 110, 0, 0, 100, 0, NULL, cache_load, cache_store};
    npu_neuron_driver  functions;
    npu_driver         driver = {"neuron", NULL};
    npu_plan_desc      plan_desc = {0};
    npu_session_desc   session_desc = {0};
    npu_model         *model = NULL;
    npu_plan          *plan = NULL;
    npu_session       *session = NULL;
    npu_neuron_version v = {0, 0, 0};
    npu_diag           diag;
    npu_tensor         t;
    void              *library = NULL, *bytes;
    size_t             n = 0, i;
    unsigned           sum = 0;
    if (argc != 2 || !(bytes = read_file(argv[1], &n))) return fprintf(stderr, "usage: neuron_android MODEL.tflite\n"), 2;
    if (npu_neuron_load(&functions, &library, &diag) == NPU_OK) {
        functions.options = &options;
        driver.functions = &functions;
        session_desc.drivers = &driver;
        session_desc.n_drivers = 1;
        plan_desc.backend = "neuron";
        plan_desc.fallback = 1; /* what the library fails at runs on the CPU */
        if (functions.Neuron_getVersion) functions.Neuron_getVersion(&v);
        printf("Neuron %d.%d.%d\n", v.major, v.minor, v.patch);
    } else {
        printf("everything on the CPU: %s [%s]\n", diag.text, diag.rule);
    }
    session_desc.profile = 1;
    if (npu_model_open(&model, bytes, n, NULL, &diag) || npu_plan_create(&plan, model, &plan_desc, &diag) ||
        npu_session_create(&session, plan, &session_desc, &diag)) {
        return fprintf(stderr, "%s [%s]\n", diag.text, diag.rule), 1;
    }
    if (diag.rule[0]) printf("note: %s [%s]\n", diag.text, diag.rule); /* it works, but not as it was asked to */
    for (n = 0; npu_session_input(session, (int32_t)n, &t) == NPU_OK; n++) memset(t.data, 0, t.bytes);
    if (npu_session_invoke(session, &diag)) return fprintf(stderr, "%s [%s]\n", diag.text, diag.rule), 1;
    if (diag.rule[0]) printf("note: %s [%s]\n", diag.text, diag.rule);
    say_who_ran(session);
    for (n = 0; npu_session_output(session, (int32_t)n, &t) == NPU_OK; n++) {
        for (i = 0; i < t.bytes; i++) sum = sum * 31 + ((const unsigned char *)t.data)[i];
    }
    printf("%lu outputs, hash %08x\n", (unsigned long)n, sum);
    return 0; /* the system takes the memory back */
}
