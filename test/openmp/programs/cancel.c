/* cancel of taskgroup, parallel, for and sections, with OMP_CANCELLATION=true. Cancelled work may have run or not, so
 * only what must hold is printed. (libomp waits for ever a few loops after a cancelled one.)
 * expect with libomp: 1 0 0 0 115 101 */
#include <omp.h>
#include <stdio.h>

static int groups(void)
{
    int ran = 0, after = 0, wrong = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
            for (int i = 0; i < 1000; i++) {
#pragma omp task shared(ran) firstprivate(i)
                {
                    if (i == 3) {
#pragma omp cancel taskgroup
                    }
#pragma omp cancellation point taskgroup
#pragma omp atomic
                    ran++;
                }
            }
        }
        int first = ran;
#pragma omp taskgroup
        {
#pragma omp task shared(after)
            after = 1; /* another group */
        }
        wrong += first != ran; /* nothing of a group runs after it has ended */
        wrong += ran >= 1000;
    }
    return wrong * 10 + after;
}

/* Tasks that wait for the one that cancels cannot have begun before, and do not afterwards. */
static int waiting(void)
{
    int x = 0, begun = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task depend(out : x)
            {
#pragma omp cancel taskgroup
            } for (int i = 0; i < 50; i++){
#pragma omp task depend(in : x) shared(begun)
#pragma omp atomic
                begun++;
}
}
}
(void)x;
return begun;
}

static int regions(void)
{
    int passed = 0, tasks = 0;
#pragma omp parallel
    {
#pragma omp single nowait
        for (int i = 0; i < 100; i++) {
#pragma omp task shared(tasks)
#pragma omp atomic
            tasks++;
        }
#pragma omp cancel parallel
#pragma omp barrier
#pragma omp atomic
        passed++;
    }
    return passed + 10 * (tasks > 100);
}

/* One thread cancels; threads that wait in a barrier leave it, and go to the end. */
static int others(void)
{
    int passed = 0;
#pragma omp parallel
    {
        if (omp_get_thread_num() == omp_get_num_threads() - 1) {
#pragma omp cancel parallel
        }
#pragma omp barrier
#pragma omp atomic
        passed++;
    }
    return passed;
}

static int loops(void)
{
    int found = 0, rounds = 0, whole = 0;
#pragma omp parallel
    for (int round = 0; round < 5; round++) {
        int mine = 0;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100000; i++) {
            mine++;
            if (i == 10) {
#pragma omp atomic write
                found = 1;
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; i++) { /* another loop, not cancelled */
#pragma omp cancel for if (i > 1000)
#pragma omp atomic
            whole++;
        }
#pragma omp single
        rounds++;
    }
    return found * 10 + rounds + (whole == 500) * 100;
}

static int shares(void)
{
    int n = 0;
#pragma omp parallel
    {
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp atomic
                n++;
#pragma omp cancel sections
            }
#pragma omp section
            {
#pragma omp cancellation point sections
            }
        }
#pragma omp barrier
#pragma omp single
        n += 100;
    }
    return n;
}

int main(void)
{
    if (!omp_get_cancellation()) return 1;
    printf("%d %d %d %d %d %d\n", groups(), waiting(), regions(), others(), loops(), shares());
    return 0;
}
