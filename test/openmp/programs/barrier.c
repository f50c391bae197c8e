/* Every barrier, also those hidden in other constructs, has run all tasks before it when it ends. */
#include <stdio.h>

#define TASKS 200
static int done[8];
static int wrong;

static void make(int which)
{
    for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(which)
        {
#pragma omp task firstprivate(which)
#pragma omp atomic
            done[which]++;
        }
    }
}

static void expect(int which, int makers)
{
    int now;
#pragma omp atomic read
    now = done[which];
    if (now != makers * TASKS) {
#pragma omp atomic
        wrong++;
    }
}

int main(void)
{
    int copied = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp single nowait
        make(0);
#pragma omp barrier
        expect(0, 1);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 6; i++) make(1);
        expect(1, 6);
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 6; i++) make(2);
        expect(2, 6);
#pragma omp sections
        {
            make(3);
#pragma omp section
            make(3);
        }
        expect(3, 2);
        int value = 0;
#pragma omp single copyprivate(value)
        {
            make(4);
            value = 17;
        }
        expect(4, 1);
#pragma omp atomic
        copied += value;
#pragma omp master
        make(5);
    }
    expect(5, 1);
#pragma omp parallel for schedule(dynamic) num_threads(3)
    for (int i = 0; i < 9; i++) make(6);
    expect(6, 9);
#pragma omp parallel sections num_threads(2)
    {
        make(7);
#pragma omp section
        make(7);
    }
    expect(7, 2);
    printf("%d %d\n", wrong, copied);
    return 0;
}
