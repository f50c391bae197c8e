/* watchdog.h: ends a test that hangs. It counts the time during which there was CPU for the process, not the time on
 * the wall: canary.h tells the two apart. */
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "canary.h"

/* A test that waits for a child, or has no CPU, has so many times its seconds, not more: a thread that spins and yields
 * beside busy programs never has CPU. */
enum { WATCHDOG_MOST_TIMES = 6 };

/* Written by: watchdog_set. Read by: the handler. */
static unsigned watchdog_seconds;
static canary_mark watchdog_began;
static bool watchdog_in_child; /* its end is a signal, which the parent reports */

static inline char *watchdog_word(char *at, const char *word)
{
    size_t length = strlen(word);
    memcpy(at, word, length);
    return at + length;
}

static inline char *watchdog_number(char *at, long number)
{
    char digits[24];
    int count = 0;
    do digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0) *at++ = digits[--count];
    return at;
}

/* Prints a line of Unity's form. snprintf is not for signal handlers. tools/lib/tally.py reads the figures. */
static inline void watchdog_says(const char *what, long lost_ms, long wall_ms)
{
    char line[200], *end = watchdog_word(line, ":watchdog:0:hang:");
    end = watchdog_word(end, what);
    end = watchdog_word(end, " (no CPU for ");
    end = watchdog_number(end, lost_ms);
    end = watchdog_word(end, " of ");
    end = watchdog_number(end, wall_ms);
    end = watchdog_word(end, " ms)\n");
    if (write(STDOUT_FILENO, line, (size_t)(end - line)) < 0) _exit(2);
}

/* True: a child of this process is alive. It has a watchdog of its own, which knows of its CPU. */
static inline bool watchdog_has_child(void)
{
    siginfo_t ended = {0};
    return waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
}

/* Called when the time is over. True: there is more. A test on a machine without CPU is given the time that it has
 * lost, and one that waits for a child is given its time again. `*lost_ms` and `*wall_ms`: since watchdog_set. */
static inline bool watchdog_waits(long *lost_ms, long *wall_ms)
{
    *lost_ms = canary_lost_us(watchdog_began) / 1000;
    *wall_ms = (canary_clock_us(CLOCK_MONOTONIC) - watchdog_began.us) / 1000;
    long most_ms = (long)watchdog_seconds * 1000 * WATCHDOG_MOST_TIMES;
    long left_ms = (long)watchdog_seconds * 1000 - (*wall_ms - *lost_ms);
    if (left_ms <= 500 && watchdog_has_child()) left_ms = (long)watchdog_seconds * 1000;
    if (left_ms <= 500 || *wall_ms >= most_ms) return false;
    alarm((unsigned)(left_ms + 999) / 1000);
    return true;
}

static inline void watchdog_bites(int signal_number)
{
    int error = errno;
    long lost_ms, wall_ms;
    if (watchdog_waits(&lost_ms, &wall_ms)) {
        if (!watchdog_in_child) watchdog_says("INFO: a test gets more time", lost_ms, wall_ms);
        errno = error;
        return;
    }
    if (watchdog_in_child) {
        signal(SIGALRM, SIG_DFL);
        raise(signal_number); /* blocked until this function returns */
        errno = error;
        return;
    }
    watchdog_says("FAIL: a test has not ended in time", lost_ms, wall_ms);
    abort(); /* a core, if anybody wants to look at the threads */
}

/* `bites` is called after so many seconds during which there was CPU, or earlier: it asks watchdog_waits. */
static inline void watchdog_set(unsigned seconds, void (*bites)(int))
{
    watchdog_seconds = seconds;
    watchdog_began = canary_now();
    signal(SIGALRM, bites);
    alarm(seconds);
}

/* For the child of a fork: after so many seconds during which it had CPU, SIGALRM ends it. */
static inline void watchdog_of_child(unsigned seconds)
{
    canary_forked();
    watchdog_in_child = true;
    watchdog_set(seconds, watchdog_bites);
}

#endif
