/* What lies under the modelled code, in place of lib/platform, lib/idle/backoff.c, linger.c and crowd.c: futex and membarrier become
 * steps of the model. Waiting is cut short: a thread that backs off gives way, then parks if the scenario says so. What workers
 * guess about CPUs is right or wrong as it comes, if the scenario says `crowd`: nothing may hang on it. */
#include "idle/backoff.h"
#include "idle/crowd.h"
#include "idle/linger.h"
#include "platform/barrier.h"
#include "platform/futex.h"
#include "platform/nap.h"

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

void heist__nap(void)
{
}

bool heist__futex_available(void)
{
    return true;
}

bool heist__futex_wait(HEIST__ATOMIC(uint32_t) * word, uint32_t expected, int64_t timeout_ns)
{
    (void)timeout_ns;
    model_futex_wait(word, expected);
    return false;
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
uint32_t heist__linger_wait(HEIST__ATOMIC(uint32_t) * word, uint32_t expected, unsigned spare)
{
    (void)word;
    (void)expected;
    (void)spare;
    return 0;
}

void heist__linger_over(void)
{
}

/* A guess. */
static bool maybe(void)
{
    return model_number("crowd", 0) && model_choose(2);
}

void heist__crowd_clear(heist__crowd *c)
{
    (void)c;
}

void heist__crowd_awake(heist__crowd *c, uint32_t seat, int more)
{
    (void)c;
    (void)seat;
    (void)more;
}

void heist__crowd_searching(heist__crowd *c, uint32_t seat, int more)
{
    (void)c;
    (void)seat;
    (void)more;
}

uint32_t heist__crowd_here(const heist__crowd *c, uint32_t otherwise)
{
    (void)c;
    return otherwise;
}

uint32_t heist__crowd_stuck(const heist__crowd *c)
{
    (void)c;
    return maybe() ? UINT32_MAX : 0;
}

bool heist__crowd_shares(const heist__crowd *c, uint32_t seat)
{
    (void)c;
    (void)seat;
    return maybe();
}

bool heist__crowd_move(const heist__crowd *c)
{
    (void)c;
    return maybe();
}

bool heist__crowd_vacant(const heist__crowd *c, uint32_t seat)
{
    (void)c;
    (void)seat;
    return true;
}

bool heist__crowd_full(const heist__crowd *c)
{
    (void)c;
    return maybe();
}

void heist__crowd_enter(heist__crowd *c)
{
    (void)c;
}

void heist__crowd_watch(heist__crowd *c, unsigned naps)
{
    (void)naps;
    (void)c;
}

void heist__crowd_forget(heist__crowd *c)
{
    (void)c;
}

int heist__crowd_init(heist__crowd *c, unsigned workers, unsigned cpus)
{
    (void)c;
    (void)workers;
    (void)cpus;
    return 0;
}

void heist__crowd_destroy(heist__crowd *c)
{
    (void)c;
}
