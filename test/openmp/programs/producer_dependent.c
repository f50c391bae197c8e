/* One task that creates tasks with dependences for a long time does not need memory for all of them: chains, sets whose
 * members exclude each other, a priority.
 * expect: 400000 small 400000 small 400000 small */
#include <stdio.h>
#include <sys/resource.h>

enum { COUNT = 400000 };

static const char *size(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss < 100 * 1024 ? "small" : "large";
}

static void work(long *sum)
{
    volatile int rounds = 0; /* about as long as it takes to create one */
    while (rounds < 100) rounds++;
    ++*sum;
}

static void produce(int kind, long *sum)
{
    char x = 0; /* only its address matters */
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < COUNT; i++) {
        if (kind == 0) {
#pragma omp task depend(inout : x)
            work(sum);
        } else if (kind == 1) {
#pragma omp task depend(mutexinoutset : x)
            work(sum);
        } else {
#pragma omp task depend(inout : x) priority(3)
            work(sum);
        }
    }
    (void)x;
}

int main(void)
{
    for (int kind = 0; kind < 3; kind++) {
        long sum = 0;
        produce(kind, &sum);
        printf("%ld %s%s", sum, size(), kind == 2 ? "\n" : " ");
    }
    return 0;
}
