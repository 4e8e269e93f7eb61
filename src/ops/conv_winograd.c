/* Convolutions of floats by Winograd's tiles (kernels/winograd_f32.h), where these are faster. */
#include "conv_fast.h"
#include "conv_util.h"

#define NPU__WINO_TILES 48 /* worked on at a time, or half as many where those take more than ... */
#define NPU__WINO_BYTES (256 * 1024)
#define NPU__WINO_LEAST 8
#define NPU__WINO_FEW 2 /* with vectors of four floats, GEMM of so few rows is hardly slower: where more are not little beside the images */
#define NPU__WINO_LITTLE 16
#define NPU__WINO_GRAIN 40000 /* products that are worth a thread */

/* Work memory for so many tiles, if it is at most twice the images: it must not be what makes a small network large. */
NPU__FN int npu__conv_wino_least(const npu__ctx *c, const npu__conv_data *d, int32_t tiles, size_t *bytes) {
    const size_t in = c->in[0]->bytes, out = c->out[0]->bytes;
    if (!npu__wino_f32_work(d->fast.gemm_f32, &d->g, NPU__MIN(npu__wino_f32_tiles(&d->g), (int64_t)tiles), bytes)) return 0;
    return *bytes / 2 <= in || *bytes / 2 - in <= out;
}

NPU__FN int npu__conv_wino_fits(const npu__ctx *c, const npu__conv_data *d, size_t *each, size_t *least, size_t *most) {
    const npu__conv_fast *f = &d->fast;
    const int64_t         tiles = npu__wino_f32_tiles(&d->g), half = NPU__WINO_TILES / 2;
    if (!npu__wino_f32_packed_bytes(f->gemm_f32, f->n, d->g.in_c, each)) return 0;
    if (!npu__conv_wino_least(c, d, f->gemm_f32->mr, least) && !npu__conv_wino_least(c, d, NPU__WINO_LEAST, least)) return 0;
    if (f->wino->lanes == 4 && *least > c->in[0]->bytes / NPU__WINO_LITTLE + c->out[0]->bytes / NPU__WINO_LITTLE)
        (void)npu__conv_wino_least(c, d, NPU__WINO_FEW, least); /* less than what fits */
    if (!npu__wino_f32_work(f->gemm_f32, &d->g, NPU__MIN(tiles, (int64_t)NPU__WINO_TILES), most)) return 0;
    return *most <= NPU__WINO_BYTES || npu__wino_f32_work(f->gemm_f32, &d->g, NPU__MIN(tiles, half), most);
}

NPU__FN npu_status npu__conv_wino_prepare(npu__ctx *c, npu__conv_data *d) {
    npu__conv_fast *f = &d->fast;
    size_t          packed, least, most, plain;
    f->wino = NPU__HAS_WINOGRAD ? npu__wino_f32_select(npu__ctx_isa(c)) : NULL;
    if (!f->wino || !npu__wino_f32_takes(&d->g) || !npu__wino_f32_pays(f->wino, &d->g) || !npu__conv_wino_fits(c, d, &packed, &least, &most)) {
        return NPU_OK;
    }
    if (!npu__gemm_f32_packed_bytes(f->gemm_f32, f->n, f->k, &plain) || !npu__may_grow(c, packed * NPU__WINO - plain)) return NPU_OK;
    f->kind = NPU__FAST_WINO_F32;
    d->kernel = f->wino->name;
    f->block = npu__wino_f32_fit(f->gemm_f32, &d->g, most, NPU__WINO_TILES);
    f->groups = NPU__WINO; /* as many matrices */
    return npu__conv_fast_slots(c, f, packed, least, most);
}

NPU__FN void npu__conv_wino_pack(npu__ctx *c, const npu__conv_data *d, const float *w, const float *bias) {
    const npu__conv_fast *f = &d->fast;
    npu__wino_f32_pack(f->gemm_f32, f->n, d->g.in_c, w, bias, f->packed_each, (float *)npu__slot(c, f->packed_slot));
}

typedef struct npu__conv_wino_work {
    npu__wino_f32_job job;
    int32_t           some;    /* tiles at a time */
    uint8_t          *scratch;
    size_t            each;    /* of a thread */
} npu__conv_wino_work;

NPU__FN void npu__conv_wino_range(void *arg, int64_t begin, int64_t end, int32_t thread) {
    const npu__conv_wino_work *work = (const npu__conv_wino_work *)arg;
    float                     *scratch = (float *)(void *)(work->scratch + (size_t)thread * work->each);
    for (int32_t some; begin < end; begin += some) {
        some = (int32_t)NPU__MIN(end - begin, (int64_t)work->some);
        npu__wino_f32_run(&work->job, begin, some, scratch);
    }
}

NPU__FN void npu__conv_wino_eval(npu__ctx *c, const npu__conv_data *d) {
    const npu__conv_fast *f = &d->fast;
    const int32_t         mr = f->gemm_f32->mr, threads = npu__ctx_threads(c);
    const int64_t         tiles = npu__wino_f32_tiles(&d->g), share = (tiles + threads - 1) / threads;
    npu__conv_wino_work   work;
    work.job.kern = f->wino;
    work.job.gemm = f->gemm_f32;
    work.job.g = &d->g;
    work.job.in = (const float *)c->in[0]->data;
    work.job.packed = (const float *)npu__slot(c, f->packed_slot);
    work.job.each = f->packed_each;
    work.job.lo = d->lo;
    work.job.hi = d->hi;
    work.job.out = (float *)c->out[0]->data;
    work.scratch = (uint8_t *)npu__slot(c, f->scratch_slot);
    work.each = npu__slot_bytes(c, f->scratch_slot) / (size_t)threads & ~(size_t)63;
    work.some = npu__wino_f32_fit(f->gemm_f32, &d->g, work.each, f->block);
    if (work.some > mr) work.some -= work.some % mr;
    npu__parallel_tiles(c, tiles, NPU__WINO_GRAIN / ((int64_t)NPU__WINO * d->g.in_c * f->n) + 1,
                        NPU__MIN((int64_t)work.some, (share + mr - 1) / mr * mr), npu__conv_wino_range, &work);
}
