/* The watch: reports a pool that does nothing though tasks wait, because every worker is blocked in a task.
 *
 * A thread sleeps for the time that was asked for, looks, and sleeps again; workers know nothing of it. It takes a
 * worker for blocked that is in a task, has not computed for a hundredth of that time, has neither begun nor joined a
 * task, and does not want a CPU now. A worker that waits for a child or a scope counts, too: the awaited task is
 * blocked, or the wait would end. When at two looks running all workers are blocked and tasks wait, the watch reports
 * that, once until something moves. A task that computes is seen by its CPU time, one that waits for a CPU by its
 * state. A pool in which no task waits is not reported, however long its tasks block. */
#include "schedule/watch.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/cpu.h"
#include "platform/futex.h"
#include "platform/sleep.h"
#include "platform/thread_state.h"
#include "schedule/pool.h"
#include "schedule/worker.h"

/* Enough for a sentence and some names, sanitizers included. */
#define STACK ((size_t)256 << 10)

/* Shorter than the longest wait of a futex. */
#define LONGEST_NAP_NS 30000000000

/* The most different tasks that are named. */
#define NAMED 8

/* A worker's state at one look. A seat that was lent meanwhile has the clock of another thread. */
typedef struct {
    int32_t clock;
    int64_t cpu_ns;
    uint64_t progress;
} look;

/* ---- looking ---- */

static look look_at(heist__worker *w)
{
    const heist__counters *c = &w->counters;
    int32_t clock = heist__load_relaxed(&w->clock); /* relaxed throughout: counters, and a hint */
    return (look){clock, heist__thread_cpu_ns(clock),
                  heist__load_relaxed(&c->detached) + heist__load_relaxed(&c->stolen_run) +
                      heist__load_relaxed(&w->tasks.face.joins_inline)};
}

static bool blocked(heist__worker *w, const look *before, const look *now, int64_t period_ns)
{
    return heist__load_relaxed(&w->depth) > 0 && /* relaxed throughout: a diagnosis */
           now->clock == before->clock && now->cpu_ns > 0 && now->cpu_ns - before->cpu_ns < period_ns / 100 &&
           now->progress == before->progress && !heist__thread_wants_cpu(heist__load_relaxed(&w->thread_number));
}

static size_t tasks_that_wait(const heist_pool *pool)
{
    size_t count = 0;
    for (unsigned i = 0; i < pool->inbox_count; i++) count += heist__inbox_size(&pool->inboxes[i]);
    for (unsigned i = 0; i < pool->count; i++)
        count += heist__task_deque_size(&pool->workers[i]->tasks) + heist_deque_size(pool->workers[i]->jobs);
    return count;
}

/* Looks at every worker. Returns whether all have been blocked since the last look. */
static bool all_blocked(heist_pool *pool, look *looks, int64_t period_ns)
{
    bool all = true;
    for (unsigned i = 0; i < pool->running; i++) {
        look now = look_at(pool->workers[i]);
        all = blocked(pool->workers[i], &looks[i], &now, period_ns) && all;
        looks[i] = now;
    }
    return all;
}

/* ---- telling ---- */

/* The code of the youngest task on the stack of `w`. The worker is blocked there, or was a moment ago. */
static uintptr_t code_of(heist__worker *w)
{
    uint32_t depth = heist__load_acquire(&w->depth);                      /* L1 */
    return depth ? heist__load_relaxed(&w->nestings[depth - 1].code) : 0; /* relaxed: a hint */
}

/* The name of a function, or its place in a file for addr2line. Static functions have no name at run time. */
static void name_code(uintptr_t code, char *name, size_t size)
{
    static const char typed[] = "heist__gen_exec_"; /* the prefix that task.h gives typed tasks */
    Dl_info info;
    if (!dladdr((void *)code, &info) || !info.dli_fname) {
        snprintf(name, size, "0x%" PRIxPTR, code);
    } else if (info.dli_sname && info.dli_saddr == (void *)code) {
        bool is_typed = strncmp(info.dli_sname, typed, sizeof typed - 1) == 0;
        snprintf(name, size, "%s", info.dli_sname + (is_typed ? sizeof typed - 1 : 0));
    } else {
        const char *slash = strrchr(info.dli_fname, '/');
        snprintf(name, size, "%s+0x%" PRIxPTR, slash ? slash + 1 : info.dli_fname, code - (uintptr_t)info.dli_fbase);
    }
}

/* "parse (3), main+0x1234 (1)": the tasks, each with the number of workers in it. */
static void name_tasks(heist_pool *pool, char *text, size_t size)
{
    uintptr_t codes[NAMED];
    unsigned workers[NAMED], kinds = 0, others = 0;
    for (unsigned i = 0; i < pool->running; i++) {
        uintptr_t code = code_of(pool->workers[i]);
        unsigned k = 0;
        while (k < kinds && codes[k] != code) k++;
        if (k == NAMED) {
            others++;
            continue;
        }
        if (k == kinds) {
            codes[kinds] = code;
            workers[kinds++] = 0;
        }
        workers[k]++;
    }
    size_t used = 0;
    for (unsigned k = 0; k < kinds && used < size; k++) {
        char name[64];
        name_code(codes[k], name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, "%s%s (%u)", k ? ", " : "", name, workers[k]);
    }
    if (others && used < size) snprintf(text + used, size - used, ", others (%u)", others);
}

static void tell(heist_pool *pool, size_t waiting)
{
    char names[512], sentence[768];
    name_tasks(pool, names, sizeof names);
    snprintf(
        sentence, sizeof sentence,
        "all %u workers of pool %s are blocked in tasks, and have been for %" PRIu64 " s, while %zu task%s; in: %s",
        pool->running, pool->settings.name, pool->settings.watch, waiting, waiting == 1 ? " waits" : "s wait", names);
    fprintf(stderr, "heist: %s\n", sentence);
    heist__note_late(pool, sentence);
}

/* ---- the thread ---- */

/* False: the watch must end. */
static bool sleep_for(heist_pool *pool, int64_t ns)
{
    /* relaxed: nothing is read on the strength of it */
    while (ns > 0 && heist__load_relaxed(&pool->watch.stop) == 0) {
        int64_t nap = ns < LONGEST_NAP_NS ? ns : LONGEST_NAP_NS;
        /* A wait that fails was cut short, or refused. */
        ns -= heist__futex_wait(&pool->watch.stop, 0, nap) ? nap : HEIST__SLEEP_STEP_NS;
    }
    return heist__load_relaxed(&pool->watch.stop) == 0;
}

static void *watch(void *watched)
{
    heist_pool *pool = watched;
    look *looks = pool->watch.looks;
    const int64_t period_ns = (int64_t)pool->settings.watch * 1000000000;
    size_t waited = tasks_that_wait(pool);
    bool told = false;
    pthread_setname_np(pthread_self(), "heist/watch");
    memset(looks, 0, pool->count * sizeof *looks);
    all_blocked(pool, looks, period_ns);
    while (sleep_for(pool, period_ns)) {
        size_t waiting = tasks_that_wait(pool);
        bool blocked_now = all_blocked(pool, looks, period_ns) && waiting > 0 && waited > 0;
        if (blocked_now && !told) tell(pool, waiting);
        told = blocked_now;
        waited = waiting;
    }
    return NULL;
}

/* All signals are blocked: the program's signals are not for this thread. */
static int start_thread(heist_pool *pool)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int error = pthread_attr_init(&attributes);
    if (error) return error;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_attr_setstacksize(&attributes, STACK);
    if (!error) error = pthread_create(&pool->watch.thread, &attributes, watch, pool);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

void heist__watch_start(heist_pool *pool)
{
    if (!pool->settings.watch) return;
    heist__store_relaxed(&pool->watch.stop, 0); /* relaxed: pthread_create publishes it */
    if (!pool->watch.looks) pool->watch.looks = malloc(pool->count * sizeof(look));
    int error = pool->watch.looks ? start_thread(pool) : ENOMEM;
    pool->watch.running = !error;
    if (error) heist__note(pool, "the pool is not watched: %s", strerror(error));
}

void heist__watch_stop(heist_pool *pool)
{
    if (pool->watch.running) {
        heist__store_seq_cst(&pool->watch.stop, 1); /* before the wake: the watch sees it then */
        heist__futex_wake(&pool->watch.stop, 1);
        pthread_join(pool->watch.thread, NULL);
    }
    pool->watch.running = false;
    free(pool->watch.looks);
    pool->watch.looks = NULL;
}
