/* if(0) runs before the next statement; final tasks have only final ones below them, run at once; mergeable, untied. */
#include <omp.h>
#include <stdio.h>

static int final_children(int depth)
{
    int wrong = !omp_in_final();
    if (depth == 0) return wrong;
    int before = omp_get_thread_num(), x = 0, y = 0;
#pragma omp task shared(x)
    x = final_children(depth - 1) + (omp_get_thread_num() != before);
#pragma omp task shared(y) mergeable
    y = final_children(depth - 1) + (omp_get_thread_num() != before);
    return wrong + x + y; /* no taskwait: both have been run */
}

int main(void)
{
    int order_wrong = 0, final_wrong = 0, not_final = 0, untied = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 50; i++) {
            int done = 0;
#pragma omp task if (i < 0) shared(done)
            {
                done = 1;
            }
            order_wrong += !done;
#pragma omp task if (i < 0) final(i % 2) shared(final_wrong)
            {
#pragma omp atomic
                final_wrong += omp_in_final() != i % 2;
            }
        }
        for (int i = 0; i < 20; i++) {
#pragma omp task final(i % 2 == 0) firstprivate(i) shared(final_wrong, not_final)
            {
                if (i % 2 == 0) {
                    int w = final_children(4);
#pragma omp atomic
                    final_wrong += w;
                } else {
#pragma omp atomic
                    not_final += !omp_in_final();
                }
            }
#pragma omp task untied shared(untied)
            {
#pragma omp taskyield
#pragma omp atomic
                untied++;
            }
        }
#pragma omp taskwait
#pragma omp task final(1) shared(final_wrong) /* also where nothing else waits to be run */
        final_wrong += final_children(4);
    }
    printf("%d %d %d %d %d\n", order_wrong, final_wrong, not_final, untied, omp_in_final());
    return 0;
}
