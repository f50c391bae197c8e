/* One task that creates detached tasks for a long time does not need memory for all of them, if their events are
 * fulfilled; nor does a chain of them need a stack.
 * expect: 400000 small 100000 */
#include <omp.h>
#include <stdio.h>
#include <sys/resource.h>

static long chained, others;

static void chain(long left)
{
    omp_event_handle_t event;
#pragma omp task /* so that there is enough to steal */
#pragma omp atomic
    others++;
#pragma omp task detach(event) firstprivate(left)
    {
#pragma omp atomic
        chained++;
        if (left > 1) chain(left - 1);
        omp_fulfill_event(event);
    }
}

int main(void)
{
    long sum = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 400000; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(sum)
        {
            volatile int work = 0; /* longer than it takes to create one */
            while (work < 200) work++;
#pragma omp atomic
            sum++;
            omp_fulfill_event(event);
        }
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld %s ", sum, usage.ru_maxrss < 80 * 1024 ? "small" : "large");
#pragma omp parallel
#pragma omp single
    chain(100000);
    printf("%ld\n", chained);
    return 0;
}
