/* The submitting threads, the clock and the check of submit, the same for every runtime. */
#include "apps/submit/submit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define MOST_THREADS 64
#define MOST_COUNTERS 512
#define LINE 128

/* Tasks run, each thread on a line of its own: the counting must not be measured. */
static struct {
    _Alignas(LINE) atomic_long count;
} counters[MOST_COUNTERS];
static atomic_int counters_taken;
static _Thread_local int counter = -1;

struct submitter {
    pthread_t thread;
    long number, tasks;
    void (*one)(long thread);
    pthread_barrier_t *start;
    uint64_t began; /* by its own clock: the system may deschedule the starting thread just then */
};

int submit_size(const char *size, char *error, size_t room)
{
    long n;
    return perf_number(size, "tasks:", 1, 100000000, &n, error, room);
}

int submit_prepare(const struct perf_input *input, struct submit *submit, char *error, size_t room)
{
    int bad = perf_number(input->size, "tasks:", 1, 100000000, &submit->tasks, error, room);
    if (bad) return bad;
    return perf_number(perf_setting(input, "threads"), "threads:", 1, MOST_THREADS, &submit->threads, error, room);
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *submit_all(void *argument)
{
    struct submitter *s = argument;
    pthread_barrier_wait(s->start);
    s->began = now();
    for (long i = 0; i < s->tasks; i++) s->one(s->number);
    return NULL;
}

void submit_run(struct submit *submit, void (*one)(long thread), void (*finish)(void))
{
    static struct submitter submitters[MOST_THREADS];
    pthread_barrier_t start;
    long threads = submit->threads, begun = 0;
    pthread_barrier_init(&start, NULL, (unsigned)threads + 1);
    for (long i = 0; i < threads; i++) {
        long share = submit->tasks / threads + (i < submit->tasks % threads);
        submitters[i] = (struct submitter){.number = i, .tasks = share, .one = one, .start = &start};
        begun += pthread_create(&submitters[i].thread, NULL, submit_all, &submitters[i]) == 0;
    }
    submit->ns = 0;
    if (begun < threads) return; /* the check will report missing tasks; the threads end with the process */
    pthread_barrier_wait(&start);
    uint64_t began = UINT64_MAX;
    for (long i = 0; i < threads; i++) {
        pthread_join(submitters[i].thread, NULL);
        if (submitters[i].began < began) began = submitters[i].began;
    }
    finish();
    submit->ns = now() - began;
    pthread_barrier_destroy(&start);
}

void submit_count(void)
{
    if (counter < 0) counter = atomic_fetch_add(&counters_taken, 1) % MOST_COUNTERS;
    /* not a plain store: beyond so many threads two may share a line */
    atomic_fetch_add_explicit(&counters[counter].count, 1, memory_order_relaxed);
}

void submit_check(const struct submit *submit, struct perf_outcome *outcome)
{
    long ran = 0;
    for (int i = 0; i < MOST_COUNTERS; i++) ran += atomic_exchange(&counters[i].count, 0);
    outcome->tasks = (uint64_t)submit->tasks;
    outcome->ns = submit->ns;
    perf_expect(outcome, "tasks run", ran, submit->tasks);
}
