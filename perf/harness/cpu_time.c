/* CPU time; see cpu_time.h. The clock of the whole process is not usable: Linux updates it for other threads than the
 * caller only at the next tick of their CPU, so for runs of a millisecond it shows nothing. The clock of each thread is
 * exact. */
#include "harness/cpu_time.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* More threads than this are not counted. */
#define MOST_THREADS 8192

static struct {
    pid_t thread;
    uint64_t ns;
} seen[MOST_THREADS];
static size_t count;

/* 0: the thread has ended. */
static uint64_t clock_of(pid_t thread)
{
    struct timespec t;
    /* The kernel's number of a thread's scheduler clock. pthread_getcpuclockid() wants a handle, which a runtime does
     * not expose. */
    clockid_t clock = (clockid_t)(~(unsigned)thread << 3 | 6u);
    if (clock_gettime(clock, &t)) return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool is_seen(pid_t thread, size_t among)
{
    for (size_t i = 0; i < among; i++)
        if (seen[i].thread == thread) return true;
    return false;
}

/* Adds the threads that are not among the first `known`. */
static void add_threads(size_t known)
{
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        pid_t thread = (pid_t)atoi(entry->d_name);
        if (thread <= 0 || is_seen(thread, known)) continue;
        if (count == MOST_THREADS) {
            count = 0; /* an incomplete sum is not reported */
            break;
        }
        seen[count].thread = thread;
        seen[count++].ns = 0;
    }
    if (threads) closedir(threads);
}

void perf_cpu_time_look(void)
{
    count = 0;
    add_threads(0);
}

void perf_cpu_time_begin(void)
{
    for (size_t i = 0; i < count; i++) seen[i].ns = clock_of(seen[i].thread);
}

int64_t perf_cpu_time_others(void)
{
    int64_t sum = 0;
    if (count == 0) return -1;
    pid_t own = (pid_t)syscall(SYS_gettid);
    for (size_t i = 0; i < count; i++)
        if (seen[i].thread != own) sum += (int64_t)clock_of(seen[i].thread);
    return sum;
}

uint64_t perf_cpu_time_end(void)
{
    uint64_t sum = 0;
    size_t known = count;
    for (size_t i = 0; i < known; i++) { /* at once, while the thread exists */
        uint64_t now = clock_of(seen[i].thread);
        if (now > seen[i].ns) sum += now - seen[i].ns;
    }
    if (known == 0) return 0;
    add_threads(known);
    for (size_t i = known; i < count; i++) sum += clock_of(seen[i].thread);
    return count ? sum : 0;
}
