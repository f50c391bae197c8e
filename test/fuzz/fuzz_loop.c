/* Loops with any options over any ranges. An input is lines of field=number. A small range must be covered index by
 * index, each once; in a large one the first part ends the loop. The options lie in memory of exactly the size that
 * they claim. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heist/detail/atomic.h>
#include <heist/heist.h>

#include "fuzz.h"

enum { LARGEST = 5000, SMALL_RANGE = 3000, POOLS = 3, ENOUGH = 77, MOST_ITEMS = 500 };

enum { FOR, FOR2, REDUCE, REDUCE2, GENERATE, CALLS };

static struct {
    union {
        heist_loop_options options;
        char bytes[LARGEST];
    } u;
    heist_loop_report report;
    bool reports;
    heist_range rows, columns;
    uint64_t call, pool, item_size, items, result_size;
} said;

static heist_loop_share shares[POOLS];

static void take_field(const char *name, const char *value)
{
    const struct {
        const char *name;
        void *field;
        size_t size;
    } fields[] = {
#define FIELD(name, field) {name, &(field), sizeof(field)}
        FIELD("size", said.u.options.size),
        FIELD("batch", said.u.options.batch),
        FIELD("take", said.u.options.take),
        FIELD("tile_rows", said.u.options.tile_rows),
        FIELD("tile_columns", said.u.options.tile_columns),
        FIELD("in_flight", said.u.options.in_flight),
        FIELD("report_size", said.report.size),
        FIELD("begin", said.rows.begin),
        FIELD("end", said.rows.end),
        FIELD("step", said.rows.step),
        FIELD("begin2", said.columns.begin),
        FIELD("end2", said.columns.end),
        FIELD("step2", said.columns.step),
        FIELD("call", said.call),
        FIELD("pool", said.pool),
        FIELD("item_size", said.item_size),
        FIELD("items", said.items),
        FIELD("result_size", said.result_size),
#undef FIELD
    };
    uint64_t n = fuzz_number(value);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(name, fields[i].name) == 0) memcpy(fields[i].field, &n, fields[i].size);
    }
    if (strcmp(name, "schedule") == 0) said.u.options.schedule = (heist_schedule)n;
    if (strcmp(name, "deterministic") == 0) said.u.options.deterministic = n & 1;
    if (strcmp(name, "report") == 0) said.reports = n & 1;
    if (strcmp(name, "room") == 0) said.report.room = n % (POOLS + 1);
    if (strcmp(name, "tail") == 0 && n >= sizeof(heist_loop_options) && n < LARGEST) said.u.bytes[n] = 1;
}

static size_t claimed(void)
{
    return said.u.options.size ? said.u.options.size : sizeof(heist_loop_options);
}

static bool options_are_good(void)
{
    const size_t pointer = offsetof(heist_loop_options, report);
    if (claimed() < sizeof(size_t) || claimed() >= 4096) return false;
    if (claimed() > pointer && claimed() < pointer + sizeof(void *)) return false;
    for (size_t i = sizeof(heist_loop_options); i < claimed(); i++) {
        if (said.u.bytes[i]) return false;
    }
    heist_loop_options seen;
    memset(&seen, 0, sizeof seen);
    memcpy(&seen, &said.u.options, claimed() < sizeof seen ? claimed() : sizeof seen);
    if ((int)seen.schedule < 0 || seen.schedule > HEIST_SCHEDULE_AUTO) return false;
    return !seen.report || !said.report.size || said.report.size == sizeof said.report;
}

/* ---- bodies ---- */

/* The observations of the bodies. Written by: all of them (add). Read by: the caller, when the loop has ended. */
static HEIST__ATOMIC(uint64_t) seen_count, seen_sum;
static bool small;
static HEIST__ATOMIC(uint64_t) drawn, consumed;

/* relaxed, here and below: the loop's end orders them */
static uint64_t mixed(int64_t i, int64_t j)
{
    uint64_t z = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)j;
    return (z ^ z >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* Every part, also of a range that is too large to be covered, is not empty and lies inside. */
static void check_part(heist_range part, heist_range range)
{
    uint64_t step = range.step ? (uint64_t)range.step : 1, all = heist_range_count(range);
    uint64_t distance = (uint64_t)part.begin - (uint64_t)range.begin;
    uint64_t first = range.step < 0 ? (0 - distance) / (0 - step) : distance / step, count = heist_range_count(part);
    if (first * step != distance || first >= all || count == 0 || count > all - first)
        fuzz_fail("a part from %llu with %llu indices of %llu", (unsigned long long)first, (unsigned long long)count,
                  (unsigned long long)all);
}

static int each(heist_range part, void *context)
{
    (void)context;
    check_part(part, said.rows);
    if (!small) return ENOUGH;
    HEIST_EACH(i, part)
    {
        heist__add_relaxed(&seen_count, 1);
        heist__add_relaxed(&seen_sum, mixed(i, 0));
    }
    return 0;
}

static int each2(heist_range rows, heist_range columns, void *context)
{
    (void)context;
    check_part(rows, said.rows);
    check_part(columns, said.columns);
    if (!small) return ENOUGH;
    HEIST_EACH(i, rows)
    HEIST_EACH(j, columns)
    {
        heist__add_relaxed(&seen_count, 1);
        heist__add_relaxed(&seen_sum, mixed(i, j));
    }
    return 0;
}

/* A result is a count in its first bytes; the others must stay what they are in the identity. */
static uint64_t count_of(const void *result)
{
    uint64_t count;
    memcpy(&count, result, sizeof count);
    return count;
}

static void add_to(void *result, uint64_t more)
{
    more += count_of(result);
    memcpy(result, &more, sizeof more);
}

static int fold(heist_range part, void *accumulator, void *context)
{
    if (small) add_to(accumulator, heist_range_count(part));
    return each(part, context);
}

static int fold2(heist_range rows, heist_range columns, void *accumulator, void *context)
{
    if (small) add_to(accumulator, heist_range_count(rows) * heist_range_count(columns));
    return each2(rows, columns, context);
}

static void combine(void *left, const void *right, void *context)
{
    (void)context;
    add_to(left, count_of(right));
}

static int produce(void *item, void *context)
{
    (void)context;
    if (heist__add_relaxed(&drawn, 1) >= said.items % MOST_ITEMS) return 0;
    *(char *)item = 'x';
    return 1;
}

static int consume(void *item, void *context)
{
    (void)context;
    if (*(char *)item != 'x') return -EIO;
    *(char *)item = 'y';
    heist__add_relaxed(&consumed, 1);
    return 0;
}

/* ---- the loop ---- */

static heist_pool *pools[POOLS + 1];

static void free_pools(void)
{
    for (size_t i = 0; i <= POOLS; i++) heist_pool_free(pools[i]);
}

static heist_pool *pool_of(unsigned workers)
{
    static bool registered;
    if (!registered) registered = atexit(free_pools) == 0;
    if (!pools[workers]) {
        heist_options options = {.workers = workers, .spin = 4, .stack_size = 1 << 20};
        pools[workers] = heist_pool_new(&options);
        if (!pools[workers]) fuzz_fail("no pool: %s", heist_explain());
    }
    return pools[workers];
}

static int run(heist_pool *pool, const heist_loop_options *options, void *result, const heist_monoid *monoid)
{
    switch (said.call % CALLS) {
    case FOR: return heist_for(pool, said.rows, each, NULL, options);
    case FOR2: return heist_for2(pool, said.rows, said.columns, each2, NULL, options);
    case REDUCE: return heist_reduce(pool, said.rows, monoid, fold, NULL, result, options);
    case REDUCE2: return heist_reduce2(pool, said.rows, said.columns, monoid, fold2, NULL, result, options);
    default: return heist_generate(pool, (size_t)said.item_size, produce, consume, NULL, options);
    }
}

/* The number of indices; *sum becomes the sum that the bodies must see. UINT64_MAX: too many to cover. */
static uint64_t expected(uint64_t *sum)
{
    bool two = said.call % CALLS == FOR2 || said.call % CALLS == REDUCE2;
    uint64_t down = heist_range_count(said.rows), across = two ? heist_range_count(said.columns) : 1;
    *sum = 0;
    if (down == 0 || across == 0) return 0;
    if (down > SMALL_RANGE || across > SMALL_RANGE || down * across > SMALL_RANGE) return UINT64_MAX;
    int64_t row_step = said.rows.step ? said.rows.step : 1, column_step = said.columns.step ? said.columns.step : 1;
    for (uint64_t r = 0; r < down; r++) {
        int64_t i = (int64_t)((uint64_t)said.rows.begin + r * (uint64_t)row_step);
        for (uint64_t c = 0; c < across; c++)
            *sum += mixed(i, two ? (int64_t)((uint64_t)said.columns.begin + c * (uint64_t)column_step) : 0);
    }
    return down * across;
}

static void check_generated(int result)
{
    if (said.item_size == 0 && result != -EINVAL) fuzz_fail("items of no size: %d", result);
    if (result == -ENOMEM || said.item_size == 0) return;
    if (result) fuzz_fail("heist_generate: %d", result);
    /* relaxed: the loop has ended */
    if (heist__load_relaxed(&consumed) != said.items % MOST_ITEMS)
        fuzz_fail("%llu items consumed", (unsigned long long)heist__load_relaxed(&consumed));
}

static void check_walk(int result, const unsigned char *sums, size_t size, uint64_t count, uint64_t sum)
{
    bool reduces = said.call % CALLS == REDUCE || said.call % CALLS == REDUCE2;
    bool two = said.call % CALLS == FOR2 || said.call % CALLS == REDUCE2;
    if (result == -EINVAL && two && count == UINT64_MAX) return; /* more tiles than can be numbered */
    if (result == -ENOMEM && reduces) return;
    if (result != (small ? 0 : ENOUGH)) fuzz_fail("result %d, %s", result, heist_explain());
    if (!small) return;
    /* relaxed: the loop has ended */
    if (heist__load_relaxed(&seen_count) != count || heist__load_relaxed(&seen_sum) != sum)
        fuzz_fail("%llu indices seen, not %llu", (unsigned long long)heist__load_relaxed(&seen_count),
                  (unsigned long long)count);
    if (!reduces) return;
    if (count_of(sums) != count) fuzz_fail("sum %llu", (unsigned long long)count_of(sums));
    for (size_t i = sizeof(uint64_t); i < size; i++) {
        if (sums[i] != 0xa5) fuzz_fail("byte %zu of the result was changed", i);
    }
}

static void try_loop(const heist_loop_options *given)
{
    static unsigned char identity[4096 + 8], result[sizeof identity];
    size_t size = 8 + said.result_size % 4096;
    memset(identity, 0xa5, sizeof identity);
    memset(identity, 0, sizeof(uint64_t));
    heist_monoid monoid = {size, identity, combine};
    uint64_t sum, count = expected(&sum);
    small = count != UINT64_MAX;
    /* relaxed: no other thread runs yet */
    heist__store_relaxed(&seen_count, 0);
    heist__store_relaxed(&seen_sum, 0);
    heist__store_relaxed(&drawn, 0);
    heist__store_relaxed(&consumed, 0);
    int got = run(pool_of(1 + (unsigned)(said.pool % POOLS)), given, result, &monoid);
    if (said.call % CALLS == GENERATE && said.item_size > PTRDIFF_MAX / 2) {
        if (got != -ENOMEM) fuzz_fail("items of half the memory there can be: %d", got);
    } else if (!options_are_good()) {
        if (got != -EINVAL || !*heist_explain()) fuzz_fail("bad options: %d", got);
    } else if (said.call % CALLS == GENERATE) {
        check_generated(got);
    } else {
        check_walk(got, result, size, count, sum);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text, *name, *value;
    memset(&said, 0, sizeof said);
    while (fuzz_field(&rest, &name, &value)) take_field(name, value);
    said.report.shares = shares;
    if (said.reports) said.u.options.report = &said.report;
    size_t room = claimed() < LARGEST ? claimed() : sizeof(size_t);
    if (room < sizeof(size_t)) room = sizeof(size_t);
    void *given = malloc(room);
    if (!given) fuzz_fail("no memory");
    memcpy(given, said.u.bytes, room);
    try_loop(given);
    free(given);
    free(text);
    return 0;
}
