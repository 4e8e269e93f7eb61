/* npu_rt info --ops-define: the line that keeps just the operators of some models, for a small program. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "info.h"

/* What all models need together: the library's own strings, so they outlive the models. */
typedef struct needs {
    const char **keep;
    size_t       n, cap;
    int          compiled; /* "ethos-u" */
    int          missing;
} needs;

static int keep(needs *all, const char *name) {
    size_t       i;
    const char **more;
    for (i = 0; i < all->n; i++)
        if (strcmp(all->keep[i], name) == 0) return CLI_OK;
    if (all->n == all->cap) {
        all->cap = all->cap ? all->cap * 2 : 32;
        more = realloc(all->keep, all->cap * sizeof *more);
        if (!more) return cli_no_memory();
        all->keep = more;
    }
    all->keep[all->n++] = name;
    return CLI_OK;
}

static void report_missing(needs *all, const char *path, const npu_model *model) {
    npu_missing_op list[64];
    int32_t        i, n = npu_model_missing(model, list, 64);
    for (i = 0; i < n; i++)
        cli_fail(npu_status_exit_code(NPU_UNSUPPORTED), NULL, "op.unknown",
                 "%s: this build has no kernel for %s%.*s (%lld times, first as operator %d of subgraph %d)", path,
                 list[i].custom ? "the custom operator " : "", (int)(list[i].name_len < 80 ? list[i].name_len : 80), list[i].name,
                 (long long)list[i].count, (int)list[i].op, (int)list[i].subgraph);
    if (n > 0 && !all->missing) cli_remember_missing(model);
    all->missing |= n > 0;
}

static int collect(needs *all, const char *path, const npu_model *model) {
    int     code = CLI_OK;
    int32_t s, i;
    npu_op  op;
    for (s = 0; s < npu_model_subgraph_count(model); s++) {
        for (i = 0; code == CLI_OK && npu_model_op(model, s, i, &op) == NPU_OK; i++) {
            if (op.keep && !*op.keep) all->compiled = 1;
            if (op.keep && *op.keep) code = keep(all, op.keep);
        }
    }
    report_missing(all, path, model);
    return code;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static void print_list(const needs *all, const char *between, const char *before, const char *after) {
    size_t i;
    for (i = 0; i < all->n; i++) printf("%s%s%s%s", i ? between : "", before, all->keep[i], after);
}

static void print_needs(const needs *all, npu_format format) {
    if (format == NPU_FORMAT_TEXT) {
        printf("#define NPU_RT_ONLY_OPS(X) ");
        print_list(all, " ", "X(", ")");
        printf("\n%s", all->compiled ? "#define NPU_RT_BACKEND_ETHOSU\n" : "");
        return;
    }
    printf("{\"ops\":[");
    print_list(all, ",", "\"", "\"");
    printf("],\"ethos_u\":%s,\"flags\":[\"-DNPU_RT_ONLY_OPS(X)=", all->compiled ? "true" : "false");
    print_list(all, " ", "X(", ")");
    printf("\"%s]}\n", all->compiled ? ",\"-DNPU_RT_BACKEND_ETHOSU\"" : "");
}

int cli_info_ops(char **paths, int n, npu_format format) {
    needs all;
    int   i, code = CLI_OK;
    memset(&all, 0, sizeof all);
    for (i = 0; i < n && code == CLI_OK; i++) {
        uint8_t   *file = NULL;
        size_t     bytes;
        npu_model *model = NULL;
        code = cli_open_model(paths[i], &file, &bytes, &model);
        if (code != CLI_OK) break;
        code = collect(&all, paths[i], model);
        npu_model_close(model);
        free(file);
    }
    if (code == CLI_OK && all.missing) code = npu_status_exit_code(NPU_UNSUPPORTED);
    if (all.n) qsort(all.keep, all.n, sizeof *all.keep, by_name);
    if (code == CLI_OK) print_needs(&all, format);
    free(all.keep);
    return code;
}
