/* Operators private to this front end, for operations that no other operator computes: registered as a caller's own would be
 * (npu_model_desc.operators), with names that begin with "nnapi.". All compute with reals in float: quantized inputs are dequantized
 * before, outputs quantized after. Their options are the scalars of the operation, as a flexbuffer's map. */
#ifndef NPU__NNAPI_KERNEL_H
#define NPU__NNAPI_KERNEL_H

#include "operations.h"

#if NPU__HAS_NNAPI

enum { NPU__NN_K_INPUTS = 29, NPU__NN_K_OUTPUTS = 6, NPU__NN_K_MEMORY = 8, NPU__NN_K_SCALARS = 16 };

/* npu_call_data of every one of them. */
typedef struct npu__nn_kernel {
    int32_t in[NPU__NN_K_INPUTS], out[NPU__NN_K_OUTPUTS]; /* memory of reals; -1: they are reals already, or plain integers */
    int32_t memory[NPU__NN_K_MEMORY];                     /* to work in */
} npu__nn_kernel;

/* ---- prepare ---- */

/* Asks for the memory of reals. `integers`: also for int32 that says no scale. */
NPU__FN npu_status npu__nn_k_prepare(npu_call *call, int integers);
/* Asks for `n` elements of 4 bytes to work in. */
NPU__FN npu_status npu__nn_k_memory(npu_call *call, int32_t which, int64_t n);
/* Has input `i` (left out: fine) that rank and those dimensions (-1: any)? */
NPU__FN npu_status npu__nn_k_need(npu_call *call, int32_t i, int32_t rank, int32_t d0, int32_t d1);
/* Is it of int32? */
NPU__FN npu_status npu__nn_k_indices(npu_call *call, int32_t i);

/* ---- every phase ---- */

/* An option. One that is left out is 0. */
NPU__FN int64_t npu__nn_k_int(const npu_call *call, const char *name);
NPU__FN float npu__nn_k_real(const npu_call *call, const char *name);
/* Dimension `axis` of input `i`; 0: there is none. */
NPU__FN int32_t npu__nn_k_dim(const npu_call *call, int32_t i, int32_t axis);
NPU__FN int64_t npu__nn_k_count(const npu_tensor *t);
/* infer: a shape of up to four dimensions. */
NPU__FN npu_status npu__nn_k_shape(npu_call *call, int32_t i, int32_t rank, int64_t d0, int64_t d1, int64_t d2, int64_t d3);

/* Maps of either layout: their sizes, and how many values it is from one to the next in each direction. */
typedef struct npu__nn_maps {
    int64_t n, h, w, channels;
    int64_t map, row, column, channel;
    int     nchw;
} npu__nn_maps;
NPU__FN npu__nn_maps npu__nn_k_maps_of(int64_t n, int64_t h, int64_t w, int64_t channels, int nchw);
/* Input 0, whose layout the option nchw says. */
NPU__FN npu__nn_maps npu__nn_k_maps(const npu_call *call);
/* infer: the shape of output 0. */
NPU__FN npu_status npu__nn_k_maps_shape(npu_call *call, const npu__nn_maps *maps);

/* ---- eval ---- */

/* Reals of input `i`; NULL: it is left out, or has no elements. `scale` > 0: the scale of int32 that says none. */
NPU__FN npu_status npu__nn_k_in(npu_call *call, int32_t i, float scale, const float **out);
/* Where the reals of output `i` go; npu__nn_k_end makes of them what it has. */
NPU__FN float *npu__nn_k_out(npu_call *call, int32_t i);
NPU__FN npu_status npu__nn_k_end(npu_call *call);
NPU__FN void *npu__nn_k_work(npu_call *call, int32_t which);
/* Says that a pass took so many steps, now and then. False: stop. */
NPU__FN int npu__nn_k_poll(npu_call *call, int64_t *done, int64_t steps);

/* A fused activation by NNAPI's code (0 none, 1 RELU, 2 RELU1, 3 RELU6, 4 TANH, 6 LOGISTIC). */
NPU__FN int npu__nn_k_act_known(int64_t code);
NPU__FN float npu__nn_k_act(int32_t code, float v);
NPU__FN float npu__nn_k_dot(const float *a, const float *b, int32_t n);

/* ---- making them ---- */

/* Scalars that become options. */
typedef struct npu__nn_scalars {
    int32_t  n;
    npu__str key[NPU__NN_K_SCALARS];
    int32_t  is_real[NPU__NN_K_SCALARS];
    int64_t  i[NPU__NN_K_SCALARS];
    double   f[NPU__NN_K_SCALARS];
} npu__nn_scalars;

NPU__FN void npu__nn_scalar_int(npu__nn_scalars *s, const char *key, int64_t value);
NPU__FN void npu__nn_scalar_real(npu__nn_scalars *s, const char *key, double value);
/* What the named words of the row say. */
NPU__FN npu_status npu__nn_scalars_of(npu__nn_maker *k, const npu__nn_op *op, npu__nn_scalars *s);
NPU__FN npu_status npu__nn_add_private(npu__nn_maker *k, const char *name, const int32_t *in, int32_t n_in, const int32_t *out,
                                       int32_t n_out, const npu__nn_scalars *s);

/* The list of them: X(name, function, least and most inputs, those that may be left out, least and most outputs, file) */
#define NPU__NN_KERNELS(X) \
    X("nnapi.lstm", lstm, 20, 29, 0x1ff31e22u, 1, 4, "op_lstm.c") \
    X("nnapi.rnn", rnn, 5, 7, 0x60u, 1, 2, "op_rnn_svdf.c") \
    X("nnapi.svdf", svdf, 5, 5, 0x8u, 2, 2, "op_rnn_svdf.c") \
    X("nnapi.pool", pool, 1, 1, 0, 1, 1, "op_pool.c") \
    X("nnapi.lrn", lrn, 1, 1, 0, 1, 1, "op_lrn.c") \
    X("nnapi.bbox_transform", bbox, 4, 4, 0, 1, 1, "op_boxes.c") \
    X("nnapi.roi", roi, 3, 3, 0, 1, 1, "op_roi.c") \
    X("nnapi.heatmap", heatmap, 2, 2, 0, 2, 2, "op_roi.c") \
    X("nnapi.detection", detection, 3, 3, 0, 4, 4, "op_detection.c") \
    X("nnapi.nms_limit", nms_limit, 3, 3, 0, 6, 6, "op_nms.c") \
    X("nnapi.proposals", proposals, 4, 4, 0, 5, 5, "op_nms.c")
#define NPU__X(name, fn, a, b, c, d, e, file)                          \
    NPU__FN npu_status npu__nn_##fn##_infer(void *user, npu_call *call);   \
    NPU__FN npu_status npu__nn_##fn##_prepare(void *user, npu_call *call); \
    NPU__FN npu_status npu__nn_##fn##_eval(void *user, npu_call *call);    \
    NPU__FN int64_t npu__nn_##fn##_work(void *user, const npu_call *call);
NPU__NN_KERNELS(NPU__X)
#undef NPU__X

enum { NPU__NN_KERNEL_COUNT = 0
#define NPU__X(name, fn, a, b, c, d, e, file) + 1
    NPU__NN_KERNELS(NPU__X)
#undef NPU__X
};
/* Registers them. `list` has room for all of them, and lives until the graph is made. */
NPU__FN void npu__nn_kernels(npu_model_desc *d, npu_user_op *list);

/* ---- boxes (x1, y1, x2, y2), in op_boxes.c ---- */

/* The box that deltas (dx, dy, dw, dh) make of another, cut to the image's height and width. */
NPU__FN void npu__nn_box_move(const float *box, const float *delta, const float *image, float *out);
/* Has it no negative width or height, nor a NaN? */
NPU__FN int npu__nn_box_ok(const float *box);
NPU__FN float npu__nn_box_overlap(const float *a, const float *b);

/* Non-maximum suppression of one class. Box and score of candidate `i` stand `box_step` and `score_step` floats behind those of
 * i - 1; scores are changed by the soft kernels 1 (linear) and 2 (gaussian). */
typedef struct npu__nn_nms {
    npu_call    *call;
    const float *boxes;
    float       *scores;
    int64_t      box_step, score_step, done;
    int32_t      kernel, most; /* most < 0: any number */
    float        overlap, sigma, least;
} npu__nn_nms;
/* Candidates in `list`, n of them: those that stay come to its front, the best first. -1: stopped. */
NPU__FN int32_t npu__nn_nms_run(npu__nn_nms *d, int32_t *list, int32_t n);
/* Puts a list into the order of falling scores; equal ones as their numbers. */
typedef struct npu__nn_ranked {
    float   score;
    int32_t at;
} npu__nn_ranked;
NPU__FN void npu__nn_rank(npu__nn_ranked *list, int32_t n);

#endif
#endif
