/* With OMP_MAX_TASK_PRIORITY a thread that looks for a task takes the one of highest priority, and of those the first.
 * So a thread that works alone, in a region of its own or because the others are held up, runs its tasks in that order.
 * libomp takes no notice of priorities. expect: in order: 1 1 1 1 1 1 1 1 1, of 5: 1 */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

enum { MOST = 5 }; /* OMP_MAX_TASK_PRIORITY */

static int ran[100], count;

static void note(int priority, int number)
{
#pragma omp critical
    ran[count++] = 100 * priority + number;
}

/* Whether each priority came after the higher ones and, but for 0, in the order of creation; and starts again. */
static int in_order(int wanted)
{
    int right = count == wanted;
    for (int i = 1; i < count; i++) {
        int priority = ran[i] / 100, before = ran[i - 1] / 100;
        right = right && (priority < before || (priority == before && (priority == 0 || ran[i - 1] < ran[i])));
    }
    count = 0;
    return right;
}

static void create(int tasks)
{
    for (int i = 0; i < tasks; i++) {
#pragma omp task priority(i % (MOST + 1)) firstprivate(i)
        note(i % (MOST + 1), i);
    }
}

static int at_a_barrier(void)
{
#pragma omp parallel num_threads(1)
    create(40);
    return in_order(40);
}

static int at_a_taskwait(void)
{
#pragma omp parallel num_threads(1)
    {
        create(40);
#pragma omp taskwait
        count = in_order(40) ? 0 : 1;
    }
    return in_order(0);
}

static int in_a_taskgroup(void)
{
#pragma omp parallel num_threads(1)
#pragma omp taskgroup
    create(40);
    return in_order(40);
}

static int within_a_task(void) /* tasks outside it have to wait, whatever their priority */
{
    int right = 0;
#pragma omp parallel num_threads(1)
    {
#pragma omp task priority(1) shared(right)
        {
            count = 0;
            create(30);
#pragma omp taskwait
            right = in_order(30);
        }
#pragma omp task priority(1)
        note(0, 0);
    }
    return right && in_order(1);
}

static int deep_down(void) /* where tasks without a priority would run at once, so many are there */
{
    int right = 0;
#pragma omp parallel num_threads(1)
#pragma omp task
#pragma omp task shared(right)
    {
        for (int i = 0; i < 8; i++) {
#pragma omp task
            sched_yield();
        }
        for (int i = 0; i < 30; i++) {
#pragma omp task priority(i % MOST + 1) firstprivate(i)
            note(i % MOST + 1, i);
        }
#pragma omp taskwait
        right = in_order(30);
    }
    return right;
}

static int of_a_taskloop(void)
{
#pragma omp parallel num_threads(1)
    {
#pragma omp task priority(1)
        note(1, 99);
#pragma omp taskloop nogroup num_tasks(6) priority(3)
        for (int i = 0; i < 6; i++) note(3, i);
#pragma omp task priority(4)
        note(4, 0);
    }
    return in_order(8);
}

static int after_a_dependence(void)
{
    int x = 0;
#pragma omp parallel num_threads(1)
    {
#pragma omp task depend(out : x) shared(x) priority(5)
        x = 1;
        for (int i = 0; i < 12; i++) {
#pragma omp task depend(in : x) priority(i % 3 + 1) firstprivate(i)
            note(i % 3 + 1, i);
        }
    }
    int right = 1;
    for (int i = 1; i < count; i++)
        right = right && ran[i] / 100 <= ran[i - 1] / 100; /* not which is the first of its priority */
    right = right && count == 12;
    count = 0;
    return right;
}

static int while_the_others_are_held(void)
{
    int done = 0, right = 0;
#pragma omp parallel shared(done)
    {
        if (omp_get_thread_num() == 0) {
            create(60);
#pragma omp taskwait
            right = in_order(60);
#pragma omp atomic write
            done = 1;
        }
        for (int over = 0; !over;) {
            sched_yield();
#pragma omp atomic read
            over = done;
        }
    }
    return right;
}

static int more_than_the_most(void) /* is as the most */
{
#pragma omp parallel num_threads(1)
    {
#pragma omp task priority(MOST)
        note(MOST, 0);
#pragma omp task priority(MOST + 4)
        note(MOST, 1);
    }
    return in_order(2);
}

int main(void)
{
    printf("in order: %d %d %d", at_a_barrier(), at_a_taskwait(), in_a_taskgroup());
    printf(" %d %d %d %d", within_a_task(), deep_down(), of_a_taskloop(), after_a_dependence());
    printf(" %d %d, of %d: 1\n", while_the_others_are_held(), more_than_the_most(), omp_get_max_task_priority());
    return 0;
}
