/* A problem that goes wrong in every way on demand. perf.py tests a heist-perf that has only this problem in its
 * tables. The size determines what happens with heist; the serial program is always right. Times are made up, so that
 * they are the same in every format. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/app.h"

static const char *const sizes[] = {"right",       "wrong",      "wrong-later", "crash",     "crash-at-end", "hang",
                                    "exit",        "refused",    "unprepared",  "bad-more",  "silent",       "gentle",
                                    "interrupted", "stopped",    "chatty",      "cut",       "deaf",         "works",
                                    "sleeps",      "peer-wrong", "peer-crash",  "peer-exit", "peer-hang"};

static const char *size, *runtime, *flavour;
static unsigned workers;
static int runs;

/* For "stopped": a thread that reads the clock without a pause, and the longest time for which it could not. */
static _Atomic uint64_t longest_gap;

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *look(void *unused)
{
    for (uint64_t last = now(), next;; last = next) {
        next = now();
        if (next - last > longest_gap) longest_gap = next - last;
    }
    return unused;
}

static bool is(const char *what)
{
    return strcmp(size, what) == 0 && strcmp(runtime, "heist") == 0;
}

static bool is_peers(const char *what)
{
    return strcmp(size, what) == 0 && strcmp(runtime, "libomp") == 0;
}

/* For "works": WORK_NS of CPU time for each worker, by threads that begin before any run and go on after it, like those
 * of runtimes. A run ends when each thread has had that much since the run began. */
#define WORK_NS 30000000
static pthread_t workers_threads[64];

static uint64_t worked(unsigned worker)
{
    clockid_t clock;
    struct timespec t;
    pthread_getcpuclockid(workers_threads[worker], &clock);
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *work(void *unused)
{
    for (volatile unsigned i = 0;; i++) {
    }
    return unused;
}

static void nap(long milliseconds)
{
    struct timespec t = {0, milliseconds * 1000000};
    nanosleep(&t, NULL);
}

/* Waits until each thread has had so much more. */
static void wait_for_work(uint64_t ns)
{
    uint64_t began[64];
    for (unsigned i = 0; i < workers; i++) began[i] = worked(i);
    for (unsigned i = 0; i < workers; i++)
        while (worked(i) - began[i] < ns) nap(1);
}

static bool begin_workers(void)
{
    for (unsigned i = 0; i < workers; i++)
        if (pthread_create(&workers_threads[i], NULL, work, NULL)) return false;
    wait_for_work(20 * WORK_NS / workers); /* time before a run does not count */
    return true;
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    pthread_t thread;
    (void)state;
    size = strdup(input->size);
    flavour = strdup(perf_setting(input, "flavour"));
    workers = input->workers;
    if (is("refused")) {
        snprintf(error, room, "it is not to be had");
        return -ENOTSUP;
    }
    if (is("unprepared")) {
        snprintf(error, room, "no memory for anything");
        return -ENOMEM;
    }
    if (is("stopped") && pthread_create(&thread, NULL, look, NULL)) return -EAGAIN;
    if (is("works") && !begin_workers()) return -EAGAIN;
    return 0;
}

static int prepare_serial(const struct perf_input *input, void **state, char *error, size_t room)
{
    runtime = "serial";
    return prepare(input, state, error, room);
}

static int prepare_heist(const struct perf_input *input, void **state, char *error, size_t room)
{
    runtime = "heist";
    return prepare(input, state, error, room);
}

static int prepare_libomp(const struct perf_input *input, void **state, char *error, size_t room)
{
    runtime = "libomp";
    return prepare(input, state, error, room);
}

static void run(void *state)
{
    (void)state;
    runs++;
    if (is("works")) wait_for_work(WORK_NS);
    if (is("sleeps")) nap(300);
    if (is_peers("peer-crash") && workers == 2) abort();
    if (is_peers("peer-exit")) _exit(3);
    while (is_peers("peer-hang")) nap(100);
    if (is("crash") && workers == 2) abort();
    if (is("exit")) _exit(0);
    while (is("hang")) nap(100);
    while (is("deaf") && runs > 2) nap(100);
    while ((is("gentle") || is("interrupted") || is("cut")) && runs > 2 && !perf_interrupted) nap(10);
    if (is("chatty")) puts("this does not belong to the results");
    if (is("stopped") || strcmp(size, "stopped") == 0) nap(200);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    bool wrong = is("wrong") || (is("wrong-later") && runs > 2) || is_peers("peer-wrong");
    outcome->tasks = 1000;
    outcome->has_steals = true;
    outcome->steals = 7u + (unsigned)(runs % 3); /* 7: of the fastest run, see below */
    outcome->flops = 3e6;
    unsigned mine = (strcmp(flavour, "sour") == 0 ? 4000000u : 2000000u) / workers;
    outcome->ns = (strcmp(runtime, "serial") == 0 ? 3000000u : mine) + 1000u * (unsigned)(runs % 3);
    if (strcmp(size, "works") == 0 || strcmp(size, "sleeps") == 0) outcome->ns = 0; /* as it was */
    if (!is("silent")) perf_expect(outcome, "the answer", wrong ? 41 : 42, 42);
    if (is("interrupted") && perf_interrupted) snprintf(outcome->check, sizeof outcome->check, "interrupted");
    if (is("cut") && perf_interrupted)
        snprintf(outcome->check, sizeof outcome->check, "interrupted after 3 of 4 states");
    if (is("stopped") && runs > 1 && longest_gap < 100000000)
        snprintf(outcome->check, sizeof outcome->check, "it ran while another did");
    longest_gap = 0;
    snprintf(outcome->more, sizeof outcome->more, "%s\"flavour\":\"%s\",\"list\":[[1,2],[3,4]]",
             is("bad-more") ? "," : "", flavour);
}

static void discard(void *state)
{
    (void)state;
    if (is("crash-at-end")) abort();
}

const struct perf_implementation perf_faulty_serial = {.workload = "faulty",
                                                       .runtime = "serial",
                                                       .prepare = prepare_serial,
                                                       .run = run,
                                                       .check = check,
                                                       .discard = discard};
const struct perf_implementation perf_faulty_heist = {
    .workload = "faulty", .runtime = "heist", .prepare = prepare_heist, .run = run, .check = check, .discard = discard};

const struct perf_implementation perf_faulty_libomp = {.workload = "faulty",
                                                       .runtime = "libomp",
                                                       .prepare = prepare_libomp,
                                                       .run = run,
                                                       .check = check,
                                                       .discard = discard};

static int valid_size(const char *text, char *error, size_t room)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(text, sizes[i]) == 0) return 0;
    snprintf(error, room, "it cannot go wrong in this way: %s", text);
    return -EINVAL;
}

static int valid_flavour(const char *text, char *error, size_t room)
{
    return perf_word(text, "sweet,sour,salt", error, room);
}

static int agree(const struct perf_input *input, char *error, size_t room)
{
    if (strcmp(input->size, "wrong") != 0 || strcmp(perf_setting(input, "flavour"), "salt") != 0) return 0;
    snprintf(error, room, "wrong and salt do not go together");
    return -EINVAL;
}

static const char *sizes_for(const struct perf_input *input)
{
    return strcmp(perf_setting(input, "flavour"), "salt") == 0 ? "chatty" : NULL;
}

static const struct perf_option options[] = {
    {.name = "flavour",
     .value = "NAME",
     .preset = "sweet",
     .help = "sweet, sour or salt",
     .list = true,
     .valid = valid_flavour,
     .only = "heist"},
    {.name = NULL},
};

const struct perf_workload perf_faulty_workload = {
    .name = "faulty",
    .summary = "goes wrong as it is told",
    .help = "For the tests of heist-perf.",
    .sizes = "right",
    .quick_sizes = "right",
    .valid_size = valid_size,
    .options = options,
    .note = "To compare with: nothing.",
    .agree = agree,
    .sizes_for = sizes_for,
};
