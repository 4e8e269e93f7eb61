/* Many models: the files of folders, and processes that share the work. A model that ends its process has a row that says so, and
 * the others go on. Rows come in the order of the models, whoever is done first. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifndef __wasi__
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "compare.h"

enum { MOST_WIDTH = 72 }; /* of the column of paths */

/* ---- files ---- */

typedef struct path_list {
    char **at;
    size_t n, cap;
} path_list;

static int add_path(path_list *list, const char *path) {
    size_t n = strlen(path) + 1;
    char  *copy = malloc(n);
    if (copy && list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 64;
        char **more = realloc(list->at, cap * sizeof *more);
        if (more) {
            list->at = more;
            list->cap = cap;
        }
    }
    if (!copy || list->n == list->cap) {
        free(copy);
        return cli_no_memory();
    }
    memcpy(copy, path, n);
    list->at[list->n++] = copy;
    return CLI_OK;
}

static int is_model(const char *name) {
    const char *end = strrchr(name, '.');
    return end && (strcmp(end, ".tflite") == 0 || strcmp(end, ".circle") == 0);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* All models below a folder, by name. Links to folders are not followed: they may lead round in circles. */
static int add_folder(path_list *list, const char *path, int depth) {
    DIR           *dir = depth < 64 ? opendir(path) : NULL;
    struct dirent *entry;
    size_t         from = list->n;
    int            code = CLI_OK;
    if (!dir) return cli_error(CLI_FAILED, "cannot read the folder %s: %s", path, depth < 64 ? strerror(errno) : "it is too deep");
    while (code == CLI_OK && (entry = readdir(dir)) != NULL) {
        char        below[4096];
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (snprintf(below, sizeof below, "%s/%s", path, entry->d_name) >= (int)sizeof below) continue;
        if (lstat(below, &st) != 0) continue;
        if (S_ISDIR(st.st_mode)) code = add_folder(list, below, depth + 1);
        else if (is_model(entry->d_name)) code = add_path(list, below);
    }
    closedir(dir);
    if (code == CLI_OK) qsort(list->at + from, list->n - from, sizeof *list->at, by_name);
    return code;
}

static int gather(path_list *list, char **paths, int n) {
    int i, code = CLI_OK;
    for (i = 0; i < n && code == CLI_OK; i++) code = cli_is_dir(paths[i]) ? add_folder(list, paths[i], 0) : add_path(list, paths[i]);
    if (code == CLI_OK && list->n == 0) return cli_error(CLI_USAGE, "no .tflite or .circle file is in %s", paths[0]);
    return code;
}

/* ---- one process ---- */

static int alone(const cli_comparison *c, const path_list *list) {
    size_t i;
    int    worst = CLI_OK;
    for (i = 0; i < list->n; i++) {
        const int code = cli_compare_row(c, list->at[i], stdout);
        if (code > worst) worst = code;
        if (i + 1 < list->n) cli_compare_between(c, stdout);
        if (fflush(stdout) != 0) return CLI_FAILED; /* cli_finish says why */
    }
    return worst;
}

/* ---- several ---- */

#ifndef __wasi__
enum { MOST_JOBS = 64 };

typedef struct worker {
    pid_t  pid;
    int    ask, answer; /* pipes: a number of a model goes there, its rows come back */
    size_t model;       /* that it is at; SIZE_MAX: none */
} worker;

/* What comes back of a model: how much text, and its exit code. The text follows. */
typedef struct answer {
    size_t bytes;
    int    code;
} answer;

static int read_all(int fd, void *to, size_t n) {
    char *p = to;
    while (n > 0) {
        const ssize_t got = read(fd, p, n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        p += got;
        n -= (size_t)got;
    }
    return 1;
}

static int write_all(int fd, const void *from, size_t n) {
    const char *p = from;
    while (n > 0) {
        const ssize_t put = write(fd, p, n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return 0;
        p += put;
        n -= (size_t)put;
    }
    return 1;
}

static void work(const cli_comparison *c, const path_list *list, int ask, int give) {
    size_t i;
    while (read_all(ask, &i, sizeof i)) {
        char  *text = NULL;
        size_t bytes = 0;
        FILE  *to = open_memstream(&text, &bytes);
        answer a;
        if (!to) _exit(1);
        memset(&a, 0, sizeof a);
        a.code = cli_compare_row(c, list->at[i], to);
        if (fclose(to) != 0) _exit(1);
        a.bytes = bytes;
        if (!write_all(give, &a, sizeof a) || !write_all(give, text, bytes)) _exit(1);
        free(text);
    }
    _exit(0);
}

static int start(worker *w, const cli_comparison *c, const path_list *list, const worker *others, int n_others) {
    int there[2], back[2], i;
    if (pipe(there) != 0) return 0;
    if (pipe(back) != 0) {
        close(there[0]);
        close(there[1]);
        return 0;
    }
    fflush(stdout);
    w->pid = fork();
    if (w->pid == 0) {
        for (i = 0; i < n_others; i++) { /* or their ends would stay open when they are to end */
            if (others[i].pid <= 0) continue;
            close(others[i].ask);
            close(others[i].answer);
        }
        close(there[1]);
        close(back[0]);
        work(c, list, there[0], back[1]);
    }
    close(there[0]);
    close(back[1]);
    w->ask = there[1];
    w->answer = back[0];
    w->model = SIZE_MAX;
    return w->pid > 0;
}

static void stop(worker *w) {
    int status;
    if (w->pid <= 0) return;
    close(w->ask);
    close(w->answer);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) {}
    w->pid = 0;
}

typedef struct result {
    char  *text; /* NULL: not yet */
    size_t bytes;
} result;

/* What a worker says of its model. False: it is gone. */
static int take(worker *w, result *r, int *worst) {
    answer a;
    if (!read_all(w->answer, &a, sizeof a)) return 0;
    r->text = malloc(a.bytes + 1);
    if (!r->text || !read_all(w->answer, r->text, a.bytes)) {
        free(r->text);
        r->text = NULL;
        return 0;
    }
    r->bytes = a.bytes;
    if (a.code > *worst) *worst = a.code;
    w->model = SIZE_MAX;
    return 1;
}

static int lost(const cli_comparison *c, const char *path, result *r, int *worst) {
    FILE *to = open_memstream(&r->text, &r->bytes);
    if (!to) return cli_no_memory();
    cli_compare_lost(c, path, to);
    if (*worst < CLI_FAILED) *worst = CLI_FAILED;
    return fclose(to) == 0 ? CLI_OK : cli_no_memory();
}

/* Every row that nothing is missing before. */
static int show(const cli_comparison *c, result *results, size_t *shown, size_t n) {
    for (; *shown < n && results[*shown].text; (*shown)++) {
        result *r = &results[*shown];
        fwrite(r->text, 1, r->bytes, stdout);
        free(r->text);
        r->text = NULL;
        if (*shown + 1 < n) cli_compare_between(c, stdout);
    }
    return fflush(stdout) == 0 ? CLI_OK : CLI_FAILED;
}

typedef struct crew {
    worker at[MOST_JOBS];
    int    n;
    size_t next; /* model that nobody has yet */
} crew;

/* Gives each idle worker a model, starting those that are gone. */
static int hand_out(crew *crew, const cli_comparison *c, const path_list *list) {
    int i;
    for (i = 0; i < crew->n && crew->next < list->n; i++) {
        worker *w = &crew->at[i];
        if (w->pid > 0 && w->model != SIZE_MAX) continue;
        if (w->pid <= 0 && !start(w, c, list, crew->at, crew->n)) return cli_error(CLI_FAILED, "--jobs: %s", strerror(errno));
        if (write_all(w->ask, &crew->next, sizeof crew->next)) w->model = crew->next++;
        else stop(w);
    }
    return CLI_OK;
}

static int collect(crew *crew, const cli_comparison *c, const path_list *list, result *results, int *worst) {
    struct pollfd fds[MOST_JOBS];
    int           i, code = CLI_OK;
    for (i = 0; i < crew->n; i++) {
        fds[i].fd = crew->at[i].pid > 0 && crew->at[i].model != SIZE_MAX ? crew->at[i].answer : -1;
        fds[i].events = POLLIN;
        fds[i].revents = 0;
    }
    if (poll(fds, (nfds_t)crew->n, -1) < 0) return errno == EINTR ? CLI_OK : cli_error(CLI_FAILED, "--jobs: %s", strerror(errno));
    for (i = 0; i < crew->n && code == CLI_OK; i++) {
        worker *w = &crew->at[i];
        size_t  model = w->model;
        if (fds[i].fd < 0 || fds[i].revents == 0 || take(w, &results[model], worst)) continue;
        stop(w);
        code = lost(c, list->at[model], &results[model], worst);
    }
    return code;
}

static int together(const cli_comparison *c, const path_list *list) {
    crew    crew;
    result *results = calloc(list->n, sizeof *results);
    size_t  shown = 0, k;
    int     worst = CLI_OK, code = CLI_OK, i;
    if (!results) return cli_no_memory();
    memset(&crew, 0, sizeof crew);
    crew.n = (size_t)c->jobs < list->n ? c->jobs : (int)list->n;
    while (code == CLI_OK && shown < list->n) {
        code = hand_out(&crew, c, list);
        if (code == CLI_OK) code = collect(&crew, c, list, results, &worst);
        if (code == CLI_OK) code = show(c, results, &shown, list->n);
    }
    for (i = 0; i < crew.n; i++) stop(&crew.at[i]);
    for (k = shown; k < list->n; k++) free(results[k].text);
    free(results);
    return code == CLI_OK ? worst : code;
}
#endif

int cli_compare_many(cli_comparison *c, char **paths, int n) {
    path_list list = {NULL, 0, 0};
    int       code = gather(&list, paths, n);
    size_t    i;
    c->width = 5;
    for (i = 0; i < list.n; i++) {
        const size_t width = strlen(list.at[i]) < MOST_WIDTH ? strlen(list.at[i]) : MOST_WIDTH;
        if ((int)width > c->width) c->width = (int)width;
    }
    if (code == CLI_OK) {
        cli_compare_begin(c, stdout);
        cli_json_started();
#ifdef __wasi__
        code = alone(c, &list);
#else
        code = c->jobs > 1 ? together(c, &list) : alone(c, &list);
#endif
        cli_compare_end(c, stdout);
    }
    while (list.n > 0) free(list.at[--list.n]);
    free(list.at);
    return code;
}
