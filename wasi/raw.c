/* Inputs and outputs of a run as the NPU has them (--suppress-input-conversion, --suppress-output-conversion). */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int cli_raw_of(const cli_run *run, int output, int32_t i, npu_raw *raw) {
    npu_plan_report_desc desc;
    npu_diag             diag;
    memset(&desc, 0, sizeof desc);
    desc.backend = run->args->backend.name;
    desc.profile = run->args->backend.rules;
    desc.suppress_input_conversion = run->args->raw_inputs;
    desc.suppress_output_conversion = run->args->raw_outputs;
    if (npu_model_raw(run->model, &desc, run->subgraph, output, i, raw, &diag) == NPU_OK) return CLI_OK;
    if (strcmp(diag.rule, "plan.raw") != 0) return cli_diag(run->args->model, &diag);
    cli_note("%s: it stays as it is", diag.text);
    return CLI_GO_ON;
}

int cli_raw_input(cli_run *run, int32_t index, const uint8_t *bytes, size_t n, const char *path) {
    cli_input *in = &run->inputs[index];
    npu_raw    raw;
    int        code = cli_raw_of(run, 0, index, &raw);
    if (code != CLI_OK) return code;
    if (n != raw.bytes)
        return cli_fail(CLI_BAD_INPUT, NULL, "input.raw", "%s: %lu bytes, but input %d has %lu in %s: [%ld,%d,%d] of %s", path,
                        (unsigned long)n, (int)index, (unsigned long)raw.bytes, raw.layout, (long)raw.rows, (int)raw.padded_width,
                        (int)raw.padded_channels, npu_type_name(raw.device_type));
    in->bytes = (size_t)raw.rows * (size_t)raw.width * (size_t)raw.channels * (size_t)npu_type_bits(raw.type) / 8;
    in->data = malloc(in->bytes ? in->bytes : 1);
    if (!in->data) return cli_error(CLI_FAILED, "%s: out of memory", path);
    if (npu_raw_unpack(&raw, bytes, n, in->data, in->bytes) != NPU_OK)
        return cli_error(CLI_FAILED, "%s: input %d cannot be read raw", path, (int)index);
    snprintf(in->how, sizeof in->how, "raw %s of a .npy file", raw.layout);
    return CLI_OK;
}

int cli_raw_output(const cli_run *run, int32_t i, npu_tensor *t, uint8_t **bytes) {
    npu_raw raw;
    int     code = cli_raw_of(run, 1, i, &raw);
    *bytes = NULL;
    if (code != CLI_OK) return code == CLI_GO_ON ? CLI_OK : code;
    *bytes = malloc(raw.bytes ? raw.bytes : 1);
    if (!*bytes) return cli_no_memory();
    if (npu_raw_pack(&raw, t->data, t->bytes, *bytes, raw.bytes) != NPU_OK || raw.bytes > INT32_MAX)
        return cli_error(CLI_FAILED, "output %d cannot be written raw", (int)i);
    t->type = NPU_UINT8;
    t->rank = 1;
    t->dims[0] = (int32_t)raw.bytes;
    t->bytes = raw.bytes;
    t->data = *bytes;
    return CLI_OK;
}
