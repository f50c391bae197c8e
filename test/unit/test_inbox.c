/* test_inbox.c: the queue for submission from outside, whichever of the two was compiled: bounds, order, each item
 * once, and the promise of inbox.h that a finished put is never overlooked. A producer suspended in the middle of its
 * put is made by hand for the built-in queue, and comes about by having more producers than cores for both. */
#include "canary.h"
#include "schedule/inbox.h"
#include "test_scale.h"
#include "unity.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

enum { CAPACITY = 8, PRODUCERS = 4, CONSUMERS = 3, PATIENCE_SECONDS = 10 };

typedef struct parcel {
    size_t number;                 /* plain: written before the put, read by the taker */
    HEIST__ATOMIC(unsigned) taken; /* how often */
} parcel;

static heist__inbox inbox;
static char items[64];

void setUp(void)
{
    TEST_ASSERT_EQUAL_INT(0, heist__inbox_init(&inbox, CAPACITY));
}

void tearDown(void)
{
    heist__inbox_destroy(&inbox);
}

static bool put_item(heist__inbox *into, void *item)
{
    return heist__inbox_put(into, &(heist__parcel){.content = item});
}

static void *take_item(void)
{
    heist__parcel got = {0};
    return heist__inbox_take(&inbox, &got, 1) ? got.content : NULL;
}

static void put(unsigned number)
{
    TEST_ASSERT_TRUE(put_item(&inbox, &items[number]));
    TEST_ASSERT_FALSE(heist__inbox_looks_empty(&inbox));
}

static void take_gives(unsigned number)
{
    TEST_ASSERT_FALSE(heist__inbox_looks_empty(&inbox));
    TEST_ASSERT_EQUAL_PTR(&items[number], take_item());
}

static void there_is_nothing(void)
{
    TEST_ASSERT_TRUE(heist__inbox_looks_empty(&inbox));
    TEST_ASSERT_NULL(take_item());
}

/* --- one thread ------------------------------------------------------------------------------------------------- */

static void a_new_inbox_is_empty(void)
{
    there_is_nothing();
    there_is_nothing();
}

static void items_come_out_in_order(void)
{
    put(0);
    put(1);
    put(2);
    take_gives(0);
    put(3);
    take_gives(1);
    take_gives(2);
    take_gives(3);
    there_is_nothing();
}

static void it_holds_its_capacity_and_no_more(void)
{
    for (unsigned lap = 0; lap < 5; lap++) {
        for (unsigned i = 0; i < CAPACITY; i++) {
            put(i);
        }
        TEST_ASSERT_FALSE(put_item(&inbox, &items[63]));
        TEST_ASSERT_FALSE(put_item(&inbox, &items[63]));
        take_gives(0);
        put(40);
        TEST_ASSERT_FALSE(put_item(&inbox, &items[63]));
        for (unsigned i = 1; i < CAPACITY; i++) {
            take_gives(i);
        }
        take_gives(40);
        there_is_nothing();
    }
}

static void it_goes_round_many_times(void)
{
    for (unsigned i = 0; i < 1000; i++) {
        put(i % 60);
        put(i % 60 + 1);
        put(i % 60 + 2);
        take_gives(i % 60);
        take_gives(i % 60 + 1);
        take_gives(i % 60 + 2);
        there_is_nothing();
    }
}

static void several_are_taken_at_once_in_order(void)
{
    heist__parcel got[CAPACITY + 1];
    for (unsigned lap = 0; lap < 5; lap++) {
        for (unsigned i = 0; i < 5; i++) {
            put(i);
        }
        TEST_ASSERT_EQUAL_size_t(5, heist__inbox_size(&inbox));
        TEST_ASSERT_EQUAL_size_t(3, heist__inbox_take(&inbox, got, 3));
        put(5);
        TEST_ASSERT_EQUAL_size_t(3, heist__inbox_take(&inbox, got + 3, CAPACITY));
        for (unsigned i = 0; i < 6; i++) {
            TEST_ASSERT_EQUAL_PTR(&items[i], got[i].content);
            TEST_ASSERT_NULL(got[i].function);
        }
        there_is_nothing();
        TEST_ASSERT_EQUAL_size_t(0, heist__inbox_size(&inbox));
        TEST_ASSERT_EQUAL_size_t(0, heist__inbox_take(&inbox, got, CAPACITY));
    }
}

#if !HEIST__INBOX_LIBLFDS
/* A reader that is interrupted between tail and head may find the head beyond that tail. */
static void a_tail_that_has_been_passed_counts_as_nothing(void)
{
    for (unsigned i = 0; i < 5; i++) {
        put(i);
        take_gives(i);
    }
    heist__store_relaxed(&inbox.tail, 2); /* relaxed: there is no other thread */
    TEST_ASSERT_EQUAL_size_t(0, heist__inbox_size(&inbox));
    heist__store_relaxed(&inbox.tail, 5);
}
#endif

static void do_nothing(void *unused)
{
    (void)unused;
}

static void a_call_is_carried_whole(void)
{
    if (!HEIST__INBOX_CARRIES_CALLS) TEST_IGNORE_MESSAGE("this queue carries tasks only");
    heist__parcel got = {0};
    TEST_ASSERT_TRUE(heist__inbox_put(&inbox, &(heist__parcel){do_nothing, &items[1], &items[2]}));
    TEST_ASSERT_EQUAL_size_t(1, heist__inbox_take(&inbox, &got, 1));
    TEST_ASSERT_TRUE(got.function == do_nothing);
    TEST_ASSERT_EQUAL_PTR(&items[1], got.content);
    TEST_ASSERT_EQUAL_PTR(&items[2], got.scope);
}

static void capacities_are_rounded_up(void)
{
    static const size_t asked_and_given[][2] = {{1, 2}, {2, 2}, {3, 4}, {9, 16}};
    for (size_t i = 0; i < sizeof asked_and_given / sizeof asked_and_given[0]; i++) {
        heist__inbox rounded;
        size_t count = 0;
        TEST_ASSERT_EQUAL_INT(0, heist__inbox_init(&rounded, asked_and_given[i][0]));
        while (count < 64 && put_item(&rounded, items)) {
            count++;
        }
        TEST_ASSERT_EQUAL_size_t(asked_and_given[i][1], count);
        heist__inbox_destroy(&rounded);
    }
}

static void absurd_capacities_are_refused(void)
{
    static const size_t absurd[] = {0, ((size_t)1 << 24) + 1, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
        heist__inbox refused;
        TEST_ASSERT_EQUAL_INT(-EINVAL, heist__inbox_init(&refused, absurd[i]));
        heist__inbox_destroy(&refused);
    }
}

static void destroying_nothing_is_allowed(void)
{
    heist__inbox nothing;
    memset(&nothing, 0, sizeof nothing);
    heist__inbox_destroy(&nothing);
    TEST_ASSERT_EQUAL_INT(0, heist__inbox_init(&nothing, 2));
    heist__inbox_destroy(&nothing);
    heist__inbox_destroy(&nothing);
}

static rlim_t address_space_in_use(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%lu", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* In a child, whose address space is limited so that the slots do not fit. 77: it could not be limited. */
static int init_with_little_memory(void)
{
    heist__inbox small;
    struct rlimit before, limited;
    if (getrlimit(RLIMIT_AS, &before) != 0) {
        return 77;
    }
    limited = before;
    limited.rlim_cur = address_space_in_use() + ((rlim_t)1 << 25);
    if (setrlimit(RLIMIT_AS, &limited) != 0) {
        return 77;
    }
    char *volatile probe = malloc((size_t)1 << 26); /* volatile: clang leaves out a malloc that nobody looks at */
    int result = probe ? 0 : heist__inbox_init(&small, (size_t)1 << 22);
    setrlimit(RLIMIT_AS, &before);
    if (probe) {
        free(probe);
        return 77; /* an emulator does not mind the limit */
    }
    heist__inbox_destroy(&small);
    return result == -ENOMEM ? 0 : 1;
}

static void memory_that_is_short_is_enomem(void)
{
#ifdef SANITIZED
    TEST_IGNORE_MESSAGE("a sanitizer needs more address space than the limit");
#endif
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        _exit(init_with_little_memory());
    }
    TEST_ASSERT_GREATER_THAN_INT(0, child);
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        TEST_IGNORE_MESSAGE("memory cannot be limited here");
    }
    TEST_ASSERT_EQUAL_INT(0, status);
}

/* --- the built-in one, looked into ------------------------------------------------------------------------------ */

#if !HEIST__INBOX_LIBLFDS

/* A producer that has claimed the next slot and was then suspended. */
static uint64_t begin_put(void)
{
    return heist__add_relaxed(&inbox.tail, 1);
}

static void finish_put(uint64_t position, unsigned number)
{
    heist__inbox_slot *slot = &inbox.slots[position & inbox.mask];
    heist__store_relaxed(&slot->function, NULL);
    heist__store_relaxed(&slot->content, &items[number]);
    heist__store_release(&slot->sequence, position + 1);
}

static void an_unfinished_put_hides_no_finished_one(void)
{
    put(0);
    uint64_t stuck = begin_put();
    put(2);
    put(3);
    take_gives(0);
    take_gives(2);
    take_gives(3);
    there_is_nothing();
    put(4);
    take_gives(4);
    there_is_nothing();
    finish_put(stuck, 1);
    take_gives(1);
    there_is_nothing();
    put(5);
    take_gives(5);
}

static void a_batch_passes_over_an_unfinished_put(void)
{
    heist__parcel got[CAPACITY];
    put(0);
    uint64_t stuck = begin_put();
    put(2);
    TEST_ASSERT_EQUAL_size_t(2, heist__inbox_take(&inbox, got, CAPACITY));
    TEST_ASSERT_EQUAL_PTR(&items[0], got[0].content);
    TEST_ASSERT_EQUAL_PTR(&items[2], got[1].content);
    there_is_nothing();
    finish_put(stuck, 1);
    take_gives(1);
    there_is_nothing();
}

static void an_unfinished_put_stops_producers_only_after_a_lap(void)
{
    uint64_t stuck = begin_put();
    for (unsigned i = 1; i < CAPACITY; i++) {
        put(i);
        take_gives(i);
    }
    TEST_ASSERT_FALSE(put_item(&inbox, &items[63]));
    there_is_nothing();
    finish_put(stuck, 0);
    TEST_ASSERT_FALSE(put_item(&inbox, &items[63]));
    take_gives(0);
    there_is_nothing();
    for (unsigned i = 0; i < CAPACITY; i++) {
        put(i);
    }
    TEST_ASSERT_FALSE(put_item(&inbox, &items[63]));
    for (unsigned i = 0; i < CAPACITY; i++) {
        take_gives(i);
    }
}

static void a_head_left_far_behind_loses_nothing(void)
{
    for (unsigned i = 0; i < 5 * CAPACITY; i++) {
        put(i);
        take_gives(i);
        heist__store_relaxed(&inbox.head, 0); /* as if every consumer were suspended before it raises the head */
    }
    put(1);
    put(2);
    take_gives(1);
    take_gives(2);
    there_is_nothing();
}

static void positions_may_wrap(void)
{
    for (uint64_t before = 0; before < 3 * CAPACITY; before++) {
        uint64_t first = UINT64_MAX - before;
        heist__store_relaxed(&inbox.tail, first);
        heist__store_relaxed(&inbox.head, first);
        for (uint64_t i = 0; i < CAPACITY; i++) {
            heist__store_relaxed(&inbox.slots[(first + i) & inbox.mask].sequence, first + i);
        }
        for (unsigned lap = 0; lap < 5; lap++) {
            for (unsigned i = 0; i < CAPACITY; i++) {
                put(i);
            }
            TEST_ASSERT_FALSE(put_item(&inbox, &items[63]));
            for (unsigned i = 0; i < CAPACITY; i++) {
                take_gives(i);
            }
            there_is_nothing();
        }
    }
}

#endif

/* --- many threads ----------------------------------------------------------------------------------------------- */

static parcel *parcels;
static size_t parcels_each;
static HEIST__ATOMIC(size_t) completed;   /* puts that have returned. Written by: producers. Read by: the consumer. */
static HEIST__ATOMIC(unsigned) producing; /* producers at work. Written by: producers. Read by: consumers. */
static HEIST__ATOMIC(bool) slots_lost;    /* Written by: producers. Read by: producers. */
static HEIST__ATOMIC(size_t) wrong_contents;
static size_t overlooked_by_take, overlooked_by_looks_empty; /* the single consumer's own */

/* The time since then during which there was CPU. The lack is asked for only when much time has passed: it takes
 * system calls. */
static long passed_with_cpu_us(canary_mark then)
{
    long wall = canary_clock_us(CLOCK_MONOTONIC) - then.us;
    return wall > PATIENCE_SECONDS * 1000000L ? wall - canary_lost_us(then) : wall;
}

/* False when there was no room for so long that slots must be lost: a test shall fail, not hang. */
static bool put_patiently(parcel *item)
{
    for (canary_mark began = {0}; !put_item(&inbox, item); sched_yield()) {
        if (!began.us) began = canary_now();
        if (heist__load_relaxed(&slots_lost) || passed_with_cpu_us(began) > PATIENCE_SECONDS * 1000000L) {
            heist__store_relaxed(&slots_lost, true); /* relaxed: so that the others need not find out by themselves */
            return false;
        }
    }
    return true;
}

static void *produce(void *first)
{
    for (size_t i = 0; i < parcels_each; i++) {
        parcel *next = (parcel *)first + i;
        next->number = (size_t)(next - parcels);
        if (!put_patiently(next)) {
            break;
        }
        heist__add_acq_rel(&completed, 1); /* release: a reader of it knows that this put has returned */
    }
    heist__add_acq_rel(&producing, (unsigned)-1); /* release: as above, for all of them */
    return NULL;
}

static void mark(parcel *item)
{
    if (item->number != (size_t)(item - parcels)) {
        heist__add_relaxed(&wrong_contents, 1); /* relaxed: read after the threads are joined */
    }
    heist__add_relaxed(&item->taken, 1); /* relaxed: as above */
}

/* Ends when it finds nothing and all puts had returned before: by the promise, everything is taken then. */
static void *consume(void *unused)
{
    (void)unused;
    for (;;) {
        bool last_look = heist__load_acquire(&producing) == 0; /* acquire: all puts happened before what follows */
        parcel *item = take_item();
        if (item) {
            mark(item);
        } else if (last_look) {
            return NULL;
        } else {
            sched_yield();
        }
    }
}

/* The only consumer: an item that was put and not taken by it is still there, so it can tell when one was
 * overlooked. */
static void *consume_and_compare(void *unused)
{
    (void)unused;
    size_t own = 0;
    for (;;) {
        bool last_look = heist__load_acquire(&producing) == 0; /* acquire: as in consume */
        size_t before = heist__load_acquire(&completed);       /* acquire: as in consume, for these puts */
        if (before > own && heist__inbox_looks_empty(&inbox)) {
            overlooked_by_looks_empty++;
        }
        parcel *item = take_item();
        if (item) {
            own++;
            mark(item);
            continue;
        }
        overlooked_by_take += before > own;
        if (last_look) {
            return NULL;
        }
    }
}

static void make_parcels(size_t each)
{
    parcels_each = each;
    parcels = calloc(PRODUCERS * each, sizeof *parcels);
    TEST_ASSERT_NOT_NULL(parcels);
    heist__store_relaxed(&completed, 0);
    heist__store_relaxed(&producing, PRODUCERS);
    heist__store_relaxed(&wrong_contents, 0);
    overlooked_by_take = overlooked_by_looks_empty = 0;
}

static void each_was_taken_once(void)
{
    size_t not_once = 0;
    for (size_t i = 0; i < PRODUCERS * parcels_each; i++) {
        not_once += heist__load_relaxed(&parcels[i].taken) != 1; /* relaxed: the threads are joined */
    }
    free(parcels);
    TEST_ASSERT_EQUAL_size_t(0, not_once);
    TEST_ASSERT_EQUAL_size_t(0, heist__load_relaxed(&wrong_contents));
    there_is_nothing();
}

static void start_all(pthread_t *threads, unsigned count, void *(*work)(void *), size_t stride)
{
    for (unsigned i = 0; i < count; i++) {
        TEST_ASSERT_EQUAL_INT(0, pthread_create(&threads[i], NULL, work, parcels + i * stride));
    }
}

static void join_all(pthread_t *threads, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void start_with(size_t capacity)
{
    heist__inbox_destroy(&inbox);
    TEST_ASSERT_EQUAL_INT(0, heist__inbox_init(&inbox, capacity));
}

static void race(size_t each, unsigned consumers, void *(*consumer)(void *))
{
    pthread_t producers_then_consumers[PRODUCERS + CONSUMERS];
    make_parcels(each);
    start_all(producers_then_consumers, PRODUCERS, produce, each);
    start_all(producers_then_consumers + PRODUCERS, consumers, consumer, 0);
    join_all(producers_then_consumers, PRODUCERS + consumers);
    each_was_taken_once();
}

static void each_item_is_taken_once_with_its_contents(void)
{
    race(test_scale((size_t)50000), CONSUMERS, consume);
}

static void each_item_is_taken_once_through_the_smallest_inbox(void)
{
    start_with(2);
    race(test_scale((size_t)20000), CONSUMERS, consume);
}

static pthread_barrier_t all_are_there;

static void *consume_together(void *unused)
{
    pthread_barrier_wait(&all_are_there);
    return consume(unused);
}

/* A full inbox and consumers only: they meet at every slot. */
static void consumers_that_drain_together_share_no_item(void)
{
    for (unsigned pass = 0; pass < 60; pass++) {
        pthread_t consumers[CONSUMERS];
        size_t each = test_scale((size_t)16384);
        start_with(PRODUCERS * each);
        make_parcels(each);
        for (unsigned i = 0; i < PRODUCERS; i++) {
            produce(parcels + i * each);
        }
        TEST_ASSERT_EQUAL_INT(0, pthread_barrier_init(&all_are_there, NULL, CONSUMERS));
        start_all(consumers, CONSUMERS, consume_together, 0);
        join_all(consumers, CONSUMERS);
        pthread_barrier_destroy(&all_are_there);
        each_was_taken_once();
    }
}

static void a_finished_put_is_never_overlooked(void)
{
    start_with(1024);
    race(test_scale((size_t)100000), 1, consume_and_compare);
    TEST_ASSERT_EQUAL_size_t(0, overlooked_by_take);
    TEST_ASSERT_EQUAL_size_t(0, overlooked_by_looks_empty);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_new_inbox_is_empty);
    RUN_TEST(items_come_out_in_order);
    RUN_TEST(it_holds_its_capacity_and_no_more);
    RUN_TEST(it_goes_round_many_times);
    RUN_TEST(several_are_taken_at_once_in_order);
#if !HEIST__INBOX_LIBLFDS
    RUN_TEST(a_tail_that_has_been_passed_counts_as_nothing);
#endif
    RUN_TEST(a_call_is_carried_whole);
    RUN_TEST(capacities_are_rounded_up);
    RUN_TEST(absurd_capacities_are_refused);
    RUN_TEST(destroying_nothing_is_allowed);
    RUN_TEST(memory_that_is_short_is_enomem);
#if !HEIST__INBOX_LIBLFDS
    RUN_TEST(an_unfinished_put_hides_no_finished_one);
    RUN_TEST(a_batch_passes_over_an_unfinished_put);
    RUN_TEST(an_unfinished_put_stops_producers_only_after_a_lap);
    RUN_TEST(a_head_left_far_behind_loses_nothing);
    RUN_TEST(positions_may_wrap);
#endif
    RUN_TEST(each_item_is_taken_once_with_its_contents);
    RUN_TEST(each_item_is_taken_once_through_the_smallest_inbox);
    RUN_TEST(consumers_that_drain_together_share_no_item);
    RUN_TEST(a_finished_put_is_never_overlooked);
    return UNITY_END();
}
