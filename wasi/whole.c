/* Files that are written whole or not at all: all of them under temporary names, which become theirs when the last one is complete. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

enum { PATH_CAP = 4096 };

/* DIR/.NAME.STAMP.tmp beside DIR/NAME; NULL: no memory. */
static char *temporary_name(const char *path, long stamp) {
    const char *slash = strrchr(path, '/');
    size_t      folder = slash ? (size_t)(slash - path) + 1 : 0, n = strlen(path) + 32;
    char       *name = malloc(n);
    if (name) snprintf(name, n, "%.*s.%s.%lx.tmp", (int)folder, path, path + folder, stamp);
    return name;
}

FILE *cli_whole_open(cli_whole *w, const char *path) {
    struct timespec now = {0, 0};
    char          **more = realloc(w->names, sizeof *more * ((size_t)w->n + 1) * 2);
    FILE           *f;
    if (more) w->names = more;
    if (strlen(path) >= PATH_CAP || !more) {
        if (more) cli_fail(CLI_FAILED, NULL, "cli.write", "%.80s...: the name is too long", path);
        else cli_no_memory();
        return NULL;
    }
    if (!w->stamp) {
        clock_gettime(CLOCK_REALTIME, &now);
        w->stamp = now.tv_nsec + 1;
    }
    more[2 * w->n] = malloc(strlen(path) + 1);
    more[2 * w->n + 1] = temporary_name(path, w->stamp);
    w->n++;
    if (!more[2 * w->n - 2] || !more[2 * w->n - 1]) {
        cli_no_memory();
        return NULL;
    }
    memcpy(more[2 * w->n - 2], path, strlen(path) + 1);
    if (cli_is_dir(path)) errno = EISDIR;
    f = cli_is_dir(path) ? NULL : cli_fopen(more[2 * w->n - 1], "wb");
    if (!f) cli_fail(CLI_FAILED, NULL, "cli.write", "cannot create %s: %s", path, cli_path_error(path, errno));
    return f;
}

int cli_whole_close(cli_whole *w, FILE *f, int code) {
    const char *path = w->names[2 * w->n - 2];
    int         bad = ferror(f);
    errno = 0;
    if (fclose(f) != 0) bad = 1; /* a full disk may show only here */
    if (code != CLI_OK || !bad) return code;
    return cli_fail(CLI_FAILED, NULL, "cli.write", "cannot write %s: %s", path, errno ? strerror(errno) : "the write failed");
}

int cli_whole_end(cli_whole *w, int code) {
    int i;
    for (i = 0; i < w->n; i++) {
        char *path = w->names[2 * i], *temporary = w->names[2 * i + 1];
        if (path && temporary && code != CLI_OK) cli_remove(temporary);
        else if (path && temporary && cli_rename(temporary, path) != 0) {
            code = cli_fail(CLI_FAILED, NULL, "cli.write", "cannot create %s: %s", path, cli_path_error(path, errno));
            cli_remove(temporary);
        }
        free(path);
        free(temporary);
    }
    free(w->names);
    memset(w, 0, sizeof *w);
    return code;
}
