/* String tensors on the command line: text and .npy files of bytes going in, .npy files and text coming out. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "npy.h"

static size_t elements(int32_t rank, const int32_t *dims) {
    size_t  n = 1;
    int32_t i;
    for (i = 0; i < rank; i++) n *= (size_t)dims[i];
    return n;
}

/* Room for `count` strings of at most `bytes` together. */
static int take_room(cli_input *in, size_t count, size_t bytes) {
    in->data = malloc(bytes + 1);
    in->items = malloc(sizeof *in->items * (count + 1));
    in->lengths = malloc(sizeof *in->lengths * (count + 1));
    in->bytes = count;
    return in->data && in->items && in->lengths ? CLI_OK : cli_no_memory();
}

int cli_text_input(cli_run *run, int32_t index, const char *text) {
    cli_input  *in = &run->inputs[index];
    size_t      n = strlen(text), lines = 1, i, at = 0;
    int         code, whole = elements(in->declared.rank, in->declared.dims) == 1;
    if (in->declared.type != NPU_STRING)
        return cli_fail(CLI_BAD_INPUT, NULL, "input.dtype", "input %d is of type %s: text is for inputs of strings", (int)index,
                        npu_type_name(in->declared.type));
    for (i = 0; i < (size_t)in->declared.rank; i++) whole &= in->declared.dims_signature[i] != -1;
    for (i = 0; !whole && i < n; i++) lines += text[i] == '\n';
    code = take_room(in, lines, n);
    if (code != CLI_OK) return code;
    memcpy(in->data, text, n);
    for (i = 0; i < lines; i++) {
        const char *end = whole ? NULL : memchr(text + at, '\n', n - at);
        in->items[i] = (const char *)in->data + at;
        in->lengths[i] = end ? (size_t)(end - text) - at : n - at;
        at += in->lengths[i] + 1;
    }
    /* One line for each element: a vector takes as many as there are, if the model lets it. One fixed element takes all. */
    if (!whole && in->declared.rank == 1) {
        in->rank = 1;
        in->dims[0] = (int32_t)lines;
    }
    snprintf(in->how, sizeof in->how, "text");
    return CLI_OK;
}

/* One number of numpy's 4-byte characters as UTF-8; returns its bytes. */
static size_t utf8(uint32_t c, uint8_t *to) {
    if (c < 0x80) {
        to[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (uint8_t)(0xC0 | c >> 6);
        to[1] = (uint8_t)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (uint8_t)(0xE0 | c >> 12);
        to[1] = (uint8_t)(0x80 | (c >> 6 & 63));
        to[2] = (uint8_t)(0x80 | (c & 63));
        return 3;
    }
    to[0] = (uint8_t)(0xF0 | (c >> 18 & 7));
    to[1] = (uint8_t)(0x80 | (c >> 12 & 63));
    to[2] = (uint8_t)(0x80 | (c >> 6 & 63));
    to[3] = (uint8_t)(0x80 | (c & 63));
    return 4;
}

/* An item without the zeros behind it, which numpy adds and takes off again. Returns its bytes as text. */
static size_t item_text(const npy_array *a, uint8_t *item) {
    size_t n = (size_t)a->item_bytes, i, out = 0;
    if (a->dtype[1] == 'S') {
        while (n > 0 && item[n - 1] == 0) n--;
        return n;
    }
    while (n > 0 && !item[n - 1] && !item[n - 2] && !item[n - 3] && !item[n - 4]) n -= 4;
    for (i = 0; i < n; i += 4) { /* never ahead of what is read */
        uint32_t c = (uint32_t)item[i] | (uint32_t)item[i + 1] << 8 | (uint32_t)item[i + 2] << 16 | (uint32_t)item[i + 3] << 24;
        uint8_t  bytes[4];
        size_t   more = utf8(c, bytes);
        memcpy(item + out, bytes, more);
        out += more;
    }
    return out;
}

int cli_npy_strings(cli_run *run, int32_t index, const npy_array *a, const char *path) {
    cli_input *in = &run->inputs[index];
    size_t     i;
    int        code;
    if (a->dtype[1] != 'S' && a->dtype[1] != 'U')
        return cli_fail(CLI_BAD_INPUT, NULL, "input.dtype",
                        "%s: its dtype is %s but input %d takes strings: dtype S (bytes) or U (text)", path, a->dtype, (int)index);
    code = take_room(in, a->elems, a->elems * (size_t)a->item_bytes); /* the file's own size */
    if (code != CLI_OK) return code;
    npy_copy(a, in->data);
    for (i = 0; i < a->elems; i++) {
        uint8_t *item = in->data + i * (size_t)a->item_bytes;
        in->items[i] = (const char *)item;
        in->lengths[i] = item_text(a, item);
    }
    in->rank = a->rank;
    memcpy(in->dims, a->dims, sizeof in->dims);
    snprintf(in->how, sizeof in->how, ".npy file");
    return CLI_OK;
}

/* ---- out ---- */

size_t cli_longest_string(const npu_tensor *t) {
    size_t      n = elements(t->rank, t->dims), longest = 1, length, i;
    const char *p;
    for (i = 0; i < n; i++)
        if (npu_tensor_string(t, (int64_t)i, &p, &length) == NPU_OK && length > longest) longest = length;
    return longest;
}

int cli_write_strings(FILE *f, const npu_tensor *t) {
    const size_t n = elements(t->rank, t->dims), width = cli_longest_string(t);
    size_t       length, i, k;
    const char  *p;
    for (i = 0; i < n; i++) {
        if (cli_time_is_up_at(i) || npu_tensor_string(t, (int64_t)i, &p, &length) != NPU_OK) return 0;
        if (length && fwrite(p, 1, length, f) != length) return 0;
        for (k = length; k < width; k++)
            if (putc(0, f) == EOF) return 0;
    }
    return 1;
}

/* The first strings of a tensor: a line each, or a list in JSON. */
enum { SHOWN = 10, LISTED = 1000 };

void cli_show_strings(FILE *to, const npu_tensor *t) {
    size_t      n = elements(t->rank, t->dims), length, i;
    const char *p;
    for (i = 0; i < n && i < SHOWN; i++) {
        if (npu_tensor_string(t, (int64_t)i, &p, &length) != NPU_OK) return;
        fprintf(to, "    [%lu] \"", (unsigned long)i);
        cli_text(to, p, length);
        fputs("\"\n", to);
    }
    if (n > SHOWN) fprintf(to, "    ... %lu strings\n", (unsigned long)n);
}

void cli_json_strings(FILE *to, const npu_tensor *t) {
    size_t      n = elements(t->rank, t->dims), length, i;
    const char *p;
    fputs(",\"strings\":[", to);
    for (i = 0; i < n && i < LISTED && npu_tensor_string(t, (int64_t)i, &p, &length) == NPU_OK; i++) {
        if (i) fputc(',', to);
        cli_json_string(to, p, length);
    }
    fputc(']', to);
}
