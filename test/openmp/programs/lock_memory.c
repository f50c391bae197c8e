/* Tasks with much data, created within a critical section, or too large to run on a copy on the stack: the memory that
 * they hold together is bounded. Prints the sums of their data, and whether 200 MB sufficed.
 * expect: 20000 20000 enough */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { TASKS = 20000 };
typedef struct {
    char bytes[16 << 10];
} much;
typedef struct {
    char bytes[48 << 10];
} more;

static long megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss >> 10;
}

static long in_critical(void)
{
    long sum = 0;
    much data;
    memset(&data, 0, sizeof data);
    data.bytes[100] = 1;
#pragma omp parallel
#pragma omp single
#pragma omp critical
    for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(data) shared(sum)
        {
#pragma omp atomic
            sum += data.bytes[100];
        }
    }
    return sum;
}

static long large(void)
{
    long sum = 0;
    more data;
    memset(&data, 0, sizeof data);
    data.bytes[100] = 1;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(data) shared(sum)
        {
#pragma omp atomic
            sum += data.bytes[100];
        }
    }
    return sum;
}

int main(void)
{
    long before = megabytes(), first = in_critical(), second = large(), used = megabytes() - before;
    return printf("%ld %ld %s\n", first, second, used <= 200 ? "enough" : "too much") < 0;
}
