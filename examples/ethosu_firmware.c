/* Firmware for a Cortex-M55 with an Ethos-U55: no malloc, no stdio, no file system. The model is an array in flash that
 * Vela compiled; its NPU parts go to Arm's core driver through ten lines, its other operators run on the CPU.
 *
 *     arm-none-eabi-gcc -mcpu=cortex-m55 -mthumb -mfloat-abi=hard -std=c11 -Os -ffunction-sections -fdata-sections \
 *         -I.. -c ethosu_firmware.c
 */
#include <string.h>

/* What this program does not need stays out: 1 operator beside "ethos-u", no prose, no reports, no stand-in for the NPU. */
#define NPU_RT_ONLY_OPS(X) X(QUANTIZE)
#define NPU_RT_BACKEND_ETHOSU
#define NPU_RT_NO_SOFTWARE_DEVICE
#define NPU_RT_NO_MALLOC
#define NPU_RT_NO_STRINGS
#define NPU_RT_NO_REPORTS
#define NPU_RT_NO_PROFILE
#define NPU_RT_NO_SIMD
#define NPU_RT_ASSERT(x) ((void)(x))
#define NPU_RT_STATIC
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"

/* Arm's core driver (ethosu_driver.h); the board's start-up code has set `ethosu0` up. */
struct ethosu_driver;
extern struct ethosu_driver ethosu0;
int ethosu_invoke_v3(struct ethosu_driver *drv, const void *custom_data, const int custom_bytes, uint64_t *const base_addr,
                     const size_t *base_bytes, const int n_bases, void *user);

extern const uint8_t g_model[]; /* the compiled .tflite, and how long it is */
extern const size_t  g_model_bytes;

static uint8_t g_memory[32u << 10] __attribute__((aligned(64))); /* all that npu_rt holds; in memory the NPU reaches */

static int drive(void *user, const void *stream, size_t stream_bytes, const uint64_t *base_addr, const size_t *base_bytes,
                 int n_bases) {
    uint64_t base[8];
    memcpy(base, base_addr, (size_t)n_bases * sizeof *base); /* the driver's argument is not const */
    return ethosu_invoke_v3((struct ethosu_driver *)user, stream, (int)stream_bytes, base, base_bytes, n_bases, NULL);
}

static const npu_ethosu_driver g_driver = {&ethosu0, drive};
static const npu_driver        g_drivers[] = {{"ethos-u", &g_driver}};

/* 0, or how far it got. Then classify() may be called as often as there are images. */
static npu_session *g_session;
int classifier_start(void) {
    static npu_fixed_buffer buffer;
    npu_allocator           allocator = npu_fixed_allocator(&buffer, g_memory, sizeof g_memory);
    npu_model_desc          model_desc;
    npu_plan_desc           plan_desc;
    npu_session_desc        session_desc;
    npu_model              *model;
    npu_plan               *plan;
    memset(&model_desc, 0, sizeof model_desc);
    memset(&plan_desc, 0, sizeof plan_desc);
    memset(&session_desc, 0, sizeof session_desc);
    model_desc.allocator = plan_desc.allocator = session_desc.allocator = allocator;
    session_desc.drivers = g_drivers;
    session_desc.n_drivers = 1;
    if (npu_model_open(&model, g_model, g_model_bytes, &model_desc, NULL) != NPU_OK) return 1;
    if (npu_plan_create(&plan, model, &plan_desc, NULL) != NPU_OK) return 2;
    if (npu_session_create(&g_session, plan, &session_desc, NULL) != NPU_OK) return 3;
    return 0;
}

/* The likeliest class of an image of int8 pixels, -1 when something fails. */
int classify(const int8_t *pixels, size_t n) {
    npu_tensor in, out;
    int        best = 0;
    if (npu_session_input(g_session, 0, &in) != NPU_OK || in.bytes != n) return -1;
    memcpy(in.data, pixels, n);
    if (npu_session_invoke(g_session, NULL) != NPU_OK || npu_session_output(g_session, 0, &out) != NPU_OK) return -1;
    for (size_t i = 1; i < out.bytes; i++)
        if (((const int8_t *)out.data)[i] > ((const int8_t *)out.data)[best]) best = (int)i;
    return best;
}

int main(void) {
    static int8_t image[64]; /* from a camera, say */
    return classifier_start() == 0 && classify(image, sizeof image) >= 0 ? 0 : 1;
}
