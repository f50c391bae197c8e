/* A range of cells in one word; cell_range.h says why relaxed is enough. */
#include "loop/cell_range.h"

static uint64_t word_of(uint64_t first, uint64_t last)
{
    return last << 32 | first;
}

static uint64_t first_of(uint64_t word)
{
    return word & UINT32_MAX;
}

static uint64_t last_of(uint64_t word)
{
    return word >> 32;
}

void heist__cell_range_set(heist__cell_range *s, uint64_t first, uint64_t last)
{
    heist__store_relaxed(&s->cells, word_of(first, last)); /* relaxed: see cell_range.h */
}

uint64_t heist__cell_range_taper(uint64_t there, uint64_t least, uint64_t most)
{
    uint64_t cells = there / 4 < most ? there / 4 : most;
    if (cells < least) cells = least;
    return cells < there ? cells : there;
}

bool heist__cell_range_front(heist__cell_range *s, uint64_t least, uint64_t most, uint64_t *first, uint64_t *last)
{
    uint64_t word = heist__load_relaxed(&s->cells); /* relaxed: the CAS checks it */
    do {
        *first = first_of(word);
        if (*first >= last_of(word)) return false;
        *last = *first + (most ? heist__cell_range_taper(last_of(word) - *first, least, most) : 1);
    } while (!heist__cas_relaxed(&s->cells, &word, word_of(*last, last_of(word)))); /* relaxed: see cell_range.h */
    return true;
}

bool heist__cell_range_back(heist__cell_range *s, uint64_t take, uint64_t *first, uint64_t *last)
{
    uint64_t word = heist__load_relaxed(&s->cells); /* relaxed: the CAS checks it */
    do {
        *last = last_of(word);
        if (first_of(word) >= *last) return false;
        uint64_t there = *last - first_of(word);
        uint64_t wanted = take ? take : (there + 1) / 2;
        *first = *last - (wanted < there ? wanted : there);
    } while (!heist__cas_relaxed(&s->cells, &word, word_of(first_of(word), *first))); /* relaxed: see cell_range.h */
    return true;
}

bool heist__cell_range_unbegun(const heist__cell_range *s, uint64_t first)
{
    return first_of(heist__load_relaxed(&s->cells)) == first; /* relaxed: a hint */
}

bool heist__cell_range_empty(const heist__cell_range *s)
{
    uint64_t word = heist__load_relaxed(&s->cells); /* relaxed: a hint */
    return first_of(word) >= last_of(word);
}

bool heist__cell_range_all(heist__cell_range *s, uint64_t *first, uint64_t *last)
{
    return heist__cell_range_back(s, UINT64_MAX, first, last);
}
