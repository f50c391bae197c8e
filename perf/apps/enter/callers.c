/* Callers: ordinary threads that each run fib(ENTER_FIB) again and again, all at once. A turn has some rounds. A round
 * begins when all threads are ready; its time is that from the first call to the last return, over all calls of all
 * threads. The threads live as long as the process: libomp 14 crashes if callers come and go. */
#include <pthread.h>

#include "apps/enter/enter.h"

#define ROUNDS 10
#define MOST_CALLERS 64

static struct caller {
    pthread_t thread;
    long wrong;
    uint64_t began[ROUNDS], ended[ROUNDS];
} callers[MOST_CALLERS];

static long count;                    /* number of threads; 0: none */
static pthread_barrier_t turn_edge;   /* barrier of the callers and the main thread: before and after each turn */
static pthread_barrier_t round_start; /* barrier of the callers */

/* Of the current turn. Written by: the main thread. Read by: callers, behind the barrier. */
static long calls;
static int (*fib_of)(void);
static bool over;

static void run_round(struct caller *c, int number)
{
    pthread_barrier_wait(&round_start);
    c->began[number] = enter_now();
    for (long i = 0; i < calls && !perf_interrupted; i++) c->wrong += fib_of() != 144;
    c->ended[number] = enter_now();
}

static void *run_turns(void *argument)
{
    for (;;) {
        pthread_barrier_wait(&turn_edge);
        if (over) return NULL;
        for (int i = 0; i < ROUNDS; i++) run_round(argument, i);
        pthread_barrier_wait(&turn_edge);
    }
}

/* The first round warms up. */
static void keep_rounds(struct enter *e)
{
    for (int number = 1; number < ROUNDS; number++) {
        uint64_t began = UINT64_MAX, ended = 0;
        for (long i = 0; i < count; i++) {
            if (callers[i].began[number] < began) began = callers[i].began[number];
            if (callers[i].ended[number] > ended) ended = callers[i].ended[number];
        }
        enter_keep(e, &e->times, 0, (ended - began) / (uint64_t)(calls * count) + e->clock_ns);
    }
}

/* False: there are too few threads, and the started ones wait for ever. */
static bool begin_threads(long wanted)
{
    pthread_barrier_init(&turn_edge, NULL, (unsigned)wanted + 1);
    pthread_barrier_init(&round_start, NULL, (unsigned)wanted);
    for (long i = 0; i < wanted; i++)
        if (pthread_create(&callers[i].thread, NULL, run_turns, &callers[i])) return false;
    count = wanted;
    return true;
}

void enter_callers(struct enter *e, int (*fib)(void))
{
    if (count == 0 && !begin_threads(e->callers)) {
        e->short_of_threads = true;
        return;
    }
    calls = (e->pieces + ROUNDS - 1) / ROUNDS;
    fib_of = fib;
    pthread_barrier_wait(&turn_edge);
    pthread_barrier_wait(&turn_edge);
    for (long i = 0; i < count; i++) e->wrong += callers[i].wrong;
    for (long i = 0; i < count; i++) callers[i].wrong = 0;
    keep_rounds(e);
}

void enter_callers_discard(void)
{
    if (count == 0) return;
    over = true;
    pthread_barrier_wait(&turn_edge);
    for (long i = 0; i < count; i++) pthread_join(callers[i].thread, NULL);
    count = 0;
    over = false;
    pthread_barrier_destroy(&turn_edge);
    pthread_barrier_destroy(&round_start);
}
