/* test_task_shared.h: tasks that test_task.c uses and test_task_other.c defines. */
#ifndef TEST_TASK_SHARED_H
#define TEST_TASK_SHARED_H

#include <heist/heist.h>

typedef struct {
    double x, y;
    int weight;
} point;

HEIST_TASK_DECL(long, elsewhere_sum, long, from, long, to);
HEIST_TASK_DECL(point, elsewhere_middle, point, a, point, b);
HEIST_VOID_TASK_DECL(elsewhere_fill, int *, cells, int, count, int, value);
HEIST_TASK_DECL(int, elsewhere_answer);

/* Each is defined in the other file, and calls the other. */
HEIST_TASK_DECL(int, is_even, unsigned, n);
HEIST_TASK_DECL(int, is_odd, unsigned, n);

#endif
