/* What every NPU makes of a model: whole, or as rows of a table of many models. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

int cli_compare_names(cli_comparison *c, char *list) {
    char *name = list, *comma;
    do {
        cli_backend b = {NULL, NULL, NULL, 0};
        comma = strchr(name, ',');
        if (comma) *comma = '\0';
        if (c->desc.n_backends == CLI_MOST_BACKENDS)
            return cli_error(CLI_USAGE, "--backend takes up to %d names", (int)CLI_MOST_BACKENDS);
        b.name = name;
        if (cli_check_backend(&b, NULL) != CLI_OK) return CLI_USAGE;
        c->names[c->desc.n_backends++] = name;
        name = comma ? comma + 1 : NULL;
    } while (name);
    c->desc.backends = c->names;
    return CLI_OK;
}

/* ---- one model ---- */

static int to_file(void *user, const char *text, size_t n) { return fwrite(text, 1, n, user) != n; }

/* Written beside its place and renamed: whole or not at all. What is there and no plain file (/dev/stdout, a pipe, a link) stays what
 * it is and is written to. */
static int write_page(const cli_comparison *c, const npu_model *model, const npu_compare_desc *desc, const char *path) {
    char       part[1024];
    npu_writer out;
    npu_diag   diag;
    npu_status status;
    FILE      *f;
    int        bad, beside = cli_is_file_or_new(c->html);
    if (snprintf(part, sizeof part, beside ? "%s.part" : "%s", c->html) >= (int)sizeof part)
        return cli_error(CLI_USAGE, "--html: the path is too long");
    f = cli_fopen(part, "wb");
    if (!f) return cli_error(CLI_FAILED, "cannot write %s: %s", c->html, cli_path_error(c->html, errno));
    out.user = f;
    out.write = to_file;
    status = npu_compare(model, desc, NULL, 0, NULL, NPU_FORMAT_HTML, &out, &diag);
    bad = fclose(f) != 0;
    if (status == NPU_OK && !bad && (!beside || cli_rename(part, c->html) == 0)) {
        cli_note("%s is written: open it in a browser, or send it", c->html);
        return CLI_OK;
    }
    bad = errno;
    if (beside) cli_remove(part);
    if (status == NPU_OK || strcmp(diag.rule, "report.write") == 0)
        return cli_error(CLI_FAILED, "cannot write %s: %s", c->html, cli_path_error(c->html, bad));
    return cli_diag(path, &diag);
}

int cli_compare_one(const cli_comparison *c, const char *path) {
    static const npu_format formats[] = {NPU_FORMAT_TEXT, NPU_FORMAT_JSON, NPU_FORMAT_MARKDOWN};
    npu_compare_desc        desc = c->desc;
    npu_writer              out = cli_stdout();
    uint8_t                *file;
    size_t                  n;
    npu_model              *model;
    npu_diag                diag;
    int                     code = cli_open_model(path, &file, &n, &model);
    if (code != CLI_OK) return code;
    desc.title = path;
    if (c->html) code = write_page(c, model, &desc, path);
    else code = cli_reported(npu_compare(model, &desc, NULL, 0, NULL, formats[c->form], &out, &diag), path, &diag);
    npu_model_close(model);
    free(file);
    return code;
}

/* ---- many models ---- */

enum { COLUMN = 22 };

static const char *backend_at(const cli_comparison *c, int32_t i) {
    if (!c->desc.backends) return npu_compare_backend(i);
    return i < c->desc.n_backends ? c->names[i] : NULL;
}

static void csv_text(FILE *to, const char *text) {
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"') fputc('"', to);
        fputc((unsigned char)*text < 32 ? ' ' : *text, to);
    }
    fputc('"', to);
}

void cli_compare_begin(const cli_comparison *c, FILE *to) {
    const char *name;
    int32_t     i;
    int         k;
    switch (c->form) {
    case CLI_FORM_CSV:
        fputs("model,status,rule,message,npu,rules,ops,ops_placed,ops_dropped,macs,macs_placed,partitions,switches,warnings,"
              "cycles_estimated,seconds_estimated,sram_bytes_estimated,store,store_bytes_estimated,sram_limit,fits,"
              "cycles_at_least,seconds_at_least,external_bytes_at_least,ops_placed_relax_fp32", to);
        for (k = 1; k <= NPU_FIT_REASONS; k++) fprintf(to, ",reason_%d,reason_%d_ops", k, k);
        fputc('\n', to);
        break;
    case CLI_FORM_JSON: fputs("{\"models\":[", to); break;
    case CLI_FORM_MARKDOWN:
        fputs("| model |", to);
        for (i = 0; (name = backend_at(c, i)) != NULL; i++) fprintf(to, " %s |", name);
        fputs("\n|---|", to);
        while (i-- > 0) fputs("---:|", to);
        fputc('\n', to);
        break;
    case CLI_FORM_TEXT:
        fprintf(to, "%-*s", c->width, "model");
        for (i = 0; (name = backend_at(c, i)) != NULL; i++) fprintf(to, " %*s", (int)COLUMN, name);
        fputc('\n', to);
        break;
    }
}

void cli_compare_between(const cli_comparison *c, FILE *to) {
    if (c->form == CLI_FORM_JSON) fputs(",\n", to);
}

void cli_compare_end(const cli_comparison *c, FILE *to) {
    if (c->form == CLI_FORM_JSON) fputs("]}\n", to);
    if (c->form == CLI_FORM_TEXT)
        fputs("\nops taken of those that are not dropped, and the estimated time of these; (!): the memory is too small; >=: a lower bound,\n"
              "not validated, Mcyc: a million cycles; FP16: with --relax-fp32\n", to);
}

static void cell(const npu_fit *f, char *out, size_t cap) {
    const int of = (int)(f->check.ops - f->check.ops_dropped);
    const int n = snprintf(out, cap, "%d/%d", (int)f->check.ops_placed, of);
    if (f->estimated) snprintf(out + n, cap - (size_t)n, " %.3g ms%s", 1e3 * f->cost.seconds, f->fits == 0 ? " (!)" : "");
    else if (f->relaxed_profile)
        snprintf(out + n, cap - (size_t)n, " FP16: %d/%d", (int)f->relaxed.ops_placed, (int)(f->relaxed.ops - f->relaxed.ops_dropped));
    else if (f->bounded && f->bound.seconds > 0) snprintf(out + n, cap - (size_t)n, " >=%.3g ms", 1e3 * f->bound.seconds);
    else if (f->bounded && f->bound.cycles > 0) snprintf(out + n, cap - (size_t)n, " >=%.3g Mcyc", 1e-6 * (double)f->bound.cycles);
}

static void csv_bound(FILE *to, const npu_fit *f) {
    if (f->bounded && f->bound.cycles > 0) fprintf(to, ",%lld", (long long)f->bound.cycles);
    else fputc(',', to);
    if (f->bounded && f->bound.seconds > 0) fprintf(to, ",%.9g", f->bound.seconds);
    else fputc(',', to);
    if (f->bounded) fprintf(to, ",%lld", (long long)f->bound.external_bytes_chained);
    else fputc(',', to);
    if (f->relaxed_profile) fprintf(to, ",%d", (int)f->relaxed.ops_placed);
    else fputc(',', to);
}

static void csv_row(FILE *to, const char *path, const npu_fit *f) {
    int k;
    csv_text(to, path);
    fprintf(to, ",OK,,,%s,%s,%d,%d,%d,%lld,%lld,%d,%d,%d", f->backend, f->profile, (int)f->check.ops, (int)f->check.ops_placed,
            (int)f->check.ops_dropped, (long long)f->check.macs, (long long)f->check.macs_placed, (int)f->check.partitions,
            (int)f->check.switches, (int)f->n_warnings);
    if (f->estimated)
        fprintf(to, ",%lld,%.9g,%lld,%s,%lld", (long long)f->cost.cycles, f->cost.seconds, (long long)f->cost.sram_bytes, f->store,
                (long long)f->cost.store_bytes);
    else fputs(",,,,,", to);
    if (f->sram_limit > 0) fprintf(to, ",%lld", (long long)f->sram_limit);
    else fputc(',', to);
    fputs(f->fits < 0 ? "," : f->fits ? ",yes" : ",no", to);
    csv_bound(to, f);
    for (k = 0; k < NPU_FIT_REASONS; k++) {
        if (k < f->n_reasons) fprintf(to, ",%s,%lld", f->reasons[k].rule, (long long)f->reasons[k].ops);
        else fputs(",,", to);
    }
    fputc('\n', to);
}

static void fit_rows(const cli_comparison *c, const char *path, const npu_fit *fits, int32_t n, FILE *to) {
    char    text[64];
    int32_t i;
    if (c->form == CLI_FORM_CSV) {
        for (i = 0; i < n; i++) csv_row(to, path, &fits[i]);
        return;
    }
    if (c->form == CLI_FORM_MARKDOWN) fputs("| ", to);
    cli_text(to, path, strlen(path));
    if (c->form == CLI_FORM_TEXT) fprintf(to, "%*s", strlen(path) < (size_t)c->width ? c->width - (int)strlen(path) : 0, "");
    if (c->form == CLI_FORM_MARKDOWN) fputs(" |", to);
    for (i = 0; i < n; i++) {
        cell(&fits[i], text, sizeof text);
        if (c->form == CLI_FORM_TEXT) fprintf(to, " %*s", (int)COLUMN, text);
        else fprintf(to, " %s |", text);
    }
    fputc('\n', to);
}

static void error_row(const cli_comparison *c, const char *path, const char *status, const char *rule, const char *text, FILE *to) {
    int k;
    switch (c->form) {
    case CLI_FORM_CSV:
        csv_text(to, path);
        fprintf(to, ",%s,%s,", status, rule);
        csv_text(to, text);
        for (k = 0; k < 21 + 2 * NPU_FIT_REASONS; k++) fputc(',', to);
        fputc('\n', to);
        break;
    case CLI_FORM_JSON:
        fputs("{\"title\":", to);
        cli_json_string(to, path, strlen(path));
        fprintf(to, ",\"error\":{\"status\":\"%s\",\"rule\":\"%s\",\"message\":", status, rule);
        cli_json_string(to, text, strlen(text));
        fputs("}}", to);
        break;
    default:
        if (c->form == CLI_FORM_MARKDOWN) fputs("| ", to);
        cli_text(to, path, strlen(path));
        fputs(c->form == CLI_FORM_MARKDOWN ? " | " : "  ", to);
        cli_text(to, text, strlen(text));
        fprintf(to, c->form == CLI_FORM_MARKDOWN ? " `%s` |\n" : " [%s]\n", rule);
        break;
    }
}

void cli_compare_lost(const cli_comparison *c, const char *path, FILE *to) {
    error_row(c, path, "RUNTIME", "check.lost", "the process that read it ended early", to);
}

int cli_compare_row(const cli_comparison *c, const char *path, FILE *to) {
    npu_fit          fits[CLI_MOST_BACKENDS];
    npu_compare_desc desc = c->desc;
    npu_model_desc   md;
    npu_writer       out;
    npu_model       *model = NULL;
    uint8_t         *file;
    size_t           bytes;
    npu_diag         diag;
    npu_status       status;
    int32_t          n = 0;
    int              code = cli_read_file(path, &file, &bytes);
    if (code != CLI_OK) {
        error_row(c, path, "RUNTIME", "cli.read", "it cannot be read", to);
        return code;
    }
    memset(&md, 0, sizeof md);
    md.max_memory_bytes = cli_limit.memory_bytes;
    desc.title = path;
    out.user = to;
    out.write = to_file;
    status = npu_model_open(&model, file, bytes, &md, &diag);
    if (status == NPU_OK)
        status = npu_compare(model, &desc, fits, CLI_MOST_BACKENDS, &n, NPU_FORMAT_JSON, c->form == CLI_FORM_JSON ? &out : NULL, &diag);
    if (status != NPU_OK) error_row(c, path, npu_status_name(status), diag.rule, diag.text, to);
    else if (c->form != CLI_FORM_JSON) fit_rows(c, path, fits, n, to);
    npu_model_close(model);
    free(file);
    return npu_status_exit_code(status);
}
