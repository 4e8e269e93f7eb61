/* How tables of APIs that pass everything as operands say what each operand becomes: a word each, apart by a space.
 *
 *     3        tensor, input 3 of the operator. 0+: any number of them, from input 0 on
 *     name:k   a scalar of kind `k` (a letter of the table's own), which becomes the option `name` (none: looked at only)
 *     $        neither
 *     [        the rest may be left out
 */
#ifndef NPU__GRAPH_OPERAND_WORDS_H
#define NPU__GRAPH_OPERAND_WORDS_H

#include "../base/base.h"

/* One operand. */
typedef struct npu__operand_word {
    char     kind;  /* t: a tensor; $; or the letter of a scalar */
    int32_t  input; /* of a tensor */
    npu__str name;
} npu__operand_word;

/* Goes through the words of a row as its user goes through the operands. */
typedef struct npu__operand_words {
    const char *at;
    int32_t     repeated; /* tensors that 0+ gave so far */
} npu__operand_words;

NPU__FN npu__operand_words npu__words_of(const char *row);
/* The word of the next operand when `left` operands are there with it. False: the row has no more. */
NPU__FN int npu__words_next(npu__operand_words *words, uint32_t left, npu__operand_word *word);
/* May the rest be left out? */
NPU__FN int npu__words_rest(const npu__operand_words *words);

#endif
