/* Recognises handwritten digits that the network has never seen: prints images, predictions, accuracy and timing.
 *
 *     cc -O2 -I. examples/digits/digits.c -lm -o build/digits && build/digits examples/digits */
#define NPU_RT_IMPLEMENTATION
#include "npu_rt.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SHOWN 6
#define MAX_IMAGES 1000

static unsigned char file_bytes[1 << 20];
static unsigned char pixels[MAX_IMAGES * 64]; /* 8x8 each, 0..16 */
static int           labels[MAX_IMAGES];

static size_t read_file(const char *dir, const char *name) {
    char   path[1024];
    FILE  *f;
    size_t n;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "rb");
    if (!f) { perror(path); exit(1); }
    n = fread(file_bytes, 1, sizeof file_bytes - 1, f);
    fclose(f);
    file_bytes[n] = 0;
    return n;
}

/* The images stand one below the other in a PGM file; its comment lists the labels. */
static int read_images(const char *dir) {
    size_t n = read_file(dir, "held_out.pgm");
    char  *p = strstr((char *)file_bytes, "labels");
    int    count = 0;
    if (!p) return 0;
    for (p += 6; *p != '\n' && *p && count < MAX_IMAGES; count++) labels[count] = (int)strtol(p, &p, 10);
    if (n < (size_t)count * 64) return 0;
    memcpy(pixels, file_bytes + n - (size_t)count * 64, (size_t)count * 64);
    return count;
}

static float probability(const npu_tensor *t, int i) { /* int8: scale 1/256, zero point -128 */
    return t->type == NPU_INT8 ? (float)(((const int8_t *)t->data)[i] + 128) / 256.0f : ((const float *)t->data)[i];
}

static int run(npu_session *s, const unsigned char *image, int *percent) {
    npu_tensor in, out; npu_diag diag;
    int        best = 0;
    npu_session_input(s, 0, &in);
    for (int i = 0; i < 64; i++) {
        if (in.type == NPU_INT8) ((int8_t *)in.data)[i] = (int8_t)(image[i] - 8); /* scale 1/16, zero point -8 */
        else ((float *)in.data)[i] = (float)image[i] / 16.0f;
    }
    if (npu_session_invoke(s, &diag) != NPU_OK) { puts(diag.text); exit(1); }
    npu_session_output(s, 0, &out);
    for (int i = 1; i < 10; i++) if (probability(&out, i) > probability(&out, best)) best = i;
    *percent = (int)(probability(&out, best) * 100.0f);
    return best;
}

static void show(npu_session *s, int first) {
    static const char ink[] = "  ..::--==++**##%%@@@@@@@@@@@@@@@@"; /* two characters a pixel */
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < SHOWN * 8; x++)
            printf("%.2s%s", ink + 2 * pixels[(first + x / 8) * 64 + y * 8 + x % 8], x % 8 == 7 ? "  " : "");
        printf("\n");
    }
    for (int k = 0; k < SHOWN; k++) {
        int percent, got = run(s, pixels + (first + k) * 64, &percent);
        printf("is %d: says %d, %2d%%  ", labels[first + k], got, percent);
    }
    printf("\n\n");
}

static void recognise(const char *dir, const char *model_name, int count) {
    npu_model *model; npu_plan *plan; npu_session *s; npu_memory mem; npu_diag diag;
    int        right = 0, percent;
    clock_t    start;
    size_t     n = read_file(dir, model_name);
    if (npu_model_open(&model, file_bytes, n, NULL, &diag) != NPU_OK ||
        npu_plan_create(&plan, model, NULL, &diag) != NPU_OK ||
        npu_session_create(&s, plan, NULL, &diag) != NPU_OK) { puts(diag.text); exit(1); }
    if (strstr(model_name, "int8")) show(s, 0);
    start = clock();
    for (int i = 0; i < count; i++) right += run(s, pixels + i * 64, &percent) == labels[i];
    npu_plan_memory(plan, &mem);
    printf("%-22s %d of %d held-out images right (%.1f %%), %.1f us an image (%s), %zu bytes of memory\n", model_name,
           right, count, 100.0 * right / count, (double)(clock() - start) * 1e6 / CLOCKS_PER_SEC / count,
           npu_isa_name(npu_plan_isa(plan)), mem.session_bytes);
    npu_session_destroy(s); npu_plan_destroy(plan); npu_model_close(model);
}

int main(int argc, char **argv) {
    const char *dir = argc > 1 ? argv[1] : "examples/digits";
    int         count = read_images(dir);
    if (count < SHOWN) { fprintf(stderr, "no images in %s/held_out.pgm\n", dir); return 1; }
    recognise(dir, "digits_int8.tflite", count);
    recognise(dir, "digits_float32.tflite", count);
    return 0;
}
