/* Tasks that wait, by taskyield, for what their creator does later: as many as libgomp puts off for one thread. The
 * creator is a task of a task, where new tasks are otherwise run at once soon. (libomp alone never ends with one
 * thread, where it runs every task at once.)
 * expect: 60 60 */
#include <stdio.h>

enum { TASKS = 60 };

static int wait_for_creator(void)
{
    int go = 0, ran = 0;
    for (int i = 0; i < TASKS; i++) {
#pragma omp task shared(go, ran)
        {
            int seen = 0;
            while (!seen) {
#pragma omp taskyield
#pragma omp atomic read
                seen = go;
            }
#pragma omp atomic
            ran++;
        }
    }
#pragma omp atomic write
    go = 1;
#pragma omp taskwait
    return ran;
}

int main(void)
{
    int first = 0, second = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(first)
        {
#pragma omp task shared(first)
            first = wait_for_creator();
#pragma omp taskwait
        }
#pragma omp taskwait
        second = wait_for_creator();
    }
    return printf("%d %d\n", first, second) < 0;
}
