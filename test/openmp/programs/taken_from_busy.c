/* A task that its creator has set aside is run by another thread, nevertheless, if the creator waits for it in a way of
 * its own, and calls nothing of OpenMP meanwhile. The other thread is kept busy with other tasks first, so that it gets
 * this one only if it forces it. */
#include <sched.h>
#include <stdio.h>

static int busy, released, done, fillers;

static int is_set(int *flag)
{
    int now;
#pragma omp atomic read seq_cst
    now = *flag;
    return now;
}

static void set(int *flag)
{
#pragma omp atomic write seq_cst
    *flag = 1;
}

static void wait_for(int *flag)
{
    while (!is_set(flag)) sched_yield();
}

static void one_and_another(int wait)
{
#pragma omp task
    set(&done);
    if (wait) {
        set(&released);
        wait_for(&done);
    }
#pragma omp task
    {
#pragma omp atomic
        fillers++;
    }
#pragma omp taskwait
}

static void create(void)
{
    for (int i = 0; i < 8; i++) one_and_another(0); /* what comes after what is known now */
    for (int i = 0; i < 8; i++) {
#pragma omp task
        {
#pragma omp atomic
            fillers++;
        }
    }
    done = 0;
    one_and_another(1);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            set(&busy);
            wait_for(&released);
        }
        wait_for(&busy); /* the other thread has it */
#pragma omp task
#pragma omp task
#pragma omp task
        create();
    }
    printf("done %d, fillers %d\n", done, fillers);
    return 0;
}
