/* One half of a program with two runtimes: compiled once by each compiler, PART is the name of its function. Its
 * regions create tasks, and call the other half where the caller asks for that. */
#include <omp.h>

#include "part.h"

static long fib(int n)
{
    long a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static long chain(int length)
{
    long sum = 0;
    for (int i = 0; i < length; i++) {
#pragma omp task depend(inout : sum) shared(sum) firstprivate(i)
        sum += i;
    }
#pragma omp taskwait
    return sum;
}

static long region(long (*other)(void), enum part_place place)
{
    long sum = 0, tasks = 0, said = 0;
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp single
        {
            if (place == PART_IN_REGION) said = other();
#pragma omp task shared(said) if (place == PART_IN_TASK)
            if (place == PART_IN_TASK) said = other();
            tasks = fib(10) + chain(50);
        }
        for (int i = 0; i < 50; i++) {
#pragma omp task shared(tasks)
            {
#pragma omp atomic
                tasks++;
            }
        }
#pragma omp for
        for (int i = 0; i < 1000; i++) sum += i;
    }
    /* 50 for each thread, of which there may be any number */
    return sum + 55 + 1225 + (tasks - 55 - 1225) % 50 + said;
}

/* Simple locks go by names that both runtimes have. */
static long with_lock(void)
{
    long count = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task shared(count, lock)
        {
            omp_set_lock(&lock);
            count++;
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
    return count;
}

/* So do nestable ones, for which gcc has more room than clang: where clang's code gets libgomp's functions, they write
 * beyond it, with the runtimes alone, too. */
static long with_nest_lock(void)
{
    long count = 0;
#ifdef __clang__
    count = 200;
#else
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task shared(count, lock)
        {
            omp_set_nest_lock(&lock);
            omp_set_nest_lock(&lock);
            count += 2;
            omp_unset_nest_lock(&lock);
            omp_unset_nest_lock(&lock);
        }
    }
    omp_destroy_nest_lock(&lock);
#endif
    return count;
}

long PART(long (*other)(void), enum part_place place)
{
    return region(other, place) + with_lock() + with_nest_lock();
}
