/* Sorting 64-bit keys by merging, with parallel merges. Halves are sorted into the other of two arrays and merged back,
 * so that nothing is copied. A merge is cut in the middle of its result, into two independent merges. Runs and merges
 * of at most `cutoff` keys are done without tasks, by the functions below, which all runtimes share. */
#ifndef HEIST_PERF_SORT_H
#define HEIST_PERF_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sorts keys[0..n); the result is there, or in spare[0..n) with `into_spare`. The other array is overwritten. */
void sort_serially(uint64_t *keys, uint64_t *spare, size_t n, bool into_spare);

/* Two sorted runs, and where to merge them to. */
struct sort_merge {
    const uint64_t *a, *b;
    size_t a_count, b_count;
    uint64_t *to;
};

/* The merge of the two halves of `from`, sorted each, into `to`. */
static inline struct sort_merge sort_merge_halves(const uint64_t *from, size_t n, uint64_t *to)
{
    struct sort_merge m = {from, from + n / 2, n / 2, n - n / 2, to};
    return m;
}

static inline size_t sort_merge_size(const struct sort_merge *m)
{
    return m->a_count + m->b_count;
}

void sort_merge_serially(const struct sort_merge *m);

/* Cuts a merge in two: the lower half of the result, and the upper. */
void sort_merge_cut(const struct sort_merge *m, struct sort_merge *lower, struct sort_merge *upper);

/* The problem: the input, the two arrays to work in, and the known properties of the result. */
struct sort_job {
    uint64_t *input, *keys, *spare;
    size_t n, cutoff;
    uint64_t fingerprint; /* of the input's multiset */
    uint64_t tasks;
};

#define SORT_MOST 2000000000L /* keys */

/* Fills in the input of that name; false if there is none. */
bool sort_make_input(const char *name, uint64_t *keys, size_t n);

/* The sum of all keys, each mixed first: it does not depend on the order, and a lost, doubled or changed key changes
 * it. */
uint64_t sort_fingerprint(const uint64_t *keys, size_t n);

/* Checks that `keys` is a sorted array of that fingerprint: writes "ok", or the error. */
void sort_verify(const uint64_t *keys, size_t n, uint64_t fingerprint, char *says, size_t room);

/* The functions of perf_implementation that all runtimes share: `state` is the job. */
int sort_prepare(const struct perf_input *input, struct sort_job *job, char *error, size_t room);
void sort_reset(void *state);
void sort_check(void *state, struct perf_outcome *outcome);
void sort_discard(void *state);

#ifdef __cplusplus
}
#endif

#endif
