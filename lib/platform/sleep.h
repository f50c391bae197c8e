/* A short sleep by the clock: for workers that stand by, and where the kernel refuses the calls that wake a thread. */
#ifndef HEIST_PLATFORM_SLEEP_H
#define HEIST_PLATFORM_SLEEP_H

#define HEIST__SLEEP_STEP_NS 1000000

/* Sleeps for about HEIST__SLEEP_STEP_NS; where every way of sleeping is refused, too, it yields the CPU. Keeps
 * errno. */
void heist__sleep_step(void);
/* The same for `steps` steps, which must be less than a second together. */
void heist__sleep_steps(unsigned steps);

#endif
