/* CPU use of other programs; see others.h. The kernel counts the time of each CPU in ticks of a hundredth of a second,
 * over all programs. This total minus our own time is the time of others. */
#include "harness/others.h"

#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Below this the ticks are too coarse. */
#define SHORTEST_SECONDS 0.1

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

static double own(void)
{
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    return seconds_of(&self.ru_utime) + seconds_of(&self.ru_stime) + seconds_of(&children.ru_utime) +
           seconds_of(&children.ru_stime);
}

/* Seconds in which our CPUs were busy, for us or for others; 0: not known. */
static double busy(void)
{
    char line[512];
    unsigned long long ticks = 0, user, nice, system, idle, waiting, interrupts, soft, stolen;
    unsigned cpu;
    cpu_set_t ours;
    FILE *file = fopen("/proc/stat", "re");
    if (!file) return 0;
    int known = sched_getaffinity(0, sizeof ours, &ours) == 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &user, &nice, &system, &idle, &waiting,
                   &interrupts, &soft, &stolen) != 9)
            continue;
        if (!known || (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &ours)))
            ticks += user + nice + system + interrupts + soft + stolen;
    }
    fclose(file);
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

struct perf_since perf_since_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (struct perf_since){(double)t.tv_sec + 1e-9 * (double)t.tv_nsec, busy(), own()};
}

void perf_since_long_enough(const struct perf_since *since)
{
    double left = SHORTEST_SECONDS - (perf_since_now().wall - since->wall);
    if (left > 0) nanosleep(&(struct timespec){0, (long)(left * 1e9)}, NULL);
}

double perf_others(const struct perf_since *begin, const struct perf_since *before)
{
    struct perf_since now = perf_since_now();
    if (now.wall - begin->wall < SHORTEST_SECONDS) begin = before;
    double wall = now.wall - begin->wall, all = now.busy - begin->busy, mine = now.own - begin->own;
    if (wall < SHORTEST_SECONDS || begin->busy <= 0) return -1;
    /* If the kernel's count misses our own work, it is not usable for others, either. */
    if (mine > SHORTEST_SECONDS && all < 0.5 * mine) return -1;
    return all > mine ? (all - mine) / wall : 0;
}
