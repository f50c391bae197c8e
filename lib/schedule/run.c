/* Running a task from outside: it goes into the pool's inbox, and the caller waits until it is done. The record lives in
 * the caller's frame. A typed run must give a result whatever happens; where no pool can be had it runs right here, on a
 * stand-in for a worker that nobody robs. */
#include <errno.h>
#include <string.h>

#include "idle/linger.h"
#include "platform/futex.h"
#include "schedule/worker.h"

/* Slots of the stand-in; beyond, spawns become calls. */
#define STAND_IN_SLOTS 256

typedef enum { ROOT_WAITS, ROOT_RAN, ROOT_DROPPED } root_state;

typedef struct {
    heist__loose loose;            /* first */
    HEIST__ATOMIC(uint32_t) state; /* Written by: who ran or dropped it, once. Read and waited on by: the caller. */
} root;

static void end_root(heist__loose *l, heist__worker *w, bool ran)
{
    (void)w;
    root *r = (root *)(void *)l;
    HEIST__ATOMIC(uint32_t) *word = &r->state;
    heist__store_release(word,
                         ran ? ROOT_RAN : ROOT_DROPPED); /* J5: last touch of *r. Pairs with run_and_wait's load. */
    heist__futex_wake(word, 1);                          /* the word may be gone by now; that does no harm */
}

/* Returns 0 when `task` has run, or a negative errno and it has not. */
static int run_and_wait(heist_pool *pool, heist_task *task)
{
    root r = {.loose = {.task = task, .end = end_root, .from = heist__self()}};
    const unsigned spare = heist__spare_here(pool); /* read now: *pool may be gone below */
    int error = heist__loose_give(pool, &r.loose, HEIST_WAIT);
    if (error) return error;
    if (spare) heist__linger_wait(&r.state, ROOT_WAITS, spare);
    while (heist__load_acquire(&r.state) == ROOT_WAITS) heist__futex_wait(&r.state, ROOT_WAITS, -1); /* J5 */
    if (spare) heist__linger_over();
    if (heist__load_relaxed(&r.state) == ROOT_RAN) return 0; /* relaxed: it changes once */
    return heist__fail(-ECANCELED, "the pool was shut down before the task began");
}

/* In a worker of that pool: a plain call. */
static bool run_here(heist_pool *pool, heist_task *task)
{
    heist__worker *w = heist__self();
    if (!w || (pool && w->pool != pool)) return false;
    task->run(&w->frames.face, heist__bottom_of(w), task);
    return true;
}

static void run_on_stand_in(heist_task *task)
{
    heist_slot memory[STAND_IN_SLOTS + 2] = {NULL}, *slots = memory + 1; /* as in heist__frames_init */
    heist__worker w;
    memset(&w, 0, sizeof w);
    w.frames.slots = slots;
    w.frames.end = slots + STAND_IN_SLOTS;
    w.frames.pop_gate = &w.frames.face.pop_gate;
    w.frames.push_gate = &w.frames.face.push_gate;
    /* relaxed: no other thread sees this */
    heist__store_relaxed(&w.frames.face.bottom, slots);
    heist__store_relaxed(&w.frames.face.pop_gate, slots);
    heist__store_relaxed(&w.frames.face.push_gate, w.frames.end);
    task->run(&w.frames.face, slots, task);
}

void heist__run_root(heist_pool *pool, heist_task *task)
{
    if (run_here(pool, task)) return;
    pool = heist__pool_resolve(pool);
    if (!pool || run_and_wait(pool, task) < 0) run_on_stand_in(task);
}

void heist__run_plain(heist_worker *w, heist_slot *bottom, heist_task *task)
{
    (void)w;
    (void)bottom;
    struct heist__plain *plain = (struct heist__plain *)(void *)task;
    plain->function(plain->argument);
}

int heist_run(heist_pool *pool, heist_function *function, void *argument)
{
    if (!function) return heist__fail(-EINVAL, "heist_run: no function");
    struct heist__plain plain = {.task = {.run = heist__run_plain}, .function = function, .argument = argument};
    if (run_here(pool, &plain.task)) return 0;
    pool = heist__pool_resolve(pool);
    return pool ? run_and_wait(pool, &plain.task) : -errno;
}
