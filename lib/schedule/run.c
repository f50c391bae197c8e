/* Running a task from outside: the caller takes a seat of the pool and runs it there (seat.c). Where there is no stack
 * for that, or no seat for long, the task goes into the pool's inbox, and the caller waits until it is done; the record
 * lives in the caller's frame. A typed run must give a result in any case; where no pool can be had it runs right here,
 * on a stand-in for a worker, which no thief sees. */
#include "schedule/run.h"

#include <errno.h>

#include "idle/outside_spin.h"
#include "platform/futex.h"
#include "schedule/error.h"
#include "schedule/job.h"
#include "schedule/pool.h"
#include "schedule/seat.h"
#include "schedule/stand_in.h"
#include "schedule/submit.h"
#include "schedule/worker.h"

typedef enum { ROOT_WAITS, ROOT_RAN, ROOT_DROPPED } root_state;

typedef struct {
    heist__job job; /* first */
    /* A root_state. Written by: the thread that ran or dropped the task, once. Read and waited on by: the caller. */
    HEIST__ATOMIC(uint32_t) state;
} root;

static void end_root(heist__job *job, heist__worker *w, bool ran)
{
    (void)w;
    root *r = (root *)(void *)job;
    HEIST__ATOMIC(uint32_t) *word = &r->state;
    /* J5: last touch of *r. Pairs with heist__hand_over's load. */
    heist__store_release(word, ran ? ROOT_RAN : ROOT_DROPPED);
    heist__futex_wake(word, 1); /* the word may be gone by now, which does no harm */
}

int heist__hand_over(heist_pool *pool, heist_task *task)
{
    root r = {.job = {.task = task, .end = end_root, .from = heist__origin_now(heist__self())}};
    heist__store_relaxed(&r.state, ROOT_WAITS);     /* relaxed: giving the job away publishes it */
    const unsigned spare = heist__spare_here(pool); /* read now: *pool may be gone below */
    int error = heist__job_give(pool, &r.job, HEIST_WAIT);
    if (error) return error;
    if (spare) heist__outside_spin_wait(&r.state, ROOT_WAITS, spare);
    /* J5 */
    while (heist__load_acquire(&r.state) == ROOT_WAITS) heist__futex_wait(&r.state, ROOT_WAITS, -1);
    if (spare) heist__outside_spin_over();
    if (heist__load_relaxed(&r.state) == ROOT_RAN) return 0; /* relaxed: it changes only once */
    return heist__fail(-ECANCELED, "the pool was shut down before the task began");
}

/* Returns 0 when `task` has run, or a negative errno and it has not. */
static int run_from_outside(heist_pool *pool, heist_task *task)
{
    int error = heist__seat_run(pool, task);
    return error == -ENOTSUP ? heist__hand_over(pool, task) : error;
}

/* For a worker of that pool a run is a plain call. False: the calling thread is no such worker. */
static bool run_here(heist_pool *pool, heist_task *task)
{
    heist__worker *w = heist__self();
    if (!w || (pool && w->pool != pool)) return false;
    heist__run_task(w, task);
    return true;
}

static void run_on_stand_in(heist_task *task)
{
    /* Aligned by hand: gcc 12 does not align a variable that AddressSanitizer moves off the stack, gcc bug 110027. */
    char room[sizeof(heist__stand_in) + _Alignof(heist__stand_in)];
    const uintptr_t end = (uintptr_t)room + _Alignof(heist__stand_in);
    heist__stand_in *stand_in = (heist__stand_in *)(end - end % _Alignof(heist__stand_in));
    heist__stand_in_init(stand_in);
    task->run(&stand_in->worker.tasks.face, stand_in->worker.tasks.slots, task);
}

void heist__run_root(heist_pool *pool, heist_task *task)
{
    if (run_here(pool, task)) return;
    pool = heist__pool_resolve(pool);
    if (!pool || run_from_outside(pool, task) < 0) run_on_stand_in(task);
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
    return pool ? run_from_outside(pool, &plain.task) : -errno;
}
