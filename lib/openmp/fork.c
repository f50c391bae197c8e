/* fork() after a region. In the child libgomp still takes its pool's threads to be there, and would wait for them
 * for ever. A thread that has had no region has no pool: so regions of the forking thread, if it has had one, are started
 * from a new thread, the same for all of them, which is given its control variables each time. The first thread of such a
 * region is not the caller: its threadprivate variables, and what else belongs to a thread, are that thread's. */
#include <pthread.h>

#include "openmp/memory.h"
#include "openmp/real.h"
#include "openmp/team.h"

bool heist__omp_forked;
__thread bool heist__omp_has_pool __attribute__((tls_model("initial-exec")));

static __thread bool is_forker; /* this thread came over from the parent, and its pool did not */

typedef struct errand {
    void (*run)(void *);
    void *argument;
    heist__omp_icv_values icvs;
} errand;

/* Who runs them, and waits for more until the process ends: the forking thread does not end before, since libgomp would
 * wait there for its pool. All under `lock`, but `known`, which is the forking thread's. */
static struct runner {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    errand *errand; /* to be run, or being run */
    bool known;     /* there is one */
} runner;

static const struct runner nobody = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void in_child(void)
{
    is_forker = heist__omp_has_pool;
    heist__omp_forked = true;
    runner = nobody;
    heist__omp_records_after_fork();
    heist__omp_memory_after_fork();
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

static void *run_errands(void *unused)
{
    pthread_mutex_lock(&runner.lock);
    for (;;) {
        while (!runner.errand) pthread_cond_wait(&runner.changed, &runner.lock);
        errand *e = runner.errand;
        pthread_mutex_unlock(&runner.lock);
        heist__omp_icvs_write(&e->icvs);
        e->run(e->argument);
        pthread_mutex_lock(&runner.lock);
        runner.errand = NULL;
        pthread_cond_broadcast(&runner.changed);
    }
    return unused; /* never */
}

static void hire(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_errands, NULL) != 0)
        heist__omp_fatal("no thread for the regions of a child of fork()");
    pthread_detach(thread);
    runner.known = true;
}

void heist__omp_elsewhere(void (*run)(void *), void *argument)
{
    errand e = {.run = run, .argument = argument};
    heist__omp_icvs_read(&e.icvs);
    if (!runner.known) hire();
    pthread_mutex_lock(&runner.lock);
    runner.errand = &e;
    pthread_cond_broadcast(&runner.changed);
    while (runner.errand) pthread_cond_wait(&runner.changed, &runner.lock);
    pthread_mutex_unlock(&runner.lock);
}
