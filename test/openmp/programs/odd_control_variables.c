/* odd_control_variables SEED: tasks set control variables to numbers that make little sense, in C and as Fortran does,
 * and print the values that they then have; so do their children, and their parents afterwards.
 * only: libgomp */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void omp_set_num_threads_8_(const int64_t *value);
void omp_set_dynamic_8_(const int64_t *value);
void omp_set_max_active_levels_8_(const int64_t *value);
void omp_set_schedule_8_(const int *kind, const int64_t *chunk);

static uint64_t state;

static int64_t odd_number(void)
{
    static const int64_t odd[] = {
        0, 1, 2, -1, 3, 255, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, (int64_t)1 << 32, ((int64_t)1 << 32) + 1};
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return odd[(state >> 33) % (sizeof odd / sizeof *odd)];
}

static void set_one(void)
{
    int64_t n = odd_number();
    int kind = 1 + (int)((state >> 40) % 4);
    switch ((state >> 50) % 8) {
    case 0: omp_set_num_threads((int)n); break;
    case 1: omp_set_dynamic((int)n); break;
    case 2: omp_set_max_active_levels((int)n); break;
    case 3: omp_set_schedule((omp_sched_t)kind, (int)n); break;
    case 4: omp_set_num_threads_8_(&n); break;
    case 5: omp_set_dynamic_8_(&n); break;
    case 6: omp_set_max_active_levels_8_(&n); break;
    default: omp_set_schedule_8_(&kind, &n);
    }
}

static void tell(const char *who)
{
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    printf("%s: %d threads, dynamic %d, %d levels, schedule %d of %d\n", who, omp_get_max_threads(), omp_get_dynamic(),
           omp_get_max_active_levels(), (int)kind, chunk);
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    omp_set_num_threads(5); /* whatever the environment says */
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 20; i++) {
        tell("parent");
#pragma omp task
        {
            set_one();
            tell("child");
#pragma omp task
            {
                set_one();
                tell("grandchild");
            }
#pragma omp taskwait
            tell("child after it");
        }
#pragma omp taskwait
        if (i % 3 == 0) set_one();
    }
    return 0;
}
