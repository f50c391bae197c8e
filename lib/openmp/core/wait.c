/* Waiting, sleeping and waking: see wait.h. The waits for children are in taskwait.c. */
#include "openmp/core/wait.h"

#include "idle/backoff.h"
#include "openmp/core/find.h"
#include "openmp/core/private_tail.h"
#include "openmp/core/spread_threads.h"
#include "platform/barrier.h"
#include "platform/clock.h"
#include "platform/futex.h"

#define SPIN_CAP 64 /* most pauses between two looks: a barrier that opens must be seen soon */

/* The longest sleep in a barrier. It ends by a wake-up; the time is a last resort. */
#define LONG_SLEEP_NS 20000000
/* The longest sleep where there is no heavy barrier, and within a task: such sleepers are not told of new tasks. */
#define SHORT_SLEEP_NS 1000000

/* Unsuccessful looks after which a waiting thread forces tasks out of private tails: some ten microseconds. Then each
 * time after twice as many looks, because the heavy barrier interrupts the owners. */
enum { FORCE_AFTER = 16 };

/* After 1, 2, 4 ... looks. */
static bool is_power_of_two(uint32_t looks)
{
    return (looks & (looks - 1)) == 0;
}

void heist__omp_wake(heist__omp_slot *slot)
{
    if (__builtin_expect(heist__load_relaxed(&slot->asleep) == 0, 1)) return; /* relaxed: W1 */
    uint32_t asleep = 1;
    if (heist__cas_acq_rel(&slot->asleep, &asleep, 0)) heist__futex_wake(&slot->asleep, 1);
}

void heist__omp_wake_one_slow(heist__omp_team *team)
{
    unsigned size = heist__load_relaxed(&team->size); /* relaxed: see heist__omp_slot_enter */
    for (unsigned i = 0; i < size; i++) {
        heist__omp_slot *slot = team->slots[i];
        uint32_t asleep = 1;
        /* relaxed: hints; the CAS decides which thread wakes it */
        if (heist__load_relaxed(&slot->idle) && heist__load_relaxed(&slot->asleep) &&
            heist__cas_acq_rel(&slot->asleep, &asleep, 0)) {
            heist__futex_wake(&slot->asleep, 1);
            return;
        }
    }
}

void heist__omp_wake_all(heist__omp_team *team)
{
    unsigned size = heist__load_relaxed(&team->size); /* relaxed: see heist__omp_slot_enter */
    for (unsigned i = 0; i < size; i++) heist__omp_wake(team->slots[i]);
}

/* A thread that has slept looks through the whole team. In a large team it sleeps longer, so that all threads
 * together have little to do. */
static int64_t sleep_ns(heist__omp_team *team, int64_t usual)
{
    enum { FEW = 32 };
    uint32_t size = heist__load_relaxed(&team->size); /* relaxed: see heist__omp_slot_enter */
    return size <= FEW ? usual : usual * (size / FEW);
}

/* Sleeps, unless the wait is over or there is a task after all, which is returned. */
static heist__omp_task *sleep_or_find(heist__omp_slot *self, bool within, heist__omp_condition *over, const void *what)
{
    heist__omp_team *team = self->team;
    heist__omp_task *task = NULL;
    bool sure = heist__barrier_available();
    self->counters.sleeps++;
    heist__store_relaxed(&self->idle, !within);          /* relaxed: the barrier follows */
    heist__store_relaxed(&self->asleep, 1);              /* relaxed: the barrier follows */
    if (!within) heist__add_seq_cst(&team->sleepers, 1); /* W1: before the last look */
    sure = heist__heavy_barrier(!sure) && sure;          /* W1. Pairs with W1 in wait.h and heist__omp_wake. */
    if (!over(self, what)) {
        task = heist__omp_find(self, within);
        if (!task) task = heist__omp_find_private(self, within);
        int64_t most = sure && !within ? LONG_SLEEP_NS : SHORT_SLEEP_NS;
        if (!task) heist__futex_wait(&self->asleep, 1, sleep_ns(team, most));
    }
    if (!within) heist__add_seq_cst(&team->sleepers, (uint32_t)-1); /* W1: balances the count */
    heist__store_relaxed(&self->asleep, 0); /* relaxed: a waker that sees it late makes a needless call */
    return task;
}

/* ---- more threads than CPUs ---- */

/* A yield that takes this long gave the CPU to another program's work, not to a thread that waits as well. */
#define LONG_YIELD_NS 100000
/* After such a yield no thread yields for a span of time, at first and at most this long. A thread that sleeps is woken
 * at once; a thread that has yielded to another program waits for the end of that program's turn. */
#define LEAST_SPAN_NS 10000000
#define MOST_SPAN_NS 320000000

/* The end and the length of the span in which no thread yields. Written by: threads whose yield took long. Read by: all
 * threads that wait. */
static HEIST__ATOMIC(int64_t) no_yields_until;
static HEIST__ATOMIC(int64_t) no_yields_span;

/* relaxed: hints; a thread that sees them late yields once more */
static void note_long_yield(int64_t now)
{
    int64_t until = heist__load_relaxed(&no_yields_until), span = heist__load_relaxed(&no_yields_span);
    if (now < until) return; /* another thread found out */
    span = now - until > 4 * span || span < LEAST_SPAN_NS ? LEAST_SPAN_NS : 2 * span;
    if (span > MOST_SPAN_NS) span = MOST_SPAN_NS;
    heist__store_relaxed(&no_yields_span, span);
    heist__store_relaxed(&no_yields_until, now + span);
}

/* As heist__backoff_wait, and measures how long yields take. */
static heist__idle_step wait_oversubscribed(heist__omp_slot *self, heist__backoff *backoff)
{
    if (heist__backoff_step(backoff) != HEIST__YIELD) return heist__backoff_wait(backoff, &self->random);
    int64_t before = heist__clock_ns();
    if (before < heist__load_relaxed(&no_yields_until)) return HEIST__PARK; /* relaxed: a hint */
    heist__backoff_wait(backoff, &self->random);
    int64_t now = heist__clock_ns();
    if (now - before >= LONG_YIELD_NS) note_long_yield(now);
    return HEIST__YIELD;
}

void heist__omp_wait_until(heist__omp_slot *self, bool within, heist__omp_condition *over, const void *what)
{
    heist__omp_team *team = self->team;
    heist__backoff backoff;
    heist__backoff_init(&backoff, team->spin, team->yield, SPIN_CAP);
    while (!over(self, what)) {
        heist__omp_task *task = heist__omp_find(self, within);
        if (!task && is_power_of_two(backoff.round + 1)) {
            heist__omp_spread(self);
            if (backoff.round + 1 >= FORCE_AFTER) task = heist__omp_find_private(self, within);
        }
        if (!task) {
            heist__idle_step step = team->oversubscribed ? wait_oversubscribed(self, &backoff)
                                                         : heist__backoff_wait(&backoff, &self->random);
            if (step == HEIST__PARK) task = sleep_or_find(self, within, over, what);
        }
        if (task) {
            heist__omp_task_run(self, task);
            heist__backoff_reset(&backoff);
        }
    }
}
