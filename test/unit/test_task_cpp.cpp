/* test_task_cpp.cpp: tasks written in C++, for test_task.c. Each function gives NULL, or what went wrong. */
#include <heist/heist.h>

#include <cstdint>
#include <vector>

namespace {

struct vec3 {
    double x, y, z;
    vec3 operator+(const vec3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
};

HEIST_TASK(long, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    long right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

HEIST_TASK(vec3, sum_up, const vec3 *, v, std::size_t, n)
{
    if (n == 1) return v[0];
    HEIST_SPAWN(left, sum_up, v, n / 2);
    HEIST_SPAWN(right, sum_up, v + n / 2, n - n / 2);
    vec3 first = HEIST_SYNC(left); /* the elder first */
    return first + HEIST_SYNC(right);
}

HEIST_TASK(bool, nothing_asked)
{
    return true;
}

HEIST_VOID_TASK(mark, std::vector<int> *, cells, std::size_t, at)
{
    (*cells)[at]++;
}

HEIST_VOID_TASK(mark_all, std::vector<int> *, cells)
{
    std::vector<HEIST_CHILD(mark)> children(cells->size());
    for (std::size_t i = 0; i < children.size(); i++) HEIST_SPAWN_AT(&children[i], mark, cells, i);
    for (std::size_t i = 0; i < children.size(); i++) HEIST_SYNC_AT(&children[i], mark);
}

HEIST_TASK(long, ten, char, a, signed char, b, short, c, int, d, long, e, float, f, double, g, bool, h, const int *, i,
           long *, j)
{
    return a + b + c + d + e + static_cast<long>(f) + static_cast<long>(g) + (h ? 1000 : 0) + *i + *j;
}

HEIST_TASK(long, calls_ten)
{
    long last = 10;
    int ninth = 9;
    HEIST_SPAWN(child, ten, 1, 2, 3, 4, 5, 6.0f, 7.0, true, &ninth, &last);
    return HEIST_SYNC(child);
}

} // namespace

extern "C" {

HEIST_TASK_DECL(long, from_c, long, n);

const char *check_cpp_tasks(heist_pool *pool);
const char *check_cpp_tasks(heist_pool *pool)
{
    if (HEIST_RUN(pool, fib, 20) != 6765) return "fib(20) is wrong";
    std::vector<vec3> all;
    for (int i = 0; i < 1000; i++) all.push_back({1.0 * i, 2.0, -0.5 * i});
    const vec3 *first = all.data();
    vec3 sum = HEIST_RUN(pool, sum_up, first, all.size());
    if (sum.x != 499500.0 || sum.y != 2000.0 || sum.z != -249750.0) return "the sum of vectors is wrong";
    if (!HEIST_RUN(pool, nothing_asked)) return "a task without arguments gave the wrong result";
    std::vector<int> cells(5000, 0);
    HEIST_RUN(pool, mark_all, &cells);
    for (int cell : cells) {
        if (cell != 1) return "not every child of a vector of children ran once";
    }
    if (HEIST_RUN(pool, calls_ten) != 1 + 2 + 3 + 4 + 5 + 6 + 7 + 1000 + 9 + 10) return "ten arguments came out wrong";
    if (HEIST_RUN(pool, from_c, 100L) != 5050) return "a task defined in C, run from C++, is wrong";
    return nullptr;
}
}
