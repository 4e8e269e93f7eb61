/* Edits of Ethos-U command streams: values of commands, and commands that describe copies of every shape. */

typedef struct stream_words {
    uint8_t *p; /* the payload tensor, to be written to */
    size_t   n, first, words; /* bytes; the stream in words from the start */
} stream_words;

static uint32_t stream_get(const stream_words *s, size_t i) { return npu__rd_u32(s->p + 4 * i); }
static void     stream_put(stream_words *s, size_t i, uint32_t w) { memcpy(s->p + 4 * i, &w, 4); }

/* Finds the stream in the payload: false when there is none. */
static int stream_find(stream_words *s) {
    if (s->n < 16 || memcmp(s->p, "COP1", 4) != 0) return 0;
    for (size_t at = 1; at < s->n / 4;) {
        uint32_t tag = stream_get(s, at), words = tag >> 16 | (tag >> 8 & 255u) << 16;
        if ((tag & 255u) == 2) {
            s->first = at + 1;
            s->words = words < s->n / 4 - at - 1 ? words : s->n / 4 - at - 1;
            return s->words > 0;
        }
        at += (tag & 255u) == 1 ? 3 : 1;
    }
    return 0;
}

/* 40 bits for addresses, strides and lengths: small, or at an edge, or such that few additions leave 64 bits. */
static uint64_t stream_wide(tree *t) {
    static const uint64_t edges[] = {0, 1, 16, 0x7FFFFFFFFFu, 0x8000000000u, 0xFFFFFFFFFFu, 0xFFFFFFFFu, 0x100000000u, 0x80000000u,
                                     0x4000000000u, 0x7FFFFFFFu, 0x8000000001u};
    if (once_in(t, 2)) return edges[pick(t, NPU__COUNT(edges))];
    if (once_in(t, 2)) return pick(t, 4096);
    return random_bits(t) & 0xFFFFFFFFFFu;
}

static uint32_t stream_narrow(tree *t) {
    static const uint16_t edges[] = {0, 1, 2, 3, 7, 15, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0xFFFE, 0x200, 0x400, 0x100, 0x600};
    return once_in(t, 2) ? edges[pick(t, NPU__COUNT(edges))] : pick(t, once_in(t, 2) ? 65536 : 64);
}

/* A word with this opcode, or two. Returns how many. */
static size_t stream_command(tree *t, uint32_t *out, int32_t code) {
    uint64_t wide = stream_wide(t);
    if (code & NPU__EU_FORM_1) {
        out[0] = (uint32_t)(wide >> 32) << 16 | (uint32_t)code;
        out[1] = (uint32_t)wide;
        return 2;
    }
    out[0] = stream_narrow(t) << 16 | (uint32_t)code;
    return 1;
}

static const int32_t *stream_codes(uint32_t *n) {
    static const int32_t codes[] = {
#define NPU__X(name, opcode, kind, about) NPU__EU_##name,
        NPU__EU_CMD0_LIST(NPU__X) NPU__EU_CMD1_LIST(NPU__X)
#undef NPU__X
    };
    *n = NPU__COUNT(codes);
    return codes;
}

/* Registers of a copy and its start: in two or three dimensions, rows and planes of any distance. */
static size_t stream_copy(tree *t, uint32_t *out) {
    static const int32_t wide[] = {NPU__EU_SET_DMA0_SKIP0, NPU__EU_SET_DMA0_SKIP1, NPU__EU_SET_DMA0_SRC, NPU__EU_SET_DMA0_DST};
    static const uint32_t shapes[] = {0, 0x200, 0x400, 0x400, 0x400, 0x600};
    uint32_t shape = shapes[pick(t, NPU__COUNT(shapes))], far = once_in(t, 2) ? 0x8000u : 0;
    size_t   n = 0;
    out[n++] = (shape | pick(t, 3)) << 16 | NPU__EU_SET_DMA0_SRC_REGION;
    out[n++] = (shape | (once_in(t, 6) ? 256u : 1 + pick(t, 2))) << 16 | NPU__EU_SET_DMA0_DST_REGION;
    out[n++] = (far | (once_in(t, 3) ? pick(t, 16) : stream_narrow(t))) << 16 | NPU__EU_SET_DMA0_SIZE0;
    out[n++] = (far | (once_in(t, 3) ? pick(t, 16) : stream_narrow(t))) << 16 | NPU__EU_SET_DMA0_SIZE1;
    for (int i = 0; i < 4; i++) {
        if (i < 2 || once_in(t, 2)) n += stream_command(t, out + n, wide[i]);
        else out[n++] = (uint32_t)wide[i], out[n++] = 16 * pick(t, 64);
    }
    out[n++] = (uint32_t)NPU__EU_SET_DMA0_LEN;
    out[n++] = !far && once_in(t, 3) ? (uint32_t)stream_wide(t) : 1 + pick(t, 64);
    out[n++] = (uint32_t)NPU__EU_OP_DMA_START;
    return n;
}

/* Changes the value of the command at word `at`. */
static void stream_change(tree *t, stream_words *s, size_t at) {
    uint32_t w = stream_get(s, at), code = w & 0xFFFFu, cmd[2];
    size_t   n = stream_command(t, cmd, (int32_t)code);
    if (once_in(t, 3)) { /* one bit, or one more or less */
        cmd[0] = once_in(t, 2) ? w ^ 0x10000u << pick(t, 16) : w + (once_in(t, 2) ? 0x10000u : 0xFFFF0000u);
        cmd[1] = at + 1 < s->n / 4 ? stream_get(s, at + 1) ^ (once_in(t, 2) ? 1u << pick(t, 32) : 0) : 0;
    }
    for (size_t i = 0; i < n && at + i < s->n / 4; i++) stream_put(s, at + i, cmd[i]);
}

/* Makes room for `n` words before word `at`, a multiple of four as payloads are; the stream's length says so too. */
static void stream_insert(tree *t, stream_words *s, size_t at, const uint32_t *words, size_t n) {
    size_t   all = s->n + 4 * n;
    uint8_t *p = (uint8_t *)tree_take(t, all);
    uint32_t tag = stream_get(s, s->first - 1), length = (uint32_t)(s->words + n);
    memcpy(p, s->p, 4 * at);
    memcpy(p + 4 * at, words, 4 * n);
    memcpy(p + 4 * (at + n), s->p + 4 * at, s->n - 4 * at);
    s->p = p;
    s->n = all;
    s->words += n;
    stream_put(s, s->first - 1, (tag & 255u) | (length >> 16 & 255u) << 8 | (length & 0xFFFFu) << 16);
}

/* Word at which some command starts. */
static size_t stream_any(tree *t, const stream_words *s) {
    size_t at = 0, chosen = 0, stop = once_in(t, 3) ? 0 : pick(t, s->words);
    while (at < s->words && at <= stop) {
        chosen = at;
        at += stream_get(s, s->first + at) & NPU__EU_FORM_1 ? 2 : 1;
    }
    return s->first + chosen;
}

static void stream_edit(tree *t, stream_words *s) {
    uint32_t       new_words[24], n_codes;
    const int32_t *codes = stream_codes(&n_codes);
    size_t         at, n;
    if (!stream_find(s)) return;
    for (uint32_t k = once_in(t, 2) ? 1 : 1 + pick(t, 4); k; k--) {
        at = stream_any(t, s);
        switch (pick(t, 10)) {
        case 0: case 1: case 2:
            n = stream_copy(t, new_words);
            stream_insert(t, s, at, new_words, n);
            break;
        case 4: case 5:
            n = stream_command(t, new_words, codes[pick(t, n_codes)]);
            stream_insert(t, s, at, new_words, n);
            break;
        case 3: stream_put(s, pick(t, s->n / 4), once_in(t, 2) ? (uint32_t)random_bits(t) : (uint32_t)odd_int(t)); break;
        default: stream_change(t, s, at);
        }
    }
}

/* The streams of operators that were compiled; false when there are none. */
static int edit_streams(tree *t) {
    value *graphs = tree_at(t, t->root, NPU__S_Model_subgraphs);
    int    found = 0;
    for (uint32_t i = 0; i < graphs->n; i++) {
        value *ops = tree_at(t, graphs->tabs[i], NPU__S_SubGraph_operators);
        for (uint32_t k = 0; k < ops->n; k++) {
            value       *in = tree_at(t, ops->tabs[k], NPU__S_Operator_inputs), *v, *shape;
            node        *tensor = in->n ? nth_of(t, graphs->tabs[i], NPU__S_SubGraph_tensors, tree_i32(in, 0)) : NULL;
            stream_words s;
            int32_t      bytes;
            v = tree_at(t, buffer_of(t, tensor), NPU__S_Buffer_data);
            if (v->n < 16 || memcmp(v->p, "COP1", 4) != 0) continue;
            found = 1;
            memset(&s, 0, sizeof s);
            s.p = tree_own(t, v, v->n, 1);
            s.n = v->n;
            stream_edit(t, &s);
            v->p = s.p;
            v->n = (uint32_t)s.n;
            shape = tree_at(t, tensor, NPU__S_Tensor_shape);
            bytes = (int32_t)s.n;
            if (shape->n == 1) tree_set_i32s(t, shape, &bytes, 1);
        }
    }
    return found;
}

/* An operator of its own that was compiled: nothing but copies within 4 kB of scratch memory. */
static void edit_compiled(tree *t) {
    static const int32_t sizes[] = {64, 4096, 2048};
    static const uint32_t head[] = {0x31504F43u, 0x00100001u, 0x1807u, 0x10060000u, 5, 5, 5};
    node    *g = any_subgraph(t), *op = tree_node(t, NPU__T_Operator), *tensor;
    value   *in = tree_at(t, op, NPU__S_Operator_inputs);
    uint32_t words[64], *stream = words + 8;
    size_t   n = stream_copy(t, stream);
    int32_t  index, bytes;
    if (!g) return;
    if (once_in(t, 2)) n += stream_copy(t, stream + n);
    stream[n++] = 0xFFFF0000u; /* stop */
    memcpy(words, head, sizeof head);
    words[7] = (uint32_t)n << 16 | 2;
    bytes = (int32_t)(32 + 4 * n);
    tensor = new_tensor(t, g, NPU_UINT8, &bytes, 1, &index);
    give_buffer(t, tensor, (const uint8_t *)memcpy(tree_take(t, (size_t)bytes), words, (size_t)bytes), (uint32_t)bytes);
    tree_push_i32(t, in, index);
    for (int i = 0; i < 3; i++) {
        tensor = new_tensor(t, g, NPU_UINT8, &sizes[i], 1, &index);
        if (i == 0) give_buffer(t, tensor, (const uint8_t *)tree_take(t, (size_t)sizes[0]), (uint32_t)sizes[0]);
        tree_push_i32(t, in, index);
    }
    tree_set(t, op, NPU__S_Operator_opcode_index, give_code(t, NPU__BUILTIN_CUSTOM, "ethos-u"));
    insert_op(t, g, pick(t, (uint64_t)tree_at(t, g, NPU__S_SubGraph_operators)->n + 1), op);
}
