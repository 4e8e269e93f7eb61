/* Files and text of the CLI, and the two things platforms disagree about: time and memory. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#ifndef __wasi__
#  include <sys/mman.h>
#  include <sys/resource.h>
#endif

/* ---- text ---- */

/* Length of a well-formed UTF-8 sequence at `p`, 0 if there is none. */
static size_t utf8_length(const unsigned char *p, size_t n) {
    size_t   len = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0, i;
    uint32_t c;
    if (len == 0 || len > n) return 0;
    if (len == 1) return 1;
    c = p[0] & (0x7Fu >> len);
    for (i = 1; i < len; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0;
        c = c << 6 | (p[i] & 0x3Fu);
    }
    if ((len == 3 && c < 0x800) || (len == 4 && c < 0x10000) || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return 0;
    return len;
}

void cli_text(FILE *to, const char *text, size_t n) {
    const unsigned char *p = (const unsigned char *)text;
    size_t               i = 0;
    while (i < n) {
        size_t len = utf8_length(p + i, n - i);
        int    c1 = len == 2 && p[i] == 0xC2 && p[i + 1] < 0xA0; /* U+0080..U+009F steer terminals too */
        if (len == 0 || c1 || (len == 1 && ((p[i] < 32 && p[i] != '\n' && p[i] != '\t') || p[i] == 127))) {
            fprintf(to, "\\x%02x", p[i]);
            i++;
        } else {
            fwrite(p + i, 1, len, to);
            i += len;
        }
    }
}

void cli_json_string(FILE *to, const char *text, size_t n) {
    const unsigned char *p = (const unsigned char *)text;
    size_t               i = 0;
    fputc('"', to);
    while (i < n) {
        size_t len = utf8_length(p + i, n - i);
        if (len == 0) fputs("\\ufffd", to);
        else if (p[i] == '"' || p[i] == '\\') fprintf(to, "\\%c", p[i]);
        else if (p[i] < 32 || p[i] == 127) fprintf(to, "\\u%04x", p[i]);
        else fwrite(p + i, 1, len, to);
        i += len ? len : 1;
    }
    fputc('"', to);
}

void cli_json_number(FILE *to, double value) {
    if (isfinite(value)) fprintf(to, "%.9g", value);
    else fputs("null", to);
}

/* ---- files ---- */

/* More than any format read here can address: an endless pipe ends here. */
#define MAX_FILE 0xFFFFFFFFu

static int read_failed(const char *path, int error) {
    return cli_fail(CLI_FAILED, NULL, "cli.read", "cannot read %s: %s", path, cli_path_error(path, error));
}

/* A byte more than a file says it has, so that its end is seen; a first guess where it does not say. */
static size_t first_guess(FILE *f, int from_stdin) {
    long size = from_stdin || fseek(f, 0, SEEK_END) != 0 ? -1 : ftell(f);
    if (!from_stdin) rewind(f);
    return size > 0 && (unsigned long)size < MAX_FILE ? (size_t)size + 1 : 1u << 16;
}

/* Memory for a file. Where the system has large pages, the copy of a large file fills such: a fault for each page of 4 KB costs more
 * than the copy. The last one may be empty by three quarters. Files are not mapped: they might be cut short or changed after they were verified. */
static uint8_t *new_block(size_t bytes) {
#ifdef MADV_HUGEPAGE
    const size_t page = (size_t)1 << 21, large = (bytes + page / 4 * 3) & ~(page - 1);
    void        *p;
    if (large && posix_memalign(&p, page, large > bytes ? large : bytes) == 0) {
        (void)madvise(p, large, MADV_HUGEPAGE); /* only a hint */
        return (uint8_t *)p;
    }
#endif
    return malloc(bytes);
}

int cli_read_file(const char *path, uint8_t **bytes, size_t *n) {
    int      from_stdin = strcmp(path, "-") == 0;
    FILE    *f = from_stdin ? stdin : cli_fopen(path, "rb");
    size_t   cap, used = 0;
    uint8_t *p;
    int      error, too_large = 0;
    *bytes = NULL;
    *n = 0;
    if (!f) return read_failed(path, errno);
    cap = first_guess(f, from_stdin);
    p = new_block(cap);
    errno = 0;
    while (p) {
        size_t   got = fread(p + used, 1, cap - used, f);
        uint8_t *bigger;
        used += got;
        if (used < cap || cli_time_is_up(NULL)) break; /* the end, or an error */
        too_large = cap > MAX_FILE;
        bigger = cap > SIZE_MAX / 2 || too_large ? NULL : realloc(p, cap * 2);
        if (!bigger) free(p);
        p = bigger;
        cap *= 2;
    }
    error = p && ferror(f) ? (errno ? errno : EIO) : 0;
    if (!from_stdin) fclose(f);
    if (!p)
        return cli_fail(CLI_FAILED, NULL, "cli.read", "cannot read %s: %s", path,
                        too_large ? "it is larger than 4 GiB" : "out of memory");
    if (cli_check_time("while reading") != CLI_OK) {
        free(p);
        return CLI_FAILED;
    }
    if (error) {
        free(p);
        return read_failed(path, error);
    }
    *bytes = p;
    *n = used;
    return CLI_OK;
}

int cli_make_dirs(const char *path) {
    char   part[4096];
    size_t i, n = strlen(path);
    if (n == 0 || n >= sizeof part)
        return cli_fail(CLI_FAILED, NULL, "cli.write", "cannot create the folder '%s': bad length of its name", path);
    if (!cli_path_known(path))
        return cli_fail(CLI_FAILED, NULL, "cli.write", "cannot create the folder %s: %s", path, cli_path_error(path, errno));
    memcpy(part, path, n + 1);
    /* From the deepest folder that exists: what lies above it may be read-only, or hidden from a WASI program. */
    for (i = n; i > 0; i--) {
        if (path[i] != '/' && path[i] != '\0') continue;
        part[i] = '\0';
        if (cli_is_dir(part)) break;
        part[i] = path[i];
    }
    for (part[i] = path[i]; i < n;) {
        do i++;
        while (path[i] != '/' && path[i] != '\0');
        part[i] = '\0';
        if (cli_mkdir(part) != 0 && !(errno == EEXIST && cli_is_dir(part)))
            return cli_fail(CLI_FAILED, NULL, "cli.write", "cannot create the folder %s: %s", part,
                            cli_path_error(part, errno));
        part[i] = path[i];
    }
    return CLI_OK;
}

/* ---- platform ---- */

double cli_now_ms(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) return 0;
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

uint64_t cli_peak_rss(void) {
#ifdef __wasi__
    return (uint64_t)__builtin_wasm_memory_size(0) * 65536;
#else
    /* ru_maxrss would also count the process that started us; VmHWM is ours alone, where there is a /proc. */
    struct rusage      usage;
    char               line[256];
    unsigned long long kb;
    FILE              *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "VmHWM: %llu kB", &kb) == 1) {
            fclose(f);
            return kb * 1024;
        }
    }
    if (f) fclose(f);
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#  ifdef __APPLE__
    return (uint64_t)usage.ru_maxrss;
#  else
    return (uint64_t)usage.ru_maxrss * 1024;
#  endif
#endif
}
