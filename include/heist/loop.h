/* heist/loop.h: parallel loops.
 *
 *     HEIST_LOOP(scale, i, double *, a, double, by)          // one iteration, as a function of i
 *     {
 *         a[i] *= by;
 *     }
 *     HEIST_FOLD(double, dot, 0.0, HEIST_PLUS, sum, i, const double *, x, const double *, y)
 *     {
 *         return sum + x[i] * y[i];
 *     }
 *     ...
 *     HEIST_FOR(NULL, scale, heist_upto(n), a, 2.0);         // for (int64_t i = 0; i < n; i++)
 *     double product;
 *     HEIST_REDUCE(NULL, &product, dot, heist_upto(n), x, y);
 *
 * Without macros the body is a function of a part of the range, called once for each batch of iterations:
 *
 *     static int scale_part(heist_range part, void *context)
 *     {
 *         struct vector *v = context;
 *         for (int64_t i = part.begin; i < part.end; i++) v->a[i] *= v->by;
 *         return 0;                                          // anything else ends the loop early
 *     }
 *     ...
 *     heist_for(NULL, heist_upto(n), scale_part, &v, NULL);
 *
 * All of it may be called inside tasks, typed or plain, inside other loops, and from outside any pool. The pool is as
 * everywhere: NULL is the pool of the running task, else the default pool. A loop returns when all of its iterations
 * have finished and are visible to the caller; while it waits it runs only iterations of that loop and what they
 * spawned. Inside an iteration spawn by calling a task: HEIST_RUN(NULL, task, ...) is a plain call there.
 *
 * Ranges are of 64-bit integers with any step, negative ones too; in two dimensions the body gets tiles. Between two
 * batches a worker looks whether another worker wants work; within a batch nothing happens but the body.
 *
 * How iterations are given to workers (heist_schedule, in the options):
 *   steal    the default. A worker splits its part in two as often as a thief took the other half, and not otherwise.
 *   static   as many fixed parts as workers, in the same places for every loop of the same length; one call of the body
 *            for each unless a batch is given. For even loops, and for data that should stay where it was.
 *   shared   one queue of batches for all, which is a counter. For uneven iterations that should begin in order.
 *   hybrid   a fixed part for each worker first, in batches; a worker that has finished takes batches from the ends of
 *            other workers' parts.
 *   auto     measures the first iterations: a loop that is not worth a second worker runs in the calling thread, a
 *            medium loop as hybrid, a large one by stealing.
 * A loop does not wait for a worker that is busy with something else: other workers do its part. lib/loop/LOOPS.md has
 * the reasons. */
#ifndef HEIST_LOOP_H
#define HEIST_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/detail/arguments.h>
#include <heist/export.h>
#include <heist/pool.h>
#include <heist/task.h>

HEIST_BEGIN_DECLS

/* ---- ranges ---- */

/* begin, begin + step, begin + 2 * step ... as long as that is before `end`. Step 0 stands for 1. */
typedef struct heist_range {
    int64_t begin;
    int64_t end; /* not part of it */
    int64_t step;
} heist_range;

static inline heist_range heist_stepping(int64_t begin, int64_t end, int64_t step)
{
    heist_range range;
    range.begin = begin;
    range.end = end;
    range.step = step;
    return range;
}

static inline heist_range heist_between(int64_t begin, int64_t end)
{
    return heist_stepping(begin, end, 1);
}

static inline heist_range heist_upto(int64_t end)
{
    return heist_stepping(0, end, 1);
}

/* How many indices a range has; exact for all ends and steps. */
static inline uint64_t heist_range_count(heist_range range)
{
    uint64_t begin = (uint64_t)range.begin, end = (uint64_t)range.end, step = (uint64_t)range.step;
    if (range.step >= 0) return range.begin < range.end ? (end - begin - 1) / (step ? step : 1) + 1 : 0;
    return range.begin > range.end ? (begin - end - 1) / (0 - step) + 1 : 0;
}

/* The index one step after `i`; it may wrap after the last one, and is not used then. */
static inline int64_t heist__next_index(int64_t i, int64_t step)
{
    return (int64_t)((uint64_t)i + (uint64_t)step);
}

/* for (each index i of `part`), whatever its step. Where the step is known to be 1 the plain loop
 * for (int64_t i = part.begin; i < part.end; i++) is the one that compilers vectorise. */
#define HEIST_EACH(i, part)                                                                                            \
    for (int64_t i = (part).begin, heist__gen_left_##i = (int64_t)heist_range_count(part),                             \
                 heist__gen_step_##i = (part).step ? (part).step : 1;                                                  \
         heist__gen_left_##i != 0; i = heist__next_index(i, heist__gen_step_##i),                                      \
                 heist__gen_left_##i = heist__next_index(heist__gen_left_##i, -1))

/* ---- options ---- */

typedef enum heist_schedule {
    HEIST_SCHEDULE_DEFAULT = 0, /* steal */
    HEIST_SCHEDULE_STATIC,
    HEIST_SCHEDULE_SHARED,
    HEIST_SCHEDULE_STEAL,
    HEIST_SCHEDULE_HYBRID,
    HEIST_SCHEDULE_AUTO
} heist_schedule;

/* One worker's share of a loop. */
typedef struct heist_loop_share {
    uint64_t iterations; /* or items */
    uint64_t batches;    /* calls of the body; of the producer's lock, in heist_generate */
    uint64_t busy_ns;    /* inside the body, by the clock on the wall */
} heist_loop_share;

/* A report of a loop, if asked for: the loop then reads the clock before and after each batch. */
typedef struct heist_loop_report {
    size_t size; /* sizeof(heist_loop_report), or 0 */
    /* Set by the caller: room for one share per worker of the pool, by heist_worker_number; further workers are left
     * out. NULL and 0 if only the sums are wanted. */
    heist_loop_share *shares;
    size_t room;
    /* Filled in when the loop ends, also when it ended early. */
    heist_schedule schedule; /* the one that ran; what auto chose, HEIST_SCHEDULE_DEFAULT if it ran all right here */
    unsigned workers;        /* of the pool */
    uint64_t batch;          /* the most iterations (in 2-D: tiles) given out at once; 0: as their time demanded */
    heist_loop_share all;    /* the sum over the workers */
    uint64_t busiest_ns;     /* the largest busy_ns of a worker */
    uint64_t elapsed_ns;     /* from the first batch to the last join */
    double balance;          /* busiest over mean of all the pool's workers: 1 is even, `workers` is one alone */
} heist_loop_report;

/* Set it to zero, then set the fields you want; zero always means a sensible default. */
typedef struct heist_loop_options {
    size_t size;             /* sizeof(heist_loop_options), or 0 */
    heist_schedule schedule; /* ... */
    /* The largest batch: the most iterations (in 2-D: tiles; in heist_generate: items) that are given out at once.
     * Parts then begin at its multiples. 0 lets the schedule choose:
     *   steal            a batch takes about ten microseconds, less near the end of the loop
     *   static           one batch is a whole part
     *   shared, hybrid   64 batches for each worker. Batches that would take very little time are made larger. The last
     *                    batches of hybrid are smaller, unless the loop is a reduction or `take` is given.
     * Workers that have no CPU of their own do not count here. A batch that the schedule chooses is at most a
     * sixteenth of one worker's part; exceptions are static, and reductions with results so large that there are few
     * of them. */
    uint64_t batch;
    /* How many batches a worker takes at once.
     *   shared   from the queue; 0: one
     *   hybrid   from another worker's part; 0: half of the rest, or all of a part that no worker has begun
     *   steal    at least so many from another worker; 0: one. A steal always takes about half of the victim's rest. */
    uint64_t take;
    /* 2-D: the size of a tile in indices. 0: near squares, 64 for each worker that has a CPU. */
    uint64_t tile_rows;
    uint64_t tile_columns;
    /* Reductions: the same parts, combined in the same order, for every pool and schedule. They follow from the number
     * of iterations, `batch` (in 2-D: the tiles, too) and the size of the result. Costs memory for up to 4096 results,
     * as the schedules other than steal do anyway. */
    bool deterministic;
    /* heist_generate: the most items that are drawn and not yet finished. 0: 64 for each worker, fewer if large. */
    size_t in_flight;
    heist_loop_report *report; /* filled in at the end; NULL: not wanted */
} heist_loop_options;

#define HEIST_LOOP_OPTIONS_INIT                                                                                        \
    {                                                                                                                  \
        sizeof(heist_loop_options), HEIST_SCHEDULE_DEFAULT, 0, 0, 0, 0, false, 0, 0                                    \
    }

/* ---- loops ---- */

/* A body gets a part of the range. 0: go on. Anything else ends the loop: no batch begins after that is known, those
 * under way run to their ends, and the loop returns that value, the first if there were several. Errors of the loop
 * itself are negative errno, so a positive value cannot be mistaken. */
typedef int heist_for_body(heist_range part, void *context);
typedef int heist_for2_body(heist_range rows, heist_range columns, void *context);

/* Runs body(part, context) for parts that together are `range`, each index once. `options` may be NULL.
 * Call from: any thread, tasks and bodies included.  Blocks: until the loop has finished.
 * Returns 0, what a body returned, or -EINVAL (body or options), -ENOMEM, -ESHUTDOWN, -ECANCELED; after these four no
 * body was called. An empty range is 0. */
HEIST_API int heist_for(heist_pool *pool, heist_range range, heist_for_body *body, void *context,
                        const heist_loop_options *options);

/* The same in two dimensions: parts are tiles of rows x columns; tiles are numbered, and distributed, row by row. */
HEIST_API int heist_for2(heist_pool *pool, heist_range rows, heist_range columns, heist_for2_body *body, void *context,
                         const heist_loop_options *options);

/* ---- reductions ---- */

/* What is combined: values of `size` bytes, of no more than malloc's alignment, copied as bytes. `combine` must be
 * associative (near enough, for floating point) and `identity` neutral; it need not be commutative: left and right
 * always are neighbours in the range's order (in 2-D, the order of the tiles). */
typedef struct heist_monoid {
    size_t size;
    const void *identity;
    void (*combine)(void *left, const void *right, void *context); /* *left becomes left o right */
} heist_monoid;

/* Adds a part to *accumulator, which has the identity or earlier parts in it: accumulator o part. Returns as above. */
typedef int heist_reduce_body(heist_range part, void *accumulator, void *context);
typedef int heist_reduce2_body(heist_range rows, heist_range columns, void *accumulator, void *context);

/* *result becomes the combination of all of `range`; of an empty range, the identity.
 * Call from: as heist_for.  Returns as heist_for; unless that is 0, *result is as it was. -ENOMEM may also come in the
 * middle where results are larger than 64 bytes. */
HEIST_API int heist_reduce(heist_pool *pool, heist_range range, const heist_monoid *monoid, heist_reduce_body *body,
                           void *context, void *result, const heist_loop_options *options);
HEIST_API int heist_reduce2(heist_pool *pool, heist_range rows, heist_range columns, const heist_monoid *monoid,
                            heist_reduce2_body *body, void *context, void *result, const heist_loop_options *options);

/* ---- lazy generation ---- */

/* Writes the next item to *item. 1: there is one; 0: there are no more; negative: an error, and no more. Called by one
 * worker at a time, each call seeing all that the ones before did; never again after 0 or an error. */
typedef int heist_producer(void *item, void *context);

/* Does what is to be done with an item. Called by many workers at once. Anything but 0 ends the drawing of items. */
typedef int heist_consumer(void *item, void *context);

/* Draws items of `item_size` bytes (malloc's alignment) from `produce` as workers become free, and gives each to
 * `consume`. At no time are more than options->in_flight drawn and unfinished, and that is all the memory there is.
 * Every item drawn is consumed once, also after an end.  Of the options `batch` (items drawn at once; 0: as their time
 * demands), `in_flight` and `report` count.
 * Call from: as heist_for.  Returns 0, what a consumer returned, the producer's error, or as heist_for. */
HEIST_API int heist_generate(heist_pool *pool, size_t item_size, heist_producer *produce, heist_consumer *consume,
                             void *context, const heist_loop_options *options);

/* ---- typed bodies ----
 *
 * Declaring, with 0 to 10 arguments (at file level; types as in HEIST_TASK)
 *   HEIST_LOOP(name, i, type, argument, ...) { one iteration }
 *   HEIST_LOOP_UNTIL(name, i, ...) { one iteration; }                   returns int: not 0 ends the loop early
 *   HEIST_LOOP2(name, i, j, ...) { one iteration }                      row i, column j
 *   HEIST_FOLD(result, name, identity, combine, sum, i, ...) { return sum and iteration i; }
 *   HEIST_FOLD2(result, name, identity, combine, sum, i, j, ...)
 * An identity with a comma in it needs parentheses: ((struct pair){0, 0}).
 * combine(left, right) is a function or a macro of values; HEIST_PLUS, HEIST_TIMES, HEIST_LEAST, HEIST_GREATEST are
 * here.
 *
 * Running; each gives the int of the function above
 *   HEIST_FOR(pool, name, range, ...)                    HEIST_FOR_WITH(options, pool, name, range, ...)
 *   HEIST_FOR2(pool, name, rows, columns, ...)           HEIST_FOR2_WITH(options, ...)
 *   HEIST_REDUCE(pool, &result, name, range, ...)        HEIST_REDUCE_WITH(options, ...)
 *   HEIST_REDUCE2(pool, &result, name, rows, columns, ...)   HEIST_REDUCE2_WITH(options, ...)
 * Arguments are copied once for each batch; write results through pointers. */

#define HEIST_PLUS(left, right) ((left) + (right))
#define HEIST_TIMES(left, right) ((left) * (right))
#define HEIST_LEAST(left, right) ((right) < (left) ? (right) : (left))
#define HEIST_GREATEST(left, right) ((left) < (right) ? (right) : (left))

/* The arguments as they travel, in the shape that heist/detail/arguments.h expects. */
#define HEIST__LOOP_TYPE(name, n, pairs)                                                                               \
    struct heist__gen_loop_##name {                                                                                    \
        struct {                                                                                                       \
            struct {                                                                                                   \
                HEIST__FIELDS_##n pairs                                                                                \
            } in;                                                                                                      \
        } of;                                                                                                          \
    };

/* A copy that no iteration can change, so that the compiler keeps it in registers. */
#define HEIST__LOOP_COPY(name)                                                                                         \
    const struct heist__gen_loop_##name heist__k = *(const struct heist__gen_loop_##name *)heist__v,                   \
                                        *heist__c = &heist__k;                                                         \
    (void)heist__c;

#define HEIST__LOOP_START(name, n, pairs)                                                                              \
    struct heist__gen_loop_##name heist__args, *heist__c = &heist__args;                                               \
    HEIST__STORE_##n pairs

/* `each` for all of a part; with step 1 as a loop that can be vectorised. */
#define HEIST__OVER(i, part, each)                                                                                     \
    if ((part).step == 1) {                                                                                            \
        for (int64_t i = (part).begin; i < (part).end; i++) each;                                                      \
    } else {                                                                                                           \
        HEIST_EACH(i, part) each;                                                                                      \
    }

#define HEIST__INDEX(i) int64_t i __attribute__((unused))

#define HEIST__LOOP_BOTH(n, result, each, name, i, pairs)                                                              \
    HEIST__LOOP_TYPE(name, n, pairs)                                                                                   \
    HEIST__INLINE result heist__gen_each_##name(int64_t HEIST__PARAMS_##n pairs);                                      \
    static HEIST__FN int heist__gen_part_##name(heist_range heist__p, void *heist__v)                                  \
    {                                                                                                                  \
        HEIST__LOOP_COPY(name)                                                                                         \
        HEIST__OVER(heist__i, heist__p, each(heist__gen_each_##name(heist__i HEIST__LOAD_##n pairs)))                  \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static HEIST__FN int heist__gen_for_##name(const heist_loop_options *heist__o, heist_pool *heist__p,               \
                                               heist_range heist__r HEIST__PARAMS_##n pairs)                           \
    {                                                                                                                  \
        HEIST__LOOP_START(name, n, pairs)                                                                              \
        return heist_for(heist__p, heist__r, heist__gen_part_##name, heist__c, heist__o);                              \
    }                                                                                                                  \
    HEIST__INLINE result heist__gen_each_##name(HEIST__INDEX(i) HEIST__PARAMS_##n pairs)

#define HEIST__EACH_VOID(call) (call)
#define HEIST__EACH_UNTIL(call)                                                                                        \
    do {                                                                                                               \
        int heist__result = (call);                                                                                    \
        if (heist__result) return heist__result;                                                                       \
    } while (0)

#define HEIST__LOOP2_BOTH(n, name, i, j, pairs)                                                                        \
    HEIST__LOOP_TYPE(name, n, pairs)                                                                                   \
    HEIST__INLINE void heist__gen_each_##name(int64_t, int64_t HEIST__PARAMS_##n pairs);                               \
    static HEIST__FN int heist__gen_part_##name(heist_range heist__p, heist_range heist__q, void *heist__v)            \
    {                                                                                                                  \
        HEIST__LOOP_COPY(name)                                                                                         \
        HEIST_EACH(heist__i, heist__p)                                                                                 \
        {                                                                                                              \
            HEIST__OVER(heist__j, heist__q, heist__gen_each_##name(heist__i, heist__j HEIST__LOAD_##n pairs))          \
        }                                                                                                              \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static HEIST__FN int heist__gen_for2_##name(const heist_loop_options *heist__o, heist_pool *heist__p,              \
                                                heist_range heist__r, heist_range heist__s HEIST__PARAMS_##n pairs)    \
    {                                                                                                                  \
        HEIST__LOOP_START(name, n, pairs)                                                                              \
        return heist_for2(heist__p, heist__r, heist__s, heist__gen_part_##name, heist__c, heist__o);                   \
    }                                                                                                                  \
    HEIST__INLINE void heist__gen_each_##name(HEIST__INDEX(i), HEIST__INDEX(j) HEIST__PARAMS_##n pairs)

#define HEIST__FOLD_COMBINE(result, name, combine)                                                                     \
    static HEIST__FN void heist__gen_combine_##name(void *heist__left, const void *heist__right, void *heist__v)       \
    {                                                                                                                  \
        result *heist__l = (result *)heist__left;                                                                      \
        const result *heist__r = (const result *)heist__right;                                                         \
        (void)heist__v;                                                                                                \
        *heist__l = combine(*heist__l, *heist__r);                                                                     \
    }

#define HEIST__FOLD_MONOID(result, name, neutral)                                                                      \
    const result heist__neutral = neutral;                                                                             \
    heist_monoid heist__m;                                                                                             \
    heist__m.size = sizeof(result);                                                                                    \
    heist__m.identity = &heist__neutral;                                                                               \
    heist__m.combine = heist__gen_combine_##name;

#define HEIST__FOLD_BOTH(n, result, name, neutral, combine, sum, i, pairs)                                             \
    HEIST__LOOP_TYPE(name, n, pairs)                                                                                   \
    HEIST__INLINE result heist__gen_fold_##name(result, int64_t HEIST__PARAMS_##n pairs);                              \
    HEIST__FOLD_COMBINE(result, name, combine)                                                                         \
    static HEIST__FN int heist__gen_part_##name(heist_range heist__p, void *heist__a, void *heist__v)                  \
    {                                                                                                                  \
        HEIST__LOOP_COPY(name)                                                                                         \
        result heist__sum = *(result *)heist__a;                                                                       \
        HEIST__OVER(heist__i, heist__p,                                                                                \
                    heist__sum = heist__gen_fold_##name(heist__sum, heist__i HEIST__LOAD_##n pairs))                   \
        *(result *)heist__a = heist__sum;                                                                              \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static HEIST__FN int heist__gen_reduce_##name(const heist_loop_options *heist__o, heist_pool *heist__p,            \
                                                  result *heist__to, heist_range heist__r HEIST__PARAMS_##n pairs)     \
    {                                                                                                                  \
        HEIST__LOOP_START(name, n, pairs)                                                                              \
        HEIST__FOLD_MONOID(result, name, neutral)                                                                      \
        return heist_reduce(heist__p, heist__r, &heist__m, heist__gen_part_##name, heist__c, heist__to, heist__o);     \
    }                                                                                                                  \
    HEIST__INLINE result heist__gen_fold_##name(result sum, HEIST__INDEX(i) HEIST__PARAMS_##n pairs)

#define HEIST__FOLD2_BOTH(n, result, name, neutral, combine, sum, i, j, pairs)                                         \
    HEIST__LOOP_TYPE(name, n, pairs)                                                                                   \
    HEIST__INLINE result heist__gen_fold_##name(result, int64_t, int64_t HEIST__PARAMS_##n pairs);                     \
    HEIST__FOLD_COMBINE(result, name, combine)                                                                         \
    static HEIST__FN int heist__gen_part_##name(heist_range heist__p, heist_range heist__q, void *heist__a,            \
                                                void *heist__v)                                                        \
    {                                                                                                                  \
        HEIST__LOOP_COPY(name)                                                                                         \
        result heist__sum = *(result *)heist__a;                                                                       \
        HEIST_EACH(heist__i, heist__p){                                                                                \
            HEIST__OVER(heist__j, heist__q,                                                                            \
                        heist__sum = heist__gen_fold_##name(heist__sum, heist__i, heist__j HEIST__LOAD_##n pairs))} *  \
            (result *)heist__a = heist__sum;                                                                           \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static HEIST__FN int heist__gen_reduce2_##name(const heist_loop_options *heist__o, heist_pool *heist__p,           \
                                                   result *heist__to, heist_range heist__r,                            \
                                                   heist_range heist__s HEIST__PARAMS_##n pairs)                       \
    {                                                                                                                  \
        HEIST__LOOP_START(name, n, pairs)                                                                              \
        HEIST__FOLD_MONOID(result, name, neutral)                                                                      \
        return heist_reduce2(heist__p, heist__r, heist__s, &heist__m, heist__gen_part_##name, heist__c, heist__to,     \
                             heist__o);                                                                                \
    }                                                                                                                  \
    HEIST__INLINE result heist__gen_fold_##name(result sum, HEIST__INDEX(i), HEIST__INDEX(j) HEIST__PARAMS_##n pairs)

/* Pairs behind more leading words than the two that heist/detail/arguments.h knows, and whether there are any. */
#define HEIST__PAIRS_AFTER_3(a, ...) HEIST__PAIRS(__VA_ARGS__)
#define HEIST__PAIRS_AFTER_6(a, b, c, d, ...) HEIST__PAIRS(__VA_ARGS__)
#define HEIST__PAIRS_AFTER_7(a, b, c, d, e, ...) HEIST__PAIRS(__VA_ARGS__)
#define HEIST__MORE_THAN_3(a, ...) HEIST__MORE_THAN_2(__VA_ARGS__)
#define HEIST__MORE_THAN_4(a, b, ...) HEIST__MORE_THAN_2(__VA_ARGS__)
#define HEIST__MORE_THAN_5(a, b, c, ...) HEIST__MORE_THAN_2(__VA_ARGS__)
#define HEIST__MORE_THAN_6(a, b, c, d, ...) HEIST__MORE_THAN_2(__VA_ARGS__)
#define HEIST__MORE_THAN_7(a, b, c, d, e, ...) HEIST__MORE_THAN_2(__VA_ARGS__)

#define HEIST_LOOP(...)                                                                                                \
    HEIST__CAT(HEIST__LOOP_, HEIST__MORE_THAN_2(__VA_ARGS__))(HEIST__PAIRS(__VA_ARGS__), __VA_ARGS__)
#define HEIST__LOOP_no(n, name, i) HEIST__LOOP_BOTH(0, void, HEIST__EACH_VOID, name, i, ())
#define HEIST__LOOP_yes(n, name, i, ...) HEIST__LOOP_BOTH(n, void, HEIST__EACH_VOID, name, i, (__VA_ARGS__))

#define HEIST_LOOP_UNTIL(...)                                                                                          \
    HEIST__CAT(HEIST__UNTIL_, HEIST__MORE_THAN_2(__VA_ARGS__))(HEIST__PAIRS(__VA_ARGS__), __VA_ARGS__)
#define HEIST__UNTIL_no(n, name, i) HEIST__LOOP_BOTH(0, int, HEIST__EACH_UNTIL, name, i, ())
#define HEIST__UNTIL_yes(n, name, i, ...) HEIST__LOOP_BOTH(n, int, HEIST__EACH_UNTIL, name, i, (__VA_ARGS__))

#define HEIST_LOOP2(...)                                                                                               \
    HEIST__CAT(HEIST__LOOP2_, HEIST__MORE_THAN_3(__VA_ARGS__))(HEIST__PAIRS_AFTER_3(__VA_ARGS__), __VA_ARGS__)
#define HEIST__LOOP2_no(n, name, i, j) HEIST__LOOP2_BOTH(0, name, i, j, ())
#define HEIST__LOOP2_yes(n, name, i, j, ...) HEIST__LOOP2_BOTH(n, name, i, j, (__VA_ARGS__))

#define HEIST_FOLD(...)                                                                                                \
    HEIST__CAT(HEIST__FOLD_, HEIST__MORE_THAN_6(__VA_ARGS__))(HEIST__PAIRS_AFTER_6(__VA_ARGS__), __VA_ARGS__)
#define HEIST__FOLD_no(n, result, name, neutral, combine, sum, i)                                                      \
    HEIST__FOLD_BOTH(0, result, name, neutral, combine, sum, i, ())
#define HEIST__FOLD_yes(n, result, name, neutral, combine, sum, i, ...)                                                \
    HEIST__FOLD_BOTH(n, result, name, neutral, combine, sum, i, (__VA_ARGS__))

#define HEIST_FOLD2(...)                                                                                               \
    HEIST__CAT(HEIST__FOLD2_, HEIST__MORE_THAN_7(__VA_ARGS__))(HEIST__PAIRS_AFTER_7(__VA_ARGS__), __VA_ARGS__)
#define HEIST__FOLD2_no(n, result, name, neutral, combine, sum, i, j)                                                  \
    HEIST__FOLD2_BOTH(0, result, name, neutral, combine, sum, i, j, ())
#define HEIST__FOLD2_yes(n, result, name, neutral, combine, sum, i, j, ...)                                            \
    HEIST__FOLD2_BOTH(n, result, name, neutral, combine, sum, i, j, (__VA_ARGS__))

/* ---- using them ---- */

#define HEIST_FOR(...) HEIST_FOR_WITH(NULL, __VA_ARGS__)
#define HEIST_FOR_WITH(...) HEIST__CAT(HEIST__FOR_, HEIST__MORE_THAN_4(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__FOR_no(options, pool, name, range) heist__gen_for_##name(options, pool, range)
#define HEIST__FOR_yes(options, pool, name, range, ...) heist__gen_for_##name(options, pool, range, __VA_ARGS__)

#define HEIST_FOR2(...) HEIST_FOR2_WITH(NULL, __VA_ARGS__)
#define HEIST_FOR2_WITH(...) HEIST__CAT(HEIST__FOR2_, HEIST__MORE_THAN_5(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__FOR2_no(options, pool, name, rows, columns) heist__gen_for2_##name(options, pool, rows, columns)
#define HEIST__FOR2_yes(options, pool, name, rows, columns, ...)                                                       \
    heist__gen_for2_##name(options, pool, rows, columns, __VA_ARGS__)

#define HEIST_REDUCE(...) HEIST_REDUCE_WITH(NULL, __VA_ARGS__)
#define HEIST_REDUCE_WITH(...) HEIST__CAT(HEIST__REDUCE_, HEIST__MORE_THAN_5(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__REDUCE_no(options, pool, result, name, range) heist__gen_reduce_##name(options, pool, result, range)
#define HEIST__REDUCE_yes(options, pool, result, name, range, ...)                                                     \
    heist__gen_reduce_##name(options, pool, result, range, __VA_ARGS__)

#define HEIST_REDUCE2(...) HEIST_REDUCE2_WITH(NULL, __VA_ARGS__)
#define HEIST_REDUCE2_WITH(...) HEIST__CAT(HEIST__REDUCE2_, HEIST__MORE_THAN_6(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__REDUCE2_no(options, pool, result, name, rows, columns)                                                  \
    heist__gen_reduce2_##name(options, pool, result, rows, columns)
#define HEIST__REDUCE2_yes(options, pool, result, name, rows, columns, ...)                                            \
    heist__gen_reduce2_##name(options, pool, result, rows, columns, __VA_ARGS__)

HEIST_END_DECLS

#endif
