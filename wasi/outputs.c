/* Outputs as .npy files: all are written under temporary names first, so what stands there later is whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "npy.h"

enum { PATH_CAP = 4096, PIECE = 1 << 20 /* bytes between two looks at the clock */ };

/* dtype of the file an output goes to: sub-byte types as bytes, bfloat16 widened, float8 as its raw bytes. */
static const char *out_dtype(npu_type type) {
    switch (type) {
    case NPU_BFLOAT16: return "<f4";
    case NPU_FLOAT8_E4M3FN:
    case NPU_FLOAT8_E5M2: return "|u1";
    case NPU_RESOURCE: return "";
    case NPU_STRING: return "|S"; /* and the length of the longest */
    default: return npu_type_dtype(type);
    }
}

int cli_npy_holds(npu_type type) { return out_dtype(type)[0] != '\0'; }

static size_t elements(const npu_tensor *t) {
    size_t  n = 1;
    int32_t i;
    for (i = 0; i < t->rank; i++) n *= (size_t)t->dims[i];
    return n;
}

/* One element of a type that numpy does not have, as bytes of the type that stands for it. Returns how many. */
static size_t widen(const npu_tensor *t, size_t i, uint8_t *to) {
    const uint8_t *p = (const uint8_t *)t->data;
    int            bits = npu_type_bits(t->type), per_byte, v;
    if (t->type == NPU_BFLOAT16) { /* the upper half of a float32 */
        to[0] = to[1] = 0;
        memcpy(to + 2, p + 2 * i, 2);
        return 4;
    }
    per_byte = 8 / bits;
    v = p[i / (size_t)per_byte] >> (bits * (int)(i % (size_t)per_byte)) & ((1 << bits) - 1);
    if (t->type != NPU_UINT4 && v >= 1 << (bits - 1)) v -= 1 << bits;
    to[0] = (uint8_t)v;
    return 1;
}

/* False when the disk or the time limit ends it. */
int cli_write_npy(FILE *f, const npu_tensor *t) {
    char    header[512], dtype[32];
    size_t  elems = elements(t), n, i;
    uint8_t item[4];
    snprintf(dtype, sizeof dtype, "%s", out_dtype(t->type));
    if (t->type == NPU_STRING) snprintf(dtype, sizeof dtype, "|S%lu", (unsigned long)cli_longest_string(t));
    n = npy_header(header, sizeof header, dtype, t->rank, t->dims);
    if (fwrite(header, 1, n, f) != n) return 0;
    if (t->type == NPU_STRING) return cli_write_strings(f, t);
    if (npu_type_bits(t->type) >= 8 && t->type != NPU_BFLOAT16) {
        for (i = 0; i < t->bytes; i += n) {
            n = t->bytes - i < PIECE ? t->bytes - i : PIECE;
            if (cli_time_is_up(NULL) || fwrite((const uint8_t *)t->data + i, 1, n, f) != n) return 0;
        }
        return 1;
    }
    for (i = 0; i < elems; i++) {
        if (cli_time_is_up_at(i)) return 0;
        n = widen(t, i, item);
        if (fwrite(item, 1, n, f) != n) return 0;
    }
    return 1;
}

static int write_temporary(const char *path, const npu_tensor *t) {
    FILE *f = cli_fopen(path, "wb");
    int   ok, error;
    if (!f) return cli_fail(CLI_FAILED, NULL, "cli.write", "cannot create %s: %s", path, cli_path_error(path, errno));
    errno = 0;
    ok = cli_write_npy(f, t);
    error = errno;
    if (fclose(f) != 0 && ok) { /* a full disk may show only here */
        ok = 0;
        error = errno;
    }
    if (ok) return CLI_OK;
    cli_remove(path);
    if (cli_time_is_up(NULL)) return cli_time_error("while writing the outputs", "");
    return cli_fail(CLI_FAILED, NULL, "cli.write", "cannot write %s: %s", path, error ? strerror(error) : "the write failed");
}

static int make_paths(const char *dir, int32_t i, long stamp, char *final, char *temporary) {
    int n = snprintf(final, PATH_CAP, "%s/%d.npy", dir, (int)i);
    int m = snprintf(temporary, PATH_CAP, "%s/.%d.npy.%lx.tmp", dir, (int)i, stamp);
    return n > 0 && n < PATH_CAP && m > 0 && m < PATH_CAP;
}

static int write_output(const cli_run *run, int32_t i, const char *path, npu_tensor *t) {
    uint8_t *raw = NULL;
    int      code = run->args->raw_outputs ? cli_raw_output(run, i, t, &raw) : CLI_OK;
    if (code == CLI_OK) code = write_temporary(path, t);
    free(raw);
    return code;
}

int cli_write_outputs(const cli_run *run, const char *dir) {
    static char     final[PATH_CAP], temporary[PATH_CAP];
    struct timespec now = {0, 0};
    npu_tensor      t;
    int32_t         i, written = 0;
    int             code = CLI_OK;
    for (i = 0; i < run->n_outputs; i++) {
        if (npu_session_output_of(run->session, run->subgraph, i, &t) != NPU_OK)
            return cli_error(CLI_FAILED, "output %d vanished", (int)i);
        if (t.type == NPU_STRING && cli_longest_string(&t) > ((size_t)1 << 31) / (elements(&t) + 1))
            return cli_error(4, "output %d: one of its %lu strings is so long that a .npy file, where all take as much, would have "
                             "more than 2 GiB: run without --output-dir", (int)i, (unsigned long)elements(&t));
        if (!out_dtype(t.type)[0])
            return cli_error(4, "output %d is of type %s, which no .npy file can hold: run without --output-dir",
                             (int)i,
                             npu_type_name(t.type));
    }
    if ((code = cli_make_dirs(dir)) != CLI_OK) return code;
    clock_gettime(CLOCK_REALTIME, &now);
    for (i = 0; i < run->n_outputs && code == CLI_OK; i++) {
        if (!make_paths(dir, i, now.tv_nsec, final, temporary))
            code = cli_error(CLI_FAILED, "%s: the name is too long", dir);
        else if (npu_session_output_of(run->session, run->subgraph, i, &t) == NPU_OK)
            code = write_output(run, i, temporary, &t);
        if (code == CLI_OK) written++;
    }
    for (i = 0; i < written; i++) {
        make_paths(dir, i, now.tv_nsec, final, temporary);
        if (code != CLI_OK) cli_remove(temporary);
        else if (cli_rename(temporary, final) != 0) {
            code = cli_fail(CLI_FAILED, NULL, "cli.write", "cannot create %s: %s", final, cli_path_error(final, errno));
            cli_remove(temporary);
        }
    }
    return code;
}
