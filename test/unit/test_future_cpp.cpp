/* test_future_cpp.cpp: futures in C++, for test_future.c. */
#include <heist/heist.h>

#include <vector>

namespace
{

struct pair {
    long first;
    double second;
};

HEIST_TASK(pair, make_pair_of, long, n)
{
    return pair{n, static_cast<double>(n) / 2};
}

HEIST_TASK(long, sum_after, std::vector<heist_future *> *, all)
{
    long sum = 0;
    for (heist_future *f : *all) sum += HEIST_RESULT(f, make_pair_of).first;
    return sum;
}

HEIST_VOID_TASK(mark, bool *, done)
{
    *done = true;
}

void *same(void *argument)
{
    return argument;
}

} // namespace

extern "C" const char *futures_in_cpp(heist_pool *pool);

extern "C" const char *futures_in_cpp(heist_pool *pool)
{
    std::vector<heist_future *> all;
    for (long i = 0; i < 10; i++) all.push_back(HEIST_ASYNC(pool, make_pair_of, i));
    heist_future *both = heist_all(all.data(), all.size());
    heist_future *sum = HEIST_THEN(both, sum_after, &all);
    if (HEIST_AWAIT(sum, sum_after) != 45) return "the sum is wrong";
    if (HEIST_AWAIT(all[9], make_pair_of).second != 4.5) return "a result is wrong";
    for (size_t i = 0; i < 9; i++) heist_future_drop(all[i]);
    heist_future_drop(both);
    bool done = false;
    HEIST_AWAIT(HEIST_ASYNC(pool, mark, &done), mark);
    if (!done) return "a task without a result did not run";
    void *result = nullptr;
    if (heist_await(heist_async(pool, same, &done, nullptr), &result) != 0 || result != &done) return "plain: wrong";
    heist_promise *promise = HEIST_PROMISE(make_pair_of);
    heist_future *kept = heist_promise_future(promise);
    pair value = {3, 0.5};
    if (HEIST_FULFIL(promise, make_pair_of, value) != 0) return "a promise was not kept";
    heist_promise_drop(promise);
    return HEIST_AWAIT(kept, make_pair_of).second == 0.5 ? nullptr : "a promise kept the wrong value";
}
