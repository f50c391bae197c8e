/* A thread of real-time priority waits for one of ordinary priority that has only its CPU. To yield is not to wait,
 * then: sched_yield lets threads of the same priority run, and no others. Each case brings the two to the place
 * where the one waits for the other, and looks how much of that time the waiting thread has computed. It should
 * sleep. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "held_up.h"

/* So long the ordinary thread is held up: enough for the other to come to where it waits. */
#define HELD_MS 50

/* Of the time that it waits. A thread that spins computes all the time, until the system's limit for such threads
 * (95%) steps in. */
#define MOST_COMPUTED 0.5

static heist_pool *pool;
static heist_scope scope;
static cpu_set_t one_cpu;

typedef enum { ORDINARY, URGENT } role;
static _Thread_local role mine;
static atomic_bool has_place, held, looked;
static double began_ms, began_cpu_ms;

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void sleep_until(atomic_bool *flag)
{
    while (!atomic_load(flag)) sleep_ms(1);
}

static void hold_here(void)
{
    atomic_store(&held, true);
    sleep_ms(HELD_MS);
}

/* ---- the end of a wait for a scope, while a finisher looks whether it is over ---- */

/* The finisher is held up when it has said that it looks; the waiter goes on from its place when that is so. */
static void at_end_of_wait(const char *function)
{
    if (mine == URGENT && strcmp(function, "heist__detector_quiet") == 0 && !atomic_exchange(&has_place, true)) {
        sleep_until(&held);
        began_ms = now_ms();
        began_cpu_ms = cpu_ms();
    }
    if (mine == ORDINARY && atomic_load(&has_place) && strcmp(function, "look_for") == 0) {
        if (!atomic_exchange(&looked, true)) return; /* the point before it says so */
        if (!atomic_load(&held)) hold_here();
    }
}

static void ends_when_waited_for(void *unused)
{
    (void)unused;
    sched_setaffinity(0, sizeof one_cpu, &one_cpu);
    sleep_until(&has_place);
}

static void wait_for_scope(void)
{
    demand(heist_scope_submit(&scope, ends_when_waited_for, NULL, HEIST_WAIT) == 0, "not submitted");
    demand(heist_scope_end(&scope) == 0, "a scope did not end");
}

/* ---- the end of a pool, while a thread is within a submission ---- */

/* The submitter is held up when the task is in the inbox. */
static void at_end_of_pool(const char *function)
{
    if (mine != ORDINARY || heist_worker_number() >= 0 || strcmp(function, "heist__idle_wake_one") != 0) return;
    if (!atomic_load(&held)) hold_here();
}

static void ends_when_held(void *unused)
{
    (void)unused;
    sleep_until(&held); /* then this worker goes on to the inbox by itself */
}

static void nothing(void *unused)
{
    (void)unused;
}

static void *submits(void *unused)
{
    (void)unused;
    sched_setaffinity(0, sizeof one_cpu, &one_cpu);
    demand(heist_submit(pool, nothing, NULL, HEIST_WAIT) == 0, "not submitted");
    return NULL;
}

static void end_pool(void)
{
    sleep_until(&held);
    began_ms = now_ms();
    began_cpu_ms = cpu_ms();
    demand(heist_pool_free(pool) == 0, "not freed");
    pool = NULL;
}

/* ---- the cases ---- */

typedef struct {
    const char *name;
    void (*hook)(const char *function);
    void (*wait)(void); /* by the urgent thread */
    bool submits;       /* an ordinary thread outside does, meanwhile */
} priority_case;

static const priority_case cases[] = {
    {"a_waiter_sleeps_while_a_finisher_of_lower_priority_looks", at_end_of_wait, wait_for_scope, false},
    {"the_end_of_a_pool_sleeps_while_a_thread_of_lower_priority_submits", at_end_of_pool, end_pool, true},
};
#define CASES (sizeof cases / sizeof *cases)

/* Where the system has no limit for such threads: better to fail than to keep a CPU for ever. */
static void ran_for_too_long(int signal)
{
    static const char cry[] = "held_up:priorities:FAIL: a thread of real-time priority spins for ever\n";
    (void)signal;
    if (write(STDOUT_FILENO, cry, sizeof cry - 1) < 0) _exit(3);
    _exit(1);
}

static double computed; /* by the urgent thread, of the time that it waited */

/* Returns NULL, or a reason why not. */
static void *urgent(void *which)
{
    static char reason[100];
    const priority_case *c = which;
    int error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
    if (error) {
        snprintf(reason, sizeof reason, "no real-time priority: %s", strerror(error));
        return reason;
    }
    sched_setaffinity(0, sizeof one_cpu, &one_cpu);
    mine = URGENT;
    c->wait();
    computed = (cpu_ms() - began_cpu_ms) / (now_ms() - began_ms);
    return NULL;
}

static void begin(const priority_case *c)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 1;
    pool = heist_pool_new(&options);
    demand(pool, "no pool");
    if (!c->submits) demand(heist_scope_begin(&scope, pool) == 0, "no scope"); /* else the pool is freed before */
    atomic_store(&has_place, false);
    atomic_store(&held, false);
    atomic_store(&looked, false);
    CPU_ZERO(&one_cpu);
    CPU_SET((size_t)sched_getcpu(), &one_cpu);
    if (c->submits) demand(heist_submit(pool, ends_when_held, NULL, HEIST_WAIT) == 0, "not submitted");
    points_hook(c->hook);
}

/* Returns whether it failed; counts in *ignored. */
static bool try_case(const priority_case *c, unsigned *ignored)
{
    pthread_t waiter, submitter;
    void *reason = NULL;
    begin(c);
    bool made = pthread_create(&waiter, NULL, urgent, (void *)c) == 0;
    if (made && c->submits) demand(pthread_create(&submitter, NULL, submits, NULL) == 0, "no thread");
    if (made) pthread_join(waiter, &reason);
    if (made && c->submits) pthread_join(submitter, NULL);
    points_hook(NULL);
    heist_scope_end(&scope);
    demand(heist_pool_free(pool) == 0, "not freed");
    if (!made || reason) {
        printf("held_up:%s:IGNORE: %s\n", c->name, made ? (char *)reason : "no thread");
        ++*ignored;
        return false;
    }
    bool good = computed < MOST_COMPUTED;
    printf("held_up:%s:%s: the waiting thread computed for %.0f%% of the time\n", c->name, good ? "PASS" : "FAIL",
           100 * computed);
    return !good;
}

unsigned priorities(unsigned *tried, unsigned *ignored)
{
    struct rlimit limit = {5000000, 5000000}, before; /* microseconds */
    unsigned failed = 0;
    signal(SIGXCPU, ran_for_too_long);
    getrlimit(RLIMIT_RTTIME, &before);
    limit.rlim_max = before.rlim_max;
    setrlimit(RLIMIT_RTTIME, &limit);
    for (*tried = 0; *tried < CASES; ++*tried) failed += try_case(&cases[*tried], ignored);
    setrlimit(RLIMIT_RTTIME, &before);
    return failed;
}
