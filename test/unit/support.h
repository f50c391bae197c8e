/* support.h: shared by the scheduler's tests: pools in both fence modes, a clock, a watchdog, a little randomness. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <heist/heist.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "canary.h"
#include "test_scale.h"
#include "unity.h"

/* Whether this is built with ThreadSanitizer. */
#ifndef THREAD_SANITIZED
#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZED 1
#endif
#endif
#ifndef THREAD_SANITIZED
#define THREAD_SANITIZED 0
#endif
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* What heist_pool_notes says of a pool that lacks nothing else. */
#ifdef HEIST_HAVE_HWLOC
#define USUAL_NOTES ""
#else
#define USUAL_NOTES "built without hwloc: the machine is taken as flat"
#endif

static const heist_fences both_fence_modes[] = {HEIST_FENCES_THIEF, HEIST_FENCES_BOTH};

#define FOR_BOTH_FENCE_MODES(mode)                                                                                     \
    for (const heist_fences *mode = both_fence_modes; mode < both_fence_modes + 2; mode++)

static inline const char *fence_word(heist_fences mode)
{
    return mode == HEIST_FENCES_BOTH ? "a fence on both sides" : "the thief's barrier";
}

/* A pool of so many workers that must come into being. */
static inline heist_pool *pool_of(unsigned workers, heist_fences fences)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    options.fences = fences;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    return pool;
}

static inline void free_pool(heist_pool *pool)
{
    TEST_ASSERT_EQUAL_INT(0, heist_pool_free(pool));
}

static inline heist_stats stats_of(heist_pool *pool)
{
    heist_stats stats = {.size = sizeof stats};
    TEST_ASSERT_EQUAL_INT(0, heist_stats_read(pool, &stats));
    return stats;
}

static inline uint64_t steals_in(const heist_stats *stats)
{
    uint64_t got = stats->leapfrogs;
    for (int level = 0; level < HEIST_LEVELS; level++) got += stats->steal_got[level];
    return got;
}

/* ---- time ---- */

static inline double clock_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline double now_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

static inline void sleep_us(unsigned us)
{
    struct timespec nap = {us / 1000000, (long)(us % 1000000) * 1000};
    while (nanosleep(&nap, &nap) != 0) {
    }
}

static inline void compute_for_ms(double ms)
{
    for (double end = now_ms() + ms; now_ms() < end;) {
    }
}

/* ---- chance ---- */

/* The next number of a sequence; good enough to mix up a test. */
static inline uint32_t draw(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 16);
}

/* Another sequence in every run, and said which; HEIST_TEST_SEED repeats one. */
static inline uint64_t test_seed(void)
{
    const char *text = getenv("HEIST_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL);
    char what[48];
    snprintf(what, sizeof what, "HEIST_TEST_SEED=%llu", (unsigned long long)seed);
    TEST_MESSAGE(what);
    return seed;
}

/* ---- a test that hangs is a test that fails ---- */

static unsigned watchdog_seconds;
static canary_mark watchdog_began;

/* A test on a machine without CPU is given its time again. */
static inline void watchdog_bites(int signal)
{
    (void)signal;
    if (canary_starved_since(watchdog_began)) {
        static const char excuse[] = ":watchdog:0:hang:INFO: no CPU: a test gets more time\n";
        if (write(STDOUT_FILENO, excuse, sizeof excuse - 1) < 0) _exit(2);
        watchdog_began = canary_now();
        alarm(watchdog_seconds);
        return;
    }
    static const char cry[] = ":watchdog:0:hang:FAIL: a test has not ended in time\n";
    if (write(STDOUT_FILENO, cry, sizeof cry - 1) < 0) _exit(2);
    abort(); /* a core, if anybody wants to look at the threads */
}

/* Begins a case: it fails when it has not ended after so many seconds during which there was CPU for it. Under a
 * sanitizer only a program that does not fork has a canary, and calls canary_begin itself: ThreadSanitizer wants no
 * threads in the child of a process that has threads, and AddressSanitizer's look for leaks misses them there. */
static inline void watchdog(unsigned seconds)
{
    if (!SANITIZED) canary_begin();
    watchdog_seconds = seconds;
    watchdog_began = canary_now();
    signal(SIGALRM, watchdog_bites);
    alarm(seconds);
}

#define PATIENCE_S 50u

/* ---- a test about time or progress, on a machine that may have no CPU for it ---- */

#define FAIR_CHANCES 3
#define STARVED_CHANCES 20

/* Whether `attempt` succeeds, once in three times. Attempts without CPU do not count. If there is none for long, the
 * test ends here, ignored. The test has called watchdog, which is set anew for each attempt. */
static inline bool succeeds_with_cpu(bool (*attempt)(void *), void *argument)
{
    for (int fair = 0, starved = 0; fair < FAIR_CHANCES && starved < STARVED_CHANCES;) {
        canary_mark began = canary_now();
        watchdog(watchdog_seconds);
        if (attempt(argument)) return true;
        if (canary_starved_since(began)) {
            TEST_MESSAGE("no CPU: once more");
            if (++starved == STARVED_CHANCES) TEST_IGNORE_MESSAGE("no CPU");
        } else {
            fair++;
        }
    }
    return false;
}

/* A child has an alarm of its own, without a canary. Whether the alarm has ended it because there was no CPU since
 * `began`: then the caller repeats it. `*starved` counts; if there is no CPU for long, the test ends here, ignored. */
static inline bool child_lacked_cpu(bool alarmed, canary_mark began, int *starved)
{
    if (!alarmed || !canary_starved_since(began)) return false;
    TEST_MESSAGE("no CPU: once more");
    if (++*starved == FAIR_CHANCES) TEST_IGNORE_MESSAGE("no CPU");
    watchdog(watchdog_seconds);
    return true;
}

#endif
