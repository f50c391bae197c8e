/* Functions that are no tasks, but are called by tasks, and want tasks themselves.
 * Prints: 6765 17711 55 */
#include <heist/heist.h>
#include <stdio.h>

HEIST_TASK(long, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    long right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

/* Inside a task, HEIST_RUN(NULL, ...) is a plain call on the worker that runs the task. Outside, it runs on the default
 * pool. */
static long of_pair(const int pair[2])
{
    return HEIST_RUN(NULL, fib, pair[0] + pair[1]);
}

/* A helper that spawns is best a task itself. Its caller uses HEIST_CALL. */
HEIST_TASK(long, sum_of_both, const int *, pair)
{
    HEIST_SPAWN(first, fib, pair[0]);
    long second = HEIST_CALL(fib, pair[1]);
    return HEIST_SYNC(first) + second;
}

/* A function whose type is given, here a loop's body, finds the worker itself. */
static int add_fibs(heist_range part, void *sums)
{
    HEIST_WITH_WORKER; /* from here to the end of the block it may spawn, join and call */
    for (int64_t i = part.begin; i < part.end; i++) {
        HEIST_SPAWN(smaller, fib, (int)i);
        long larger = HEIST_CALL(fib, (int)i + 1);
        ((long *)sums)[i] = larger - HEIST_SYNC(smaller);
    }
    return 0;
}

HEIST_VOID_TASK(both, const int *, pair, long *, results)
{
    results[0] = of_pair(pair);
    results[1] = HEIST_CALL(sum_of_both, pair);
}

int main(void)
{
    static const int tens[2] = {10, 10}, twenties[2] = {20, 21};
    long results[2];
    HEIST_RUN(NULL, both, tens, results);
    long first = results[0];
    HEIST_RUN(NULL, both, twenties, results);
    long sums[10] = {0}, all = 0;
    heist_for(NULL, heist_upto(10), add_fibs, sums, NULL);
    for (int i = 0; i < 10; i++) all += sums[i];
    printf("%ld %ld %ld\n", first, results[1], all);
    return 0;
}
