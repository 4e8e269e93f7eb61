/* Files by path. Natively that is libc's business. Under WASI a program has no working directory and no root, only the
 * folders that its host names; libc takes "/tmp/x" and "tmp/x" for the same file then, and may write where nobody looks.
 * Here a path means what the user wrote: one that begins with / lies in a folder named so, any other in the folder "." (or in
 * one given by a relative name), and everything else is refused with ENOTCAPABLE. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#ifndef __wasi__

FILE *cli_fopen(const char *path, const char *mode) { return fopen(path, mode); }
int cli_mkdir(const char *path) { return mkdir(path, 0777); }
int cli_rename(const char *from, const char *to) { return rename(from, to); }
int cli_remove(const char *path) { return remove(path); }
int cli_path_known(const char *path) { return path[0] != '\0'; }

int cli_is_dir(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int cli_is_file_or_new(const char *path) {
    struct stat st;
    return lstat(path, &st) != 0 || S_ISREG(st.st_mode);
}

const char *cli_path_error(const char *path, int error) {
    (void)path;
    return strerror(error);
}

#else
#  include <wasi/api.h>

enum { CAP = 4096 };

/* Without empty and "." parts, and without a last slash: "./a//b/" is "a/b", "." is "", "//" is "/". False: too long. */
static int plain(const char *path, size_t n, char *out) {
    size_t i = 0, used = 0;
    if (n > 0 && path[0] == '/') out[used++] = '/';
    while (i < n) {
        size_t part = 0;
        while (i < n && path[i] == '/') i++;
        while (i + part < n && path[i + part] != '/') part++;
        if (used + part + 2 > CAP) return 0;
        if (part > 0 && !(part == 1 && path[i] == '.')) {
            if (used > 0 && out[used - 1] != '/') out[used++] = '/';
            memcpy(out + used, path + i, part);
            used += part;
        }
        i += part;
    }
    out[used] = '\0';
    return 1;
}

/* Does "a/../.." leave the folder it starts in? */
static int climbs(const char *path) {
    int depth = 0;
    while (*path && depth >= 0) {
        size_t part = strcspn(path, "/");
        depth += part == 2 && memcmp(path, "..", 2) == 0 ? -1 : 1;
        path += part + (path[part] == '/');
    }
    return depth < 0;
}

/* The rest of `path` inside the folder `name`, NULL when it does not lie there. Both are plain. */
static const char *inside(const char *name, const char *path) {
    size_t n = strlen(name);
    if ((name[0] == '/') != (path[0] == '/')) return NULL;
    if (n > 0 && name[n - 1] != '/') { /* neither "" nor "/" */
        if (strncmp(path, name, n) != 0 || (path[n] != '/' && path[n] != '\0')) return NULL;
        n += path[n] == '/';
    }
    return climbs(path + n) ? NULL : path + n;
}

/* The folder that holds `path`, the longest name if several do, and the path in it. -1 with errno set: none does. */
static int resolve(const char *path, char *rest) {
    static char   name[CAP], folder[CAP], wanted[CAP];
    __wasi_prestat_t st;
    size_t        best = 0;
    int           fd, found = -1;
    if (path[0] == '\0' || strlen(path) >= CAP || !plain(path, strlen(path), wanted)) {
        errno = path[0] ? ENAMETOOLONG : ENOENT;
        return -1;
    }
    for (fd = 3; __wasi_fd_prestat_get((__wasi_fd_t)fd, &st) == 0; fd++) {
        size_t      n = st.u.dir.pr_name_len;
        const char *in;
        if (st.tag != __WASI_PREOPENTYPE_DIR || n >= CAP) continue;
        if (__wasi_fd_prestat_dir_name((__wasi_fd_t)fd, (uint8_t *)name, n) != 0) continue;
        while (n > 0 && name[n - 1] == '\0') n--; /* some hosts count the zero */
        if (!plain(name, n, folder) || !(in = inside(folder, wanted))) continue;
        if (found >= 0 && strlen(folder) < best) continue;
        best = strlen(folder);
        found = fd;
        strcpy(rest, *in ? in : ".");
    }
    if (found < 0) errno = ENOTCAPABLE;
    return found;
}

FILE *cli_fopen(const char *path, const char *mode) {
    static char rest[CAP];
    int         fd = resolve(path, rest);
    if (fd >= 0) fd = mode[0] == 'w' ? openat(fd, rest, O_WRONLY | O_CREAT | O_TRUNC, 0666) : openat(fd, rest, O_RDONLY);
    return fd < 0 ? NULL : fdopen(fd, mode);
}

int cli_mkdir(const char *path) {
    static char rest[CAP];
    int         fd = resolve(path, rest);
    return fd < 0 ? -1 : mkdirat(fd, rest, 0777);
}

int cli_rename(const char *from, const char *to) {
    static char rest[CAP], rest_to[CAP];
    int         fd = resolve(from, rest), fd_to = resolve(to, rest_to);
    return fd < 0 || fd_to < 0 ? -1 : renameat(fd, rest, fd_to, rest_to);
}

int cli_is_file_or_new(const char *path) {
    static char rest[CAP];
    struct stat st;
    int         fd = resolve(path, rest);
    return fd < 0 || fstatat(fd, rest, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISREG(st.st_mode);
}

int cli_remove(const char *path) {
    static char rest[CAP];
    int         fd = resolve(path, rest);
    return fd < 0 ? -1 : unlinkat(fd, rest, 0);
}

int cli_path_known(const char *path) {
    static char rest[CAP];
    return resolve(path, rest) >= 0;
}

int cli_is_dir(const char *path) {
    static char rest[CAP];
    struct stat st;
    int         fd = resolve(path, rest);
    return fd >= 0 && fstatat(fd, rest, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

const char *cli_path_error(const char *path, int error) {
    if (error == ENOTCAPABLE || error == EPERM || error == EACCES)
        return path[0] == '/' ? "it lies in no folder that this WASI program was given by that name: "
                                "wasmtime run --dir=/FOLDER npu_rt.wasm ..., or give a path relative to --dir=."
                              : "this WASI program was not given the current folder, or the path leaves it: "
                                "wasmtime run --dir=. npu_rt.wasm ...";
    return strerror(error);
}

#endif
