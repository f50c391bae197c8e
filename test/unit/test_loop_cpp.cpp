/* Loops as C++17 sees them: the same macros, the same library. */
#include <heist/heist.h>

#include <cstdint>
#include <vector>

HEIST_LOOP(cpp_double, i, int *, a)
{
    a[i] *= 2;
}

HEIST_LOOP_UNTIL(cpp_find, i, const int *, a, int, wanted)
{
    return a[i] == wanted ? 5 : 0;
}

HEIST_LOOP2(cpp_table, i, j, int *, a, std::int64_t, width)
{
    a[i * width + j] += static_cast<int>(j);
}

HEIST_FOLD(long, cpp_sum, 0, HEIST_PLUS, sum, i, const int *, a)
{
    return sum + a[i];
}

HEIST_FOLD2(long, cpp_pairs, 0, HEIST_PLUS, pairs, i, j)
{
    return pairs + 1;
}

extern "C" int test_loop_in_cpp(heist_pool *pool);

extern "C" int test_loop_in_cpp(heist_pool *pool)
{
    std::vector<int> a(1000, 1);
    heist_loop_options options = HEIST_LOOP_OPTIONS_INIT;
    options.schedule = HEIST_SCHEDULE_HYBRID;
    long sum = 0, pairs = 0;
    if (HEIST_FOR(pool, cpp_double, heist_upto(1000), a.data()) != 0) return 1;
    if (HEIST_FOR_WITH(&options, pool, cpp_double, heist_stepping(999, -1, -2), a.data()) != 0) return 2;
    if (HEIST_REDUCE(pool, &sum, cpp_sum, heist_upto(1000), a.data()) != 0 || sum != 3000) return 3;
    if (HEIST_FOR2(pool, cpp_table, heist_upto(10), heist_upto(100), a.data(), 100) != 0) return 4;
    if (HEIST_REDUCE_WITH(&options, pool, &sum, cpp_sum, heist_upto(1000), a.data()) != 0 || sum != 52500) return 5;
    if (HEIST_FOR(pool, cpp_find, heist_upto(1000), a.data(), 99 + 4) != 5) return 6;
    if (HEIST_REDUCE2(pool, &pairs, cpp_pairs, heist_upto(30), heist_upto(20)) != 0 || pairs != 600) return 7;
    return 0;
}
