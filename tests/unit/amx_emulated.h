/* The tile instructions of AMX in C, for the kernel test where no machine has them. Include it behind the compiler's intrinsics. */
#ifndef NPU_TESTS_AMX_EMULATED_H
#define NPU_TESTS_AMX_EMULATED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct npu_test_tile {
    uint8_t bytes[16][64];
} npu_test_tile;
static npu_test_tile npu_test_tiles[8];
static uint8_t       npu_test_config[64];
static int           npu_test_configured;

static int npu_test_rows(int n) { return npu_test_config[48 + n]; }
static int npu_test_width(int n) { return npu_test_config[16 + 2 * n] | npu_test_config[17 + 2 * n] << 8; }
static void npu_test_need(int ok, const char *what) {
    if (ok) return;
    printf("FAIL amx: %s\n", what);
    exit(1);
}
static void npu_test_tile_config(const void *config) {
    memcpy(npu_test_config, config, 64);
    memset(npu_test_tiles, 0, sizeof npu_test_tiles);
    npu_test_need(npu_test_config[0] == 1 && npu_test_config[1] == 0, "palette");
    for (int i = 2; i < 16; i++) npu_test_need(npu_test_config[i] == 0, "reserved bytes");
    for (int n = 0; n < 8; n++)
        npu_test_need(npu_test_rows(n) > 0 && npu_test_rows(n) <= 16 && npu_test_width(n) > 0 && npu_test_width(n) <= 64, "shape of a tile");
    npu_test_configured = 1;
}
static void npu_test_tile_release(void) { npu_test_configured = 0; }
static void npu_test_tile_zero(int n) { memset(&npu_test_tiles[n], 0, sizeof npu_test_tiles[n]); }
static void npu_test_tile_load(int n, const void *from, size_t stride) {
    npu_test_need(npu_test_configured, "load without a configuration");
    npu_test_tile_zero(n);
    for (int r = 0; r < npu_test_rows(n); r++)
        memcpy(npu_test_tiles[n].bytes[r], (const uint8_t *)from + (size_t)r * stride, (size_t)npu_test_width(n));
}
static void npu_test_tile_store(int n, void *to, size_t stride) {
    npu_test_need(npu_test_configured, "store without a configuration");
    for (int r = 0; r < npu_test_rows(n); r++)
        memcpy((uint8_t *)to + (size_t)r * stride, npu_test_tiles[n].bytes[r], (size_t)npu_test_width(n));
}
/* Unsigned bytes of a times signed ones of b, four by four. */
static void npu_test_tile_dot(int c, int a, int b) {
    npu_test_need(npu_test_configured, "product without a configuration");
    npu_test_need(npu_test_rows(a) == npu_test_rows(c) && npu_test_width(a) == 4 * npu_test_rows(b) &&
                      npu_test_width(b) == npu_test_width(c), "shapes of a product");
    for (int m = 0; m < npu_test_rows(c); m++) {
        for (int n = 0; n < npu_test_width(c) / 4; n++) {
            uint32_t sum;
            memcpy(&sum, &npu_test_tiles[c].bytes[m][4 * n], 4);
            for (int k = 0; k < npu_test_width(a); k++)
                sum += (uint32_t)(npu_test_tiles[a].bytes[m][k] * (int8_t)npu_test_tiles[b].bytes[k / 4][4 * n + k % 4]);
            memcpy(&npu_test_tiles[c].bytes[m][4 * n], &sum, 4);
        }
    }
}

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbusd
#define _tile_loadconfig(config) npu_test_tile_config(config)
#define _tile_release() npu_test_tile_release()
#define _tile_zero(n) npu_test_tile_zero(n)
#define _tile_loadd(n, from, stride) npu_test_tile_load(n, from, stride)
#define _tile_stored(n, to, stride) npu_test_tile_store(n, to, stride)
#define _tile_dpbusd(c, a, b) npu_test_tile_dot(c, a, b)

#endif
