/* test_ring_deque.c: the ring deque, one thread at a time or in a fixed order of steps. Thieves are held between two
 * steps of a theft (ring_deque.h), so each published Chase-Lev bug has its test that fails every time, not
 * sometimes. The cases that need real races are in test/stress/stress_deque.c. */
#include "deque/ring_deque.h"
#include "test_scale.h"
#include "unity.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

/* A request that no address space holds shall give NULL here too, as it does without the sanitizers. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

#define UNTOUCHED ((void *)&untouched)
static char untouched;
static heist_deque *deque;

/* Elements are small numbers in pointer's clothes, from 1 on. */
static void *element(uintptr_t number)
{
    return (void *)number;
}

static void push(uintptr_t number)
{
    TEST_ASSERT_EQUAL_INT(0, heist_deque_push(deque, element(number)));
}

static void push_all(uintptr_t first, uintptr_t last)
{
    for (uintptr_t number = first; number <= last; number++) {
        push(number);
    }
}

static void pop_gives(uintptr_t number)
{
    void *out = UNTOUCHED;
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist_deque_pop(deque, &out));
    TEST_ASSERT_EQUAL_PTR(element(number), out);
}

static void steal_gives(uintptr_t number)
{
    void *out = UNTOUCHED;
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist_deque_steal(deque, &out));
    TEST_ASSERT_EQUAL_PTR(element(number), out);
}

static void there_is_nothing(void)
{
    void *out = UNTOUCHED;
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_EMPTY, heist_deque_steal(deque, &out));
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_EMPTY, heist_deque_pop(deque, &out));
    TEST_ASSERT_EQUAL_size_t(0, heist_deque_steal_half(deque, &out, 1));
    TEST_ASSERT_EQUAL_size_t(0, heist_deque_size(deque));
    TEST_ASSERT_EQUAL_PTR(UNTOUCHED, out);
}

static void pop_until_empty(void)
{
    void *out;
    size_t pops = 0, size = heist_deque_size(deque);
    while (heist_deque_pop(deque, &out) == HEIST_STEAL_GOT) {
        TEST_ASSERT_LESS_OR_EQUAL_size_t(size, ++pops);
    }
}

static size_t capacity(void)
{
    return (size_t)heist__load_relaxed(&deque->ring)->mask + 1;
}

static void start_with(size_t capacity_hint, uint64_t first_index)
{
    heist_deque_free(deque);
    deque = heist__deque_new_at(capacity_hint, first_index);
    TEST_ASSERT_NOT_NULL(deque);
}

void setUp(void)
{
    mallopt(M_PERTURB, 0xA5); /* glibc then fills what malloc gives and what free takes; the sanitizers do it anyway */
    deque = NULL;
    start_with(4, 0);
}

void tearDown(void)
{
    heist_deque_free(deque);
    deque = NULL;
}

/* --- what the header promises ----------------------------------------------------------------------------------- */

static void the_owner_gets_the_youngest_first(void)
{
    push_all(1, 3);
    pop_gives(3);
    pop_gives(2);
    push(4);
    pop_gives(4);
    pop_gives(1);
    there_is_nothing();
}

static void a_thief_gets_the_oldest_first(void)
{
    push_all(1, 3);
    steal_gives(1);
    steal_gives(2);
    pop_gives(3);
    there_is_nothing();
}

static void null_is_an_element(void)
{
    void *out = UNTOUCHED;
    push(0);
    push(0);
    TEST_ASSERT_EQUAL_size_t(2, heist_deque_size(deque));
    steal_gives(0);
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist_deque_pop(deque, &out));
    TEST_ASSERT_NULL(out);
    there_is_nothing();
}

static void the_size_follows_every_operation(void)
{
    void *out[4];
    for (size_t n = 1; n <= 10; n++) {
        push(n);
        TEST_ASSERT_EQUAL_size_t(n, heist_deque_size(deque));
    }
    steal_gives(1);
    TEST_ASSERT_EQUAL_size_t(9, heist_deque_size(deque));
    pop_gives(10);
    TEST_ASSERT_EQUAL_size_t(8, heist_deque_size(deque));
    TEST_ASSERT_EQUAL_size_t(4, heist_deque_steal_half(deque, out, 4));
    TEST_ASSERT_EQUAL_size_t(4, heist_deque_size(deque));
}

static void half_is_rounded_up_and_comes_oldest_first(void)
{
    void *out[8] = {NULL};
    push_all(1, 7);
    TEST_ASSERT_EQUAL_size_t(4, heist_deque_steal_half(deque, out, 8));
    for (uintptr_t n = 1; n <= 4; n++) {
        TEST_ASSERT_EQUAL_PTR(element(n), out[n - 1]);
    }
    TEST_ASSERT_NULL(out[4]);
    TEST_ASSERT_EQUAL_size_t(2, heist_deque_steal_half(deque, out, 8));
    TEST_ASSERT_EQUAL_PTR(element(5), out[0]);
    TEST_ASSERT_EQUAL_size_t(1, heist_deque_steal_half(deque, out, 8));
    TEST_ASSERT_EQUAL_PTR(element(7), out[0]);
    there_is_nothing();
}

static void half_is_never_more_than_asked_for(void)
{
    void *out[3] = {NULL, NULL, UNTOUCHED};
    push_all(1, 20);
    TEST_ASSERT_EQUAL_size_t(0, heist_deque_steal_half(deque, out, 0));
    TEST_ASSERT_NULL(out[0]);
    TEST_ASSERT_EQUAL_size_t(2, heist_deque_steal_half(deque, out, 2));
    TEST_ASSERT_EQUAL_PTR(element(2), out[1]);
    TEST_ASSERT_EQUAL_PTR(UNTOUCHED, out[2]);
    TEST_ASSERT_EQUAL_size_t(18, heist_deque_size(deque));
}

static void a_theft_leaves_no_reader_behind(void)
{
    void *out[8] = {NULL};
    push_all(1, 7);
    heist_deque_steal_half(deque, out, 8); /* several */
    heist_deque_steal_half(deque, out, 0); /* none, of some */
    while (heist_deque_steal(deque, out) == HEIST_STEAL_GOT) {
    }
    heist_deque_steal_half(deque, out, 8); /* of none */
    for (int side = 0; side < 2; side++) {
        TEST_ASSERT_EQUAL_INT64(0, heist__load_relaxed(&deque->readers[side].count)); /* relaxed: one thread */
    }
}

static void capacities_are_rounded_up(void)
{
    static const size_t hint_and_capacity[][2] = {{0, 256}, {1, 2}, {2, 2}, {3, 4}, {1000, 1024}};
    for (size_t i = 0; i < sizeof hint_and_capacity / sizeof hint_and_capacity[0]; i++) {
        start_with(hint_and_capacity[i][0], 0);
        TEST_ASSERT_EQUAL_size_t(hint_and_capacity[i][1], capacity());
        push_all(1, hint_and_capacity[i][1]);
        TEST_ASSERT_EQUAL_size_t(hint_and_capacity[i][1], capacity());
        push(1);
        TEST_ASSERT_EQUAL_size_t(2 * hint_and_capacity[i][1], capacity());
    }
}

static void absurd_hints_are_refused(void)
{
    static const size_t hints[] = {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 8, ((size_t)1 << 46) + 1};
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        errno = 0;
        TEST_ASSERT_NULL(heist_deque_new(hints[i]));
        TEST_ASSERT_EQUAL_INT(EINVAL, errno);
    }
}

static void a_deque_too_large_for_memory_is_enomem(void)
{
    errno = 0;
    TEST_ASSERT_NULL(heist_deque_new((size_t)1 << 46));
    TEST_ASSERT_EQUAL_INT(ENOMEM, errno);
}

static void freeing_nothing_is_allowed(void)
{
    heist_deque_free(NULL);
    heist_deque *fresh = heist_deque_new(0);
    TEST_ASSERT_NOT_NULL(fresh);
    heist_deque_free(fresh);
}

/* --- growing and shrinking -------------------------------------------------------------------------------------- */

static void *refuse(size_t count, size_t size)
{
    (void)count;
    (void)size;
    return NULL;
}

static void a_push_without_memory_changes_nothing(void)
{
    push_all(1, 4);
    void *(*allocate)(size_t, size_t) = deque->allocate;
    deque->allocate = refuse;
    TEST_ASSERT_EQUAL_INT(-ENOMEM, heist_deque_push(deque, element(5)));
    TEST_ASSERT_EQUAL_size_t(4, heist_deque_size(deque));
    steal_gives(1);
    push(6); /* room again, without an allocation */
    deque->allocate = allocate;
    push(7);
    for (uintptr_t n = 7; n > 1; n--) {
        if (n != 5) {
            pop_gives(n);
        }
    }
    there_is_nothing();
}

static void a_pop_without_memory_only_does_not_shrink(void)
{
    push_all(1, 1000);
    deque->allocate = refuse;
    for (uintptr_t n = 1000; n > 0; n--) {
        pop_gives(n);
    }
    there_is_nothing();
    TEST_ASSERT_EQUAL_size_t(1024, capacity());
}

static void nothing_is_lost_by_growing_and_shrinking(void)
{
    uintptr_t oldest = 1, youngest = 0;
    for (unsigned round = 0; round < 50; round++) {
        push_all(youngest + 1, youngest + 300);
        youngest += 300;
        TEST_ASSERT_GREATER_OR_EQUAL_size_t(youngest - oldest + 1, capacity());
        for (unsigned k = 0; k < 20; k++) {
            steal_gives(oldest++);
        }
        for (unsigned k = 0; k < 279; k++) {
            pop_gives(youngest--);
        }
        TEST_ASSERT_EQUAL_size_t(youngest - oldest + 1, heist_deque_size(deque));
    }
    while (youngest >= oldest) {
        pop_gives(youngest--);
    }
    there_is_nothing();
}

static void a_drained_deque_gives_its_memory_back(void)
{
    push_all(1, 10000);
    TEST_ASSERT_EQUAL_size_t(16384, capacity());
    for (uintptr_t n = 1; n <= 10000; n++) {
        steal_gives(n); /* by thieves: the owner sees the emptiness at its next pop */
    }
    there_is_nothing();
    TEST_ASSERT_EQUAL_size_t(4, capacity());
    there_is_nothing();
    TEST_ASSERT_EQUAL_size_t(4, heist__deque_slots_held(deque));
}

static void a_deque_never_shrinks_below_what_was_asked_for(void)
{
    start_with(64, 0);
    push_all(1, 64);
    pop_until_empty();
    TEST_ASSERT_EQUAL_size_t(64, capacity());
    push_all(1, 65);
    TEST_ASSERT_EQUAL_size_t(128, capacity());
    pop_until_empty();
    TEST_ASSERT_EQUAL_size_t(64, capacity());
}

/* --- the traps of ARCHITECTURE.md, decision 1 ------------------------------------------------------------------- */

/* Trap: an unsigned comparison of bottom and top takes a pop of nothing for a huge deque. */
/* The sanitizers and valgrind see it if the lent ring goes to free, and memory after the room shows an overrun. */
static void a_deque_in_lent_memory_grows_and_leaves_the_memory_alone(void)
{
    static _Alignas(heist_deque) unsigned char room[HEIST__DEQUE_ROOM + 16];
    memset(room, 0xA5, sizeof room);
    heist_deque_free(deque);
    for (int life = 0; life < 2; life++) {
        deque = heist__deque_new_in(room);
        TEST_ASSERT_EQUAL_size_t(HEIST__LENT_CAPACITY, capacity());
        for (int round = 0; round < 3; round++) {
            push_all(1, HEIST__LENT_CAPACITY);
            TEST_ASSERT_EQUAL_size_t(HEIST__LENT_CAPACITY, capacity());
            push_all(HEIST__LENT_CAPACITY + 1, 8 * HEIST__LENT_CAPACITY);
            for (uintptr_t i = 8 * HEIST__LENT_CAPACITY; i > 0; i--) pop_gives(i);
            TEST_ASSERT_EQUAL_size_t(HEIST__LENT_CAPACITY, heist__deque_slots_held(deque));
        }
        heist_deque_free(deque);
        deque = NULL;
    }
    TEST_ASSERT_EACH_EQUAL_HEX8(0xA5, room + HEIST__DEQUE_ROOM, 16);
}

static void an_empty_deque_stays_empty_at_any_index(void)
{
    static const uint64_t firsts[] = {0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        start_with(4, firsts[i]);
        there_is_nothing();
        push(1);
        pop_gives(1);
        there_is_nothing();
        push(2);
        steal_gives(2);
        there_is_nothing();
        there_is_nothing();
    }
}

static void a_thief_in_the_middle_of_an_empty_pop_sees_nothing(void)
{
    heist__theft theft;
    start_with(4, 0);
    heist__store_relaxed(&deque->bottom, UINT64_MAX); /* as pop leaves it for a moment: one below the top */
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_EMPTY, heist__deque_look(deque, &theft));
    TEST_ASSERT_EQUAL_size_t(0, heist_deque_size(deque));
    heist__store_relaxed(&deque->bottom, 0);
}

/* Trap: indices that run over the end of their type, signed or unsigned, and growth in the midst of it. */
static void indices_may_wrap(void)
{
    static const uint64_t ends[] = {INT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        for (uint64_t before = 0; before < 12; before++) {
            void *out[8];
            start_with(4, ends[i] - before);
            push_all(1, 10);
            TEST_ASSERT_EQUAL_size_t(10, heist_deque_size(deque));
            steal_gives(1);
            pop_gives(10);
            TEST_ASSERT_EQUAL_size_t(4, heist_deque_steal_half(deque, out, 8));
            TEST_ASSERT_EQUAL_PTR(element(5), out[3]);
            push_all(11, 40);
            for (uintptr_t n = 40; n >= 11; n--) {
                pop_gives(n);
            }
            steal_gives(6);
            steal_gives(7);
            pop_gives(9);
            pop_gives(8);
            there_is_nothing();
        }
    }
}

/* Trap: the owner takes the last element without the CAS, and so does the thief that saw it too. */
static void the_last_element_goes_to_one_of_two(void)
{
    heist__theft theft;
    push(1);
    unsigned side = heist__deque_enter(deque);
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist__deque_look(deque, &theft));
    heist__deque_read(deque, &theft);
    pop_gives(1);
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_LOST, heist__deque_settle(deque, &theft));
    push(2); /* in the next slot: the thief's index is gone for good */
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_LOST, heist__deque_settle(deque, &theft));
    heist__deque_leave(deque, side);
    pop_gives(2);
    there_is_nothing();
}

static void of_two_thieves_one_gets_it(void)
{
    heist__theft first, second;
    push_all(1, 2);
    unsigned side = heist__deque_enter(deque);
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist__deque_look(deque, &first));
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist__deque_look(deque, &second));
    heist__deque_read(deque, &first);
    heist__deque_read(deque, &second);
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist__deque_settle(deque, &second));
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_LOST, heist__deque_settle(deque, &first));
    heist__deque_leave(deque, side);
    pop_gives(2);
    there_is_nothing();
}

/* Trap: a thief that keeps the ring it saw before the growth reads another element, or none, from it. */
static void a_thief_reads_the_ring_of_its_look_not_of_its_arrival(void)
{
    heist__theft theft;
    push_all(1, 4);
    unsigned side = heist__deque_enter(deque); /* arrives while the ring has four slots */
    push_all(5, 6);                            /* which are in the grown ring only */
    for (uintptr_t n = 1; n <= 4; n++) {       /* other thieves take the rest; their elements do not matter here */
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist__deque_look(deque, &theft));
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist__deque_settle(deque, &theft));
    }
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist__deque_look(deque, &theft));
    heist__deque_read(deque, &theft);
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist__deque_settle(deque, &theft));
    TEST_ASSERT_EQUAL_PTR(element(5), theft.item);
    heist__deque_leave(deque, side);
    pop_gives(6);
}

static void a_look_before_the_growth_still_finds_its_element(void)
{
    heist__theft theft;
    push_all(1, 4);
    unsigned side = heist__deque_enter(deque);
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist__deque_look(deque, &theft));
    push_all(5, 40);
    heist__deque_read(deque, &theft);
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist__deque_settle(deque, &theft));
    TEST_ASSERT_EQUAL_PTR(element(1), theft.item);
    heist__deque_leave(deque, side);
    steal_gives(2);
}

/* Trap: the copy holds the live range only, and a thief with an old index reads what malloc left in the other slots. */
static void a_lagging_thief_reads_no_uninitialised_slot(void)
{
    heist__theft theft;
    push_all(1, 4);
    unsigned side = heist__deque_enter(deque);
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, heist__deque_look(deque, &theft)); /* of element 1 */
    steal_gives(1);
    steal_gives(2);
    push_all(5, 7); /* grows: elements 3 and on are copied */
    TEST_ASSERT_EQUAL_size_t(8, capacity());
    heist__deque_read(deque, &theft);
    TEST_ASSERT_NULL(theft.item);
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_LOST, heist__deque_settle(deque, &theft));
    heist__deque_leave(deque, side);
    const heist__ring *ring = heist__load_relaxed(&deque->ring);
    for (uint64_t index = 7; index < 10; index++) {
        TEST_ASSERT_NULL(heist__load_relaxed(&ring->slots[index & ring->mask]));
    }
}

/* Trap: an old ring is freed while a thief still reads it. ASan sees it; without ASan the perturbed memory shows. */
static void a_ring_lives_as_long_as_a_thief_in_it(void)
{
    push_all(1, 4);
    unsigned side = heist__deque_enter(deque);
    heist__ring *old = heist__load_relaxed(&deque->ring);
    for (unsigned round = 0; round < 5; round++) {
        push_all(5, 100);
        for (uintptr_t n = 100; n >= 5; n--) {
            pop_gives(n);
        }
        TEST_ASSERT_GREATER_THAN_size_t(capacity(), heist__deque_slots_held(deque));
    }
    TEST_ASSERT_EQUAL_UINT64(3, old->mask);
    for (uintptr_t n = 1; n <= 4; n++) {
        TEST_ASSERT_EQUAL_PTR(element(n), heist__load_relaxed(&old->slots[(n - 1) & old->mask]));
    }
    heist__deque_leave(deque, side);
    pop_until_empty();
    there_is_nothing();
    TEST_ASSERT_EQUAL_size_t(capacity(), heist__deque_slots_held(deque));
}

/* Thieves that arrived on either side hold the ring; one gone is not enough. */
static void both_sides_must_be_empty_before_a_ring_is_freed(void)
{
    push_all(1, 4);
    heist__store_relaxed(&deque->side, 0);
    unsigned first = heist__deque_enter(deque);
    heist__store_relaxed(&deque->side, 1);
    unsigned second = heist__deque_enter(deque);
    TEST_ASSERT_NOT_EQUAL(first, second);
    push(5);
    TEST_ASSERT_EQUAL_size_t(4 + 8, heist__deque_slots_held(deque));
    heist__deque_leave(deque, first);
    push_all(6, 9);
    TEST_ASSERT_EQUAL_size_t(4 + 8 + 16, heist__deque_slots_held(deque));
    heist__deque_leave(deque, second);
    push_all(10, 17);
    TEST_ASSERT_EQUAL_size_t(32, heist__deque_slots_held(deque));
}

static void memory_is_bounded_however_long_a_thief_sleeps(void)
{
    const size_t largest = 1024;
    unsigned side = heist__deque_enter(deque);
    for (unsigned round = 0; round < 1000; round++) {
        push_all(1, largest);
        TEST_ASSERT_EQUAL_size_t(largest, capacity());
        pop_until_empty();
        there_is_nothing();
        TEST_ASSERT_LESS_OR_EQUAL_size_t(3 * largest, heist__deque_slots_held(deque));
    }
    heist__deque_leave(deque, side);
    there_is_nothing();
    TEST_ASSERT_EQUAL_size_t(4, heist__deque_slots_held(deque));
}

/* There is always a thief inside, but never the same for long: each round one comes before the other goes. As a deque
 * shrinks only when every older ring is freed, its shrinking tells that they are. */
static void memory_is_given_back_under_thieves_without_a_pause(void)
{
    unsigned present = heist__deque_enter(deque);
    unsigned times_freed = 0;
    for (unsigned round = 0; round < 200; round++) {
        push_all(1, 100);
        pop_until_empty();
        unsigned newcomer = heist__deque_enter(deque);
        heist__deque_leave(deque, present);
        present = newcomer;
        there_is_nothing();
        times_freed += capacity() == 4;
    }
    heist__deque_leave(deque, present);
    TEST_ASSERT_GREATER_THAN_UINT(20, times_freed);
}

/* Trap: the grown ring published without release. The two threads wait for each other in a way that orders nothing, so
 * ThreadSanitizer sees whether R2 orders the ring's fields; in other builds this checks the result only. */
static HEIST__ATOMIC(int) turn;

static void wait_for_turn(int mine)
{
    while (heist__load_relaxed(&turn) != mine) { /* relaxed: it must not order what R2 has to */
        sched_yield();
    }
}

static void *thief_that_looks_before_and_reads_after(void *result)
{
    heist__theft theft;
    heist_steal seen = heist__deque_look(deque, &theft);
    unsigned side = heist__deque_enter(deque);
    heist__store_relaxed(&turn, 1);
    wait_for_turn(2);
    heist__deque_read(deque, &theft);
    heist_steal settled = heist__deque_settle(deque, &theft);
    heist__deque_leave(deque, side);
    *(void **)result = seen == HEIST_STEAL_GOT && settled == HEIST_STEAL_GOT ? theft.item : NULL;
    return NULL;
}

static void a_grown_ring_is_complete_when_a_thief_sees_it(void)
{
    unsigned rounds = test_scale(200u);
    for (unsigned round = 0; round < rounds; round++) {
        pthread_t thief;
        void *stolen = UNTOUCHED;
        start_with(4, 0);
        push_all(1, 4);
        heist__store_relaxed(&turn, 0);
        TEST_ASSERT_EQUAL_INT(0, pthread_create(&thief, NULL, thief_that_looks_before_and_reads_after, &stolen));
        wait_for_turn(1);
        push(5);
        heist__store_relaxed(&turn, 2);
        pthread_join(thief, NULL);
        TEST_ASSERT_EQUAL_PTR(element(1), stolen);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_owner_gets_the_youngest_first);
    RUN_TEST(a_thief_gets_the_oldest_first);
    RUN_TEST(null_is_an_element);
    RUN_TEST(the_size_follows_every_operation);
    RUN_TEST(half_is_rounded_up_and_comes_oldest_first);
    RUN_TEST(half_is_never_more_than_asked_for);
    RUN_TEST(a_theft_leaves_no_reader_behind);
    RUN_TEST(capacities_are_rounded_up);
    RUN_TEST(absurd_hints_are_refused);
    RUN_TEST(a_deque_too_large_for_memory_is_enomem);
    RUN_TEST(freeing_nothing_is_allowed);
    RUN_TEST(a_push_without_memory_changes_nothing);
    RUN_TEST(a_pop_without_memory_only_does_not_shrink);
    RUN_TEST(nothing_is_lost_by_growing_and_shrinking);
    RUN_TEST(a_drained_deque_gives_its_memory_back);
    RUN_TEST(a_deque_never_shrinks_below_what_was_asked_for);
    RUN_TEST(a_deque_in_lent_memory_grows_and_leaves_the_memory_alone);
    RUN_TEST(an_empty_deque_stays_empty_at_any_index);
    RUN_TEST(a_thief_in_the_middle_of_an_empty_pop_sees_nothing);
    RUN_TEST(indices_may_wrap);
    RUN_TEST(the_last_element_goes_to_one_of_two);
    RUN_TEST(of_two_thieves_one_gets_it);
    RUN_TEST(a_thief_reads_the_ring_of_its_look_not_of_its_arrival);
    RUN_TEST(a_look_before_the_growth_still_finds_its_element);
    RUN_TEST(a_lagging_thief_reads_no_uninitialised_slot);
    RUN_TEST(a_ring_lives_as_long_as_a_thief_in_it);
    RUN_TEST(both_sides_must_be_empty_before_a_ring_is_freed);
    RUN_TEST(memory_is_bounded_however_long_a_thief_sleeps);
    RUN_TEST(memory_is_given_back_under_thieves_without_a_pause);
    RUN_TEST(a_grown_ring_is_complete_when_a_thief_sees_it);
    return UNITY_END();
}
