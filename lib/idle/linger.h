/* idle/linger.h: how a thread that is no worker waits for the pool: whether it spins before it sleeps.
 *
 * Who sleeps alone on a CPU leaves it halted, and to wake it again costs tens of microseconds, more than a short run has to lose.
 * Who spins saves that, and costs a CPU. So it spins only where the pool leaves a CPU to it, for two milliseconds at most, if the last
 * waits of this thread were shorter than that; and it yields as it goes. If anybody else ran meanwhile, it gives up, and does not
 * try again before it has seen twice as many short waits as the last time. IDLE.md has the figures. */
#ifndef HEIST_IDLE_LINGER_H
#define HEIST_IDLE_LINGER_H

#include <stdbool.h>
#include <stdint.h>

#include <heist/atomic.h>

#define HEIST__LINGER_NS 2000000
/* A round of spinning takes a tenth of it: somebody else has had the CPU. */
#define HEIST__LINGER_DISTURBED_NS 100000
/* Should the clock stand still. */
#define HEIST__LINGER_ROUNDS 10000

/* What a thread has learned, and the wait it is in. Belongs to one thread. Nothing here looks at a clock. */
typedef struct heist__linger {
    uint32_t brief;  /* waits that were short, one after the other */
    uint32_t doubt;  /* how many more must have been short before it spins */
    uint32_t rounds; /* of this wait; 0: it has not spun */
    bool vain;       /* it has spun, and gave up */
    int64_t began, seen;
} heist__linger;

/* A wait begins. Returns whether to spin. */
bool heist__linger_begin(heist__linger *l, int64_t now);
/* It has spun a round, whether in vain or not. Returns whether another is worth it. */
bool heist__linger_on(heist__linger *l, int64_t now);
/* The wait is over. */
void heist__linger_end(heist__linger *l, int64_t now);

/* The calling thread waits for `word` to be other than `expected`; `spare` CPUs are left by the workers. Returns when it is, or when
 * it is time to sleep: the rounds that it has spun. When the wait is over it says so. */
uint32_t heist__linger_wait(HEIST__ATOMIC(uint32_t) * word, uint32_t expected, unsigned spare);
void heist__linger_over(void);

/* In the child of a fork: the others that spun are not here. */
void heist__linger_forget(void);

#endif
