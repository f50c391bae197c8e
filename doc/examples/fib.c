#include <heist/heist.h>
#include <stdio.h>

HEIST_TASK(long, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);       /* may run on another worker from here on */
    long right = HEIST_CALL(fib, n - 2); /* a plain call */
    return HEIST_SYNC(left) + right;     /* not stolen: a plain call, too */
}

int main(void)
{
    heist_pool *pool = heist_pool_new(NULL); /* NULL: what the machine and the environment say */
    if (!pool) return 1;
    printf("%ld\n", HEIST_RUN(pool, fib, 40));
    return heist_pool_free(pool);
}
/* Prints: 102334155 */
