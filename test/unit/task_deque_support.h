/* task_deque_support.h: the deque of fork/join tasks, made ready for tests. The owner is the library's own spawn and
 * join on a worker that is put together here, without a thread; thieves are threads of the test, or the test itself
 * at a chosen moment. A child knows how often it ran, and whether it may still run. */
#ifndef FRAMES_SUPPORT_H
#define FRAMES_SUPPORT_H

#include <stdlib.h>

#include "deque/task_deque.h"
#include "platform/barrier.h"
#include "platform/futex.h"
#include "schedule/join.h"
#include "schedule/pool.h"
#include "schedule/steal.h"
#include "support.h"

/* ---- a worker without a thread ---- */

#define LEVELS 64
#define MOST 4096 /* children */

/* A child; `times` says how often it ran since it was spawned. */
typedef struct {
    heist_task task; /* first */
    HEIST__ATOMIC(int) times;
    HEIST__ATOMIC(int) open; /* spawned and not joined: may be run */
    int place;               /* owner's: in the list of open ones */
} child;

static heist_pool *pool;
static heist__worker *owner;
static heist_worker *face;
static heist_slot *bottom; /* the register of the owner's frame */
static child children[MOST];
static HEIST__ATOMIC(int) dead_ones; /* children that were run, or taken, after their join */

static inline heist__worker *worker_made(unsigned index, size_t slots, bool fenced)
{
    heist__worker *w = aligned_alloc(_Alignof(heist__worker), sizeof *w);
    TEST_ASSERT_NOT_NULL(w);
    memset(w, 0, sizeof *w);
    w->pool = pool;
    w->index = index;
    w->nestings = calloc(LEVELS, sizeof *w->nestings);
    TEST_ASSERT_NOT_NULL(w->nestings);
    heist__random_seed(&w->random, 1, index);
    TEST_ASSERT_EQUAL_INT(0, heist__task_deque_init(&w->tasks, slots, fenced));
    return w;
}

static inline void worker_unmade(heist__worker *w)
{
    heist__task_deque_destroy(&w->tasks);
    free(w->nestings);
    free(w);
}

static inline void begin(size_t slots, bool fenced)
{
    pool = aligned_alloc(_Alignof(heist_pool), sizeof *pool);
    TEST_ASSERT_NOT_NULL(pool);
    memset(pool, 0, sizeof *pool); /* no worker sleeps, so none is woken */
    pool->settings.waiting_spin = 16;
    pool->idle.fenced = fenced;
    pool->count = 1;
    pool->workers = &owner;
    owner = worker_made(0, slots, fenced);
    face = &owner->tasks.face;
    bottom = owner->tasks.slots;
    memset(children, 0, sizeof children);
    heist__store_relaxed(&dead_ones, 0);
}

static inline void end(void)
{
    worker_unmade(owner);
    free(pool);
    owner = NULL;
}

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    if (owner) end();
}

/* Where the kernel has no membarrier there is only fence mode. */
#define FOR_BOTH_MODES(fenced) for (int fenced = !heist__barrier_available(); fenced < 2; fenced++)

static inline void run_child(heist_worker *w, heist_slot *at, heist_task *task)
{
    (void)w;
    (void)at;
    child *c = (child *)(void *)task;
    if (!heist__load_seq_cst(&c->open)) heist__add_seq_cst(&dead_ones, 1);
    heist__add_seq_cst(&c->times, 1);
}

/* ---- the owner's side ---- */

static inline void spawn(int i)
{
    child *c = &children[i];
    c->task.run = run_child;
    heist__store_seq_cst(&c->times, 0);
    heist__store_seq_cst(&c->open, 1);
    bottom = heist__push(face, bottom, &c->task);
}

static inline void spawn_many(int count)
{
    for (int i = 0; i < count; i++) spawn(i);
}

static inline void joined(int i)
{
    child *c = &children[i];
    heist__store_seq_cst(&c->open, 0);
    if (heist__load_seq_cst(&c->times) != 1) {
        char what[80];
        snprintf(what, sizeof what, "child %d had run %d times when it was joined", i, heist__load_seq_cst(&c->times));
        TEST_FAIL_MESSAGE(what);
    }
}

/* As HEIST_SYNC does it. */
static inline void join(int i)
{
    heist_task *task = &children[i].task;
    if (heist__pop(face, bottom, task)) {
        bottom--;
        run_child(face, bottom, task);
    } else {
        bottom = heist__join_slow(face, bottom, task);
    }
    joined(i);
}

static inline void nothing_is_left(void)
{
    TEST_ASSERT_EQUAL_PTR(owner->tasks.slots, bottom);
    TEST_ASSERT_EQUAL_PTR(bottom, heist__load_relaxed(&face->bottom));
    TEST_ASSERT_EQUAL_size_t(0, heist__task_deque_size(&owner->tasks));
    TEST_ASSERT_EQUAL_UINT32(0, (uint32_t)heist__load_relaxed(&owner->tasks.top));
    TEST_ASSERT_EQUAL_INT(0, heist__load_seq_cst(&dead_ones));
}

/* ---- the thief's side ---- */

/* Runs a stolen child and says so, as heist__run_stolen does without the thief's own deque. */
static inline void run_loot(heist_task *task)
{
    run_child(NULL, NULL, task);
    heist__store_release(&task->state, HEIST__TASK_DONE);
    heist__add_seq_cst(&owner->children_done, 1);
    if (heist__load_seq_cst(&owner->join_asleep)) heist__futex_wake(&owner->children_done, 1);
}

static inline heist_steal try_steal(uint64_t seen, uint32_t floor, heist_task **task)
{
    heist_steal outcome = heist__task_deque_offer(&owner->tasks, seen, floor);
    return outcome == HEIST_STEAL_GOT ? heist__task_deque_take(&owner->tasks, seen, task) : outcome;
}

static inline heist_steal steal_one(void)
{
    heist_task *task;
    heist_steal outcome = try_steal(heist__task_deque_look(&owner->tasks), 0, &task);
    if (outcome == HEIST_STEAL_GOT) run_loot(task);
    return outcome;
}

static inline void steal_gives(int i)
{
    TEST_ASSERT_EQUAL_INT(0, heist__load_seq_cst(&children[i].times));
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, steal_one());
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, heist__load_seq_cst(&children[i].times), "another child was stolen");
}

static inline int steal_all(void)
{
    int taken = 0;
    while (steal_one() == HEIST_STEAL_GOT) taken++;
    return taken;
}

#endif
