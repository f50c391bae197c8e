/* What lies under the modelled code, in place of lib/platform and lib/idle/backoff.c: futex and membarrier become steps
 * of the model. Waiting is cut short: a thread that backs off gives way, then parks if the scenario says so. */
#include "idle/backoff.h"
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
