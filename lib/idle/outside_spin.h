/* idle/outside_spin.h: whether a thread that is no worker spins before it sleeps, when it waits for the pool.
 *
 * A thread that sleeps alone on a CPU leaves it halted. To wake that CPU again costs tens of microseconds, which is
 * long compared with a short run. A thread that spins saves that time, and costs a CPU. So it spins only where the pool
 * leaves a CPU to it, for two milliseconds at most, if its last waits were shorter than that; and it yields from time
 * to time. If another thread ran on the CPU meanwhile, it gives up, and does not spin again before it has seen twice as
 * many short waits as the last time. IDLE.md has the figures. */
#ifndef HEIST_IDLE_OUTSIDE_SPIN_H
#define HEIST_IDLE_OUTSIDE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/detail/atomic.h>

/* The longest spin. */
#define HEIST__OUTSIDE_SPIN_NS 2000000
/* A round that takes longer was disturbed: another thread has had the CPU. An undisturbed round takes a tenth of
 * this. */
#define HEIST__OUTSIDE_SPIN_DISTURBED_NS 100000
/* The most rounds: a limit in case the clock stands still. */
#define HEIST__OUTSIDE_SPIN_ROUNDS 10000

/* The experience of a thread, and its present wait. Belongs to one thread. These functions read no clock. */
typedef struct heist__outside_spin {
    uint32_t brief;  /* short waits, one after the other */
    uint32_t doubt;  /* how many more short waits it takes before the thread spins */
    uint32_t rounds; /* rounds of this wait; 0: the thread has not spun */
    bool vain;       /* the thread has spun in this wait, and gave up */
    int64_t began, seen;
} heist__outside_spin;

/* Begins a wait. Returns whether to spin. */
bool heist__outside_spin_begin(heist__outside_spin *l, int64_t now);
/* After a round of spinning, whether the wait is over or not. Returns whether another round is worth it. */
bool heist__outside_spin_on(heist__outside_spin *l, int64_t now);
/* Ends a wait. */
void heist__outside_spin_end(heist__outside_spin *l, int64_t now);

/* The calling thread spins until `word` differs from `expected`, or until it is time to sleep. `spare`: CPUs that the
 * workers leave free. Returns the number of rounds that it has spun. When the wait is over, the caller calls
 * heist__outside_spin_over. */
uint32_t heist__outside_spin_wait(HEIST__ATOMIC(uint32_t) * word, uint32_t expected, unsigned spare);
void heist__outside_spin_over(void);

/* In the child of a fork: forgets other threads that spun, which do not exist there. */
void heist__outside_spin_forget(void);

#endif
