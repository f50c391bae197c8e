/* Errors are negative errno, with a sentence; what a pool had to do without is in its notes.
 * Prints: refused, then ran 1 */
#include <errno.h>
#include <heist/heist.h>
#include <stdio.h>

static void count(void *argument)
{
    ++*(int *)argument;
}

int main(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    options.stack_size = 1; /* not possible */
    heist_pool *pool = heist_pool_new(&options);
    if (pool || errno != EINVAL) return 1;
    fprintf(stderr, "%s: %s\n", heist_strerror(-errno), heist_explain());

    options.stack_size = 0; /* zero always means what is sensible */
    pool = heist_pool_new(&options);
    if (!pool) return 1;
    fputs(heist_pool_notes(pool), stderr); /* "" if the pool has all that was asked for */

    int ran = 0;
    int error = heist_submit(pool, count, &ran, HEIST_WAIT); /* wait while the inbox is full */
    if (error) return 1;
    error = heist_pool_wait(pool); /* everything submitted has finished, and is visible */
    if (error) return 1;

    heist_pool_close(pool);
    error = heist_submit(pool, count, &ran, HEIST_DO_NOT_WAIT);
    if (error == -ESHUTDOWN) printf("refused, then ran %d\n", ran);
    return heist_pool_free(pool);
}
