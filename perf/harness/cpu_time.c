/* CPU time; see cpu_time.h. The clock of the whole process would do, were it not that Linux lets it stand still for other
 * threads than the one that asks, until the next tick of their CPU: for runs of a millisecond it tells nothing. The clock
 * of each thread is exact. */
#include "harness/cpu_time.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

/* More than this are not told of. */
#define MOST_THREADS 8192

static struct {
    pid_t thread;
    uint64_t ns;
} seen[MOST_THREADS];
static size_t count;

/* 0: it is gone. */
static uint64_t clock_of(pid_t thread)
{
    struct timespec t;
    /* How the kernel numbers the scheduler's clock of a thread; pthread_getcpuclockid() wants a handle, which a runtime
     * keeps to itself. */
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
            count = 0; /* what is not whole is not told */
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

uint64_t perf_cpu_time_end(void)
{
    uint64_t sum = 0;
    size_t known = count;
    for (size_t i = 0; i < known; i++) { /* at once, while it lasts */
        uint64_t now = clock_of(seen[i].thread);
        if (now > seen[i].ns) sum += now - seen[i].ns;
    }
    if (known == 0) return 0;
    add_threads(known);
    for (size_t i = known; i < count; i++) sum += clock_of(seen[i].thread);
    return count ? sum : 0;
}
