/* enter with OpenMP: a region for each call from an ordinary thread; inside a region, tasks. */
#include <omp.h>

#include "apps/enter/enter.h"

static struct enter only;

static void run_both(struct enter *e)
{
#pragma omp parallel sections
    {
#pragma omp section
        enter_right(e);
#pragma omp section
        enter_left(e);
    }
}

static void run_both_inside(struct enter *e)
{
#pragma omp task
    enter_left(e);
    enter_right(e);
#pragma omp taskwait
}

static void run_loop(struct enter *e)
{
#pragma omp parallel for
    for (int64_t i = 0; i < e->n; i++) enter_iteration(e, i);
}

static void run_loop_inside(struct enter *e)
{
#pragma omp taskloop
    for (int64_t i = 0; i < e->n; i++) enter_iteration(e, i);
}

static void inside(void (*measure)(struct enter *), struct enter *e)
{
#pragma omp parallel
#pragma omp single
    measure(e);
}

static int fib(int n)
{
    if (n < 2) return n;
    int left, right;
#pragma omp task shared(left)
    left = fib(n - 1);
    right = fib(n - 2);
#pragma omp taskwait
    return left + right;
}

static int run_fib(void)
{
    int result;
#pragma omp parallel
#pragma omp single
    result = fib(ENTER_FIB);
    return result;
}

static const struct enter_calls calls = {.run = run_both,
                                         .loop = run_loop,
                                         .run_inside = run_both_inside,
                                         .loop_inside = run_loop_inside,
                                         .inside = inside,
                                         .fib = run_fib};

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    omp_set_dynamic(0);
    omp_set_num_threads((int)input->workers);
    return enter_prepare(input, &only, error, room);
}

static void run(void *state)
{
    (void)state;
    enter_turn(&only, &calls);
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    enter_check(&only, outcome);
}

static void discard(void *state)
{
    (void)state;
    enter_discard(&only);
}

const struct perf_implementation PERF_OPENMP(enter) = {.workload = "enter",
                                                       .runtime = PERF_OPENMP_RUNTIME,
                                                       .prepare = prepare,
                                                       .run = run,
                                                       .check = check,
                                                       .discard = discard};
