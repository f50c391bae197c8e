/* The work, the clock, the serial twin and the check of enter; see enter.h. */
#include "apps/enter/enter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/cpu_time.h"

#define USUAL_PIECES 400
#define MOST_PIECES 1000000
#define MOST_MICROSECONDS 100000
#define MOST_CALLERS 64
/* After a pause fewer pieces are measured: they take long. */
#define COLD_PIECES(hot) (((hot)*3 + 19) / 20)
#define PAUSE_NS 2500000
/* Of the serial twin's pieces one in so many has a pause. */
#define SERIAL_TIMED 4
/* Pieces before the first timed one of a turn: the process was stopped until then. */
#define WARM_UP(pieces) ((pieces) / 10 + 2)
/* How long the idle runtime is watched at the end. */
#define IDLE_NS 100000000u
#define SOON_NS 1000000u

/* So many iterations take about a microsecond on the processors of today; `work_ns` holds the measured time of a piece.
 * The number is fixed, not measured by each process, because every runtime must have the same loop. */
#define ITERATIONS_PER_MICROSECOND 32
#define ROUNDS 40

static const char *const shapes[] = {"run", "loop", "callers", "spawned"};

const char *enter_shape_name(enum enter_shape shape)
{
    return shapes[shape];
}

/* ---- the work ---- */

/* So long that the loop around it does not matter: compilers translate that loop differently. */
static uint32_t mixed(uint64_t x)
{
    for (int round = 0; round < ROUNDS; round++) {
        x ^= x >> 29;
        x *= UINT64_C(0x9e3779b97f4a7c15);
    }
    return (uint32_t)(x >> 32);
}

/* A cell depends on the pieces so far and on their order: the check finds pieces that were left out or done twice. */
static uint32_t next_cell(uint32_t cell, uint64_t i, uint32_t number)
{
    return cell * 3u + mixed((i << 32) + number);
}

__attribute__((noinline)) void enter_iteration(struct enter *e, int64_t i)
{
    e->cells[i] = next_cell(e->cells[i], (uint64_t)i, e->number);
}

__attribute__((noinline)) void enter_left(struct enter *e)
{
    e->left = e->number * 5u + 1u;
}

__attribute__((noinline)) void enter_right(struct enter *e)
{
    e->right = e->number * 7u + 2u;
}

static void join_halves(struct enter *e, uint32_t *cell)
{
    *cell = *cell * 3u + e->left + e->right;
    e->left = e->right = 0;
}

static void serial_run(struct enter *e)
{
    enter_left(e);
    enter_right(e);
}

static void serial_loop(struct enter *e)
{
    for (int64_t i = 0; i < e->n; i++) enter_iteration(e, i);
}

__attribute__((noinline)) static int serial_fib(int n)
{
    return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2);
}

/* ---- sizes ---- */

int enter_read_size(const char *text, struct enter_size *size, char *error, size_t room)
{
    char shape[32];
    *size = (struct enter_size){.pieces = USUAL_PIECES};
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    snprintf(shape, sizeof shape, "%.*s", length < sizeof shape ? (int)length : 0, text);
    char *dash = strchr(shape, '-');
    if (dash) *dash = '\0';
    int found = -1;
    for (int i = 0; i < 4; i++)
        if (strcmp(shape, shapes[i]) == 0) found = i;
    if (found < 0 || (found == ENTER_LOOP) != (dash != NULL)) {
        snprintf(error, room, "'%s' is none of run, loop-MICROSECONDS, callers, spawned", text);
        return -EINVAL;
    }
    size->shape = (enum enter_shape)found;
    if (dash && perf_number(dash + 1, "microseconds:", 1, MOST_MICROSECONDS, &size->microseconds, error, room))
        return -EINVAL;
    return colon ? perf_number(colon + 1, "pieces:", 1, MOST_PIECES, &size->pieces, error, room) : 0;
}

/* ---- time ---- */

uint64_t enter_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void take_a_pause(void)
{
    nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
}

static void sleep_until(uint64_t when)
{
    struct timespec t = {(time_t)(when / 1000000000u), (long)(when % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR && !perf_interrupted) {
    }
}

/* The least difference of two clock readings in a row. */
static uint64_t clock_cost(void)
{
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 10000; i++) {
        uint64_t began = enter_now(), took = enter_now() - began;
        if (took < least) least = took;
    }
    return least;
}

void enter_keep(struct enter *e, struct enter_times *times, uint64_t began, uint64_t ended)
{
    uint64_t took = ended - began;
    if (times->count == times->room) {
        e->short_of_memory = true;
        return;
    }
    times->ns[times->count++] = took > e->clock_ns ? took - e->clock_ns : 1;
}

static void make_room(struct enter *e, struct enter_times *times)
{
    size_t pieces = (size_t)e->pieces;
    times->turn = times->count;
    if (times->count + pieces <= times->room) return;
    size_t room = 2 * (times->count + pieces);
    uint64_t *larger = realloc(times->ns, room * sizeof *larger);
    if (!larger) {
        e->short_of_memory = true;
        return;
    }
    memset(larger + times->room, 0, (room - times->room) * sizeof *larger); /* touches the pages */
    times->ns = larger;
    times->room = room;
}

void enter_begin_turn(struct enter *e)
{
    make_room(e, &e->times);
    make_room(e, &e->serial);
    make_room(e, &e->futex);
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The time below which so many percent of the times are. Sorts the times; their order by turns is lost. */
static uint64_t percentile(uint64_t *ns, size_t count, size_t percent)
{
    if (count == 0) return 0;
    qsort(ns, count, sizeof *ns, ascending);
    return ns[(count - 1) * percent / 100];
}

/* ---- a turn ---- */

/* Does the pieces of a turn in one way. Warm-up pieces are not timed. Pauses are long: only one of `timed` pieces has a
 * pause before it and is timed. */
static void measure(struct enter *e, void (*piece)(struct enter *), struct enter_times *times, uint32_t *cells,
                    long timed)
{
    uint32_t first = e->number, *own = e->cells;
    e->cells = cells;
    for (long i = -WARM_UP(e->pieces); i < e->pieces && !perf_interrupted; i++) {
        if (e->cold && i % timed == 0) take_a_pause();
        e->number++;
        uint64_t began = enter_now();
        piece(e);
        uint64_t ended = enter_now();
        if (i >= 0 && i % timed == 0) enter_keep(e, times, began, ended);
        if (e->shape == ENTER_RUN) join_halves(e, cells);
    }
    e->cells = own;
    e->number = first;
}

static const struct enter_calls *calls_under_way;

static void measure_outside(struct enter *e)
{
    measure(e, e->shape == ENTER_RUN ? calls_under_way->run : calls_under_way->loop, &e->times, e->cells, 1);
}

static void measure_inside(struct enter *e)
{
    measure(e, e->shape == ENTER_RUN ? calls_under_way->run_inside : calls_under_way->loop_inside, &e->times, e->cells,
            1);
}

static void measure_serial(struct enter *e)
{
    if (e->shape != ENTER_CALLERS) {
        measure(e, e->shape == ENTER_RUN ? serial_run : serial_loop, &e->serial, e->reference,
                e->cold ? SERIAL_TIMED : 1);
        return;
    }
    for (long i = 0; i < e->pieces; i++) {
        uint64_t began = enter_now();
        e->wrong += serial_fib(ENTER_FIB) != 144;
        enter_keep(e, &e->serial, began, enter_now());
    }
}

void enter_watch_idle(struct enter *e, uint64_t ended)
{
    if (e->turns > 0) return;
    perf_cpu_time_look();
    int64_t begin = perf_cpu_time_others();
    sleep_until(ended + SOON_NS);
    int64_t soon = perf_cpu_time_others();
    sleep_until(ended + IDLE_NS);
    int64_t late = perf_cpu_time_others();
    if (begin < 0 || soon < begin || late < soon || perf_interrupted) return; /* not known; or a thread has ended */
    e->idle_ns = (long)(late - begin);
    e->idle_late_ns = (long)(late - soon);
}

void enter_turn(struct enter *e, const struct enter_calls *calls)
{
    enter_begin_turn(e);
    if (e->short_of_memory) return;
    calls_under_way = calls;
    measure_serial(e); /* first: afterwards the threads of some runtimes spin for a while, perhaps on the same core */
    if (e->shape == ENTER_CALLERS)
        enter_callers(e, calls->fib);
    else if (e->outside)
        measure_outside(e);
    else
        calls->inside(measure_inside, e);
    enter_watch_idle(e, enter_now());
    e->number += (uint32_t)(WARM_UP(e->pieces) + e->pieces);
    e->turns++;
}

/* ---- the beginning and the end ---- */

int enter_prepare(const struct perf_input *input, struct enter *e, char *error, size_t room)
{
    struct enter_size size;
    *e = (struct enter){.idle_ns = -1, .idle_late_ns = -1};
    int bad = enter_read_size(input->size, &size, error, room);
    if (!bad) bad = perf_number(perf_setting(input, "callers"), "callers:", 1, MOST_CALLERS, &e->callers, error, room);
    if (bad) return bad;
    e->shape = size.shape;
    e->cold = strcmp(perf_setting(input, "state"), "cold") == 0 && e->shape != ENTER_CALLERS;
    e->outside =
        e->shape == ENTER_CALLERS || (strcmp(perf_setting(input, "from"), "outside") == 0 && e->shape != ENTER_SPAWNED);
    e->pieces = e->cold ? COLD_PIECES(size.pieces) : size.pieces;
    e->n = size.shape == ENTER_LOOP ? size.microseconds * ITERATIONS_PER_MICROSECOND : 1;
    e->cells = calloc((size_t)e->n, sizeof *e->cells);
    e->reference = calloc((size_t)e->n, sizeof *e->reference);
    e->clock_ns = clock_cost();
    if (e->cells && e->reference) return 0;
    enter_discard(e);
    snprintf(error, room, "no memory for %lld cells", (long long)e->n);
    return -ENOMEM;
}

static long wrong_cells(const struct enter *e)
{
    long wrong = 0;
    for (int64_t i = 0; i < e->n; i++) wrong += e->cells[i] != e->reference[i];
    return wrong;
}

static void judge(const struct enter *e, struct perf_outcome *outcome)
{
    if (perf_interrupted)
        snprintf(outcome->check, sizeof outcome->check, "interrupted");
    else if (e->short_of_memory)
        snprintf(outcome->check, sizeof outcome->check, "no memory for the times");
    else if (e->short_of_threads)
        snprintf(outcome->check, sizeof outcome->check, "no threads for %ld callers", e->callers);
    else if (e->shape == ENTER_CALLERS)
        perf_expect(outcome, "wrong results", e->wrong, 0);
    else
        perf_expect(outcome, "wrong cells", wrong_cells(e), 0);
}

/* Adds a member to the row. */
static void tell(struct perf_outcome *outcome, const char *name, long value)
{
    size_t used = strlen(outcome->more);
    snprintf(outcome->more + used, sizeof outcome->more - used, ",\"%s\":%ld", name, value);
}

void enter_check(struct enter *e, struct perf_outcome *outcome)
{
    judge(e, outcome);
    outcome->of_all_runs = true;
    uint64_t *turn = e->times.ns + e->times.turn;
    outcome->ns = percentile(turn, e->times.count - e->times.turn, 50);
    if (e->turns == 1 && !perf_interrupted) e->times.count = e->serial.count = e->futex.count = 0; /* a warm-up piece */
    snprintf(outcome->more, sizeof outcome->more, "\"shape\":\"%s\",\"from\":\"%s\",\"state\":\"%s\"",
             enter_shape_name(e->shape), e->outside ? "outside" : "inside", e->cold ? "cold" : "hot");
    if (e->shape == ENTER_CALLERS) tell(outcome, "callers", e->callers);
    if (e->serial.count) tell(outcome, "work_ns", (long)percentile(e->serial.ns, e->serial.count, 50));
    if (e->times.count) {
        tell(outcome, "samples", (long)e->times.count);
        tell(outcome, "p10_ns", (long)percentile(e->times.ns, e->times.count, 10));
        tell(outcome, "p90_ns", (long)percentile(e->times.ns, e->times.count, 90));
    }
    if (e->futex.count) tell(outcome, "futex_ns", (long)percentile(e->futex.ns, e->futex.count, 50));
    if (e->idle_ns >= 0) {
        tell(outcome, "idle_cpu_ns", e->idle_ns);
        tell(outcome, "idle_late_cpu_ns", e->idle_late_ns);
    }
}

void enter_discard(struct enter *e)
{
    enter_callers_discard();
    free(e->cells);
    free(e->reference);
    free(e->times.ns);
    free(e->serial.ns);
    free(e->futex.ns);
    *e = (struct enter){.n = 0};
}
