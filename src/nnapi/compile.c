/* Devices, and ANeuralNetworksCompilation_*: a graph and its plan. */
#include "operations.h"

#if NPU__HAS_NNAPI

/* ---- the device: the CPU engine of this build ---- */

static const ANeuralNetworksDevice npu__nn_device = {"npu_rt"};

NPU_API int ANeuralNetworks_getDeviceCount(uint32_t *numDevices) {
    if (!numDevices) return NPU__NN_UNEXPECTED_NULL;
    *numDevices = 1;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice **device) {
    union { const ANeuralNetworksDevice *from; ANeuralNetworksDevice *to; } d; /* nothing writes it */
    if (!device) return NPU__NN_UNEXPECTED_NULL;
    *device = NULL;
    if (devIndex != 0) return NPU__NN_BAD_DATA;
    d.from = &npu__nn_device;
    *device = d.to;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device, const char **name) {
    if (!device || !name) return NPU__NN_UNEXPECTED_NULL;
    *name = device->name;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device, int32_t *type) {
    if (!device || !type) return NPU__NN_UNEXPECTED_NULL;
    *type = 2; /* a CPU */
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device, const char **version) {
    if (!device || !version) return NPU__NN_UNEXPECTED_NULL;
    *version = NPU_RT_VERSION;
    return NPU__NN_NO_ERROR;
}

/* 30: NNAPI 1.3. */
NPU_API int64_t ANeuralNetworks_getRuntimeFeatureLevel(void) { return 30; }

NPU_API int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device, int64_t *featureLevel) {
    if (!device || !featureLevel) return NPU__NN_UNEXPECTED_NULL;
    *featureLevel = ANeuralNetworks_getRuntimeFeatureLevel();
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device) {
    return device ? NPU__NN_NO_ERROR : NPU__NN_UNEXPECTED_NULL;
}

/* Are they devices, each once? */
NPU__FN int npu__nn_devices_ok(const ANeuralNetworksDevice *const *devices, uint32_t n) {
    if (!devices) return NPU__NN_UNEXPECTED_NULL;
    if (n != 1) return NPU__NN_BAD_DATA; /* there is one */
    if (!devices[0]) return NPU__NN_UNEXPECTED_NULL;
    return devices[0] == &npu__nn_device ? NPU__NN_NO_ERROR : NPU__NN_BAD_DATA;
}

/* ---- what is supported ---- */

NPU__FN npu_status npu__nn_can_plan(const ANeuralNetworksModel *model, int32_t only) {
    npu_model    *graph;
    npu_plan     *plan;
    npu_plan_desc d;
    npu_status    s = npu__nn_graph(&graph, model, only, NULL);
    if (s != NPU_OK) return s;
    memset(&d, 0, sizeof d);
    d.allocator = model->allocator;
    s = npu_plan_create(&plan, graph, &d, NULL);
    if (s == NPU_OK) npu_plan_destroy(plan);
    npu_model_close(graph);
    return s;
}

NPU_API int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel *model,
                                                                  const ANeuralNetworksDevice *const *devices,
                                                                  uint32_t numDevices, bool *supportedOps) {
    npu_status s;
    if (!model || !devices || !supportedOps) return NPU__NN_UNEXPECTED_NULL;
    NPU__NN_TRY(npu__nn_devices_ok(devices, numDevices));
    if (!model->finished) return NPU__NN_BAD_STATE;
    s = npu__nn_can_plan(model, -1);
    for (int32_t i = 0; i < model->n_ops && s != NPU_OUT_OF_MEMORY; i++) {
        /* As a whole it is not, so they are asked one by one. */
        const npu_status one = s == NPU_OK ? s : npu__nn_can_plan(model, i);
        if (one == NPU_OUT_OF_MEMORY) return NPU__NN_OUT_OF_MEMORY;
        supportedOps[model->number[i]] = one == NPU_OK;
    }
    return s == NPU_OUT_OF_MEMORY ? NPU__NN_OUT_OF_MEMORY : NPU__NN_NO_ERROR;
}

/* ---- compilations ---- */

NPU_API int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model, ANeuralNetworksCompilation **compilation) {
    ANeuralNetworksCompilation *c;
    if (!model || !compilation) return NPU__NN_UNEXPECTED_NULL;
    *compilation = NULL;
    if (!model->finished) return NPU__NN_BAD_STATE;
    c = (ANeuralNetworksCompilation *)model->allocator.alloc(model->allocator.user, sizeof *c, 64);
    if (!c) return NPU__NN_OUT_OF_MEMORY;
    memset(c, 0, sizeof *c);
    c->allocator = model->allocator;
    c->model = model;
    *compilation = c;
    return NPU__NN_NO_ERROR;
}

NPU_API int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
                                                        uint32_t numDevices, ANeuralNetworksCompilation **compilation) {
    if (compilation) *compilation = NULL;
    NPU__NN_TRY(npu__nn_devices_ok(devices, numDevices));
    NPU__NN_TRY(ANeuralNetworksCompilation_create(model, compilation));
    (*compilation)->one_device = 1;
    return NPU__NN_NO_ERROR;
}

NPU_API void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation) {
    npu_allocator a;
    if (!compilation) return;
    a = compilation->allocator;
    npu_plan_destroy(compilation->plan);
    npu_model_close(compilation->graph);
    a.free(a.user, compilation, sizeof *compilation);
}

NPU__FN int npu__nn_setting(const ANeuralNetworksCompilation *c, int ok) {
    if (!c) return NPU__NN_UNEXPECTED_NULL;
    return c->finished ? NPU__NN_BAD_STATE : ok ? NPU__NN_NO_ERROR : NPU__NN_BAD_DATA;
}

NPU_API int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation *compilation, int32_t preference) {
    return npu__nn_setting(compilation, preference >= 0 && preference <= 2);
}

NPU_API int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation *compilation, int priority) {
    return npu__nn_setting(compilation, priority == 90 || priority == 100 || priority == 110);
}

/* Compiling takes less time than reading a cache would. */
NPU_API int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation *compilation, const char *cacheDir,
                                                  const uint8_t *token) {
    if (!cacheDir || !token) return NPU__NN_UNEXPECTED_NULL;
    return npu__nn_setting(compilation, 1);
}

NPU_API int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation *compilation, uint64_t duration) {
    (void)duration; /* compiling ends soon: planning is linear in the model's size */
    return npu__nn_setting(compilation, compilation && compilation->one_device);
}

NPU_API int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation) {
    const ANeuralNetworksModel *m;
    npu_plan_desc               d;
    npu_status                  s;
    NPU__NN_TRY(npu__nn_setting(compilation, 1));
    m = compilation->model;
    compilation->finished = 1;
    s = npu__nn_graph(&compilation->graph, m, -1, &compilation->diag);
    for (uint32_t i = 0; i < m->n_in; i++) {
        if (s == NPU_OK && !npu__nn_shape_known(&m->operands[m->in[i]])) return NPU__NN_NO_ERROR; /* executions have plans */
    }
    memset(&d, 0, sizeof d);
    d.allocator = compilation->allocator;
    if (s == NPU_OK) s = npu_plan_create(&compilation->plan, compilation->graph, &d, &compilation->diag);
    return npu__nn_result(s);
}

NPU_API const char *npu_nnapi_why(const ANeuralNetworksCompilation *compilation) {
    return compilation && compilation->diag.status != NPU_OK ? compilation->diag.text : "";
}

#endif
