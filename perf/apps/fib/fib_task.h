/* fib in heist's tasks: included by heist.c and, compiled without counters, by uncounted.c. */
#ifndef HEIST_PERF_FIB_TASK_H
#define HEIST_PERF_FIB_TASK_H

#include <heist/heist.h>

HEIST_TASK(int, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    int right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

/* In uncounted.c. */
int fib_uncounted(heist_pool *pool, int n);

#endif
