/* Multiplying square matrices by Winograd's form of Strassen's algorithm: seven products of halves in place of eight,
 * and so on down to the cut-off. The seven are tasks, each of which first adds up its own two factors; then the
 * quarters of the result are put together, in bands of rows, which are tasks as well where there is enough of it.
 *
 *     S1 = A21 + A22   S2 = S1 - A11   S3 = A11 - A21   S4 = A12 - S2
 *     T1 = B12 - B11   T2 = B22 - T1   T3 = B22 - B12   T4 = T2 - B21
 *     P1 = A11 B11   P2 = A12 B21   P3 = S4 B22   P4 = A22 T4   P5 = S1 T1   P6 = S2 T2   P7 = S3 T3
 *     C11 = P1 + P2   C12 = P1 + P6 + P5 + P3   C21 = P1 + P6 + P7 - P4   C22 = P1 + P6 + P7 + P5
 *
 * Everything but the order in which these happen is here, the same for every runtime. */
#ifndef HEIST_PERF_STRASSEN_H
#define HEIST_PERF_STRASSEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A square matrix, or a part of one, by rows. Its size goes beside it. */
struct strassen_square {
    double *at;
    size_t stride; /* from one row to the next */
};

/* to = left * right, n by n. */
struct strassen_product {
    struct strassen_square to, left, right;
    size_t n;
    double *sums; /* memory of the factors, if they had to be added up */
};

/* A product as seven of half the size. */
struct strassen_split {
    struct strassen_product whole;
    double *p1, *p5, *p6; /* products with no place in the result; the others go where C11, C12, C21 and C22 will be */
    unsigned bands;       /* in which the result is put together */
};

/* Below the recursion: blocked, with full registers, in the vectors of the processor. Any n; powers of two are fast. */
void strassen_base(const struct strassen_product *p);

/* Begins and ends a split, and its product `number`, 0 to 6. False: there was no memory; then there is nothing to end,
 * and the check reports it. */
bool strassen_split_begin(struct strassen_split *s, const struct strassen_product *whole);
void strassen_split_end(struct strassen_split *s);
bool strassen_product_begin(struct strassen_product *p, const struct strassen_split *s, unsigned number);
void strassen_product_end(struct strassen_product *p);

/* Computes a band of the result, when the products are ready. */
void strassen_put_together(const struct strassen_split *s, unsigned band);

/* The problem. */
struct strassen_job {
    size_t n, cutoff;
    double *a, *b, *c;
    uint64_t tasks;
};

static inline struct strassen_product strassen_whole(const struct strassen_job *job)
{
    struct strassen_product p = {{job->c, job->n}, {job->a, job->n}, {job->b, job->n}, job->n, NULL};
    return p;
}

/* The greatest error that an entry of the result can have, for factors with entries from -1 to 1. */
double strassen_error_bound(size_t n, size_t cutoff);

/* Checks that c = a * b within that error: writes "ok", or the difference. */
void strassen_verify(const struct strassen_job *job, char *says, size_t room);

/* The least and the greatest cut-off, and the largest matrix. Deeper recursions lose too many digits to be checked. */
#define STRASSEN_LEAST_CUTOFF 8
#define STRASSEN_MOST 16384

/* A power of two that is not too large: 0, or -EINVAL and a sentence. */
int strassen_read_size(const char *size, size_t *n, char *error, size_t room);

/* The functions of perf_implementation that all runtimes share: `state` is the job. */
int strassen_prepare(const struct perf_input *input, struct strassen_job *job, char *error, size_t room);
void strassen_reset(void *state);
void strassen_check(void *state, struct perf_outcome *outcome);
void strassen_discard(void *state);

#ifdef __cplusplus
}
#endif

#endif
