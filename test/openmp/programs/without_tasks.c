/* A program that creates no tasks. */
#include <stdio.h>

int main(void)
{
    long sum = 0;
    for (int round = 0; round < 100; round++) {
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 100; i++) sum += i;
    }
    printf("%ld\n", sum);
    return 0;
}
