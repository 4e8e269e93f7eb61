/* Files other than .npy that can become an input. Each function fills the input's shape, data and `how`, says how on
 * stderr, and returns an exit code. */
#ifndef NPU_RT_MEDIA_H
#define NPU_RT_MEDIA_H

#include "cli.h"

int image_is(const uint8_t *p, size_t n);
int image_input(cli_run *run, int32_t index, const uint8_t *file, size_t n, const char *path);
/* NULL, or why a JPEG file must not be decoded, as a sentence's end. Other files are not looked at. */
const char *jpeg_refused(const uint8_t *p, size_t n);
/* Scales interleaved 8-bit pixels; false without memory. No side may exceed IMAGE_MAX_SIDE: so no size overflows. */
enum { IMAGE_MAX_SIDE = 16384 };
int image_resample(const uint8_t *from, int w, int h, int channels, uint8_t *to, int new_w, int new_h);
int wav_is(const uint8_t *p, size_t n);
int wav_input(cli_run *run, int32_t index, const uint8_t *file, size_t n, const char *path);

#endif
