/* platform/words.h: settings that are given as a word of a list. A list is an array of words that ends with NULL. */
#ifndef HEIST_PLATFORM_WORDS_H
#define HEIST_PLATFORM_WORDS_H

#include <string.h>

/* The index of `word` in `words`; -1: it is none of them, or NULL. */
static inline int heist__word_index(const char *const words[], const char *word)
{
    for (int i = 0; word && words[i]; i++) {
        if (strcmp(word, words[i]) == 0) return i;
    }
    return -1;
}

#endif
