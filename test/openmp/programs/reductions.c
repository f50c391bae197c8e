/* Task reductions in their three forms, with several items, arrays, own operators, and nested groups. */
#include <stdio.h>

typedef struct {
    int low, high;
} range;
static void widen(range *a, const range *b)
{
    if (b->low < a->low) a->low = b->low;
    if (b->high > a->high) a->high = b->high;
}
#pragma omp declare reduction(widen:range : widen(&omp_out, &omp_in)) initializer(omp_priv = {1000000, -1000000})

static long in_taskgroup(void)
{
    long sum = 0, product = 1;
    int counts[4] = {0};
    range r = {1000000, -1000000};
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum, counts) task_reduction(* : product) task_reduction(widen : r)
        {
            for (int i = 0; i < 200; i++) {
#pragma omp task in_reduction(+ : sum, counts) in_reduction(widen : r) firstprivate(i)
                {
                    sum += i;
                    counts[i % 4]++;
                    range one = {i, i};
                    widen(&r, &one);
#pragma omp task in_reduction(+ : sum) firstprivate(i)
                    sum += 1000 * (i % 2);
                }
                if (i % 50 == 0) {
#pragma omp task in_reduction(* : product)
                    product *= 3;
                }
            }
        }
    }
    return sum + product * 7 + counts[0] + counts[1] * 10 + counts[2] * 100 + counts[3] * 1000 + r.low + r.high;
}

static long in_nested_groups(void)
{
    long outer = 0, inner_total = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : outer)
        {
            for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : outer) shared(inner_total) firstprivate(i)
                {
                    long inner = 0;
#pragma omp taskgroup task_reduction(+ : inner)
                    for (int j = 0; j < 10; j++) {
#pragma omp task in_reduction(+ : inner, outer) firstprivate(i, j)
                        {
                            inner += j;
                            outer += i;
                        }
                    }
#pragma omp atomic
                    inner_total += inner;
                    outer += 1;
                }
            }
        }
    }
    return outer * 10000 + inner_total;
}

static long in_parallel(void)
{
    long sum = 0;
#pragma omp parallel reduction(task, + : sum)
    {
#pragma omp single
        for (int i = 0; i < 100; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
            sum += i;
        }
    }
    return sum;
}

static long in_worksharing(void)
{
    long sum = 0, count = 0, third = 0;
#pragma omp parallel
    {
#pragma omp for reduction(task, + : sum) schedule(dynamic, 3)
        for (int i = 0; i < 50; i++) {
            sum++;
#pragma omp task in_reduction(+ : sum) firstprivate(i)
            sum += i;
        }
#pragma omp sections reduction(task, + : count)
        {
            {
#pragma omp task in_reduction(+ : count)
                count += 5;
            }
#pragma omp section
            {
#pragma omp task in_reduction(+ : count)
                count += 7;
            }
        }
#pragma omp for reduction(task, + : third)
        for (unsigned long long i = 0; i < 30; i++) {
#pragma omp task in_reduction(+ : third) firstprivate(i)
            third += (long)i;
        }
    }
#pragma omp parallel for reduction(task, + : count)
    for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : count)
        count++;
    }
    return sum * 1000000 + count * 1000 + third;
}

static long in_taskloop(void)
{
    long sum = 0, outer = 0, none = 5;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop reduction(+ : sum) grainsize(7)
        for (int i = 0; i < 200; i++) sum += i;
#pragma omp taskgroup task_reduction(+ : outer)
        {
#pragma omp taskloop in_reduction(+ : outer) num_tasks(9) nogroup
            for (int i = 0; i < 100; i++) outer += i;
#pragma omp taskloop in_reduction(+ : outer)
            for (unsigned long long i = 0; i < 10; i++) outer += 1;
        }
#pragma omp taskloop reduction(+ : none)
        for (int i = 0; i < 0; i++) none += i;
    }
    return sum * 100000 + outer * 10 + none;
}

static long of_unknown_size(int n) /* clang has each thread make its copy when it first needs it */
{
    long a[n], sum = 0;
    for (int i = 0; i < n; i++) a[i] = 1;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : a)
    {
        for (int i = 0; i < 50; i++) {
#pragma omp task in_reduction(+ : a) firstprivate(i)
            for (int j = 0; j < n; j++) a[j] += i * j;
        }
    }
    for (int i = 0; i < n; i++) sum += a[i];
    return sum;
}

int main(void)
{
    printf("%ld %ld %ld ", in_taskgroup(), in_nested_groups(), in_parallel());
    printf("%ld %ld %ld\n", in_worksharing(), in_taskloop(), of_unknown_size(20));
    return 0;
}
