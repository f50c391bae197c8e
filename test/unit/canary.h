/* canary.h: tells a machine that has no CPU for a program from a program that hangs, or is slow. A thread sleeps for
 * some milliseconds at a time and notes how much later it was woken. On a busy machine that is a few milliseconds;
 * beside threads of real-time priority on every CPU it is most of a second. A test about time or progress that fails
 * meanwhile has shown nothing: it says "no CPU" and is repeated. */
#ifndef CANARY_H
#define CANARY_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

enum { CANARY_SLEEP_MS = 5, CANARY_LATE_MS = 20 };

/* Written by: the canary. When it should be awake, and by how much it was late, in microseconds. 0: there is none. */
static _Atomic long canary_due_us, canary_late_us;

static inline long canary_clock_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* By how much it is late; a little does not count. */
static inline long canary_lateness_us(long due)
{
    long late = canary_clock_us() - due;
    return due && late > CANARY_LATE_MS * 1000L ? late : 0;
}

static inline void *canary_live(void *unused)
{
    for (;;) {
        struct timespec nap = {0, CANARY_SLEEP_MS * 1000000L};
        atomic_store(&canary_due_us, canary_clock_us() + CANARY_SLEEP_MS * 1000L);
        nanosleep(&nap, NULL);
        atomic_fetch_add(&canary_late_us, canary_lateness_us(atomic_load(&canary_due_us)));
    }
    return unused;
}

/* Called before anything is asked; the second call does nothing. Without a thread nothing is ever late. The program's
 * signals are not for this thread. */
static inline void canary_begin(void)
{
    static bool begun;
    pthread_t thread;
    sigset_t all, before;
    if (begun) return;
    begun = true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, canary_live, NULL) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

typedef struct {
    long us, late_us;
} canary_mark;

/* Now, for canary_starved_since. It may be late at this very moment. */
static inline canary_mark canary_now(void)
{
    long late = atomic_load(&canary_late_us);
    return (canary_mark){canary_clock_us(), late + canary_lateness_us(atomic_load(&canary_due_us))};
}

/* Whether there was no CPU for a tenth of the time since then, or more. */
static inline bool canary_starved_since(canary_mark then)
{
    canary_mark now = canary_now();
    return now.late_us - then.late_us > (now.us - then.us) / 10;
}

#endif
