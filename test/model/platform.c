/* What lies under the modelled code, in place of lib/platform, lib/idle/backoff.c, outside_spin.c and cpu_occupancy.c:
 * futex and membarrier become steps of the model. A nap that a home thread takes before it looks again ends at any
 * time. Waiting is cut short: a thread that backs off gives way, then parks if the scenario says so. What workers
 * guess about CPUs is right or wrong as it comes, if the scenario says `crowd`: nothing may hang on it. */
#include "idle/backoff.h"
#include "idle/cpu_occupancy.h"
#include "idle/lending.h"
#include "idle/outside_spin.h"
#include "platform/barrier.h"
#include "platform/futex.h"
#include "schedule/worker.h"
#include "platform/reserve.h"
#include "platform/sleep.h"
#include "schedule/run.h"

/* Plain tasks are no part of the harnesses that do not have it. */
__attribute__((weak)) void heist__run_plain(heist_worker *w, heist_slot *bottom, heist_task *task)
{
    (void)w;
    (void)bottom;
    (void)task;
}

bool heist__barrier_available(void)
{
    return true;
}

/* As in lib/platform/barrier.c, with the call to the kernel replaced. */
bool heist__heavy_barrier(bool fenced)
{
    heist__fence_seq_cst();
    if (!fenced) model_membarrier();
    return true;
}

bool heist__barrier_lost(void)
{
    return false;
}

void heist__sleep_step(void)
{
}

int heist__reserve_make(heist__reserve *r, size_t bytes, size_t usable)
{
    (void)usable;
    *r = (heist__reserve){.start = model_mmap(bytes), .bytes = bytes, .usable = bytes};
    return 0;
}

/* All is usable from the first; how far it is used is for the caller to say. */
bool heist__reserve_grow(heist__reserve *r)
{
    return r->start;
}

void heist__reserve_trim(heist__reserve *r, size_t kept)
{
    (void)r;
    (void)kept;
}

void heist__reserve_free(heist__reserve *r)
{
    r->start = NULL;
}

bool heist__futex_available(void)
{
    return true;
}

bool heist__futex_wait(HEIST__ATOMIC(uint32_t) * word, uint32_t expected, int64_t timeout_ns)
{
    if (timeout_ns == HEIST__LOOK_AGAIN_NS) { /* a nap ends at any time */
        model_pause();
        return true;
    }
    if (timeout_ns == HEIST__SEAT_PATIENCE_NS && model_number("impatient", 0)) { /* its time is over soon */
        model_pause();
        return true;
    }
    model_futex_wait(word, expected);
    return false;
}

/* Stacks are the checker's business. */
void heist__call_on_stack(char *stack, size_t size, void (*function)(void *), void *argument)
{
    (void)stack;
    (void)size;
    function(argument);
}

void heist__futex_wake(HEIST__ATOMIC(uint32_t) * word, int count)
{
    model_futex_wake(word, count);
}

void heist__backoff_init(heist__backoff *b, uint32_t spin_rounds, uint32_t yield_rounds, uint32_t cap)
{
    *b = (heist__backoff){.spin_rounds = spin_rounds, .yield_rounds = yield_rounds, .cap = cap};
}

/* Without end, or not at all: rounds that are counted would make every round a new state. */
heist__idle_step heist__backoff_step(const heist__backoff *b)
{
    return b->spin_rounds ? HEIST__SPIN : HEIST__PARK;
}

uint32_t heist__backoff_next(heist__backoff *b, heist__random *random)
{
    (void)b;
    (void)random;
    return 1;
}

/* No time passes here. */
uint32_t heist__outside_spin_wait(HEIST__ATOMIC(uint32_t) * word, uint32_t expected, unsigned spare)
{
    (void)word;
    (void)expected;
    (void)spare;
    return 0;
}

void heist__outside_spin_over(void)
{
}

/* A guess. */
static bool maybe(void)
{
    return model_number("crowd", 0) && model_choose(2);
}

void heist__cpu_occupancy_clear(heist__cpu_occupancy *c)
{
    (void)c;
}

void heist__cpu_occupancy_awake(heist__cpu_occupancy *c, uint32_t place, int more)
{
    (void)c;
    (void)place;
    (void)more;
}

void heist__cpu_occupancy_searching(heist__cpu_occupancy *c, uint32_t place, int more)
{
    (void)c;
    (void)place;
    (void)more;
}

uint32_t heist__cpu_occupancy_here(const heist__cpu_occupancy *c, uint32_t otherwise)
{
    (void)c;
    return otherwise;
}

uint32_t heist__cpu_occupancy_stuck(const heist__cpu_occupancy *c)
{
    (void)c;
    return maybe() ? UINT32_MAX : 0;
}

bool heist__cpu_occupancy_shares(const heist__cpu_occupancy *c, uint32_t place)
{
    (void)c;
    (void)place;
    return maybe();
}

bool heist__cpu_occupancy_move(const heist__cpu_occupancy *c)
{
    (void)c;
    return maybe();
}

bool heist__cpu_occupancy_vacant(const heist__cpu_occupancy *c, uint32_t place)
{
    (void)c;
    (void)place;
    return true;
}

bool heist__cpu_occupancy_full(const heist__cpu_occupancy *c)
{
    (void)c;
    return maybe();
}

void heist__cpu_occupancy_enter(heist__cpu_occupancy *c)
{
    (void)c;
}

void heist__cpu_occupancy_guest(heist__cpu_occupancy *c, unsigned number)
{
    (void)c;
    (void)number;
}

void heist__cpu_occupancy_watch(heist__cpu_occupancy *c, unsigned naps)
{
    (void)naps;
    (void)c;
}

void heist__cpu_occupancy_forget(heist__cpu_occupancy *c)
{
    (void)c;
}

int heist__cpu_occupancy_init(heist__cpu_occupancy *c, unsigned workers, unsigned cpus)
{
    (void)c;
    (void)workers;
    (void)cpus;
    return 0;
}

void heist__cpu_occupancy_destroy(heist__cpu_occupancy *c)
{
    (void)c;
}

/* For harnesses without schedule/worker.c: no thread has a worker, and so none tells of children left behind. */
__attribute__((weak)) heist__worker *heist__self(void)
{
    return NULL;
}
