/* What a model's TFLITE_METADATA says about preparing its inputs. */
#ifndef NPU_RT_METADATA_H
#define NPU_RT_METADATA_H

#include "npu_rt.h"

typedef struct cli_normalization {
    int   n; /* entries used: 1 = the same for all channels */
    float mean[4], std[4];
} cli_normalization;

/* Normalization of an input of subgraph 0..; false when the model says nothing (or nothing sound). */
int cli_metadata_normalization(const npu_model *model, int32_t subgraph, int32_t input, cli_normalization *out);
/* Sample rate (Hz) and channels of an audio input; false when the model says nothing. */
int cli_metadata_audio(const npu_model *model, int32_t subgraph, int32_t input, uint32_t *rate, uint32_t *channels);

#endif
