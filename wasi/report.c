/* What the commands share that write one report of the library: their options, the model's way in, and what is said when the
 * report ends early. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int cli_question_option(void *question, int opt, char *value) {
    cli_question *q = question;
    switch (opt) {
    case CLI_OPT_JSON: q->format = NPU_FORMAT_JSON; return CLI_OK;
    default: return cli_backend_option(&q->backend, opt, value);
    }
}

int cli_reported(npu_status status, const char *about, const npu_diag *diag) {
    if (status == NPU_OK) return CLI_OK;
    return ferror(stdout) ? CLI_FAILED : cli_diag(about, diag); /* a full disk: cli_finish says so */
}

int cli_report(const cli_question *q, cli_write *write, void *args) {
    uint8_t   *file;
    size_t     n;
    npu_model *model;
    npu_writer out = cli_stdout();
    npu_diag   diag;
    int        code = cli_open_model(q->model, &file, &n, &model);
    if (code != CLI_OK) return code;
    code = cli_reported(write(model, args, &out, &diag), q->model, &diag);
    npu_model_close(model);
    free(file);
    return code;
}

int cli_parse_report(int argc, char **argv, const char *help, const int *takes, cli_set *set, cli_question *q) {
    int i, code = cli_parse(argc, argv, help, takes, set, q);
    if (code != CLI_GO_ON) return code;
    code = cli_take_model(argc, argv, &q->model);
    for (i = 0; code == CLI_OK && takes[i] != CLI_OPT_END; i++)
        if (takes[i] == CLI_OPT_BACKEND) code = cli_check_backend(&q->backend, argv[0]);
    return code == CLI_OK ? CLI_GO_ON : code;
}

int cli_plain_report(int argc, char **argv, const char *help, cli_write *write) {
    static const int takes[] = {CLI_OPT_JSON, CLI_OPT_END};
    cli_question     q;
    int              code;
    memset(&q, 0, sizeof q);
    code = cli_parse_report(argc, argv, help, takes, cli_question_option, &q);
    return code == CLI_GO_ON ? cli_report(&q, write, &q) : code;
}
