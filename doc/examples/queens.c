/* As many children as there happen to be: all ways to place n queens.
 * Prints: 14200 */
#include <heist/heist.h>
#include <stdio.h>

/* One bit for each column: those taken, and those that the queens above reach to the left and to the right. */
HEIST_TASK(long, place, int, n, unsigned, taken, unsigned, left, unsigned, right)
{
    const unsigned all = (1u << n) - 1;
    if (taken == all) return 1;
    HEIST_CHILDREN(children, place, n);
    int count = 0;
    for (unsigned free = all & ~(taken | left | right); free; free &= free - 1) {
        unsigned bit = free & (0 - free);
        HEIST_SPAWN_AT(&children[count++], place, n, taken | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    long ways = 0;
    while (count > 0) ways += HEIST_SYNC_AT(&children[--count], place); /* youngest first is cheapest */
    return ways;
}

int main(void)
{
    printf("%ld\n", HEIST_RUN(NULL, place, 12, 0, 0, 0));
    return 0;
}
