/* One worker that falls asleep and is woken all the time, and one thread that wakes it: a worker that never leaves
 * its task and detaches tasks, or a thread outside that submits. The sleeper alone is held up. Then no worker
 * searches, and what the sleeper has left half done is all that the waking thread finds. That thread waits for
 * nothing and must get on. There is one such thread only: two that try to wake the same sleeper see each other, and
 * one of them takes the other for a searcher. */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

#include "held_up.h"
#include "schedule/pool.h"

/* So long a worker gets to fall asleep, if the machine is busy. */
#define PATIENCE_MS 20

static atomic_int busy = -1; /* the worker that never leaves its task */
static atomic_uint given;    /* tasks for the sleeper */

static bool nobody_sleeps(heist_pool *pool)
{
    return atomic_load(&pool->idle.asleep) == 0;
}

/* Every second time the worker that has said that it will sleep waits until a task has come, which it then finds. */
static void fall_asleep_slowly(heist_pool *pool)
{
    static unsigned sleeps; /* one worker at a time is here */
    static bool falling;
    if (nobody_sleeps(pool) == !falling) return;
    falling = !falling;
    if (!falling || sleeps++ % 2) return;
    unsigned before = atomic_load(&given);
    for (double end = now_ms() + PATIENCE_MS; now_ms() < end && atomic_load(&given) == before;) sched_yield();
}

bool sleeper_is_here(void)
{
    int worker = heist_worker_number();
    if (worker < 0 || worker == atomic_load(&busy)) return false;
    fall_asleep_slowly(heist_current_pool());
    return true;
}

static void found(void *unused)
{
    (void)unused;
    did(DID_TASK);
}

/* Mostly until the worker says that it is about to sleep, and some microseconds more: then the next task comes while
 * it falls asleep, or after that. */
static void take_some_time(heist_pool *pool, uint64_t *chance)
{
    *chance = *chance * UINT64_C(6364136223846793005) + 1442695040888963407;
    double end = now_ms() + (*chance >> 62 ? PATIENCE_MS : 0);
    while (now_ms() < end && nobody_sleeps(pool)) sched_yield();
    for (end = now_ms() + (double)(*chance >> 53 & 255) / 1e4; now_ms() < end;) {
    }
}

void sleeper_beside(void *scope)
{
    uint64_t chance = 1;
    atomic_store(&busy, heist_worker_number());
    while (!work_enough()) {
        did(DID_TASK);
        demand(heist_detach(scope, found, NULL) == 0, "not detached");
        atomic_fetch_add(&given, 1);
        take_some_time(heist_current_pool(), &chance);
    }
    atomic_store(&busy, -1);
}

void sleeper_submit(heist_pool *pool)
{
    static uint64_t chance = 1; /* one thread at a time is here */
    int error = heist_submit(pool, found, NULL, 0);
    demand(error == 0 || error == -EAGAIN, "not submitted");
    did(DID_SUBMIT);
    atomic_fetch_add(&given, 1);
    take_some_time(pool, &chance);
}
