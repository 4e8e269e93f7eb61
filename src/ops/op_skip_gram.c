/* SKIP_GRAM: groups of a sentence's words, in their order, with up to so many words left out between two. */
#include "string_util.h"

enum { NPU__GRAM_WORDS = 64 }; /* the most in a group */

/* Counts, or writes, the groups of a sentence. */
typedef struct npu__grams {
    int32_t  n_words, size, skip, all; /* words of the sentence; ngram_size, max_skip_size, include_all_ngrams */
    int32_t  at[NPU__GRAM_WORDS];
    int32_t  depth;                    /* words of the group in at[] */
} npu__grams;

NPU__INLINE int npu__gram_space(uint8_t b) { return b == ' ' || (b >= '\t' && b <= '\r'); }

/* The next word from *at on. A space that is the sentence's first byte separates nothing: it begins a word, which counts only
 * where it is the sentence's last; as in LiteRT. */
NPU__FN int npu__gram_word(npu__span text, size_t *at, npu__span *word) {
    while (*at < text.n) {
        const size_t begin = *at;
        size_t       end = begin;
        while (end < text.n && (end == 0 || !npu__gram_space(text.p[end]))) end++;
        *at = end + 1;
        if (end == begin || (end < text.n && npu__gram_space(text.p[begin]))) continue;
        word->p = text.p + begin;
        word->n = end - begin;
        return 1;
    }
    return 0;
}

NPU__FN int32_t npu__gram_count_words(npu__span text) {
    npu__span word;
    size_t    at = 0;
    int32_t   n = 0;
    while (npu__gram_word(text, &at, &word)) n++; /* bounded: bytes of a string */
    return n;
}

NPU__FN npu_status npu__grams_start(npu__ctx *c, npu__grams *g) {
    g->size = NPU__OPTIONS(c->node, SkipGramOptions)->ngram_size;
    g->skip = NPU__OPTIONS(c->node, SkipGramOptions)->max_skip_size;
    g->all = NPU__OPTIONS(c->node, SkipGramOptions)->include_all_ngrams;
    g->n_words = npu__gram_count_words(npu__strings_at(c->in[0]->data, 0));
    g->depth = 0;
    if (g->size < 1 || g->size > g->n_words) g->n_words = 0; /* no groups at all */
    if (g->n_words == 0 || g->size <= NPU__GRAM_WORDS) return NPU_OK;
    return NPU__FAIL(c, NPU_UNSUPPORTED, "skip_gram.size", "groups of %d words: at most %d are supported", g->size, NPU__GRAM_WORDS);
}

/* The word that would come next at `depth`, after `from`: is it there, near enough, and are there words behind it for the rest? */
NPU__FN int npu__grams_may(const npu__grams *g, int32_t depth, int32_t word) {
    if (depth >= g->size || word >= g->n_words) return 0;
    if (depth > 0 && word - g->at[depth - 1] - 1 > g->skip) return 0;
    return g->all || g->n_words - word >= g->size - depth;
}

/* Goes on to the next group: at[] is put in order, the longest groups of a beginning before the beginning itself. False: no more. */
NPU__FN int npu__grams_next(npu__grams *g) {
    int32_t word = g->depth > 0 ? g->at[--g->depth] + 1 : 0;
    if (!npu__grams_may(g, g->depth, word)) return g->depth > 0;
    while (npu__grams_may(g, g->depth, word)) {
        g->at[g->depth++] = word++;
    }
    return 1;
}

NPU__FN int npu__grams_counts(const npu__grams *g) { return g->depth == g->size || (g->all && g->depth > 0); }

NPU__FN npu_status npu__skip_gram_infer(npu__ctx *c) {
    npu__shape s;
    npu__grams g;
    int64_t    n = 0, done = 0;
    if (!npu__is_string(c->in[0]) || npu__elems(c->in[0]) < 1) {
        return NPU__FAIL(c, NPU_INVALID_MODEL, "skip_gram.input", "the input must be a STRING tensor with an element");
    }
    if (!c->in[0]->data && !npu__running(c)) return NPU__DYNAMIC;
    NPU__TRY(npu__grams_start(c, &g));
    while (npu__grams_next(&g)) {
        n += npu__grams_counts(&g);
        if (n > INT32_MAX / 8) return NPU__FAIL(c, NPU_LIMIT, "skip_gram.count", "the sentence has more than %d groups", INT32_MAX / 8);
        if (++done % NPU__POLL_STEPS == 0) NPU__TRY(npu__charge(c, NPU__POLL_STEPS));
    }
    s = npu__shape_make(1, (int32_t)n, 0, 0, 0);
    return npu__set_shape(c, 0, &s);
}

typedef struct npu__skip_gram {
    int32_t words; /* scratch: a span for each */
} npu__skip_gram;

NPU__FN npu_status npu__skip_gram_prepare(npu__ctx *c) {
    npu__skip_gram *d = (npu__skip_gram *)c->data;
    npu__grams      g;
    if (!npu__is_string(c->out[0])) return npu__fail_types(c);
    NPU__TRY(npu__grams_start(c, &g));
    d->words = npu__want_scratch(c, (size_t)g.n_words * 2 * npu__ctx_word(c)); /* bounded: two words for two bytes of a string */
    return d->words < 0 ? NPU_LIMIT : NPU_OK;
}

NPU__FN npu_status npu__skip_gram_eval(npu__ctx *c) {
    npu__span          *words = (npu__span *)npu__slot(c, ((const npu__skip_gram *)c->data)->words), text;
    npu__strings_writer w;
    npu__grams          g;
    size_t              at = 0;
    int64_t             length = 0, done = 0;
    text = npu__strings_at(c->in[0]->data, 0);
    NPU__TRY(npu__grams_start(c, &g));
    for (int32_t i = 0; i < g.n_words && npu__gram_word(text, &at, &words[i]); i++) NPU__POLL_PASS(c, done, 1);
    for (int pass = 0; pass < 2; pass++) { /* lengths, then bytes */
        if (pass) NPU__TRY(npu__strings_begin(c, -1, c->out[0], length, &w));
        g.depth = 0;
        while (npu__grams_next(&g)) {
            int64_t n = g.depth - 1; /* spaces between */
            if (++done % 4096 == 0) NPU__TRY(npu__strings_end(c, c->out[0], 4096));
            if (!npu__grams_counts(&g)) continue;
            for (int32_t i = 0; i < g.depth; i++) n += (int64_t)words[g.at[i]].n; /* bounded: 64 words */
            length += n; /* bounded: 2^28 groups of 64 words of 2^31 bytes */
            if (!pass) continue;
            for (int32_t i = 0; i < g.depth; i++) {
                if (i) npu__strings_add(&w, " ", 1);
                npu__strings_add(&w, words[g.at[i]].p, words[g.at[i]].n);
            }
            npu__strings_close(&w);
        }
    }
    return npu__strings_end(c, c->out[0], 0);
}

NPU__OPDEF(npu__op_skip_gram) = {1, 1, 1, 1, 0, NPU__OP_STRINGS, NPU__DATA(npu__skip_gram), npu__skip_gram_infer,
                                 npu__skip_gram_prepare, NULL, npu__skip_gram_eval, NULL};
