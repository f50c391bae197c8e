/* test_task_other.c: the other half of test_task.c: tasks that are declared in a header and defined here. */
#include "test_task_shared.h"

HEIST_TASK_IMPL(long, elsewhere_sum, long, from, long, to)
{
    if (to - from < 2) return from < to ? from : 0;
    long middle = from + (to - from) / 2;
    HEIST_SPAWN(left, elsewhere_sum, from, middle);
    long right = HEIST_CALL(elsewhere_sum, middle, to);
    return HEIST_SYNC(left) + right;
}

HEIST_TASK_IMPL(point, elsewhere_middle, point, a, point, b)
{
    point middle = {(a.x + b.x) / 2, (a.y + b.y) / 2, a.weight + b.weight};
    return middle;
}

HEIST_VOID_TASK_IMPL(elsewhere_fill, int *, cells, int, count, int, value)
{
    if (count <= 1) {
        if (count == 1) cells[0] = value;
        return;
    }
    HEIST_SPAWN(left, elsewhere_fill, cells, count / 2, value);
    HEIST_CALL(elsewhere_fill, cells + count / 2, count - count / 2, value + count / 2);
    HEIST_SYNC(left);
}

HEIST_TASK_IMPL(int, elsewhere_answer)
{
    return 42;
}

HEIST_TASK_IMPL(int, is_odd, unsigned, n)
{
    if (n == 0) return 0;
    HEIST_SPAWN(rest, is_even, n - 1);
    return HEIST_SYNC(rest);
}
