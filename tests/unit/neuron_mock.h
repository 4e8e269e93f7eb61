/* A library for the Neuron client: the software adapter behind functions that count, and fail when they are told to. */
#ifndef TESTS_UNIT_NEURON_MOCK_H
#define TESTS_UNIT_NEURON_MOCK_H

#include <string.h>

enum {
#define ROW(type, name, parameters, arguments) FN_##name,
    NPU_NEURON_FUNCTIONS(ROW)
#undef ROW
    N_FUNCTIONS
};
static const char *const names[] = {
#define ROW(type, name, parameters, arguments) #name,
    NPU_NEURON_FUNCTIONS(ROW)
#undef ROW
};

static struct {
    int fail, code, at;      /* function that fails with this code at its call number `at`; -1: none */
    int calls[N_FUNCTIONS];
} lib;

static int fails(int fn) { return ++lib.calls[fn] == lib.at && fn == lib.fail; }

#define MOCK_int(name, parameters, arguments) \
    static int mock_##name parameters { return fails(FN_##name) ? lib.code : npu__nsw_##name arguments; }
#define MOCK_void(name, parameters, arguments) \
    static void mock_##name parameters { lib.calls[FN_##name]++; npu__nsw_##name arguments; }
#define MOCK(type, name, parameters, arguments) MOCK_##type(name, parameters, arguments)
NPU_NEURON_FUNCTIONS(MOCK)

static const npu_neuron_driver counting = {
#define ROW(type, name, parameters, arguments) mock_##name,
    NPU_NEURON_FUNCTIONS(ROW)
#undef ROW
    NULL, NULL};

static void all_well(void) {
    memset(&lib, 0, sizeof lib);
    lib.fail = -1;
}

#endif
