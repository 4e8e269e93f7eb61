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

/* An operator that this build lacks, with its count and first place in one model. */
typedef struct missing {
    npu_op  op;
    int32_t subgraph, index;
    long    count;
} missing;

static int same_name(const npu_op *a, const npu_op *b) {
    return a->code == b->code && a->name_len == b->name_len && memcmp(a->name, b->name, a->name_len) == 0;
}

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

/* As many kinds as are told apart; a model may make up more. */
#define MAX_MISSING 64

static void report_missing(const char *path, const missing *list, int n, long others) {
    int i;
    for (i = 0; i < n; i++) {
        fprintf(stderr, "npu_rt: error: %s: this build has no kernel for %s", path, list[i].op.code == 32 ? "the custom operator " : "");
        cli_text(stderr, list[i].op.name, list[i].op.name_len);
        fprintf(stderr, " (%ld times, first as operator %d of subgraph %d)\n", list[i].count, (int)list[i].index,
                (int)list[i].subgraph);
    }
    if (others) fprintf(stderr, "npu_rt: error: %s: and %ld more operators\n", path, others);
}

static int collect(needs *all, const char *path, const npu_model *model) {
    missing list[MAX_MISSING];
    int     n = 0, k, code = CLI_OK;
    long    others = 0;
    int32_t s, i;
    npu_op  op;
    for (s = 0; s < npu_model_subgraph_count(model); s++) {
        for (i = 0; code == CLI_OK && npu_model_op(model, s, i, &op) == NPU_OK; i++) {
            if (op.keep && !*op.keep) all->compiled = 1;
            if (op.keep && *op.keep) code = keep(all, op.keep);
            if (op.keep) continue;
            for (k = 0; k < n && !same_name(&list[k].op, &op);) k++;
            if (k == MAX_MISSING) {
                others++;
                continue;
            }
            if (k == n) {
                list[n].op = op;
                list[n].subgraph = s;
                list[n].index = i;
                list[n++].count = 0;
            }
            list[k].count++;
        }
    }
    report_missing(path, list, n, others);
    all->missing |= n > 0;
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
