/* A library that is preloaded behind heist's, for spread_threads.sh. It says on which CPU a thread is, by the variable
 * PRETEND (same: all are on CPU 0; own: each is on a CPU of its own), and counts how often a thread leaves CPU 0, or is
 * sent away from there by another. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static __thread int left, away;
static int sent, sent_and_away;

int pretend_left(void);
int pretend_sent(void);

/* The calling thread by itself; negative: it may not go back. */
int pretend_left(void)
{
    return away ? -1 : left;
}

/* Any thread by another. */
int pretend_sent(void)
{
    return __atomic_load_n(&sent_and_away, __ATOMIC_RELAXED) ? -1 : __atomic_load_n(&sent, __ATOMIC_RELAXED);
}

int sched_getcpu(void)
{
    static int next;
    static __thread int own = -1;
    const char *pretend = getenv("PRETEND");
    if (pretend && strcmp(pretend, "same") == 0) return 0;
    if (own < 0) own = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
    return own;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
    void *real = dlsym(RTLD_NEXT, "pthread_setaffinity_np");
    int leaves = !CPU_ISSET(0, set);
    if (pthread_equal(thread, pthread_self())) {
        left += leaves;
        away = leaves;
    } else {
        __atomic_fetch_add(&sent, leaves, __ATOMIC_RELAXED);
        __atomic_store_n(&sent_and_away, leaves, __ATOMIC_RELAXED);
    }
    return ((int (*)(pthread_t, size_t, const cpu_set_t *))(uintptr_t)real)(thread, size, set);
}
