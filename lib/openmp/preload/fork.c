/* Children of fork(): see fork.h. */
#include "openmp/preload/fork.h"

#include <pthread.h>

#include "openmp/core/control_variables.h"
#include "openmp/core/memory.h"
#include "openmp/core/own_lock.h"
#include "openmp/core/record.h"
#include "openmp/core/team.h"
#include "openmp/core/wait_policy.h"
#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

bool heist__omp_forked;
__thread bool heist__omp_has_pool __attribute__((tls_model("initial-exec")));

static __thread bool is_forker; /* this thread came over from the parent process, and its pool did not */

typedef struct errand {
    void (*run)(void *);
    void *argument;
    heist__omp_icv_values icvs;
} errand;

/* The thread that runs errands, and waits for more until the process ends. The forking thread does not end before
 * that: libgomp would wait there for its pool. All under `lock`, but `known`, which is the forking thread's. */
static struct runner {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    errand *errand; /* to be run, or being run */
    bool known;     /* the thread exists */
} runner;

static const struct runner no_runner = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void in_child(void)
{
    is_forker = heist__omp_has_pool;
    heist__omp_forked = true;
    runner = no_runner;
    heist__omp_records_after_fork();
    heist__omp_memory_after_fork();
    heist__omp_teams_after_fork();
    heist__omp_wait_policy_after_fork();
}

void heist__omp_fork_init(void)
{
    pthread_atfork(NULL, NULL, in_child); /* refused: a child behaves as with libgomp alone */
}

/* Inside a region the forking thread is where it was, and has to cope with that. */
bool heist__omp_stale_pool_slow(void)
{
    return is_forker && HEIST__RUNTIME(omp_get_level)() == 0;
}

static void *run_errands(void *unused)
{
    heist__own_lock(&runner.lock);
    for (;;) {
        while (!runner.errand) pthread_cond_wait(&runner.changed, &runner.lock);
        errand *e = runner.errand;
        heist__own_unlock(&runner.lock);
        heist__omp_icvs_write(&e->icvs);
        e->run(e->argument);
        heist__own_lock(&runner.lock);
        runner.errand = NULL;
        pthread_cond_broadcast(&runner.changed);
    }
    return unused; /* never */
}

static void make_runner(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_errands, NULL) != 0)
        heist__omp_fatal("no thread for the regions of a child of fork()");
    pthread_detach(thread);
    runner.known = true;
}

void heist__omp_run_in_fork_thread(void (*run)(void *), void *argument)
{
    errand e = {.run = run, .argument = argument};
    heist__omp_icvs_read(&e.icvs);
    if (!runner.known) make_runner();
    heist__own_lock(&runner.lock);
    runner.errand = &e;
    pthread_cond_broadcast(&runner.changed);
    while (runner.errand) pthread_cond_wait(&runner.changed, &runner.lock);
    heist__own_unlock(&runner.lock);
}
