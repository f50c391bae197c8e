/* canary.h: tells a machine that has no CPU for a program from a program that hangs, or is slow.
 *
 * The kernel counts for each thread how long it was ready to run and had no CPU (its run delay, the second number of
 * /proc/self/task/TID/schedstat). Threads that wait for each other's CPU are no lack, so the sum of run delays counts
 * only as far as CPU was left that this process did not get, and as other processes (or a hypervisor, or a quota) had
 * it. From that follows how much of the wall time was lost:
 *
 *     lack = min(run delay, CPUs * wall time - own CPU time, CPU time of others)
 *     lost = min(lack, wall time * lack / (own CPU time + lack))
 *
 * One thread that computes beside three others on its CPU has lost three quarters of the time. Threads that all sleep
 * have lost nothing. So a deadlock is not excused, and a test about progress can say how fair its chance was.
 *
 * The canary is a thread that adds up the run delays every few milliseconds, since those of a thread that has ended are
 * gone. Without it they are read when a question is asked. Where schedstat is not readable, the canary's own delay
 * counts: how much later it was woken than it should. That is worse, since a thread that sleeps gets CPU earlier than
 * one that computes.
 *
 * Everything here but canary_begin may be called by a signal handler. */
#ifndef CANARY_H
#define CANARY_H

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CANARY_SLEEP_MS = 5, CANARY_LATE_MS = 20, CANARY_THREADS = 4096 };

/* All in microseconds. */
typedef struct {
    long us;       /* the clock */
    long ran;      /* CPU time of this process */
    long delayed;  /* sum of the run delays of its threads */
    long taken;    /* CPU time of everybody, and what hypervisors and quotas kept back */
    long late;     /* by how much the canary was late; counts only if no run delay is known */
    long cpus;     /* that this process may use */
    bool measured; /* `delayed` and `taken` are known */
} canary_mark;

/* ---- clocks and numbers ---- */

static inline long canary_clock_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (long)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static inline long canary_cpus(void)
{
    cpu_set_t mask;
    return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : sysconf(_SC_NPROCESSORS_ONLN);
}

/* The beginning of a file, as a string; false: it is not readable. */
static inline bool canary_read(int directory, const char *path, char *text, size_t size)
{
    int file = openat(directory, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = read(file, text, size - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Passes over blanks and reads a number. */
static inline uint64_t canary_number(const char **text)
{
    uint64_t number = 0;
    while (**text == ' ' || **text == '\n') ++*text;
    for (; **text >= '0' && **text <= '9'; ++*text) number = number * 10 + (uint64_t)(**text - '0');
    return number;
}

/* ---- run delays ---- */

typedef struct {
    uint64_t thread; /* 0: none */
    uint64_t delayed_ns;
} canary_thread;

/* Written and read by: the thread that has shut canary_busy. */
static canary_thread canary_threads[CANARY_THREADS];
static atomic_flag canary_busy = ATOMIC_FLAG_INIT;
static uint64_t canary_delayed_ns;
static bool canary_fresh = true; /* no thread is known yet: the next look only notes where each stands */
/* Written by: as above. Read by: all. */
static _Atomic long canary_delayed_us;
static _Atomic bool canary_measures;

/* Adds what is new of one thread. A thread that was not there at the last look began after it, and so did one with less
 * run delay than its number had then. */
static inline void canary_add(uint64_t thread, uint64_t delayed_ns)
{
    for (unsigned i = 0; i < CANARY_THREADS; i++) {
        canary_thread *known = &canary_threads[(thread + i) % CANARY_THREADS];
        if (known->thread && known->thread != thread) continue;
        if (!canary_fresh) canary_delayed_ns += delayed_ns - (delayed_ns >= known->delayed_ns ? known->delayed_ns : 0);
        *known = (canary_thread){thread, delayed_ns};
        return;
    }
    memset(canary_threads, 0, sizeof canary_threads); /* full of threads that have ended: a new beginning */
    canary_fresh = true;
}

struct canary_entry { /* as getdents64 writes it */
    uint64_t number;
    int64_t offset;
    unsigned short size;
    unsigned char type;
    char name[];
};

/* Looks at all threads. One thread at a time: another one goes by the sums that are there. readdir is not for signal
 * handlers. */
static inline void canary_look(void)
{
    _Alignas(struct canary_entry) char entries[2048];
    if (atomic_flag_test_and_set_explicit(&canary_busy, memory_order_acquire)) return;
    int directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool measured = false, fresh = canary_fresh;
    for (long size; directory >= 0 && (size = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0;) {
        for (long at = 0; at < size;) {
            const struct canary_entry *entry = (const struct canary_entry *)(entries + at);
            const char *name = entry->name, *text;
            char path[32], numbers[96];
            at += entry->size;
            uint64_t thread = canary_number(&name);
            size_t length = (size_t)(name - entry->name);
            if (!thread || length > 20) continue;
            memcpy(path, entry->name, length);
            memcpy(path + length, "/schedstat", sizeof "/schedstat");
            if (!canary_read(directory, path, numbers, sizeof numbers)) continue; /* it has ended */
            text = numbers;
            canary_number(&text); /* the thread's CPU time */
            canary_add(thread, canary_number(&text));
            measured = true;
        }
    }
    if (directory >= 0) close(directory);
    atomic_store(&canary_delayed_us, (long)(canary_delayed_ns / 1000));
    if (measured) atomic_store(&canary_measures, true);
    if (fresh && measured) canary_fresh = false;
    atomic_flag_clear_explicit(&canary_busy, memory_order_release);
}

/* CPU time of all processes, of the hypervisor, and of quotas while they were used up. -1: not known. */
static inline long canary_taken_us(void)
{
    char text[512];
    long ticks = 0, held_back = 0;
    if (!canary_read(AT_FDCWD, "/proc/stat", text, sizeof text) || strncmp(text, "cpu ", 4) != 0) return -1;
    const char *at = text + 4;
    for (int field = 0; field < 8; field++) { /* user nice system idle iowait irq softirq steal */
        long number = (long)canary_number(&at);
        if (field != 3 && field != 4) ticks += number;
    }
    if (canary_read(AT_FDCWD, "/sys/fs/cgroup/cpu.stat", text, sizeof text) && (at = strstr(text, "throttled_usec "))) {
        at += strlen("throttled_usec ");
        held_back = (long)canary_number(&at);
    }
    return ticks * (1000000 / sysconf(_SC_CLK_TCK)) + held_back;
}

/* ---- the thread ---- */

/* Written by: the canary. When it should be awake, and by how much it was late. 0: there is none. */
static _Atomic long canary_due_us, canary_late_us;

/* By how much it is late; a little does not count. */
static inline long canary_lateness_us(long due)
{
    long late = canary_clock_us(CLOCK_MONOTONIC) - due;
    return due && late > CANARY_LATE_MS * 1000L ? late : 0;
}

/* Sleeps for longer where a look takes long: it is to cost a hundredth of the time. */
static inline void *canary_live(void *unused)
{
    for (long rest_us = 0;;) {
        long sleep_us = CANARY_SLEEP_MS * 1000L + rest_us;
        struct timespec nap = {sleep_us / 1000000, sleep_us % 1000000 * 1000};
        atomic_store(&canary_due_us, canary_clock_us(CLOCK_MONOTONIC) + sleep_us);
        nanosleep(&nap, NULL);
        atomic_fetch_add(&canary_late_us, canary_lateness_us(atomic_load(&canary_due_us)));
        long before = canary_clock_us(CLOCK_THREAD_CPUTIME_ID);
        canary_look();
        rest_us = 100 * (canary_clock_us(CLOCK_THREAD_CPUTIME_ID) - before);
        if (rest_us > 500000) rest_us = 500000;
    }
    return unused;
}

/* Called before anything is asked; the second call does nothing. The program's signals are not for this thread. */
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

/* Called in the child of a fork, which has no canary, and whose CPU time begins at 0. */
static inline void canary_forked(void)
{
    atomic_flag_clear(&canary_busy);
    atomic_store(&canary_due_us, 0);
    memset(canary_threads, 0, sizeof canary_threads);
    canary_fresh = true;
}

/* ---- questions ---- */

/* Now, for the functions below. */
static inline canary_mark canary_now(void)
{
    canary_look();
    canary_mark now = {
        .us = canary_clock_us(CLOCK_MONOTONIC),
        .ran = canary_clock_us(CLOCK_PROCESS_CPUTIME_ID),
        .delayed = atomic_load(&canary_delayed_us),
        .taken = canary_taken_us(),
        .late = atomic_load(&canary_late_us) + canary_lateness_us(atomic_load(&canary_due_us)),
        .cpus = canary_cpus(),
    };
    now.measured = atomic_load(&canary_measures) && now.taken >= 0;
    return now;
}

static inline long canary_least(long a, long b)
{
    return a < b ? a : b;
}

/* For how much of the time between two marks the process had no CPU, in microseconds. The kernel counts the time of
 * others in ticks: two for each CPU may be missing. */
static inline long canary_lost_between(canary_mark then, canary_mark now)
{
    long wall = now.us - then.us, ran = now.ran - then.ran;
    if (!then.measured || !now.measured) return now.late - then.late;
    long cpus = then.cpus > now.cpus ? then.cpus : now.cpus;
    long slack = 2 * cpus * (1000000 / sysconf(_SC_CLK_TCK));
    long lack = canary_least(now.delayed - then.delayed, cpus * wall - ran);
    lack = canary_least(lack, now.taken - then.taken - ran + slack);
    if (lack <= 0 || wall <= 0) return 0;
    return canary_least(lack, (long)((double)wall * (double)lack / (double)(ran + lack)));
}

static inline long canary_lost_us(canary_mark then)
{
    return canary_lost_between(then, canary_now());
}

/* The part of the time since then during which there was CPU: 1 on a quiet machine. */
static inline double canary_share_since(canary_mark then)
{
    long lost = canary_lost_us(then), wall = canary_clock_us(CLOCK_MONOTONIC) - then.us;
    return wall > lost ? 1.0 - (double)lost / (double)wall : 0.0;
}

/* Whether there was no CPU for a tenth of the time since then, or more. */
static inline bool canary_starved_since(canary_mark then)
{
    return canary_share_since(then) < 0.9;
}

#endif
