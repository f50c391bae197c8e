/* A short sleep by the clock: of who stands by, and where nobody can be woken because the kernel refused what waking needs. */
#ifndef HEIST_PLATFORM_NAP_H
#define HEIST_PLATFORM_NAP_H

#define HEIST__NAP_NS 1000000

/* Sleeps for about HEIST__NAP_NS; where every way of sleeping is refused, too, it yields the CPU. Keeps errno. */
void heist__nap(void);
/* The same for so many naps, less than a second together. */
void heist__naps(unsigned naps);

#endif
