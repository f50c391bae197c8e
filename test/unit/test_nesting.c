/* The record of a worker's tasks: which scope a slot belongs to, which slots descend from the youngest task, and which
 * worker waits for a run. Most workers here have no threads: the order of the entries is what matters, the order of
 * the accesses is the model checker's. */
#include "schedule/nesting.h"

#include <stdatomic.h>

#include "schedule/pool.h"
#include "schedule/worker.h"
#include "support.h"

enum { SLOTS = 1024, ROOM = 4 };

static heist_pool here, there, beyond; /* no more than their addresses, and how deep their workers may nest */
static heist__scope_core outer, inner, other;

void setUp(void)
{
    watchdog(PATIENCE_S);
    here.nestings = there.nestings = beyond.nestings = ROOM;
    heist__scope_core *const cores[] = {&outer, &inner, &other};
    for (int i = 0; i < 3; i++) TEST_ASSERT_EQUAL_INT(0, heist__detector_init(&cores[i]->detector, 1));
}

void tearDown(void)
{
    alarm(0);
    heist__scope_core *const cores[] = {&outer, &inner, &other};
    for (int i = 0; i < 3; i++) heist__detector_destroy(&cores[i]->detector);
}

static heist__worker *worker_in(heist_pool *pool)
{
    heist__worker *w = aligned_alloc(_Alignof(heist__worker), sizeof *w);
    TEST_ASSERT_NOT_NULL(w);
    memset(w, 0, sizeof *w);
    w->pool = pool;
    w->nestings = calloc(ROOM, sizeof *w->nestings);
    TEST_ASSERT_NOT_NULL(w->nestings);
    w->nesting_room = ROOM;
    TEST_ASSERT_EQUAL_INT(0, heist__task_deque_init(&w->tasks, SLOTS, false));
    return w;
}

static void end_worker(heist__worker *w)
{
    heist__task_deque_destroy(&w->tasks);
    free(w->nestings);
    free(w);
}

static void does_nothing(heist_worker *w, heist_slot *bottom, heist_task *task)
{
    (void)w;
    (void)bottom;
    (void)task;
}

static heist_task a_task = {.run = does_nothing};

/* Begins a task with so many slots in use below it. */
static void enter_at(heist__worker *w, uint32_t slots, heist__scope_core *core, heist__worker *from)
{
    heist__store_release(&w->tasks.face.bottom, w->tasks.slots + slots);
    heist__nesting_enter(w, &a_task, core, (heist__origin){from, from ? heist__load_relaxed(&from->depth) : 0});
}

static void a_slot_belongs_to_the_youngest_task_that_began_below_it(void)
{
    heist__worker *w = worker_in(&here);
    heist__origin from;
    enter_at(w, 1, &outer, NULL);
    enter_at(w, 3, &inner, w);
    enter_at(w, 3, &other, NULL); /* the one before has spawned nothing yet */
    enter_at(w, 6, NULL, w);
    heist__scope_core *const expected[] = {NULL, &outer, &outer, &other, &other, &other, NULL, NULL};
    for (uint32_t slot = 0; slot < sizeof expected / sizeof *expected; slot++) {
        TEST_ASSERT_EQUAL_PTR_MESSAGE(expected[slot], heist__scope_at(w, slot, &from), "the scope of a slot");
        TEST_ASSERT_EQUAL_PTR_MESSAGE(slot >= 3 ? w : NULL, from.worker,
                                      "what waits for a slot's run"); /* or for one below */
    }
    heist__nesting_leave(w);
    heist__nesting_leave(w);
    TEST_ASSERT_EQUAL_PTR(&inner, heist__scope_at(w, 7, &from));
    TEST_ASSERT_EQUAL_PTR(w, from.worker);
    end_worker(w);
}

static void the_floor_and_the_scope_are_those_of_the_youngest_task(void)
{
    heist__worker *w = worker_in(&here);
    TEST_ASSERT_EQUAL_UINT32(0, heist__nesting_floor(w));
    TEST_ASSERT_NULL(heist__scope_now(w));
    enter_at(w, 2, &outer, NULL);
    enter_at(w, 5, &inner, NULL);
    TEST_ASSERT_EQUAL_UINT32(5, heist__nesting_floor(w));
    TEST_ASSERT_EQUAL_PTR(&inner, heist__scope_now(w));
    heist__nesting_leave(w);
    TEST_ASSERT_EQUAL_UINT32(2, heist__nesting_floor(w));
    TEST_ASSERT_EQUAL_PTR(&outer, heist__scope_now(w));
    heist__nesting_leave(w);
    TEST_ASSERT_EQUAL_UINT32(0, heist__nesting_floor(w));
    end_worker(w);
}

static void there_is_room_for_as_many_as_the_pool_says(void)
{
    heist__worker *w = worker_in(&here);
    for (int i = 0; i < ROOM; i++) {
        TEST_ASSERT_TRUE(heist__nesting_room(w));
        enter_at(w, 0, NULL, NULL);
    }
    TEST_ASSERT_FALSE(heist__nesting_room(w));
    heist__nesting_leave(w);
    TEST_ASSERT_TRUE(heist__nesting_room(w));
    end_worker(w);
}

/* `first` waits for a run in another pool, in which `second` waits for a third pool's, where `third` works. On the
 * way each has done other things, below and above. */
static void a_run_is_followed_through_any_number_of_pools(void)
{
    heist__worker *first = worker_in(&here), *second = worker_in(&there), *third = worker_in(&beyond),
                  *decoy = worker_in(&beyond);
    enter_at(first, 0, &outer, NULL);
    enter_at(second, 0, &other, decoy); /* older: it is not what `second` does now */
    enter_at(second, 1, NULL, first);
    enter_at(third, 0, &inner, second);
    enter_at(third, 1, NULL, NULL); /* younger, of no run */
    TEST_ASSERT_TRUE(heist__runs_for(third, &beyond));
    TEST_ASSERT_TRUE(heist__runs_for(third, &there));
    TEST_ASSERT_TRUE(heist__runs_for(third, &here));
    TEST_ASSERT_FALSE(heist__runs_for(first, &there));
    TEST_ASSERT_FALSE(heist__runs_for(second, &beyond));
    TEST_ASSERT_TRUE(heist__runs_within(third, &beyond, &inner));
    TEST_ASSERT_TRUE(heist__runs_within(third, &here, &outer));
    TEST_ASSERT_TRUE(heist__runs_within(second, &there, &other));
    TEST_ASSERT_FALSE(heist__runs_within(first, &beyond, &inner));
    TEST_ASSERT_FALSE(heist__runs_within(first, &there, &other));
    TEST_ASSERT_FALSE(heist__runs_within(NULL, &here, &outer));
    end_worker(first);
    end_worker(second);
    end_worker(third);
    end_worker(decoy);
}

/* ---- workers with threads ---- */

static atomic_bool started;
static atomic_int wrong, ran; /* tasks run outside Unity's thread */

HEIST_VOID_TASK(say_started)
{
    atomic_store(&started, true);
}

HEIST_VOID_TASK(have_a_child_stolen)
{
    HEIST_SPAWN(child, say_started);
    while (!atomic_load(&started)) sched_yield();
    HEIST_SYNC(child);
}

static void nothing_is_left_of_tasks_that_have_ended(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(2, *mode);
        for (int i = 0; i < 10; i++) {
            atomic_store(&started, false);
            HEIST_RUN(pool, have_a_child_stolen);
        }
        double end = now_ms() + 5000; /* a thief leaves a little after its task has ended */
        for (unsigned i = 0; i < 2; i++) {
            while (heist__load_acquire(&pool->workers[i]->depth) != 0 && now_ms() < end) sched_yield();
            TEST_ASSERT_EQUAL_UINT32(0, heist__load_acquire(&pool->workers[i]->depth));
        }
        free_pool(pool);
    }
}

HEIST_VOID_TASK(run_elsewhere, heist__worker *, waiter)
{
    atomic_fetch_add(&wrong, heist__self() == waiter);
    atomic_fetch_add(&ran, 1);
}

/* Offers a grandchild until the waiter sleeps, or has taken it. */
HEIST_VOID_TASK(offer_one, heist__worker *, waiter)
{
    HEIST_SPAWN(grandchild, run_elsewhere, waiter);
    atomic_store(&started, true);
    /* relaxed: a number */
    while (heist__load_relaxed(&waiter->counters.parks) == 0 && atomic_load(&ran) == 0) sched_yield();
    HEIST_SYNC(grandchild);
}

HEIST_VOID_TASK(wait_without_room)
{
    heist__worker *w = heist__self();
    HEIST_SPAWN(child, offer_one, w);
    heist__store_relaxed(&w->counters.parks, 0); /* relaxed: own, as below */
    while (!atomic_load(&started)) sched_yield();
    uint32_t depth = heist__load_relaxed(&w->depth);
    heist__store_release(&w->depth, w->pool->nestings);
    HEIST_SYNC(child);
    heist__store_release(&w->depth, depth);
}

static void a_join_without_room_runs_nothing(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        atomic_store(&started, false);
        atomic_store(&wrong, 0);
        atomic_store(&ran, 0);
        heist_pool *pool = pool_of(2, *mode);
        HEIST_RUN(pool, wait_without_room);
        TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
        TEST_ASSERT_EQUAL_INT(1, atomic_load(&ran));
        TEST_ASSERT_EQUAL_UINT64(0, stats_of(pool).leapfrogs);
        free_pool(pool);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_slot_belongs_to_the_youngest_task_that_began_below_it);
    RUN_TEST(the_floor_and_the_scope_are_those_of_the_youngest_task);
    RUN_TEST(there_is_room_for_as_many_as_the_pool_says);
    RUN_TEST(a_run_is_followed_through_any_number_of_pools);
    RUN_TEST(nothing_is_left_of_tasks_that_have_ended);
    RUN_TEST(a_join_without_room_runs_nothing);
    return UNITY_END();
}
