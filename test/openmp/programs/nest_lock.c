/* A nestable lock belongs to the task that set it: another task, also one run by the same thread, cannot have it. (With
 * libomp it can.)
 * expect with libomp: 3 0 100 */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    omp_nest_lock_t lock, shared_lock;
    int depth = 0, others = 0, count = 0;
    omp_init_nest_lock(&lock);
    omp_init_nest_lock(&shared_lock);
#pragma omp parallel
#pragma omp single
    {
        omp_set_nest_lock(&lock);
        omp_set_nest_lock(&lock);
        depth = omp_test_nest_lock(&lock);
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(others)
            {
                int got = omp_test_nest_lock(&lock);
#pragma omp atomic
                others += got;
            }
        }
#pragma omp taskwait
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
        for (int i = 0; i < 100; i++) {
#pragma omp task shared(count)
            {
                omp_set_nest_lock(&shared_lock);
                omp_set_nest_lock(&shared_lock);
                count++;
                omp_unset_nest_lock(&shared_lock);
                omp_unset_nest_lock(&shared_lock);
            }
        }
    }
    omp_set_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    omp_destroy_nest_lock(&lock);
    omp_destroy_nest_lock(&shared_lock);
    printf("%d %d %d\n", depth, others, count);
    return 0;
}
