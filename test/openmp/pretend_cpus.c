/* A library that is preloaded behind heist's, for apart.sh: says on which CPU a thread is, as the variable PRETEND has it (same: all
 * are on CPU 0; own: each on one of its own), and counts how often a thread leaves CPU 0 and may go back. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread int left, may_go_back;

int pretend_left(void);
int pretend_left(void)
{
    return left == may_go_back ? left : -1;
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

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *set)
{
    if (CPU_ISSET(0, set))
        may_go_back++;
    else
        left++;
    return (int)syscall(SYS_sched_setaffinity, thread, size, set);
}
