/* Output stages of integer matrix products where they are hardest: sums at and around what the reference rounds from a half, results at
 * and beyond the ends of a byte. */
#ifndef STAGE_UNIT_H
#define STAGE_UNIT_H

enum { STAGE_ROWS = 33, STAGE_MOST = 64 };

/* One panel of weights that are 0: a sum is its column's bias and what its row adds. right < 0: shifts to the left. */
static void stage_case(const npu__gemm_i8_kernel *kern, int32_t right, int is_signed, int up) {
    const int32_t nr = kern->nr, kr = kern->kr, lo = is_signed ? -128 : 0, zero = rnd_in(lo, lo + 255);
    const int32_t step = right > 15 ? 1 << (right - 15) : 1; /* fractions of an output below 2^-13 are not passed over */
    int32_t       bias[STAGE_MOST], adds[STAGE_ROWS];
    npu__qmul     qmul[STAGE_MOST];
    uint8_t      *w = (uint8_t *)calloc((size_t)nr, (size_t)kr), *a = (uint8_t *)calloc(STAGE_ROWS, (size_t)kr);
    uint8_t      *staged = (uint8_t *)malloc(STAGE_ROWS * (size_t)kr * npu__gemm_i8_elem_bytes(kern)), *packed;
    uint8_t      *out = (uint8_t *)malloc(STAGE_ROWS * (size_t)nr);
    const npu__i8_out    stage = npu__i8_out_of(is_signed, zero, up ? zero : lo, lo + 255);
    npu__gemm_i8_weights gw;
    npu__gemm_i8_job     job;
    size_t               bytes = 0;
    int                  same = 1;
    for (int32_t j = 0; j < nr; j++) {
        qmul[j].multiplier = rnd() % 8 == 0 ? (rnd() & 1 ? INT32_MAX : 1 << 30) : (int32_t)(0x40000000u | (rnd() << 8 ^ rnd()) >> 2);
        qmul[j].shift = -right;
        bias[j] = (int32_t)floor((rnd_in(-300, 300) + 0.5) * ldexp(1.0, 31 + right) / qmul[j].multiplier);
    }
    for (int32_t i = 0; i < STAGE_ROWS; i++) adds[i] = (i - STAGE_ROWS / 2) * step;
    gw.w = w; gw.stride_n = (size_t)kr; gw.stride_k = 1; gw.segments = 1; gw.run = kr;
    gw.w_signed = 1; gw.a_signed = is_signed; gw.w_zero_point = gw.a_zero_point = 0; gw.bias = bias; gw.qmul = qmul; gw.qmul_step = 1;
    expect(npu__gemm_i8_packed_bytes(kern, nr, 1, kr, &bytes), "packed size", kern->name, STAGE_ROWS, nr, kr);
    packed = (uint8_t *)malloc(bytes);
    npu__gemm_i8_pack(kern, nr, &gw, packed);
    kern->stage(a, staged, STAGE_ROWS * kr, is_signed, 0);
    job.a = npu__gemm_rows_of(staged, (size_t)kr * npu__gemm_i8_elem_bytes(kern), kr);
    job.m = STAGE_ROWS; job.row_add = adds; job.out_stride = (size_t)nr; job.out = stage;
    npu__gemm_i8_run(kern, &job, packed, nr, out);
    for (int32_t i = 0; i < STAGE_ROWS; i++)
        for (int32_t j = 0; j < nr; j++)
            same &= out[i * nr + j] == npu__i8_finish((uint32_t)bias[j] + (uint32_t)adds[i], qmul[j], &stage);
    expect(same, "output stage at halves", kern->name, right, is_signed, up);
    free(w); free(a); free(staged); free(packed); free(out);
}

static void stage_cases(const npu__gemm_i8_kernel *kern) {
    for (int i = 0; i < 10000; i++) stage_case(kern, i % 25 - 4, i / 25 & 1, i / 50 & 1);
}

#endif
