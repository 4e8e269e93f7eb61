/* The adapter of this machine, by dlopen: only where NPU_RT_NEURON_DLOPEN asks for it. */
#include "../../ops/util.h"
#include "api.h"

#if NPU__HAS_NEURON && defined(NPU_RT_NEURON_DLOPEN)
#include <dlfcn.h>

/* Names in the order of LiteRT, which goes through all of them and keeps the last one that is there: read from the end.
 * `since`: the NeuroPilot (times 100, as the system says it) that has it. */
static const struct npu__neuron_library {
    const char *name;
    int         since;
} npu__neuron_libraries[] = {{"libneuronusdk_adapter.mtk.so", 0},    {"libneuronusdk_adapter.10.mtk.so", 300},
                             {"libneuronusdk_adapter.9.mtk.so", 300}, {"libneuronusdk_adapter.so", 300},
                             {"libneuron_adapter_mgvi.so", 0},        {"libneuron_adapter.so", 0}};

/* What the system calls its NeuroPilot: 300 and more has several libraries. 0: it does not say. */
NPU__FN int npu__neuron_system(void) {
    void *library = dlopen("libneuron_sys_util.mtk.so", RTLD_NOW | RTLD_LOCAL);
    int (*ask)(int *) = NULL;
    int number = 0;
    if (!library) return 0;
    *(void **)(void *)&ask = dlsym(library, "NeuronService_getNeuroPilotMagicNumber");
    if (!ask || ask(&number) != NPU__NEURON_NO_ERROR) number = 0;
    dlclose(library);
    return number;
}

NPU_API npu_status npu_neuron_load(npu_neuron_driver *driver, void **library, npu_diag *diag) {
    size_t i = sizeof npu__neuron_libraries / sizeof *npu__neuron_libraries;
    int    system;
    npu__diag_clear(diag);
    if (!driver || !library) {
        return npu__diag_fail(diag, NPU_INVALID_ARGUMENT, "api.neuron",
                              "npu_neuron_load: needs a driver to fill and a place for the library");
    }
    *library = NULL;
    memset(driver, 0, sizeof *driver);
    system = npu__neuron_system();
    while (!*library && i-- > 0) {
        if (system < npu__neuron_libraries[i].since) continue;
        *library = dlopen(npu__neuron_libraries[i].name, RTLD_NOW | RTLD_LOCAL);
    }
    if (!*library) {
        return npu__diag_fail(diag, NPU_UNSUPPORTED, "neuron.library",
                              "no Neuron adapter can be loaded (libneuron_adapter.so and its "
                              "other names): this machine has no MediaTek NPU, or the app may not see the library");
    }
#define NPU__X(type, name, parameters, arguments) *(void **)(void *)&driver->name = dlsym(*library, #name);
    NPU_NEURON_FUNCTIONS(NPU__X)
#undef NPU__X
    return NPU_OK;
}

#endif
