/* fib without counting the joins that meet no thief; see HEIST_COUNT_JOINS in heist/task.h. */
#define HEIST_COUNT_JOINS 0
#include "apps/fib/fib_task.h"

int fib_uncounted(heist_pool *pool, int n)
{
    return HEIST_RUN(pool, fib, n);
}
