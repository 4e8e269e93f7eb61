/* Scaling an image: bilinear where it grows, a triangle-weighted mean of all pixels concerned where it shrinks. Plain
 * float arithmetic in a fixed order, so that every build feeds a model the same numbers. */
#include <stdlib.h>

#include "media.h"

/* One output position: the mean of `n` inputs from `first` on, weight `i` at weights[i]. */
typedef struct taps {
    int    first, n;
    float *weights;
} taps;

static int max_taps(int from, int to) { return from > to ? 2 * (from / to + 2) : 4; }

/* `weights`: to * max_taps entries. */
static void make_taps(taps *t, float *weights, int from, int to) {
    double scale = (double)from / to, reach = scale > 1 ? scale : 1;
    int    i, k;
    for (i = 0; i < to; i++) {
        double center = (i + 0.5) * scale, sum = 0;
        int    first = (int)(center - reach), last = (int)(center + reach) + 1;
        first = first < 0 ? 0 : first;
        last = last > from ? from : last;
        t[i].first = first;
        t[i].n = last - first;
        t[i].weights = weights + (size_t)i * (size_t)max_taps(from, to);
        for (k = first; k < last; k++) {
            double away = (k + 0.5 - center) / reach, w = away < 0 ? 1 + away : 1 - away;
            t[i].weights[k - first] = (float)(w > 0 ? w : 0);
            sum += w > 0 ? w : 0;
        }
        for (k = 0; k < t[i].n; k++) t[i].weights[k] = (float)((double)t[i].weights[k] / sum);
    }
}

/* One row of the image, scaled to the new width. */
static void across(const uint8_t *from, int channels, const taps *t, float *to, int new_w) {
    int x, c, k;
    for (x = 0; x < new_w; x++)
        for (c = 0; c < channels; c++) {
            const uint8_t *p = from + (size_t)t[x].first * (size_t)channels + c;
            float          sum = 0;
            for (k = 0; k < t[x].n; k++) sum += t[x].weights[k] * (float)p[(size_t)k * (size_t)channels];
            *to++ = sum;
        }
}

/* A row is scaled across whenever a new row needs it, a few times in all: keeping all of them could take gigabytes. */
static void rows(const uint8_t *from, size_t pitch, int channels, const taps *tx, const taps *ty, float *line, float *sum,
                 uint8_t *to, int new_w, int new_h) {
    size_t row = (size_t)new_w * (size_t)channels, i;
    int    y, k;
    for (y = 0; y < new_h; y++) {
        for (i = 0; i < row; i++) sum[i] = 0.5f;
        for (k = 0; k < ty[y].n; k++) {
            across(from + (size_t)(ty[y].first + k) * pitch, channels, tx, line, new_w);
            for (i = 0; i < row; i++) sum[i] += ty[y].weights[k] * line[i];
        }
        for (i = 0; i < row; i++) *to++ = (uint8_t)(sum[i] < 0 ? 0 : sum[i] > 255 ? 255 : sum[i]);
    }
}

int image_resample(const uint8_t *from, int w, int h, int channels, uint8_t *to, int new_w, int new_h) {
    size_t row = (size_t)new_w * (size_t)channels;
    float *line = malloc(2 * row * sizeof(float));
    float *wx = malloc((size_t)new_w * (size_t)max_taps(w, new_w) * sizeof(float));
    float *wy = malloc((size_t)new_h * (size_t)max_taps(h, new_h) * sizeof(float));
    taps  *tx = malloc((size_t)new_w * sizeof(taps)), *ty = malloc((size_t)new_h * sizeof(taps));
    int    ok = line && wx && wy && tx && ty;
    if (ok) {
        make_taps(tx, wx, w, new_w);
        make_taps(ty, wy, h, new_h);
        rows(from, (size_t)w * (size_t)channels, channels, tx, ty, line, line + row, to, new_w, new_h);
    }
    free(line);
    free(wx);
    free(wy);
    free(tx);
    free(ty);
    return ok;
}
