/* enter with TBB, as most programs use it: without an arena of their own. */
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>

#include "apps/enter/enter.h"

namespace
{

enter only;
std::unique_ptr<tbb::global_control> most;

void run_both(enter *e)
{
    tbb::parallel_invoke([e] { enter_left(e); }, [e] { enter_right(e); });
}

void run_loop(enter *e)
{
    tbb::parallel_for(int64_t{0}, e->n, [e](int64_t i) { enter_iteration(e, i); });
}

void inside(void (*measure)(enter *), enter *e)
{
    tbb::task_group group;
    group.run_and_wait([measure, e] { measure(e); });
}

int fib(int n)
{
    if (n < 2) return n;
    int left = 0;
    tbb::task_group group;
    group.run([&left, n] { left = fib(n - 1); });
    int right = fib(n - 2);
    group.wait();
    return left + right;
}

int run_fib()
{
    return fib(ENTER_FIB);
}

const enter_calls calls = {run_both, run_loop, run_both, run_loop, inside, run_fib};

int prepare(const perf_input *input, void **, char *error, size_t room)
{
    int bad = enter_prepare(input, &only, error, room);
    if (bad) return bad;
    try {
        most = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, input->workers);
        return 0;
    } catch (const std::exception &e) {
        std::snprintf(error, room, "TBB: %s", e.what());
        return -ENOMEM;
    }
}

void run(void *)
{
    enter_turn(&only, &calls);
}

void check(void *, perf_outcome *outcome)
{
    enter_check(&only, outcome);
}

void discard(void *)
{
    most.reset();
    enter_discard(&only);
}

} // namespace

extern "C" const perf_implementation perf_enter_tbb;
const perf_implementation perf_enter_tbb = {"enter", "tbb", prepare, nullptr, run, check, discard};
