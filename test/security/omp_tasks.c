/* An OpenMP program with tasks, for openmp_setuid.sh. With an argument it prints its effective user. */
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return printf("user %u\n", (unsigned)geteuid()) < 0;
    int sum = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 1; i <= 100; i++) {
#pragma omp task shared(sum) firstprivate(i)
#pragma omp atomic
        sum += i;
    }
    printf("%d\n", sum);
    return 0;
}
