/* loop_coverage.h: shared by the tests of loops: a body that checks that every index runs once, and bodies that note
 * the sizes of their batches. */
#ifndef LOOP_COVERAGE_H
#define LOOP_COVERAGE_H

#include <inttypes.h>

#include <heist/heist.h>

#include "loop_support.h"

/* ---- every index once ---- */

typedef struct {
    heist_range range;
    uint64_t batch; /* 0: not given */
    marks marks;
    atomic_uint_fast64_t calls;
} coverage;

static inline int cover(heist_range part, void *context)
{
    coverage *c = context;
    uint64_t count = heist_range_count(part), step = (uint64_t)c->range.step;
    CHECK(part.step == c->range.step && count > 0);
    CHECK(c->batch == 0 || count <= c->batch);
    uint64_t distance = (uint64_t)part.begin - (uint64_t)c->range.begin;
    if ((int64_t)step < 0) distance = 0 - distance, step = 0 - step;
    CHECK(distance % step == 0);
    CHECK(c->batch == 0 || distance / step % c->batch == 0); /* given batches stay whole */
    for (uint64_t i = 0; i < count; i++) mark(&c->marks, distance / step + i);
    uint64_t seen = 0;
    HEIST_EACH(i, part)
    {
        CHECK((uint64_t)i == (uint64_t)part.begin + seen * (uint64_t)part.step);
        seen++;
    }
    CHECK(seen == count);
    atomic_fetch_add(&c->calls, 1);
    return 0;
}

static inline void check_coverage(heist_pool *pool, heist_range range, const heist_loop_options *options)
{
    coverage c = {.range = range, .marks = marks_new(heist_range_count(range))};
    if (options) c.batch = options->batch;
    char what[200];
    snprintf(what, sizeof what,
             "%s, workers %u, from %" PRId64 " to %" PRId64 " by %" PRId64 ", batch %" PRIu64 ", take %" PRIu64,
             options ? schedule_word(options->schedule) : "no options", heist_pool_workers(pool), range.begin,
             range.end, range.step, options ? options->batch : 0, options ? options->take : 0);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist_for(pool, range, cover, &c, options), what);
    TEST_ASSERT_TRUE_MESSAGE(marks_end(&c.marks), what);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, atomic_load(&wrong), what);
}

/* ---- bodies ---- */

/* The sizes of the calls of a body. */
typedef struct {
    int64_t end, cheap; /* of the loop, and of the iterations that take no time to speak of */
    int64_t dear_ns;    /* the others */
    atomic_uint_fast64_t largest, last, single;
    atomic_uint_fast64_t most_dear; /* of the dear ones in one call */
} call_sizes;

static inline void raise_to(atomic_uint_fast64_t *number, uint64_t value)
{
    uint_fast64_t before = atomic_load(number);
    while (value > before && !atomic_compare_exchange_weak(number, &before, value)) {
    }
}

static inline void add_counts(void *left, const void *right, void *context)
{
    (void)context;
    *(int64_t *)left += *(const int64_t *)right;
}

static inline int count_all(heist_range part, void *context)
{
    atomic_fetch_add((atomic_uint_fast64_t *)context, heist_range_count(part));
    return 0;
}

static inline int sleep_a_little(heist_range part, void *context)
{
    (void)context;
    HEIST_EACH(i, part) sleep_us(500);
    return 0;
}

static inline int nothing(heist_range part, void *context)
{
    (void)part, (void)context;
    return 0;
}

#endif
