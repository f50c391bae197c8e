/* The parts of loops: parts of ranges, tiles, the cutting into cells, the choice of a schedule, and shares that
 * are taken from at both ends. */
#include <pthread.h>

#include "interrupt.h"
#include "loop/cell_range.h"
#include "loop/cost_probe.h"
#include "loop/plan.h"
#include "loop/range.h"
#include "loop_support.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
}

void tearDown(void)
{
    alarm(0);
}

/* ---- ranges ---- */

static void counts_are_right_at_all_ends(void)
{
    static const struct {
        int64_t begin, end, step;
        uint64_t count;
    } cases[] = {
        {0, 0, 1, 0},
        {0, 10, 1, 10},
        {0, 10, 0, 10}, /* 0 stands for 1 */
        {0, 10, 3, 4},
        {0, 9, 3, 3},
        {10, 0, 1, 0},
        {0, 10, -1, 0},
        {10, 0, -1, 10},
        {10, 0, -3, 4},
        {9, 0, -3, 3},
        {-5, 5, 2, 5},
        {INT64_MAX - 10, INT64_MAX, 7, 2},
        {INT64_MIN + 10, INT64_MIN, -7, 2},
        {INT64_MIN, INT64_MAX, 1, UINT64_MAX},
        {INT64_MAX, INT64_MIN, -1, UINT64_MAX},
        {INT64_MIN, INT64_MAX, INT64_MAX, 3},
        {INT64_MAX, INT64_MIN, INT64_MIN, 2},
        {INT64_MIN, INT64_MIN, INT64_MIN, 0},
        {INT64_MAX, INT64_MAX, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        heist_range range = heist_stepping(cases[i].begin, cases[i].end, cases[i].step);
        TEST_ASSERT_EQUAL_UINT64(cases[i].count, heist_range_count(range));
    }
}

static void parts_of_a_range_are_the_whole_in_order(void)
{
    static const heist_range ranges[] = {
        {0, 10, 1},
        {5, -5, -1},
        {INT64_MAX - 20, INT64_MAX, 3},
        {INT64_MIN + 20, INT64_MIN, -3},
        {INT64_MIN, INT64_MAX, INT64_MAX / 5},
    };
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        uint64_t count = heist_range_count(ranges[r]);
        for (uint64_t cut = 0; cut <= count; cut++) {
            heist_range left = heist__range_part(ranges[r], count, 0, cut);
            heist_range right = heist__range_part(ranges[r], count, cut, count);
            TEST_ASSERT_EQUAL_UINT64(cut, heist_range_count(left));
            if (cut < count) TEST_ASSERT_EQUAL_UINT64(count - cut, heist_range_count(right));
            uint64_t number = 0;
            HEIST_EACH(i, left)
            TEST_ASSERT_EQUAL_UINT64((uint64_t)ranges[r].begin + number++ * (uint64_t)ranges[r].step, (uint64_t)i);
            if (cut == count) continue;
            HEIST_EACH(i, right)
            TEST_ASSERT_EQUAL_UINT64((uint64_t)ranges[r].begin + number++ * (uint64_t)ranges[r].step, (uint64_t)i);
        }
    }
}

static void a_step_of_0_is_1_for_whoever_walks_a_range_of_his_own(void)
{
    heist_range range = {3, 13, 0};
    int64_t next = 3;
    HEIST_EACH(i, range)
    TEST_ASSERT_EQUAL_INT64(next++, i);
    TEST_ASSERT_EQUAL_INT64(13, next);
}

/* ---- plans ---- */

static void check_plan(const heist__plan *p, heist_schedule schedule, uint64_t base, uint64_t units)
{
    if (p->cells == 0) {
        TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_STEAL, p->schedule);
        return;
    }
    if (schedule != HEIST_SCHEDULE_DEFAULT) TEST_ASSERT_EQUAL_INT(schedule, p->schedule);
    TEST_ASSERT_EQUAL_UINT64(base, heist__plan_cell(p, 0));
    TEST_ASSERT_EQUAL_UINT64(base + units, heist__plan_cell(p, p->cells));
    TEST_ASSERT_TRUE((p->batch > 0) == (p->most == 0) && p->cells <= (uint64_t)1 << 31);
    uint64_t step = p->cells / 1000 + 1;
    for (uint64_t c = 0; c < p->cells; c += step) {
        TEST_ASSERT_TRUE(heist__plan_cell(p, c) < heist__plan_cell(p, c + 1)); /* no cell is empty */
    }
    TEST_ASSERT_TRUE(heist__plan_cell(p, p->cells - 1) < base + units);
}

static void cells_are_the_whole_and_none_is_empty(void)
{
    static const uint64_t sizes[] = {1, 2, 3, 7, 63, 64, 65, 1000, 4097, 1000000, (uint64_t)1 << 40, UINT64_MAX};
    static const uint64_t batches[] = {0, 1, 2, 3, 64, 1000, (uint64_t)1 << 33, UINT64_MAX};
    static const unsigned workers[] = {1, 2, 3, 8, 4096};
    static const size_t strides[] = {0, 128, (size_t)1 << 20, (size_t)1 << 48};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        for (size_t b = 0; b < sizeof batches / sizeof *batches; b++)
            for (size_t w = 0; w < sizeof workers / sizeof *workers; w++)
                for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
                    for (int how = 0; how < HEIST_SCHEDULE_AUTO; how++) {
                        heist__plan p;
                        heist__wish wish = {.schedule = (heist_schedule)how,
                                            .units = sizes[n],
                                            .workers = workers[w],
                                            .at_once = workers[w] > 2 ? workers[w] / 3 : workers[w],
                                            .batch = batches[b],
                                            .finest = how ? sizes[n] / 100 : 0,
                                            .stride = strides[s],
                                            .deterministic = how % 2};
                        heist__plan_make(&p, &wish);
                        check_plan(&p, (heist_schedule)how, 0, sizes[n]);
                        if (batches[b] && p.cells) TEST_ASSERT_EQUAL_UINT64(0, p.grain % batches[b]);
                        if (strides[s] && p.cells > workers[w]) TEST_ASSERT_TRUE(p.cells <= 4096);
                    }
    heist__plan p;
    heist__wish later = {.schedule = HEIST_SCHEDULE_HYBRID, .base = 17, .units = 1000, .workers = 2, .at_once = 2};
    heist__plan_make(&p, &later);
    check_plan(&p, HEIST_SCHEDULE_HYBRID, 17, 1000);
}

static void deterministic_cells_do_not_depend_on_workers_or_schedule(void)
{
    static const unsigned workers[] = {7, 5000}; /* more, too, than there may be large results */
    static const size_t strides[] = {128, (size_t)1 << 26};
    heist__plan one, other;
    for (int round = 0; round < 16; round++) {
        uint64_t batch = (uint64_t)round / 4 * 33;
        size_t stride = strides[round / 2 % 2];
        heist__wish wish = {.schedule = HEIST_SCHEDULE_STATIC,
                            .units = 12345,
                            .workers = 1,
                            .at_once = 1,
                            .batch = batch,
                            .stride = stride,
                            .deterministic = true};
        heist__plan_make(&one, &wish);
        wish.workers = workers[round % 2];
        wish.at_once = 2;
        wish.take = 3;
        for (int how = 0; how < HEIST_SCHEDULE_AUTO; how++) {
            wish.schedule = (heist_schedule)how;
            heist__plan_make(&other, &wish);
            TEST_ASSERT_EQUAL_UINT64(one.cells, other.cells);
            for (uint64_t c = 0; c < one.cells; c++)
                TEST_ASSERT_EQUAL_UINT64(heist__plan_cell(&one, c), heist__plan_cell(&other, c));
        }
    }
}

/* However large the results are, no worker goes without a cell: fewer would leave workers idle. */
static void large_results_leave_a_cell_for_each_worker(void)
{
    heist__plan p;
    heist__wish wish = {.schedule = HEIST_SCHEDULE_SHARED, .units = 12345, .stride = (size_t)1 << 26};
    wish.workers = wish.at_once = 100;
    heist__plan_make(&p, &wish);
    TEST_ASSERT_EQUAL_UINT64(100, p.cells);
    wish.workers = wish.at_once = 2;
    heist__plan_make(&p, &wish);
    TEST_ASSERT_EQUAL_UINT64(16, p.cells);
}

/* More workers than CPUs do not make batches smaller, and each has a part of its own all the same. */
static void batches_are_for_those_that_can_run(void)
{
    heist__plan few, many;
    heist__wish wish = {.schedule = HEIST_SCHEDULE_SHARED, .units = 1000000, .workers = 2, .at_once = 2};
    for (int how = 0; how < HEIST_SCHEDULE_AUTO; how++) {
        wish.schedule = (heist_schedule)how;
        wish.workers = 2;
        heist__plan_make(&few, &wish);
        wish.workers = 8;
        heist__plan_make(&many, &wish);
        bool parts = how == HEIST_SCHEDULE_STATIC;
        TEST_ASSERT_EQUAL_UINT64(parts ? 2 : many.cells, few.cells);
        TEST_ASSERT_EQUAL_UINT64(parts ? 8 : few.cells, many.cells);
        TEST_ASSERT_EQUAL_UINT64(parts ? 125000 : few.batch, many.batch);
    }
}

/* How many cells hybrid gives at once, when the owner of a share of so many cells is alone with it. */
static unsigned tapered(const heist__plan *p, uint64_t cells, uint64_t *batches)
{
    unsigned count = 0;
    uint64_t first, last;
    heist__cell_range s;
    heist__cell_range_set(&s, 0, cells);
    for (; heist__cell_range_front(&s, p->least, p->most, &first, &last); count++) batches[count] = last - first;
    return count;
}

static void hybrid_tapers(void)
{
    heist__plan p;
    uint64_t batches[300];
    heist__wish wish = {.schedule = HEIST_SCHEDULE_HYBRID, .units = 5120000, .workers = 2, .at_once = 2};
    heist__plan_make(&p, &wish);
    TEST_ASSERT_EQUAL_UINT64(512, p.cells);
    TEST_ASSERT_EQUAL_UINT64(10000, p.grain);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, p.batch, "as time demands");
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(16, p.largest, "but a sixteenth at most");
    unsigned count = tapered(&p, 256, batches);
    TEST_ASSERT_TRUE_MESSAGE(count > 64 && count < 75, "a few more than without tapering");
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(4, batches[0], "a sixty-fourth");
    for (unsigned i = 1; i < count; i++) TEST_ASSERT_TRUE(batches[i] <= batches[i - 1]);
    for (unsigned i = count - 4; i < count; i++) TEST_ASSERT_EQUAL_UINT64(1, batches[i]);
    /* Also where there are more shares than CPUs, and each of them is small. */
    wish.workers = 40;
    heist__plan_make(&p, &wish);
    TEST_ASSERT_EQUAL_UINT64(512, p.cells);
    TEST_ASSERT_EQUAL_UINT64(4, p.most);
    TEST_ASSERT_EQUAL_UINT64(16, p.largest);
    wish.units = 100; /* a cell each */
    heist__plan_make(&p, &wish);
    TEST_ASSERT_EQUAL_UINT64(100, p.cells);
    TEST_ASSERT_EQUAL_UINT64(1, p.most);
    TEST_ASSERT_EQUAL_UINT64(3, p.largest);
    TEST_ASSERT_EQUAL_UINT64(1, p.least);
}

static void tapered_batches_have_a_least_size(void)
{
    heist__plan p;
    uint64_t batches[300];
    heist__wish wish = {.schedule = HEIST_SCHEDULE_HYBRID, .units = 5120000, .workers = 2, .at_once = 2};
    wish.finest = 75000;
    heist__plan_make(&p, &wish);
    TEST_ASSERT_EQUAL_UINT64(7, p.least);
    unsigned count = tapered(&p, 255, batches);
    for (unsigned i = 0; i + 1 < count; i++) TEST_ASSERT_EQUAL_UINT64(7, batches[i]);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(3, batches[count - 1], "what is left in the end");
    wish.finest = 170000;
    heist__plan_make(&p, &wish);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(16, p.least, "a sixteenth at most");
}

/* A batch that was given is kept, and a cell with a result of its own is a batch of its own. */
static void nothing_else_tapers(void)
{
    heist__plan p;
    heist__wish given = {.schedule = HEIST_SCHEDULE_HYBRID, .units = 10000, .workers = 2, .at_once = 2, .batch = 10};
    heist__plan_make(&p, &given);
    TEST_ASSERT_EQUAL_UINT64(0, p.most);
    TEST_ASSERT_EQUAL_UINT64(1000, p.cells);
    heist__wish told = {.schedule = HEIST_SCHEDULE_HYBRID, .units = 10000, .workers = 2, .at_once = 2, .take = 3};
    heist__plan_make(&p, &told); /* of whole batches */
    TEST_ASSERT_EQUAL_UINT64(0, p.most);
    TEST_ASSERT_EQUAL_UINT64(128, p.cells);
    heist__wish reduced = {.schedule = HEIST_SCHEDULE_HYBRID, .units = 1280, .workers = 2, .at_once = 2, .stride = 128};
    heist__plan_make(&p, &reduced);
    TEST_ASSERT_EQUAL_UINT64(0, p.most);
    TEST_ASSERT_EQUAL_UINT64(128, p.cells);
    reduced.finest = 20;
    heist__plan_make(&p, &reduced);
    TEST_ASSERT_EQUAL_UINT64(64, p.cells);
    TEST_ASSERT_EQUAL_UINT64(20, p.batch);
    heist__wish shared = {.schedule = HEIST_SCHEDULE_SHARED, .units = 1280, .workers = 2, .at_once = 2};
    heist__plan_make(&p, &shared);
    TEST_ASSERT_EQUAL_UINT64(0, p.most);
    TEST_ASSERT_EQUAL_UINT64(128, p.cells);
}

static void auto_takes_hybrid_in_the_middle(void)
{
    uint64_t finest;
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_DEFAULT, heist__plan_choose(1000, 1, 2, false, &finest)); /* a microsecond */
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_HYBRID, heist__plan_choose(30000, 1, 2, false, &finest));
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(938, finest, "sixteen for each worker at least");
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_HYBRID, heist__plan_choose(1000000, 1, 2, false, &finest)); /* a millisecond */
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(1251, finest, "a microsecond and a quarter");
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_HYBRID, heist__plan_choose(1000000, 1, 2, true, &finest));
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(5001, finest, "each with a result: five");
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_HYBRID, heist__plan_choose(200, 100000, 2, false, &finest));
    TEST_ASSERT_EQUAL_UINT64(1, finest);
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_STEAL, heist__plan_choose(1000000000, 1, 2, false, &finest)); /* a second */
    /* From twenty microseconds on it is worth a second worker, from a tenth of a second on it cannot be told. */
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_DEFAULT, heist__plan_choose(19, 1000, 8, false, &finest));
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_HYBRID, heist__plan_choose(21, 1000, 8, false, &finest));
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_HYBRID, heist__plan_choose(99, 1e6, 8, false, &finest));
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_STEAL, heist__plan_choose(101, 1e6, 8, false, &finest));
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_HYBRID, heist__plan_choose_by_size(65536));
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_STEAL, heist__plan_choose_by_size(65537));
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_HYBRID, heist__plan_choose_by_size(1000));
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_HYBRID, heist__plan_choose_by_size(20000));
    TEST_ASSERT_EQUAL_INT(HEIST_SCHEDULE_STEAL, heist__plan_choose_by_size(1000000));
}

/* ---- measuring ---- */

/* Says that the next few have taken `ns` each, and `more` besides. */
static void takes(heist__cost_probe *g, double ns, int64_t more)
{
    heist__cost_probe_ran(g, g->passed + (int64_t)(ns * (double)g->next) + more);
}

static void a_gauge_runs_more_and_more_until_it_knows(void)
{
    heist__cost_probe g;
    heist__cost_probe_begin(&g, 1000000, 2, 0);
    uint64_t few = 1;
    for (; !g.enough; few *= 2) {
        TEST_ASSERT_TRUE(g.next == few || (double)g.passed + (double)g.next * 10 >= 3000);
        takes(&g, 10, 0);
    }
    TEST_ASSERT_TRUE_MESSAGE(g.passed >= 3000 && g.passed < 3100, "no longer than it takes");
    TEST_ASSERT_TRUE(g.ns_each > 9.9 && g.ns_each < 10.1);
    heist__cost_probe_begin(&g, 3200, 2, 0); /* so few that they are not worth more than a hundred */
    while (!g.enough) takes(&g, 10, 0);
    TEST_ASSERT_TRUE(g.done >= 100 && g.done <= 200);
    heist__cost_probe_begin(&g, 7 * 10007, 2, 7);
    for (int i = 0; i < 50 && g.next; i++) {
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, g.next % 7, "given batches stay whole");
        takes(&g, 9, 0);
    }
    heist__cost_probe_begin(&g, 1000, 4, 0);
    for (; g.next; takes(&g, 0, 0)) /* a clock that stands still */
        TEST_ASSERT_TRUE_MESSAGE(g.next <= 15, "a sixteenth of what falls to one worker");
    TEST_ASSERT_EQUAL_UINT64(1000, g.done);
    heist__cost_probe_begin(&g, UINT64_MAX, 2, UINT64_C(1) << 63); /* twice as many would be none */
    takes(&g, 0, 0);
    TEST_ASSERT_EQUAL_UINT64((UINT64_C(1) << 63) - 1, g.next);
    heist__cost_probe_begin(&g, 5, 1, UINT64_MAX);
    TEST_ASSERT_EQUAL_UINT64(5, g.next);
    takes(&g, 1, 0);
    TEST_ASSERT_EQUAL_UINT64(0, g.next);
}

static void a_gauge_leaves_out_cold_caches_and_what_is_over(void)
{
    heist__cost_probe g;
    heist__cost_probe_begin(&g, 32000, 2, 0);
    takes(&g, 10, 2000); /* cold */
    TEST_ASSERT_FALSE(g.enough);
    while (!g.enough) takes(&g, 10, 0);
    TEST_ASSERT_TRUE(g.ns_each > 9 && g.ns_each < 11);
    takes(&g, 500, 0); /* not worth sharing, it was said; but now they are dear */
    TEST_ASSERT_TRUE(g.ns_each > 499 && g.ns_each < 501);
    heist__cost_probe_begin(&g, 32000, 2, 0);
    takes(&g, 10, 4000); /* cold or dear: the probe does not wait to find out */
    TEST_ASSERT_TRUE(g.enough && g.ns_each > 4000);
}

/* ---- shares ---- */

static void a_share_gives_from_both_ends_what_it_has(void)
{
    heist__cell_range s;
    uint64_t first, last;
    heist__cell_range_set(&s, 3, 10);
    TEST_ASSERT_TRUE(heist__cell_range_unbegun(&s, 3));
    TEST_ASSERT_TRUE(heist__cell_range_front(&s, 9, 0, &first, &last));
    TEST_ASSERT_EQUAL_UINT64(3, first);
    TEST_ASSERT_EQUAL_UINT64(4, last);
    TEST_ASSERT_FALSE(heist__cell_range_unbegun(&s, 3));
    TEST_ASSERT_TRUE(heist__cell_range_back(&s, 0, &first, &last)); /* half of six */
    TEST_ASSERT_EQUAL_UINT64(7, first);
    TEST_ASSERT_EQUAL_UINT64(10, last);
    TEST_ASSERT_TRUE(heist__cell_range_back(&s, 2, &first, &last));
    TEST_ASSERT_EQUAL_UINT64(5, first);
    TEST_ASSERT_EQUAL_UINT64(7, last);
    TEST_ASSERT_TRUE(heist__cell_range_back(&s, 5, &first, &last)); /* not more than there is */
    TEST_ASSERT_EQUAL_UINT64(4, first);
    TEST_ASSERT_EQUAL_UINT64(5, last);
    TEST_ASSERT_FALSE(heist__cell_range_front(&s, 0, 0, &first, &last));
    TEST_ASSERT_FALSE(heist__cell_range_front(&s, 1, 4, &first, &last));
    TEST_ASSERT_FALSE(heist__cell_range_back(&s, 0, &first, &last));
    heist__cell_range_set(&s, UINT32_MAX - 3, UINT32_MAX);
    TEST_ASSERT_TRUE(heist__cell_range_all(&s, &first, &last));
    TEST_ASSERT_EQUAL_UINT64(UINT32_MAX - 3, first);
    TEST_ASSERT_EQUAL_UINT64(UINT32_MAX, last);
    TEST_ASSERT_FALSE(heist__cell_range_all(&s, &first, &last));
    TEST_ASSERT_TRUE(heist__cell_range_empty(&s));
    heist__cell_range_set(&s, 3, 4);
    TEST_ASSERT_FALSE(heist__cell_range_empty(&s));
}

typedef struct {
    heist__cell_range share;
    marks marks;
    uint64_t take;
} raced_share;

static void *take_from_back(void *argument)
{
    raced_share *r = argument;
    uint64_t first, last;
    while (heist__cell_range_back(&r->share, r->take, &first, &last)) {
        for (; first < last; first++) mark(&r->marks, first);
    }
    return NULL;
}

static void no_cell_is_taken_twice(void)
{
    for (int round = 0; round < test_scale(60); round++) {
        const uint64_t cells = 30000;
        raced_share r = {.marks = marks_new(cells), .take = (uint64_t)round % 3 + 1};
        heist__cell_range_set(&r.share, 0, cells);
        pthread_t thieves[2];
        for (int i = 0; i < 2; i++) TEST_ASSERT_EQUAL_INT(0, pthread_create(&thieves[i], NULL, take_from_back, &r));
        uint64_t first, last;
        while (heist__cell_range_front(&r.share, 1, (uint64_t)round % 2 * 16, &first, &last))
            for (; first < last; first++) mark(&r.marks, first);
        for (int i = 0; i < 2; i++) pthread_join(thieves[i], NULL);
        TEST_ASSERT_TRUE(marks_end(&r.marks));
    }
}

/* ---- one taking in the middle of another ---- */

#define CROSSED_CELLS 7
#define TAKINGS 5

static heist__cell_range crossed;
static int taken[CROSSED_CELLS];

static void take_first(void)
{
    uint64_t first, last;
    if (heist__cell_range_front(&crossed, 0, 0, &first, &last)) taken[first]++;
}

static void take_first_part(void)
{
    uint64_t first, last;
    if (!heist__cell_range_front(&crossed, 2, 2, &first, &last)) return;
    for (; first < last; first++) taken[first]++;
}

static void take_last(uint64_t how_many)
{
    uint64_t first, last;
    if (!heist__cell_range_back(&crossed, how_many, &first, &last)) return;
    for (; first < last; first++) taken[first]++;
}

static void take_last_one(void)
{
    take_last(1);
}

static void take_last_half(void)
{
    take_last(0);
}

static void take_all(void)
{
    take_last(UINT64_MAX);
}

static void cells_are_taken_once_whatever_comes_between(void)
{
    static instruction_list instructions;
    operation *const takings[] = {take_first, take_last_one, take_last_half, take_all, take_first_part};
    int interruptions = 0;
    IGNORE_WITHOUT_INTERRUPTS();
    for (int what = 0; what < TAKINGS; what++) {
        heist__cell_range_set(&crossed, 0, CROSSED_CELLS);
        list_instructions(takings[what], &instructions);
        for (int between = 0; between < TAKINGS; between++) {
            for (size_t i = 0; i < instructions.count; i++) {
                memset(taken, 0, sizeof taken);
                heist__cell_range_set(&crossed, 0, CROSSED_CELLS);
                interruptions += interrupted(takings[what], instructions.at[i], takings[between]);
                take_all();
                TEST_ASSERT_EACH_EQUAL_INT(1, taken, CROSSED_CELLS);
            }
        }
    }
    TEST_ASSERT_TRUE(interruptions > 50);
}

static void cells_are_taken_once_by_two_in_the_middle_of_each_other(void)
{
    static instruction_list of_first, of_second;
    operation *const takings[] = {take_first, take_last_one, take_last_half, take_all, take_first_part};
    int crossings = 0;
    IGNORE_WITHOUT_INTERRUPTS();
    for (int pair = 0; pair < TAKINGS * TAKINGS; pair++) {
        heist__cell_range_set(&crossed, 0, CROSSED_CELLS);
        list_instructions(takings[pair / TAKINGS], &of_first);
        list_instructions(takings[pair % TAKINGS], &of_second);
        for (size_t i = 0; i < of_first.count; i++) {
            for (size_t j = 0; j < of_second.count; j++) {
                memset(taken, 0, sizeof taken);
                heist__cell_range_set(&crossed, 0, CROSSED_CELLS);
                crossings +=
                    intertwined(takings[pair / TAKINGS], of_first.at[i], takings[pair % TAKINGS], of_second.at[j]);
                take_all();
                TEST_ASSERT_EACH_EQUAL_INT(1, taken, CROSSED_CELLS);
            }
        }
    }
    TEST_ASSERT_TRUE(crossings > 1000);
}

/* ---- tiles ---- */

static void tiles_are_near_squares(void)
{
    heist__domain d;
    TEST_ASSERT_EQUAL_INT(0, heist__domain_tiles(&d, heist_upto(1024), heist_upto(1024), 0, 0, 64));
    TEST_ASSERT_EQUAL_UINT64(128, d.tile_rows);
    TEST_ASSERT_EQUAL_UINT64(128, d.tile_columns);
    TEST_ASSERT_EQUAL_INT(0, heist__domain_tiles(&d, heist_upto(8), heist_upto(100000), 0, 0, 64));
    TEST_ASSERT_EQUAL_UINT64(8, d.tile_rows);
    TEST_ASSERT_TRUE(d.units >= 64 && d.units < 256);
    TEST_ASSERT_EQUAL_INT(0, heist__domain_tiles(&d, heist_upto(100), heist_upto(100), 7, 0, 64));
    TEST_ASSERT_EQUAL_UINT64(7, d.tile_rows);
    TEST_ASSERT_EQUAL_INT(0, heist__domain_tiles(&d, heist_upto(3), heist_upto(3), 0, 0, 64));
    TEST_ASSERT_EQUAL_UINT64(9, d.units);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(counts_are_right_at_all_ends);
    RUN_TEST(parts_of_a_range_are_the_whole_in_order);
    RUN_TEST(a_step_of_0_is_1_for_whoever_walks_a_range_of_his_own);
    RUN_TEST(cells_are_the_whole_and_none_is_empty);
    RUN_TEST(deterministic_cells_do_not_depend_on_workers_or_schedule);
    RUN_TEST(large_results_leave_a_cell_for_each_worker);
    RUN_TEST(batches_are_for_those_that_can_run);
    RUN_TEST(hybrid_tapers);
    RUN_TEST(tapered_batches_have_a_least_size);
    RUN_TEST(nothing_else_tapers);
    RUN_TEST(auto_takes_hybrid_in_the_middle);
    RUN_TEST(a_gauge_runs_more_and_more_until_it_knows);
    RUN_TEST(a_gauge_leaves_out_cold_caches_and_what_is_over);
    RUN_TEST(a_share_gives_from_both_ends_what_it_has);
    RUN_TEST(no_cell_is_taken_twice);
    RUN_TEST(cells_are_taken_once_whatever_comes_between);
    RUN_TEST(cells_are_taken_once_by_two_in_the_middle_of_each_other);
    RUN_TEST(tiles_are_near_squares);
    return UNITY_END();
}
