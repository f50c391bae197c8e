/* The points: every atomic access of the library, as heist/detail/atomic.h for the soak says. Which there are is
 * found out by running: a table that every passage looks into, with a place for each file and line. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "held_up.h"

void soak_point(const char *file, int line, const char *function);

#define PLACES 4096u

typedef struct {
    _Atomic(const char *) file; /* NULL: free. Written by: the first thread here. */
    _Atomic(const char *) function;
    atomic_int line;
    _Atomic uint64_t passed;
    atomic_bool held; /* a thread was held up here. Written by: the main thread. */
} place;

static place places[PLACES];
static point listed[PLACES];
static place *place_of[PLACES]; /* of listed[i] */
static unsigned count;

static _Atomic(place *) wanted; /* the next thread here is held up. Written by: the main thread, that thread. */
static unsigned hold_least_ms, hold_most_ms;
static holding result;
static atomic_bool over;

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

void sleep_ms(unsigned ms)
{
    struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    while (nanosleep(&t, &t) != 0) {
    }
}

/* NULL: the table is full. */
static place *find(const char *file, int line, const char *function)
{
    unsigned at = (unsigned)((uintptr_t)file / 8 + (unsigned)line * 31u) % PLACES;
    for (unsigned i = 0; i < PLACES; i++, at = (at + 1) % PLACES) {
        place *p = &places[at];
        const char *there = atomic_load(&p->file);
        if (!there && atomic_compare_exchange_strong(&p->file, &there, file)) {
            atomic_store(&p->function, function);
            atomic_store(&p->line, line);
            return p;
        }
        while (atomic_load(&p->line) == 0) { /* a thread is just writing it */
        }
        if (there == file && atomic_load(&p->line) == line) return p;
    }
    return NULL;
}

/* The deeds of the others between the two. */
static void compare(const deeds *before, const deeds *after, holding *h)
{
    h->lacking = DEEDS;
    for (unsigned which = DEEDS; which-- > 0;) {
        unsigned doers = 0;
        h->others[which] = 0;
        for (int i = 0; i <= MOST_WORKERS; i++) {
            uint64_t n = after->of[which][i] - before->of[which][i];
            if (i == h->worker) continue;
            h->others[which] += n;
            doers += n > 0;
        }
        if (doers < work_must(which)->workers || h->others[which] < work_must(which)->times) h->lacking = which;
        if (which == DID_TASK) h->stood = work_workers() - (h->worker >= 0) - doers;
    }
}

/* A thread that had work at hand when the other one stopped may finish that work: only deeds after half of the time
 * count. */
static void hold(void)
{
    deeds before, after;
    holding h = {.worker = heist_worker_number()};
    unsigned half = hold_least_ms / 2, waited = half;
    sleep_ms(half);
    double begin = now_ms();
    work_done(&before);
    do {
        sleep_ms(hold_least_ms - half);
        waited += hold_least_ms - half;
        work_done(&after);
        h.ms = now_ms() - begin;
        compare(&before, &after, &h);
    } while (h.lacking != DEEDS && waited < hold_most_ms);
    result = h;
    atomic_store(&over, true);
}

static _Atomic(void (*)(const char *)) hooked;

void points_hook(void (*hook)(const char *function))
{
    atomic_store(&hooked, hook);
}

void soak_point(const char *file, int line, const char *function)
{
    static _Thread_local bool inside; /* of what follows: it asks the library for its worker */
    if (inside) return;
    inside = true;
    void (*hook)(const char *) = atomic_load(&hooked);
    if (hook) hook(function);
    place *p = work_may_hold() ? find(file, line, function) : NULL, *here = p;
    if (p) atomic_fetch_add_explicit(&p->passed, 1, memory_order_relaxed); /* relaxed: only a number to show */
    if (p && atomic_load(&wanted) == p && atomic_compare_exchange_strong(&wanted, &here, NULL)) hold();
    inside = false;
}

static int by_file_and_line(const void *a, const void *b)
{
    const place *p = *(place *const *)a, *q = *(place *const *)b;
    int files = strcmp(atomic_load(&p->file), atomic_load(&q->file));
    return files ? files : atomic_load(&p->line) - atomic_load(&q->line);
}

unsigned points_list(unsigned ms)
{
    for (unsigned i = 0; i < PLACES; i++) atomic_store(&places[i].passed, 0);
    sleep_ms(ms);
    count = 0;
    for (unsigned i = 0; i < PLACES; i++) {
        if (atomic_load(&places[i].file) && atomic_load(&places[i].passed)) place_of[count++] = &places[i];
    }
    qsort(place_of, count, sizeof *place_of, by_file_and_line);
    for (unsigned i = 0; i < count; i++) {
        place *p = place_of[i];
        listed[i] = (point){atomic_load(&p->file), atomic_load(&p->function), atomic_load(&p->line),
                            atomic_load(&p->passed), atomic_load(&p->held)};
    }
    return count;
}

const point *points_at(unsigned number)
{
    return &listed[number];
}

/* How long it may take until a thread comes by. */
#define PATIENCE_MS 500

bool points_hold(unsigned number, unsigned least_ms, unsigned most_ms, holding *h)
{
    hold_least_ms = least_ms;
    hold_most_ms = most_ms;
    atomic_store(&over, false);
    atomic_store(&wanted, place_of[number]);
    for (int waited = 0; atomic_load(&wanted) && waited < PATIENCE_MS; waited++) sleep_ms(1);
    place *p = place_of[number];
    if (atomic_compare_exchange_strong(&wanted, &p, NULL)) return false;
    while (!atomic_load(&over)) sleep_ms(1);
    atomic_store(&place_of[number]->held, true);
    *h = result;
    return true;
}
