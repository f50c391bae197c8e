/* target nowait with dependences, without a device: runs on the host, in order with its siblings. */
#include <stdio.h>

int main(void)
{
    int x = 0, y = 0, before = 0;
#pragma omp target nowait depend(inout : before) map(tofrom : before) /* outside any region */
    before = 1;
#pragma omp task depend(inout : before) shared(before)
    before += 2;
#pragma omp taskwait
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : x) shared(x)
            x = x * 2 % 1009 + 1;
#pragma omp target nowait depend(inout : x) map(tofrom : x)
            x = x * 3 % 1009 + 1;
        }
#pragma omp target enter data nowait depend(inout : x) map(to : x)
#pragma omp target update nowait depend(inout : x) from(x)
#pragma omp target exit data nowait depend(inout : x) map(release : x)
#pragma omp task depend(in : x) shared(x, y)
        y = x;
    }
    printf("%d %d %d\n", before, x, y);
    return 0;
}
