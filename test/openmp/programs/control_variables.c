/* A control variable that a task sets counts for the task, and for its children from then on; not for its siblings or
 * its parent. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    int wrong = 0;
    omp_set_num_threads(5);
    omp_set_schedule(omp_sched_dynamic, 3);
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 0; i < 40; i++) {
#pragma omp task shared(wrong) firstprivate(i)
            {
                int w = omp_get_max_threads() != 5;
                omp_set_num_threads(10 + i);
                omp_set_schedule(omp_sched_static, i + 1);
                for (int c = 0; c < 3; c++) {
#pragma omp task shared(wrong) firstprivate(i)
                    {
                        omp_sched_t kind;
                        int chunk;
                        omp_get_schedule(&kind, &chunk);
                        int v = omp_get_max_threads() != 10 + i || kind != omp_sched_static || chunk != i + 1;
                        omp_set_num_threads(3);
#pragma omp atomic
                        wrong += v;
                    }
                }
#pragma omp taskwait
                w += omp_get_max_threads() != 10 + i;
#pragma omp atomic
                wrong += w;
            }
        }
#pragma omp taskwait
        wrong += omp_get_max_threads() != 5;
        omp_set_num_threads(6);
#pragma omp task shared(wrong)
#pragma omp atomic
        wrong += omp_get_max_threads() != 6;
    }
    printf("%d %d\n", wrong, omp_get_max_threads());
    return 0;
}
