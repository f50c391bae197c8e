/* The recursion's steps, the problem and its check. */
#include "apps/strassen/strassen.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a run had no memory for its sums. Written by: any task. Read by: the check, after the run. */
static bool starved;

static double *new_squares(size_t count, size_t n)
{
    double *memory = aligned_alloc(64, (count * n * n * sizeof(double) + 63) / 64 * 64);
    if (!memory) __atomic_store_n(&starved, true, __ATOMIC_RELAXED); /* relaxed: the end of the run orders it */
    return memory;
}

/* ---- splitting ---- */

static struct strassen_square quarter(struct strassen_square m, size_t half, unsigned row, unsigned column)
{
    struct strassen_square q = {m.at + row * half * m.stride + column * half, m.stride};
    return q;
}

/* Bands of 32768 entries of each quarter: well worth a task, and small beside the products. */
static unsigned bands_of(size_t half)
{
    size_t bands = half * half / 32768;
    return bands < 1 ? 1 : bands > 64 ? 64 : (unsigned)bands;
}

bool strassen_split_begin(struct strassen_split *s, const struct strassen_product *whole)
{
    size_t half = whole->n / 2;
    s->whole = *whole;
    s->bands = bands_of(half);
    s->p1 = new_squares(3, half);
    if (!s->p1) return false;
    s->p5 = s->p1 + half * half;
    s->p6 = s->p5 + half * half;
    return true;
}

void strassen_split_end(struct strassen_split *s)
{
    free(s->p1);
}

/* ---- adding ---- */

/* Two entries at a time: the least size of a vector on all processors. */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));

static inline pair load(const double *from)
{
    pair p;
    memcpy(&p, from, sizeof p);
    return p;
}

static inline void store(double *to, pair p)
{
    memcpy(to, &p, sizeof p);
}

/* A factor from the quarters of a matrix, entry by entry: to = sum, where `sum` says it with m11, m12, m21 and m22. The
 * order of the additions is that of the formulas: the bound of the error holds for it. */
#define DEFINE_FACTOR(name, sum)                                                                                       \
    static void name(double *to, struct strassen_square m, size_t half)                                                \
    {                                                                                                                  \
        for (size_t i = 0; i < half; i++, to += half) {                                                                \
            const double *x11 = m.at + i * m.stride, *x12 = x11 + half;                                                \
            const double *x21 = x11 + half * m.stride, *x22 = x21 + half;                                              \
            for (size_t j = 0; j + 1 < half; j += 2) {                                                                 \
                pair m11 = load(x11 + j), m12 = load(x12 + j), m21 = load(x21 + j), m22 = load(x22 + j);               \
                (void)m11, (void)m12, (void)m21, (void)m22;                                                            \
                store(to + j, (sum));                                                                                  \
            }                                                                                                          \
            if (half % 2) {                                                                                            \
                double m11 = x11[half - 1], m12 = x12[half - 1], m21 = x21[half - 1], m22 = x22[half - 1];             \
                (void)m11, (void)m12, (void)m21, (void)m22;                                                            \
                to[half - 1] = (sum);                                                                                  \
            }                                                                                                          \
        }                                                                                                              \
    }

DEFINE_FACTOR(form_s1, m21 + m22)
DEFINE_FACTOR(form_s2, (m21 + m22) - m11)
DEFINE_FACTOR(form_s3, m11 - m21)
DEFINE_FACTOR(form_s4, m12 - ((m21 + m22) - m11))
DEFINE_FACTOR(form_t1, m12 - m11)
DEFINE_FACTOR(form_t2, m22 - (m12 - m11))
DEFINE_FACTOR(form_t3, m22 - m12)
DEFINE_FACTOR(form_t4, (m22 - (m12 - m11)) - m21)

typedef void form_factor(double *to, struct strassen_square m, size_t half);

/* P1 to P7: each factor a sum, or if there is none the quarter of that row and column; and the place of the product, a
 * quarter of the result or (NOWHERE) memory of its own. */
enum { C11, C12, C21, C22, NOWHERE };
static const struct {
    form_factor *left, *right;
    unsigned char left_row, left_column, right_row, right_column;
    unsigned char place;
} products[7] = {
    {NULL, NULL, 0, 0, 0, 0, NOWHERE},       {NULL, NULL, 0, 1, 1, 0, C11},
    {form_s4, NULL, 0, 0, 1, 1, C12},        {NULL, form_t4, 1, 1, 0, 0, C21},
    {form_s1, form_t1, 0, 0, 0, 0, NOWHERE}, {form_s2, form_t2, 0, 0, 0, 0, NOWHERE},
    {form_s3, form_t3, 0, 0, 0, 0, C22},
};

static struct strassen_square factor(form_factor *form, struct strassen_square m, size_t half, unsigned row,
                                     unsigned column, double **sums)
{
    if (!form) return quarter(m, half, row, column);
    struct strassen_square sum = {*sums, half};
    form(*sums, m, half);
    *sums += half * half;
    return sum;
}

static struct strassen_square place(const struct strassen_split *s, unsigned number, size_t half)
{
    unsigned where = products[number].place;
    if (where != NOWHERE) return quarter(s->whole.to, half, where / 2, where % 2);
    struct strassen_square own = {number == 0 ? s->p1 : number == 4 ? s->p5 : s->p6, half};
    return own;
}

bool strassen_product_begin(struct strassen_product *p, const struct strassen_split *s, unsigned number)
{
    size_t half = s->whole.n / 2, count = (products[number].left ? 1u : 0u) + (products[number].right ? 1u : 0u);
    p->n = half;
    p->to = place(s, number, half);
    p->sums = count ? new_squares(count, half) : NULL;
    if (count && !p->sums) return false;
    double *sums = p->sums;
    p->left = factor(products[number].left, s->whole.left, half, products[number].left_row,
                     products[number].left_column, &sums);
    p->right = factor(products[number].right, s->whole.right, half, products[number].right_row,
                      products[number].right_column, &sums);
    return true;
}

void strassen_product_end(struct strassen_product *p)
{
    free(p->sums);
}

/* The quarters from the products, of which four lie in them already. For numbers and pairs of numbers alike. */
#define PUT_TOGETHER(p1, p5, p6, c11, c12, c21, c22)                                                                   \
    do {                                                                                                               \
        __typeof__(p1) p16 = (p1) + (p6), p167 = p16 + (c22);                                                          \
        c11 = (p1) + (c11);                                                                                            \
        c12 = (p16 + (p5)) + (c12);                                                                                    \
        c21 = p167 - (c21);                                                                                            \
        c22 = p167 + (p5);                                                                                             \
    } while (0)

void strassen_put_together(const struct strassen_split *s, unsigned band)
{
    size_t half = s->whole.n / 2, rows = half / s->bands, stride = s->whole.to.stride;
    for (size_t i = band * rows; i < (band + 1) * rows; i++) {
        const double *x1 = s->p1 + i * half, *x5 = s->p5 + i * half, *x6 = s->p6 + i * half;
        double *y11 = s->whole.to.at + i * stride, *y12 = y11 + half, *y21 = y11 + half * stride, *y22 = y21 + half;
        for (size_t j = 0; j + 1 < half; j += 2) {
            pair p1 = load(x1 + j), p5 = load(x5 + j), p6 = load(x6 + j);
            pair c11 = load(y11 + j), c12 = load(y12 + j), c21 = load(y21 + j), c22 = load(y22 + j);
            PUT_TOGETHER(p1, p5, p6, c11, c12, c21, c22);
            store(y11 + j, c11);
            store(y12 + j, c12);
            store(y21 + j, c21);
            store(y22 + j, c22);
        }
        if (half % 2) {
            size_t j = half - 1;
            PUT_TOGETHER(x1[j], x5[j], x6[j], y11[j], y12[j], y21[j], y22[j]);
        }
    }
}

/* ---- the problem ---- */

static size_t base_size(size_t n, size_t cutoff)
{
    while (n > cutoff) n /= 2;
    return n;
}

/* The total of a recursion, given the cost of one split. */
static double sum_over_splits(size_t n, size_t cutoff, double (*cost)(size_t half))
{
    double sum = 0, splits = 1;
    for (; n > cutoff; n /= 2, splits *= 7) sum += splits * cost(n / 2);
    return sum;
}

static double tasks_of_split(size_t half)
{
    return 7 + (bands_of(half) > 1 ? bands_of(half) : 0);
}

/* Fourteen additions for the factors, each in its own task, and seven to put together. */
static double additions_of_split(size_t half)
{
    return 21.0 * (double)half * (double)half;
}

static double operations(size_t n, size_t cutoff)
{
    double base = (double)base_size(n, cutoff), products_at_base = 1;
    for (; n > cutoff; n /= 2) products_at_base *= 7;
    return products_at_base * 2 * base * base * base;
}

/* From -1 to less than 1, drawn from a place by the finisher of splitmix64. */
static double random_entry(uint64_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) / 4503599627370496.0 - 1;
}

int strassen_read_size(const char *size, size_t *n, char *error, size_t room)
{
    long number;
    int bad = perf_number(size, "size of the matrices", 1, STRASSEN_MOST, &number, error, room);
    if (bad) return bad;
    if (number & (number - 1)) {
        snprintf(error, room, "size of the matrices '%s' is not a power of two", size);
        return -EINVAL;
    }
    *n = (size_t)number;
    return 0;
}

/* Tasks allocate and free their sums; malloc must keep the memory, or every run is spent on fresh pages. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int strassen_prepare(const struct perf_input *input, struct strassen_job *job, char *error, size_t room)
{
    long cutoff;
    int bad = strassen_read_size(input->size, &job->n, error, room);
    if (!bad)
        bad = perf_number(perf_setting(input, "cutoff"), "cut-off", STRASSEN_LEAST_CUTOFF, STRASSEN_MOST, &cutoff,
                          error, room);
    if (bad) return bad;
    keep_memory();
    job->cutoff = (size_t)cutoff;
    job->tasks = (uint64_t)sum_over_splits(job->n, job->cutoff, tasks_of_split);
    job->a = new_squares(1, job->n);
    job->b = new_squares(1, job->n);
    job->c = new_squares(1, job->n);
    if (!job->a || !job->b || !job->c) {
        strassen_discard(job);
        snprintf(error, room, "no memory for three matrices of %zu by %zu", job->n, job->n);
        return -ENOMEM;
    }
    for (size_t i = 0; i < job->n * job->n; i++) {
        job->a[i] = random_entry(2 * i);
        job->b[i] = random_entry(2 * i + 1);
    }
    return 0;
}

/* Data of the last run in memory must not help this one: the result becomes NaN, and the other sign of a factor
 * invalidates every sum and every product that may still lie in a task's memory. */
void strassen_reset(void *state)
{
    struct strassen_job *job = state;
    starved = false;
    for (size_t i = 0; i < job->n * job->n; i++) {
        job->a[i] = -job->a[i];
        job->c[i] = NAN;
    }
}

void strassen_check(void *state, struct perf_outcome *outcome)
{
    struct strassen_job *job = state;
    outcome->tasks = job->tasks;
    outcome->flops = operations(job->n, job->cutoff) + sum_over_splits(job->n, job->cutoff, additions_of_split);
    if (starved)
        snprintf(outcome->check, sizeof outcome->check, "no memory for the sums");
    else
        strassen_verify(job, outcome->check, sizeof outcome->check);
}

void strassen_discard(void *state)
{
    struct strassen_job *job = state;
    free(job->a);
    free(job->b);
    free(job->c);
}
