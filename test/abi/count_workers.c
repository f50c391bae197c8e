/* Prints the number of workers of a pool that was made without options, or with --user the user as which the program
 * runs. */
#include <stdio.h>
#include <unistd.h>

#include <heist/heist.h>

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return printf("%u\n", (unsigned)geteuid()) < 0;
    heist_pool *pool = heist_pool_new(NULL);
    if (!pool) return 1;
    printf("%u\n", heist_pool_workers(pool));
    return heist_pool_free(pool) != 0;
}
