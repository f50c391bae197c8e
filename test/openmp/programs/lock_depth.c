/* Tasks created within critical sections, or with locks held, that they want, too: each waits until its creator has
 * left.
 * expect: 1022 1022 1022 1022 1022 100 100 510 */
#include <omp.h>
#include <stdio.h>

enum { UNNAMED, NAMED, LOCK, TESTED, NEST, KINDS };
static long entered[KINDS];
static omp_lock_t lock;
static omp_nest_lock_t nest;

/* In functions of their own: compilers refuse critical sections in each other where they see them. */
static void enter(int kind, void (*what)(int, int), int depth)
{
    switch (kind) {
    case UNNAMED:
#pragma omp critical
        what(kind, depth);
        break;
    case NAMED:
#pragma omp critical(name)
        what(kind, depth);
        break;
    case LOCK:
        omp_set_lock(&lock);
        what(kind, depth);
        omp_unset_lock(&lock);
        break;
    case TESTED:
        while (!omp_test_lock(&lock)) continue;
        what(kind, depth);
        omp_unset_lock(&lock);
        break;
    default:
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        what(kind, depth);
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
}

static void count(int kind, int depth)
{
    (void)depth;
    entered[kind]++;
}

static void visit(int kind, int depth);

static void create(int kind, int depth)
{
#pragma omp task firstprivate(kind, depth)
    visit(kind, depth);
}

static void visit(int kind, int depth)
{
    enter(kind, count, 0);
    for (int i = 0; i < 2 && depth > 0; i++) enter(kind, create, depth - 1);
}

/* Dependent ones, which are short. */
static long chain(void)
{
    long value = 0;
    for (int i = 0; i < 100; i++) {
        omp_set_lock(&lock);
#pragma omp task depend(inout : value) shared(value)
        {
            omp_set_lock(&lock);
            value++;
            omp_unset_lock(&lock);
        }
        omp_unset_lock(&lock);
    }
#pragma omp taskwait
    return value;
}

static long loop(void)
{
    long value = 0;
    omp_set_lock(&lock);
#pragma omp taskloop nogroup grainsize(1) shared(value)
    for (int i = 0; i < 100; i++) {
        omp_set_lock(&lock);
        value++;
        omp_unset_lock(&lock);
    }
    omp_unset_lock(&lock);
#pragma omp taskwait
    return value;
}

/* Where the first child waits already, and the second would be the one to run at once. */
static long pairs(int depth)
{
    long first = 0, second = 0;
    if (depth == 0) return 0;
#pragma omp task shared(first)
    first = pairs(depth - 1);
    omp_set_lock(&lock);
#pragma omp task shared(second)
    {
        omp_set_lock(&lock);
        second++;
        omp_unset_lock(&lock);
        second += pairs(depth - 1);
    }
    omp_unset_lock(&lock);
#pragma omp taskwait
    return first + second + 1;
}

int main(void)
{
    long value = 0, iterations = 0, both = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel
#pragma omp single
    {
        for (int kind = 0; kind < KINDS; kind++) {
            for (int i = 0; i < 2; i++) enter(kind, create, 8);
#pragma omp taskwait
        }
        value = chain();
        iterations = loop();
        both = pairs(8);
    }
    for (int kind = 0; kind < KINDS; kind++) printf("%ld ", entered[kind]);
    printf("%ld %ld %ld\n", value, iterations, both);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    return 0;
}
