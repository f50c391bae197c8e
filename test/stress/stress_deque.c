/* stress_deque.c: the ring deque under real races. Every element has a number and an entry in a table where its taker
 * makes a mark; at the end each entry must hold exactly one mark, so an element that was lost or taken twice is seen.
 * Takers also read what the element points to, plainly, so that ThreadSanitizer checks the hand-over. */
#include "deque/ring_deque.h"
#include "test_scale.h"
#include "unity.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

enum { THIEVES = 2, BATCH = 16 };

typedef struct cell {
    size_t number; /* plain: written before the push, read by the taker */
    HEIST__ATOMIC(unsigned) marks;
} cell;

static heist_deque *deque;
static cell *cells;
static size_t cell_count;
static pthread_barrier_t start;
static HEIST__ATOMIC(bool) over;
static HEIST__ATOMIC(size_t) wrong_contents;

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void pause_a_little(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        heist__compiler_barrier();
    }
}

static void mark(void *element)
{
    cell *taken = element;
    if (taken < cells || taken > cells + cell_count || taken->number != (size_t)(taken - cells)) {
        heist__add_relaxed(&wrong_contents, 1); /* relaxed: counted after the threads are joined */
        return;                                 /* a broken deque shall fail a test, not crash it */
    }
    heist__add_relaxed(&taken->marks, 1); /* relaxed: as above */
}

static void *steal_singly(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&start);
    while (!heist__load_relaxed(&over)) { /* relaxed: a late end is an end */
        void *element;
        if (heist_deque_steal(deque, &element) == HEIST_STEAL_GOT) {
            mark(element);
        }
    }
    return NULL;
}

static void *steal_by_halves(void *unused)
{
    (void)unused;
    void *batch[BATCH];
    pthread_barrier_wait(&start);
    while (!heist__load_relaxed(&over)) { /* relaxed: a late end is an end */
        size_t taken = heist_deque_steal_half(deque, batch, BATCH);
        for (size_t i = 0; i < taken; i++) {
            mark(batch[i]);
        }
    }
    return NULL;
}

static void push_cell(size_t number)
{
    cells[number].number = number;
    TEST_ASSERT_EQUAL_INT(0, heist_deque_push(deque, &cells[number]));
}

static bool pop_and_mark(void)
{
    void *element;
    heist_steal outcome = heist_deque_pop(deque, &element);
    if (outcome == HEIST_STEAL_GOT) {
        mark(element);
    }
    return outcome == HEIST_STEAL_GOT;
}

/* One cell more than `count`: the last is left to the thieves. */
static void prepare(size_t count, size_t capacity, uint64_t first_index)
{
    cell_count = count;
    cells = calloc(count + 1, sizeof *cells);
    deque = heist__deque_new_at(capacity, first_index);
    TEST_ASSERT_NOT_NULL(cells);
    TEST_ASSERT_NOT_NULL(deque);
    heist__store_relaxed(&over, false);
    heist__store_relaxed(&wrong_contents, 0);
    TEST_ASSERT_EQUAL_INT(0, pthread_barrier_init(&start, NULL, THIEVES + 1));
}

static void release(void)
{
    heist_deque_free(deque);
    free(cells);
    deque = NULL;
    cells = NULL;
}

static void leave_one_to_the_thieves(void)
{
    push_cell(cell_count);
    while (heist_deque_size(deque) > 0) {
        sched_yield();
    }
}

static void each_was_taken_once(void)
{
    size_t lost = 0, doubled = 0;
    for (size_t i = 0; i <= cell_count; i++) {
        unsigned marks = heist__load_relaxed(&cells[i].marks); /* relaxed: the threads are joined */
        lost += marks == 0;
        doubled += marks > 1;
    }
    TEST_ASSERT_EQUAL_size_t(0, lost);
    TEST_ASSERT_EQUAL_size_t(0, doubled);
    TEST_ASSERT_EQUAL_size_t(0, heist__load_relaxed(&wrong_contents));
    TEST_ASSERT_EQUAL_size_t(0, heist_deque_size(deque));
}

/* Runs `owner` in this thread among thieves, then sees that each element was taken once. */
static void race(void (*owner)(void), void *(*first_thief)(void *), void *(*second_thief)(void *))
{
    pthread_t thieves[THIEVES];
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thieves[0], NULL, first_thief, NULL));
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thieves[1], NULL, second_thief, NULL));
    pthread_barrier_wait(&start);
    owner();
    while (pop_and_mark()) {
    }
    leave_one_to_the_thieves();
    heist__store_relaxed(&over, true); /* relaxed: pthread_join orders the marks */
    for (unsigned i = 0; i < THIEVES; i++) {
        pthread_join(thieves[i], NULL);
    }
    pthread_barrier_destroy(&start);
    each_was_taken_once();
}

void setUp(void)
{
    deque = NULL;
    cells = NULL;
}

void tearDown(void)
{
    release();
}

/* One element: owner and thieves meet in the CAS of the last one, every time. */
static void one_element_rounds(void)
{
    unsigned random = 1;
    for (size_t i = 0; i < cell_count; i++) {
        push_cell(i);
        pause_a_little(next_random(&random) % 64);
        pop_and_mark();
    }
}

static void the_last_element_is_taken_once(void)
{
    prepare(test_scale((size_t)1000000), 4, 0);
    race(one_element_rounds, steal_singly, steal_singly);
}

/* Two elements: the owner takes the younger without a CAS as long as it sees the older, while two steals take both if
 * the lowered bottom has not reached the thieves. This is the shape that shows a missing fence in pop (R3). */
static void two_element_rounds(void)
{
    unsigned random = 1;
    for (size_t i = 0; i + 1 < cell_count; i += 2) {
        push_cell(i);
        push_cell(i + 1);
        pause_a_little(next_random(&random) % 256);
        pop_and_mark();
        pop_and_mark();
    }
}

static void two_elements_and_two_steals_are_taken_once(void)
{
    for (unsigned pass = 0; pass < 8; pass++) {
        prepare(2 * test_scale((size_t)500000), 4, 0);
        race(two_element_rounds, steal_singly, steal_singly);
        release();
    }
}

static void two_elements_are_taken_once_across_the_wrap(void)
{
    size_t rounds = test_scale((size_t)100000);
    prepare(2 * rounds, 4, UINT64_MAX - rounds);
    race(two_element_rounds, steal_singly, steal_by_halves);
}

/* Bursts that make the ring grow from two slots, then pops that make it shrink, with thieves inside all the time. */
static void bursts(void)
{
    unsigned random = 1;
    size_t next = 0;
    while (next < cell_count) {
        size_t burst = 1 + next_random(&random) % 200;
        size_t end = next + burst < cell_count ? next + burst : cell_count;
        while (next < end) {
            push_cell(next++);
        }
        size_t pops = next_random(&random) % 250;
        while (pops-- > 0 && pop_and_mark()) {
        }
    }
}

static void growth_under_steal_loses_nothing(void)
{
    prepare(test_scale((size_t)2000000), 2, 0);
    race(bursts, steal_singly, steal_by_halves);
    TEST_ASSERT_LESS_OR_EQUAL_size_t(3 * 65536, heist__deque_slots_held(deque));
}

/* Many rings in short order: each round grows from the floor and comes back to it, so that rings are freed all the time
 * under the thieves' eyes. ASan and ThreadSanitizer see a ring that was freed too early (R6, R7). */
static void floods(void)
{
    for (size_t next = 0; next < cell_count;) {
        for (size_t end = next + 40 < cell_count ? next + 40 : cell_count; next < end; next++) {
            push_cell(next);
        }
        while (pop_and_mark()) {
        }
    }
}

static void rings_are_freed_only_when_unread(void)
{
    prepare(test_scale((size_t)1000000), 2, 0);
    race(floods, steal_singly, steal_by_halves);
    TEST_ASSERT_LESS_OR_EQUAL_size_t(3 * 64, heist__deque_slots_held(deque));
    TEST_ASSERT_FALSE(pop_and_mark()); /* with all thieves gone, a pop of nothing gives back all memory */
    TEST_ASSERT_EQUAL_size_t(2, heist__deque_slots_held(deque));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_last_element_is_taken_once);
    RUN_TEST(two_elements_and_two_steals_are_taken_once);
    RUN_TEST(two_elements_are_taken_once_across_the_wrap);
    RUN_TEST(growth_under_steal_loses_nothing);
    RUN_TEST(rings_are_freed_only_when_unread);
    return UNITY_END();
}
