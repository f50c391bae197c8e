/* enter: its description for heist-perf. */
#include <string.h>

#include "apps/enter/enter.h"

static bool is_shape(const char *size, enum enter_shape shape)
{
    struct enter_size read;
    char error[200];
    return enter_read_size(size, &read, error, sizeof error) == 0 && read.shape == shape;
}

static int valid_size(const char *size, char *error, size_t room)
{
    struct enter_size read;
    return enter_read_size(size, &read, error, room);
}

static int valid_from(const char *value, char *error, size_t room)
{
    return perf_word(value, "outside,inside", error, room);
}

static int valid_state(const char *value, char *error, size_t room)
{
    return perf_word(value, "hot,cold", error, room);
}

static int valid_callers(const char *value, char *error, size_t room)
{
    long callers;
    return perf_number(value, "callers:", 1, 64, &callers, error, room);
}

/* Only heist reports when a worker parks, so that the state in which a spawned task finds it is known. */
static bool has(const char *size, const char *runtime)
{
    return !is_shape(size, ENTER_SPAWNED) || strcmp(runtime, "heist") == 0;
}

static bool from_matters(const char *size)
{
    return !is_shape(size, ENTER_CALLERS) && !is_shape(size, ENTER_SPAWNED);
}

static bool state_matters(const char *size)
{
    return !is_shape(size, ENTER_CALLERS);
}

static bool callers_matter(const char *size)
{
    return is_shape(size, ENTER_CALLERS);
}

static const struct perf_option options[] = {
    {.name = "from",
     .value = "outside|inside",
     .preset = "outside,inside",
     .help = "which thread calls: an ordinary one, or one inside a task; for run and loop",
     .list = true,
     .valid = valid_from,
     .matters = from_matters},
    {.name = "state",
     .value = "hot|cold",
     .preset = "hot,cold",
     .help = "hot: calls back to back; cold: a pause of 2.5 ms before each; not for callers",
     .list = true,
     .valid = valid_state,
     .matters = state_matters},
    {.name = "callers",
     .value = "N",
     .preset = "1,2,4,8",
     .help = "ordinary threads that call at the same time; for callers",
     .list = true,
     .valid = valid_callers,
     .matters = callers_matter},
    {.name = NULL},
};

const struct perf_workload perf_enter_workload = {
    .name = "enter",
    .summary = "the cost of getting into a runtime for some microseconds of work",
    .help =
        "A size is a shape of work, and behind a colon the number of calls in a run (400; after pauses 60):\n"
        "  run        two small functions, one of them in a child. OpenMP: parallel sections, inside a task and "
        "taskwait;\n"
        "             TBB: parallel_invoke\n"
        "  loop-N     a loop of about N microseconds of serial work, in the usual schedule: HEIST_FOR, parallel for,\n"
        "             inside a region taskloop, parallel_for\n"
        "  callers    threads that each run fib(12) again and again, every call a task; the time is that of all "
        "threads\n"
        "             together over all runs\n"
        "  spawned    from the spawn of a task to its first instruction on another worker, which spins (hot) "
        "or\n"
        "             is parked (cold); heist alone\n"
        "The time of a run is the median over its calls. Rows add work_ns (the serial program in the same state, "
        "median),\n"
        "p10_ns and p90_ns (percentiles over the calls of all runs), samples (their number), futex_ns (for spawned, "
        "cold:\n"
        "the median time in which a futex wakes a sleeping thread), idle_cpu_ns (CPU time of all threads but the "
        "calling\n"
        "one in the 100 ms after the first run's last call) and idle_late_cpu_ns (the same without the first "
        "millisecond).\n",
    .sizes = "run,loop-3,loop-12,loop-30,loop-42,loop-209,callers,spawned",
    .quick_sizes = "run:20,loop-3:20,callers:20,spawned:20",
    .valid_size = valid_size,
    .options = options,
    .workers = "2",
    .latency = true,
    .has = has,
};
