/* The register itself: its states as numbers, and the two things a batch of states can be asked.
 *
 * A state is a polynomial of degree below `cells` over GF(p); one step is s -> s*x mod P. States are numbered 0 to
 * p^cells - 1, cell i being digit i, and held packed: a bit for each cell over GF(2), a field of some bits otherwise.
 * Packed states compare like their numbers.
 *
 * Segments: counting cycles without a lock, and without walking a long one from a single place. Some states are
 * markers: those whose low `marker_cells` cells are 0 but for the highest of them, which is 1, one of p^marker_cells.
 * From each marker one walks to the next, which may be done for all of them at once; together these walks meet every
 * state of every cycle that has a marker exactly once. What is left is a permutation of the markers, with lengths:
 * small.
 *
 * Leaders: a state counts its cycle if it is the least on it. The walk ends at the first state that is less (or, after
 * segments, at the first marker), after some ln(states) steps in the mean. It finds cycles that have no marker, and it
 * is also an algorithm of its own: slower, and very uneven, since a small state walks far. */
#ifndef HEIST_PERF_LFSR_REGISTER_H
#define HEIST_PERF_LFSR_REGISTER_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/lfsr/cycles.h"
#include "apps/lfsr/polynomial.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The ways to walk a segment. */
enum lfsr_walk {
    LFSR_STEPS, /* state by state */
    LFSR_STREAM /* GF(2): by words of the sequence that the register puts out, which hold many states each */
};

#define LFSR_FOLDS 5 /* runs of up to 2^5 zeros can be found */

struct lfsr_register {
    unsigned field, cells, marker_cells;
    enum lfsr_walk walk;
    uint64_t states;  /* p^cells */
    uint64_t markers; /* p^(cells - marker_cells) */
    uint64_t spacing; /* p^marker_cells: of the states numbered m * spacing and above, one is marker m */
    /* Packed states. */
    unsigned width;       /* bits of a cell */
    unsigned top;         /* where the highest cell begins */
    uint64_t mask;        /* all cells */
    uint64_t marker_mask; /* the low cells ... */
    uint64_t marker;      /* ... and what they are in a marker */
    /* What is added when the highest cell is c: -c * P; over GF(2) [1] is P itself. */
    uint64_t feedback[LFSR_MOST_FIELD];
    uint64_t bias, carry; /* for adding all cells modulo p at once */
    /* Streams: how many bits a step gives, and those that follow each byte of a window, were the rest of it zero. */
    unsigned stride;
    unsigned folds[LFSR_FOLDS];
    uint64_t following[(LFSR_MOST_CELLS + 7) / 8][256];
};

/* Whether to end early. Relaxed: nothing else is read because of it. */
static inline bool lfsr_stop(const volatile bool *interrupted)
{
    return __atomic_load_n(interrupted, __ATOMIC_RELAXED);
}

/* From one marker to the next. length 0: not walked yet. */
struct lfsr_segment {
    uint64_t next, length;
};

/* 0, or -EINVAL and a sentence: too many states, or a stream over another field than GF(2). */
int lfsr_register_make(struct lfsr_register *r, const struct lfsr_polynomial *polynomial, enum lfsr_walk walk,
                       char *error, size_t room);

/* Number to packed state, and back. */
uint64_t lfsr_pack(const struct lfsr_register *r, uint64_t number);
uint64_t lfsr_number(const struct lfsr_register *r, uint64_t packed);

/* One step of a packed state. */
uint64_t lfsr_step(const struct lfsr_register *r, uint64_t packed);

/* Walks from each marker among the states from <= number < to. Returns how many steps that took. Ends early if
 * *interrupted. */
uint64_t lfsr_segments(const struct lfsr_register *r, uint64_t from, uint64_t to, struct lfsr_segment *segments,
                       const volatile bool *interrupted);

/* Counts the cycles led by states from <= number < to, other than 0; with `markers`, only cycles that have no marker.
 * Returns and ends as above; *asked is increased by the number of states that were done. */
uint64_t lfsr_leaders(const struct lfsr_register *r, uint64_t from, uint64_t to, bool markers,
                      struct lfsr_cycles *cycles, uint64_t *asked, const volatile bool *interrupted);

#ifdef __cplusplus
}
#endif

#endif
