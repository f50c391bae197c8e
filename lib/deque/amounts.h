/* deque/amounts.h: how many tasks change hands. Pure: numbers in, numbers out. The deques and the simulator call the
 * same functions. */
#ifndef HEIST_DEQUE_AMOUNTS_H
#define HEIST_DEQUE_AMOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nanoseconds between two requests for an owner's next push. An owner whose gate was shut pays about 60 ns. */
#define HEIST__WANT_NS 2000

/* The most jobs that a thief takes at once. */
#define HEIST__STEAL_MOST 32

/* The tasks from `stolen` up to `end` are there: half of them, rounded up, become public. Returns the end of the public
 * part; 0: there is nothing to publish. */
static inline uint32_t heist__offer_end(uint32_t stolen, uint32_t end)
{
    return end > stolen ? stolen + (end - stolen + 1) / 2 : 0;
}

/* The owner pops the public task number `mine`, and takes half of the public part back. Returns the new end. */
static inline uint32_t heist__kept_end(uint32_t stolen, uint32_t mine)
{
    return mine > stolen ? stolen + (mine - stolen) / 2 : mine;
}

/* A thief that takes half of `length` jobs takes so many, and at most `most`. */
static inline size_t heist__half_of(size_t length, size_t most)
{
    size_t half = (length + 1) / 2;
    return half < most ? half : most;
}

/* Whether an owner that was last asked for its next push at `before` may be asked again at `now`. */
static inline bool heist__want_is_due(int64_t now, int64_t before)
{
    return now - before >= HEIST__WANT_NS;
}

#endif
