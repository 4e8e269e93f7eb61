/* Runs examples/ethosu_firmware.c on this machine: Arm's driver is played by the software device of another copy of
 * npu_rt. Reads 64 int8 pixels an image from stdin, prints a class a line. */
#include <stdio.h>
#include <string.h>

#define NPU_RT_BACKEND_ETHOSU
#define NPU_RT_STATIC
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

struct ethosu_driver { int runs; } ethosu0;
int ethosu_invoke_v3(struct ethosu_driver *drv, const void *custom_data, const int custom_bytes, uint64_t *const base_addr,
                     const size_t *base_bytes, const int n_bases, void *user);
int classifier_start(void);
int classify(const int8_t *pixels, size_t n);

int ethosu_invoke_v3(struct ethosu_driver *drv, const void *custom_data, const int custom_bytes, uint64_t *const base_addr,
                     const size_t *base_bytes, const int n_bases, void *user) {
    static uint64_t work[1 << 18];
    npu__eu_payload payload;
    npu__eu_region  regions[8];
    npu__eu_error   error;
    npu__eu_need    need;
    (void)user;
    memset(regions, 0, sizeof regions);
    memset(&error, 0, sizeof error);
    for (int i = 0; i < n_bases && i < 8; i++) {
        regions[i].base = (uint8_t *)(uintptr_t)base_addr[i];
        regions[i].bytes = base_bytes[i];
        regions[i].writable = i > 0;
    }
    drv->runs++;
    if (npu__eu_payload_parse(&payload, custom_data, (size_t)custom_bytes, &error) != NPU_OK ||
        npu__eu_check(&payload, regions, &need, &error) != NPU_OK || need.work_bytes > sizeof work ||
        npu__eu_run(&payload, regions, work, need.work_bytes, NULL, &error) != NPU_OK) {
        fprintf(stderr, "%s [%s]\n", error.text, error.rule);
        return -1;
    }
    return 0;
}

int main(void) {
    int8_t pixels[64];
    int    code = classifier_start();
    if (code) return 10 + code;
    while (fread(pixels, 1, sizeof pixels, stdin) == sizeof pixels) printf("%d\n", classify(pixels, sizeof pixels));
    fprintf(stderr, "driver called %d times\n", ethosu0.runs);
    return 0;
}
