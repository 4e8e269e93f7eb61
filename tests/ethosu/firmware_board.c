/* What examples/ethosu_firmware.c needs from a board, empty: enough to link it and to measure its size. */
#include <stddef.h>
#include <stdint.h>

struct ethosu_driver { int unused; } ethosu0;
int ethosu_invoke_v3(struct ethosu_driver *drv, const void *custom_data, const int custom_bytes, uint64_t *const base_addr,
                     const size_t *base_bytes, const int n_bases, void *user);
int ethosu_invoke_v3(struct ethosu_driver *drv, const void *custom_data, const int custom_bytes, uint64_t *const base_addr,
                     const size_t *base_bytes, const int n_bases, void *user) {
    return drv->unused + custom_bytes + n_bases + (custom_data && base_addr && base_bytes && user);
}
