/* Waiting by working: a thread that waits for something runs tasks meanwhile, and sleeps when there are none.
 *
 * W1: who goes to sleep says so, passes a heavy barrier, and looks a last time. Who makes something visible looks for
 * sleepers afterwards, without a fence: either the sleeper sees the new thing, or its maker sees the sleeper. Where the
 * kernel has no such barrier, and in any case, a sleeper looks again after a while. */
#include "idle/backoff.h"
#include "idle/pace.h"
#include "openmp/team.h"
#include "platform/barrier.h"
#include "platform/clock.h"
#include "platform/futex.h"

#define SPIN_CAP 64     /* pauses between two looks: a barrier that opens is to be seen soon */
#define NAP_NS 20000000 /* a sleeper's last resort */
/* Where there is no heavy barrier; and of those who wait within a task, who are not told of new tasks. */
#define SHORT_NAP_NS 1000000

/* Looks in vain after which one who waits asks for what others have set aside, and will not show before their next
 * call: some ten microseconds. After that each time twice as many: it interrupts them. */
enum { FORCE_AFTER = 16 };

/* After 1, 2, 4 ... looks. */
static bool is_power(uint32_t looks)
{
    return (looks & (looks - 1)) == 0;
}

void heist__omp_wake(heist__omp_slot *slot)
{
    /* relaxed: W1 */
    if (__builtin_expect(heist__load_relaxed(&slot->asleep) == 0, 1)) return;
    uint32_t asleep = 1;
    if (heist__cas_acq_rel(&slot->asleep, &asleep, 0)) heist__futex_wake(&slot->asleep, 1);
}

void heist__omp_wake_one_slow(heist__omp_team *team)
{
    unsigned size = heist__load_relaxed(&team->size); /* relaxed: see heist__omp_slot_begin */
    for (unsigned i = 0; i < size; i++) {
        heist__omp_slot *slot = team->slots[i];
        uint32_t asleep = 1;
        /* relaxed: hints; the CAS decides who wakes it */
        if (heist__load_relaxed(&slot->idle) && heist__load_relaxed(&slot->asleep) &&
            heist__cas_acq_rel(&slot->asleep, &asleep, 0)) {
            heist__futex_wake(&slot->asleep, 1);
            return;
        }
    }
}

void heist__omp_wake_all(heist__omp_team *team)
{
    unsigned size = heist__load_relaxed(&team->size); /* relaxed: see heist__omp_slot_begin */
    for (unsigned i = 0; i < size; i++) heist__omp_wake(team->slots[i]);
}

/* Who has slept looks through the whole team: in a large one, for so much longer that all together have little to do. */
static int64_t nap_of(heist__omp_team *team, int64_t usual)
{
    enum { FEW = 32 };
    uint32_t size = heist__load_relaxed(&team->size); /* relaxed: see heist__omp_slot_begin */
    return size <= FEW ? usual : usual * (size / FEW);
}

/* Sleeps, unless it is over or there is something to run after all: that is returned. */
static heist__omp_task *doze(heist__omp_slot *self, bool within, heist__omp_condition *over, const void *what)
{
    heist__omp_team *team = self->team;
    heist__omp_task *task = NULL;
    bool sure = heist__barrier_available();
    self->counters.sleeps++;
    heist__store_relaxed(&self->idle, !within);          /* relaxed: the barrier follows */
    heist__store_relaxed(&self->asleep, 1);              /* likewise */
    if (!within) heist__add_seq_cst(&team->sleepers, 1); /* W1: before the last look */
    sure = heist__heavy_barrier(!sure) && sure;          /* W1 */
    if (!over(self, what)) {
        task = heist__omp_find(self, within);
        if (!task) task = heist__omp_find_aside(self, within);
        if (!task) heist__futex_wait(&self->asleep, 1, nap_of(team, sure && !within ? NAP_NS : SHORT_NAP_NS));
    }
    if (!within) heist__add_seq_cst(&team->sleepers, (uint32_t)-1);
    heist__store_relaxed(&self->asleep, 0); /* relaxed: for wakers, who may come in vain */
    return task;
}

/* ---- more threads than CPUs ---- */

/* A yield that takes this long gave the CPU to somebody's work, not to one who waits as well. */
#define LONG_YIELD_NS 100000
/* For so long nobody yields then, at first and at most: one who sleeps is woken at once, one who has yielded to another
 * program waits for the end of its turn. */
#define LEAST_SPAN_NS 10000000
#define MOST_SPAN_NS 320000000

/* Until when. Written by: whose yield took long. Read by: all who wait. */
static HEIST__ATOMIC(int64_t) no_yields_until;
static HEIST__ATOMIC(int64_t) no_yields_span; /* how long that was */

/* relaxed: hints; whoever sees them late yields once more */
static void note_long_yield(int64_t now)
{
    int64_t until = heist__load_relaxed(&no_yields_until), span = heist__load_relaxed(&no_yields_span);
    if (now < until) return; /* another thread found out */
    span = now - until > 4 * span || span < LEAST_SPAN_NS ? LEAST_SPAN_NS : 2 * span;
    if (span > MOST_SPAN_NS) span = MOST_SPAN_NS;
    heist__store_relaxed(&no_yields_span, span);
    heist__store_relaxed(&no_yields_until, now + span);
}

/* As heist__backoff_wait, and sees how long yields take. */
static heist__idle_step wait_in_crowd(heist__omp_slot *self, heist__backoff *backoff)
{
    if (heist__backoff_step(backoff) != HEIST__YIELD) return heist__backoff_wait(backoff, &self->random);
    int64_t before = heist__clock_ns();
    if (before < heist__load_relaxed(&no_yields_until)) return HEIST__PARK; /* relaxed: a hint */
    heist__backoff_wait(backoff, &self->random);
    int64_t now = heist__clock_ns();
    if (now - before >= LONG_YIELD_NS) note_long_yield(now);
    return HEIST__YIELD;
}

void heist__omp_help(heist__omp_slot *self, bool within, heist__omp_condition *over, const void *what)
{
    heist__omp_team *team = self->team;
    heist__backoff backoff;
    heist__backoff_init(&backoff, team->spin, team->yield, SPIN_CAP);
    while (!over(self, what)) {
        heist__omp_task *task = heist__omp_find(self, within);
        if (!task && is_power(backoff.round + 1)) {
            heist__omp_move_apart(self);
            if (backoff.round + 1 >= FORCE_AFTER) task = heist__omp_find_aside(self, within);
        }
        if (!task) {
            heist__idle_step step =
                team->crowded ? wait_in_crowd(self, &backoff) : heist__backoff_wait(&backoff, &self->random);
            if (step == HEIST__PARK) task = doze(self, within, over, what);
        }
        if (task) {
            heist__omp_task_run(self, task);
            heist__backoff_reset(&backoff);
        }
    }
}
