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

#include "test_scale.h"
#include "unity.h"
#include "watchdog.h"

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

#define MOST_YIELDING_US 2000000

/* Time that the threads of this case have spent in give_way. Written by: those threads, and watchdog. */
static _Atomic long yielded_us;

/* Yields, so that a thief may come. Beside programs that compute, each yield costs a time slice of theirs, and a
 * hundred thousand of them a quarter of an hour: after two seconds of that a case goes on without. */
static inline void give_way(void)
{
    if (atomic_load_explicit(&yielded_us, memory_order_relaxed) > MOST_YIELDING_US) return; /* relaxed: a limit */
    long began = canary_clock_us(CLOCK_MONOTONIC);
    sched_yield();
    atomic_fetch_add_explicit(&yielded_us, canary_clock_us(CLOCK_MONOTONIC) - began, memory_order_relaxed);
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

/* Begins a case, as watchdog.h has it. Under a sanitizer only a program that does not fork has a canary, and calls
 * canary_begin itself: ThreadSanitizer wants no threads in the child of a process that has threads, and
 * AddressSanitizer's look for leaks misses them there. */
static inline void watchdog(unsigned seconds)
{
    if (!SANITIZED) canary_begin();
    atomic_store(&yielded_us, 0);
    watchdog_set(seconds, watchdog_bites);
}

#define PATIENCE_S 50u

/* ---- a test about time or progress, on a machine that may have no CPU for it ---- */

#define FAIR_CHANCES 3
#define MOST_CHANCES 30

/* Whether `attempt` succeeds, once in three times with CPU. An attempt with half of its CPU counts an eighth: the less
 * CPU there is, the less a failure says. If there is too little for long, the test ends here, ignored. The test has
 * called watchdog; the watchdog is set anew for each attempt. */
static inline bool succeeds_with_cpu(bool (*attempt)(void *), void *argument)
{
    double fair = 0;
    for (int chances = 0; chances < MOST_CHANCES; chances++) {
        canary_mark began = canary_now();
        watchdog_set(watchdog_seconds, watchdog_bites);
        if (attempt(argument)) return true;
        double share = canary_share_since(began);
        fair += share > 0.9 ? 1 : share * share * share;
        if (fair >= FAIR_CHANCES) return false;
        if (share <= 0.9) TEST_MESSAGE("no CPU: once more");
    }
    TEST_IGNORE_MESSAGE("no CPU");
    return false;
}

#endif
