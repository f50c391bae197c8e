/* Data of which each worker has its own copy: a histogram.
 * Prints: 100000 in 10 classes */
#include <heist/heist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSES 10
#define COUNT 100000

/* A cache line or more for each worker, so that no two workers write to the same line. */
struct histogram {
    _Alignas(64) long count[CLASSES];
};

HEIST_LOOP(classify, i, const int *, values, struct histogram *, of_worker)
{
    of_worker[heist_worker_number()].count[values[i] % CLASSES]++; /* the number is the same until the iteration ends */
}

int main(void)
{
    heist_pool *pool = heist_pool_new(NULL);
    if (!pool) return 1;
    static int values[COUNT];
    for (int i = 0; i < COUNT; i++) values[i] = i * 31;

    unsigned workers = heist_pool_workers(pool);
    struct histogram *of_worker = aligned_alloc(64, workers * sizeof *of_worker);
    if (!of_worker) return 1;
    memset(of_worker, 0, workers * sizeof *of_worker);
    HEIST_FOR(pool, classify, heist_upto(COUNT), values, of_worker);

    long all = 0;
    for (unsigned w = 0; w < workers; w++) {
        for (int c = 0; c < CLASSES; c++) all += of_worker[w].count[c];
    }
    printf("%ld in %d classes\n", all, CLASSES);
    free(of_worker);
    return heist_pool_free(pool);
}
