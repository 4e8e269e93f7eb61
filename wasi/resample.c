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

static void across(const uint8_t *from, int w, int h, int channels, const taps *t, float *to, int new_w) {
    int y, x, c, k;
    for (y = 0; y < h; y++)
        for (x = 0; x < new_w; x++)
            for (c = 0; c < channels; c++) {
                const uint8_t *p = from + ((size_t)y * (size_t)w + (size_t)t[x].first) * (size_t)channels + c;
                float          sum = 0;
                for (k = 0; k < t[x].n; k++) sum += t[x].weights[k] * (float)p[(size_t)k * (size_t)channels];
                *to++ = sum;
            }
}

static void down(const float *from, size_t row, const taps *t, uint8_t *to, int new_h) {
    size_t i;
    int    y, k;
    for (y = 0; y < new_h; y++)
        for (i = 0; i < row; i++) {
            const float *p = from + (size_t)t[y].first * row + i;
            float        sum = 0.5f;
            for (k = 0; k < t[y].n; k++) sum += t[y].weights[k] * p[(size_t)k * row];
            *to++ = (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
        }
}

int image_resample(const uint8_t *from, int w, int h, int channels, uint8_t *to, int new_w, int new_h) {
    size_t row = (size_t)new_w * (size_t)channels;
    float *between = malloc(row * (size_t)h * sizeof(float));
    float *wx = malloc((size_t)new_w * (size_t)max_taps(w, new_w) * sizeof(float));
    float *wy = malloc((size_t)new_h * (size_t)max_taps(h, new_h) * sizeof(float));
    taps  *tx = malloc((size_t)new_w * sizeof(taps)), *ty = malloc((size_t)new_h * sizeof(taps));
    int    ok = between && wx && wy && tx && ty;
    if (ok) {
        make_taps(tx, wx, w, new_w);
        make_taps(ty, wy, h, new_h);
        across(from, w, h, channels, tx, between, new_w);
        down(between, row, ty, to, new_h);
    }
    free(between);
    free(wx);
    free(wy);
    free(tx);
    free(ty);
    return ok;
}
