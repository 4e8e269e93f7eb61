/* Words of a table's row: what each operand becomes. */
#include "operand_words.h"

NPU__FN npu__operand_words npu__words_of(const char *row) {
    npu__operand_words w = {row, 0};
    return w;
}

/* Words behind the one at `p`. */
NPU__FN uint32_t npu__words_behind(const char *p) {
    uint32_t n = 0;
    for (; *p; p++) n += *p == ' ' && p[1] != '[';
    return n;
}

NPU__FN int npu__words_next(npu__operand_words *words, uint32_t left, npu__operand_word *word) {
    const char *p = words->at, *end;
    memset(word, 0, sizeof *word);
    while (*p == ' ' || *p == '[') p++;
    if (!*p) return 0;
    for (end = p; *end && *end != ' '; end++) {}
    words->at = end;
    if (*p == '$') {
        word->kind = '$';
    } else if (*p >= '0' && *p <= '9') {
        word->kind = 't';
        word->input = *p - '0';
        if (p[1] == '+') {
            word->input = words->repeated++;
            if (left > npu__words_behind(p) + 1) words->at = p; /* more of them */
        }
    } else {
        word->name.p = p;
        while (*p != ':') p++;
        word->name.n = (size_t)(p - word->name.p);
        word->kind = p[1];
    }
    return 1;
}

NPU__FN int npu__words_rest(const npu__operand_words *words) {
    return !words->at[0] || (words->at[0] == ' ' && words->at[1] == '[');
}
