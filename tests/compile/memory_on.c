/* Memory of models on this machine, or on another one: a line a model and instruction set. For memory_on.py.
 *
 *     memory_on this MODEL...              with every instruction set that can be used here
 *     memory_on MACHINE ISA,... MODEL...   npu_memory_on */
#define NPU_RT_IMPLEMENTATION
#define NPU_RT_BACKEND_ALL
#include "npu_rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void line(const char *path, const npu_memory *m) {
    printf("%s %s %llu %llu %llu %llu %llu %llu %llu\n", path, npu_isa_name(m->isa), (unsigned long long)m->session_bytes,
           (unsigned long long)m->arena_bytes, (unsigned long long)m->packed_bytes, (unsigned long long)m->variable_bytes,
           (unsigned long long)m->plan_bytes, (unsigned long long)m->folded_bytes, (unsigned long long)m->model_bytes);
}

static int one(const char *path, const npu_model *model, npu_machine machine, npu_isa isa) {
    npu_plan_desc desc;
    npu_diag      diag;
    npu_memory    memory, again;
    npu_plan     *plan;
    memset(&desc, 0, sizeof desc);
    memset(&memory, 0, sizeof memory); /* padding, too: they are compared as a whole */
    memset(&again, 0, sizeof again);
    desc.isa = isa;
    if (npu_memory_on(model, &desc, machine, &memory, &diag) != NPU_OK) {
        printf("%s %s cannot be planned: %s\n", path, npu_isa_name(isa), diag.rule);
        return machine == NPU_MACHINE_THIS && npu_plan_create(&plan, model, &desc, &diag) == NPU_OK;
    }
    if (machine != NPU_MACHINE_THIS) {
        line(path, &memory);
        return 0;
    }
    if (npu_plan_create(&plan, model, &desc, &diag) != NPU_OK) return 1;
    npu_plan_memory(plan, &again);
    npu_plan_destroy(plan);
    line(path, &again);
    return memcmp(&memory, &again, sizeof memory) != 0; /* counted, and taken */
}

int main(int argc, char **argv) {
    npu_machine machine = NPU_MACHINE_THIS;
    int         i, k, first = 2, bad = 0;
    for (i = 0; argc > 1 && i < NPU_MACHINE_COUNT; i++)
        if (strcmp(argv[1], npu_machine_name((npu_machine)i)) == 0) machine = (npu_machine)i;
    if (machine != NPU_MACHINE_THIS) first = 3;
    for (i = first; i < argc; i++) {
        FILE      *f = fopen(argv[i], "rb");
        npu_model *model;
        npu_diag   diag;
        long       n;
        void      *bytes;
        if (!f || fseek(f, 0, SEEK_END) != 0 || (n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) != 0) return 2;
        bytes = malloc((size_t)n);
        if (!bytes || fread(bytes, 1, (size_t)n, f) != (size_t)n) return 2;
        fclose(f);
        if (npu_model_open(&model, bytes, (size_t)n, NULL, &diag) != NPU_OK) {
            printf("%s cannot be opened: %s\n", argv[i], diag.rule);
            free(bytes);
            continue;
        }
        for (k = NPU_ISA_SCALAR; k < NPU_ISA_COUNT; k++) {
            const char *name = npu_isa_name((npu_isa)k);
            if (machine == NPU_MACHINE_THIS ? npu_isa_available((npu_isa)k) : strstr(argv[2], name) != NULL)
                bad |= one(argv[i], model, machine, (npu_isa)k);
        }
        npu_model_close(model);
        free(bytes);
    }
    return bad;
}
