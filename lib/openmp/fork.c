/* fork() after a region. In the child libgomp still takes its pool's threads to be there, and would wait for them
 * for ever. A thread that has had no region has no pool: so regions of the forking thread are started from a new
 * thread, one for each region, which is given its control variables. The first thread of such a region is not the
 * caller: its threadprivate variables, and what else belongs to a thread, are new ones. */
#include <pthread.h>
#include <stdlib.h>

#include "openmp/real.h"
#include "openmp/team.h"

bool heist__omp_forked;

static __thread bool is_forker; /* this thread came over from the parent */

static void in_child(void)
{
    is_forker = true;
    heist__omp_forked = true;
    heist__omp_records_after_fork();
    heist__omp_teams_after_fork();
}

void heist__omp_fork_init(void)
{
    pthread_atfork(NULL, NULL, in_child); /* refused: a child does what it does with libgomp */
}

/* Inside a region of its own the thread is where it was forked from, and has to cope. */
bool heist__omp_stale_pool_slow(void)
{
    return is_forker && HEIST__REAL(omp_get_level)() == 0;
}

typedef struct errand {
    void (*run)(void *);
    void *argument;
    heist__omp_icv_values icvs;
} errand;

static void *run_errand(void *argument)
{
    const errand *e = argument;
    heist__omp_icvs_write(&e->icvs);
    e->run(e->argument);
    return NULL;
}

void heist__omp_elsewhere(void (*run)(void *), void *argument)
{
    errand e = {.run = run, .argument = argument};
    pthread_t thread;
    heist__omp_icvs_read(&e.icvs);
    if (pthread_create(&thread, NULL, run_errand, &e) != 0)
        heist__omp_fatal("no thread for a region in a child of fork()");
    pthread_join(thread, NULL);
}
