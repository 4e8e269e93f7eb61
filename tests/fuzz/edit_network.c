/* Edits of compiled networks of Neuron's software adapter (src/vendor/neuron/adapter/network.c says what they are made of): words
 * and values change, the checksum is mended. */

/* Where models that hold a network have the container around it: seeds.py. */
#define NETWORK_AT 4096

/* Where a network begins; n: nowhere. */
static size_t network_find(const uint8_t *p, size_t n) {
    for (size_t i = 0; i + NPU__NSW_HEAD <= n; i++) if (memcmp(p + i, NPU__NSW_MAGIC, 8) == 0) return i;
    return n;
}

/* As long as it says, or as bytes are there; its sum is right. */
static void network_seal(uint8_t *p, size_t n) {
    const uint64_t said = npu__nsw_u64(p + 16);
    if (said >= NPU__NSW_HEAD && said <= n) n = (size_t)said;
    npu__nsw_put(p + 16, n, 8);
    npu__nsw_put(p + NPU__NSW_SUM_AT, npu__nsw_checksum(p, n), 8);
}

static uint8_t *network_word(uint8_t *p, size_t i) { return p + NPU__NSW_HEAD + 4 * i; }

static void network_change(tree *t, uint8_t *p, size_t words) {
    const size_t i = pick(t, words), k = pick(t, words);
    uint8_t     *at = network_word(p, i);
    uint32_t     v = npu__nsw_u32(at);
    switch (pick(t, 6)) {
    case 0: v = npu__nsw_u32(network_word(p, k)); break;
    case 1: v += once_in(t, 2) ? 1u : UINT32_MAX; break;
    case 2: v = (uint32_t)float_bits(odd_float(t)); break;
    case 3: v ^= 1u << pick(t, 32); break;
    default: v = (uint32_t)odd_int(t);
    }
    npu__nsw_put(at, v, 4);
}

/* One word more, where there is room before the values and in the `most` words that are there, or one less. */
static void network_shift(tree *t, uint8_t *p, size_t words, size_t most) {
    const size_t i = pick(t, words);
    uint8_t     *at = network_word(p, i);
    if (once_in(t, 2) && words % 16 != 0 && words < most) { /* values begin at a multiple of 64, as the words do */
        memmove(at + 4, at, 4 * (words - i));
        npu__nsw_put(p + 48, words + 1, 4);
    } else {
        memmove(at, at + 4, 4 * (words - i - 1));
        npu__nsw_put(p + 48, words - 1, 4);
    }
}

static void network_edit(tree *t, uint8_t *p, size_t n) {
    const size_t most = (n - NPU__NSW_HEAD) / 4;
    size_t       words = npu__nsw_u32(p + 48);
    if (words > most) words = most;
    switch (words ? pick(t, 12) : 0) {
    case 0: npu__nsw_put(p + 32 + 4 * pick(t, 5), (uint64_t)odd_int(t), 4); break;
    case 1: p[12] ^= 1; break; /* relaxed */
    case 2: case 3: network_shift(t, p, words, most); break;
    case 4: p[NPU__NSW_HEAD + pick(t, n - NPU__NSW_HEAD)] = (uint8_t)pick(t, 256); break;
    default: network_change(t, p, words);
    }
}

/* A network alone. 0: it is none. */
static size_t mutate_network(const uint8_t *in, size_t n, uint8_t *out, size_t cap, uint64_t seed) {
    tree t;
    memset(&t, 0, sizeof t);
    t.rng = seed;
    if (n <= NPU__NSW_HEAD || n > cap || network_find(in, n) != 0) return 0;
    memcpy(out, in, n);
    do network_edit(&t, out, n); while (once_in(&t, 2));
    network_seal(out, n);
    return n;
}

/* A model that holds one: the network, or the model before it. 0: it holds none, or there is no room for what the model became. */
static size_t mutate_holder(const uint8_t *in, size_t n, uint8_t *out, size_t cap, uint64_t seed, uint32_t n_edits) {
    const size_t at = network_find(in, n), from = at / NETWORK_AT * NETWORK_AT;
    tree         t;
    memset(&t, 0, sizeof t);
    t.rng = seed;
    if (n > cap || at >= n || from == 0) return 0;
    if (once_in(&t, 2)) {
        const size_t made = mutate_model(in, n, NULL, 0, out, cap, random_bits(&t), n_edits);
        if (made == 0 || made > from) return 0;
        memset(out + made, 0, from - made);
        memcpy(out + from, in + from, n - from);
        return n;
    }
    memcpy(out, in, n);
    if (once_in(&t, 8)) out[from + pick(&t, n - from)] = (uint8_t)pick(&t, 256); /* the container */
    else do network_edit(&t, out + at, n - at); while (once_in(&t, 2));
    if (memcmp(out + at, NPU__NSW_MAGIC, 8) == 0) network_seal(out + at, n - at);
    return n;
}
