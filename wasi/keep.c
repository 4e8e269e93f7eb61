/* run --keep: values of tensors between operators, as .npy files. */
#include <stdlib.h>
#include <string.h>

#include "watch.h"

enum { PATH_CAP = 4096 };

/* "12", "1:12" (subgraph 1) or a tensor's name, of the subgraph that runs unless it says another. False: there is none. */
static int find_tensor(const cli_run *run, const char *ref, size_t len, int32_t *subgraph, int32_t *index) {
    unsigned   part[2] = {0, 0};
    int        parts = 0;
    size_t     i, digits = 0;
    npu_tensor t;
    for (i = 0; i < len; i++) {
        if (ref[i] == ':' && digits && parts == 0) {
            parts = 1;
            digits = 0;
        } else if (ref[i] >= '0' && ref[i] <= '9' && digits < 9) {
            part[parts] = part[parts] * 10 + (unsigned)(ref[i] - '0');
            digits++;
        } else {
            break;
        }
    }
    *subgraph = i == len && digits && parts ? (int32_t)part[0] : run->subgraph;
    *index = (int32_t)part[parts];
    if (i == len && digits && npu_model_tensor(run->model, *subgraph, *index, &t) == NPU_OK) return 1;
    *subgraph = run->subgraph;
    for (*index = 0; npu_model_tensor(run->model, *subgraph, *index, &t) == NPU_OK; (*index)++)
        if (len && t.name_len == len && memcmp(t.name, ref, len) == 0) return 1;
    return 0;
}

static int write_one(cli_whole *files, const char *path, const npu_tensor *t) {
    FILE *f = cli_whole_open(files, path);
    int   code = f ? CLI_OK : CLI_FAILED;
    if (f && !cli_write_npy(f, t)) {
        code = cli_check_time("while writing tensors");
        if (code == CLI_OK && !ferror(f)) code = cli_fail(CLI_FAILED, NULL, "cli.write", "cannot write %s", path);
    }
    return f ? cli_whole_close(files, f, code) : code;
}

static int keep_one(const cli_run *run, cli_whole *files, const char *arg) {
    const char *eq = arg;
    int32_t     subgraph, index;
    npu_tensor  t;
    npu_diag    diag;
    int         found = 0;
    while (!found && (eq = strchr(eq, '=')) != NULL) found = find_tensor(run, arg, (size_t)(eq++ - arg), &subgraph, &index);
    if (!found)
        return cli_error(CLI_USAGE, "--keep %s: the model has no such tensor; npu_rt dump lists them: a name, an index, or "
                         "SUBGRAPH:INDEX", arg);
    if (npu_session_tensor(run->session, subgraph, index, &t, &diag) != NPU_OK) return cli_diag(run->args->model, &diag);
    if (!cli_npy_holds(t.type))
        return cli_error(4, "--keep %s: the tensor is of type %s, which no .npy file can hold", arg, npu_type_name(t.type));
    return write_one(files, eq, &t);
}

/* FOLDER/SUBGRAPH_INDEX.npy of all that has a value, and FOLDER/tensors.json about them. */
static int keep_all(const cli_run *run, cli_whole *files, const char *folder, FILE *list, char *path) {
    npu_tensor t;
    int32_t    g, i, k = 0;
    int        code = CLI_OK, n;
    fputs("{\"tensors\":[", list);
    for (g = 0; g < npu_model_subgraph_count(run->model); g++) {
        for (i = 0; code == CLI_OK && i < npu_model_tensor_count(run->model, g); i++) {
            if (npu_session_tensor(run->session, g, i, &t, NULL) != NPU_OK || !cli_npy_holds(t.type)) continue;
            n = snprintf(path, PATH_CAP, "%s/%d_%d.npy", folder, (int)g, (int)i);
            if (n < 0 || n >= PATH_CAP) return cli_error(CLI_FAILED, "%.80s...: the name is too long", folder);
            fprintf(list, "%s\n{\"subgraph\":%d,\"index\":%d,\"file\":\"%d_%d.npy\",", k++ ? "," : "", (int)g, (int)i, (int)g, (int)i);
            cli_json_tensor(list, &t);
            fputc('}', list);
            code = write_one(files, path, &t);
        }
    }
    fputs("]}\n", list);
    return code;
}

static int keep_folder(const cli_run *run, cli_whole *files, const char *folder) {
    static char path[PATH_CAP];
    char       *text = NULL;
    size_t      bytes = 0;
    FILE       *list = open_memstream(&text, &bytes), *f;
    int         n, code = list ? cli_make_dirs(folder) : cli_no_memory();
    if (code == CLI_OK) code = keep_all(run, files, folder, list, path);
    if (list && fclose(list) != 0 && code == CLI_OK) code = cli_no_memory();
    n = snprintf(path, PATH_CAP, "%s/tensors.json", folder);
    if (code == CLI_OK && (n < 0 || n >= PATH_CAP)) code = cli_error(CLI_FAILED, "%.80s...: the name is too long", folder);
    f = code == CLI_OK ? cli_whole_open(files, path) : NULL;
    if (f) {
        fwrite(text, 1, bytes, f);
        code = cli_whole_close(files, f, code);
    } else if (code == CLI_OK) {
        code = CLI_FAILED;
    }
    free(text);
    return code;
}

int cli_keep(const cli_watch *w, cli_whole *files) {
    int i, code = CLI_OK;
    for (i = 0; i < w->n_keep && code == CLI_OK; i++) {
        if (strncmp(w->keep[i], "all=", 4) == 0) code = keep_folder(w->runs, files, w->keep[i] + 4);
        else code = keep_one(w->runs, files, w->keep[i]);
    }
    return code;
}
