/* taskloops of more tasks than a runtime makes at once: how many there are, and where each begins; with children that
 * are waited for in a task, and with some that are not; within tasks, and within each other; without a group; and no
 * task begins on a thread that waits in another one of the same loop. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 2003 };

static char begins[N];
static int hits[N];
static _Thread_local int inside;

static unsigned checksum(void) /* and all blank again */
{
    unsigned sum = 0;
    for (int i = 0; i < N; i++) {
        sum = sum * 31 + (unsigned)begins[i] + 7 * (unsigned)hits[i];
        begins[i] = 0;
        hits[i] = 0;
    }
    return sum;
}

static int fib(int n)
{
    int a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static long triangle(int n)
{
    long sum = 0;
#pragma omp taskloop num_tasks(40) shared(sum)
    for (int i = 0; i < n; i++) {
        long part = 0;
#pragma omp taskloop grainsize(1) shared(part)
        for (int j = 0; j < i; j++) {
#pragma omp atomic
            part += j;
        }
#pragma omp atomic
        sum += part;
    }
    return sum;
}

/* One task leaves descendants behind, the next waits: its thread is not to begin any of those. */
static int left_behind(void)
{
    int wrong = 0;
#pragma omp taskloop num_tasks(100) shared(wrong)
    for (int i = 0; i < 100; i++) {
        if (i % 2 == 0) {
#pragma omp task if (0) shared(wrong)
#pragma omp task shared(wrong)
            {
                for (int k = 0; k < 3; k++) {
#pragma omp task shared(wrong)
                    {
#pragma omp atomic
                        wrong += inside;
                        usleep(20);
                    }
                }
                usleep(100);
            }
        } else {
            inside = 1;
            for (int k = 0; k < 3; k++) {
#pragma omp task
                usleep(50);
            }
#pragma omp taskwait
            inside = 0;
        }
    }
    return wrong;
}

/* taskwait waits for all tasks of a loop without a group, wherever they are; and a task may be over before its loop
 * is. */
static int without_group(void)
{
    int done = 0, wrong = 0;
#pragma omp taskloop num_tasks(200) nogroup shared(done)
    for (int i = 0; i < 200; i++) {
        if (i % 50 == 49) usleep(200);
#pragma omp atomic
        done++;
    }
#pragma omp taskwait
    wrong += done != 200;
#pragma omp taskgroup
    for (int k = 0; k < 20; k++) {
#pragma omp task shared(done)
        {
#pragma omp taskloop num_tasks(50) nogroup shared(done)
            for (int i = 0; i < 50; i++) {
#pragma omp atomic
                done++;
            }
        }
    }
    return wrong + (done != 1200);
}

int main(void)
{
    int next = 0, wrong = 0, left = 0;
    unsigned by_number = 0, by_grain = 0;
    long fibs = 0, triangles = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop num_tasks(400) firstprivate(next)
        for (int i = 0; i < N; i++) {
            if (next++ == 0) begins[i] = 1;
            hits[i]++;
        }
        by_number = checksum();
#pragma omp taskloop grainsize(3) firstprivate(next)
        for (long i = N - 1; i >= 0; i--) {
            if (next++ == 0) begins[i] = 1;
            hits[i]++;
        }
        by_grain = checksum();
#pragma omp taskloop num_tasks(200) shared(fibs, wrong)
        for (int i = 0; i < 200; i++) {
#pragma omp atomic
            wrong += inside != 0;
            inside = 1;
            int f = fib(i % 8);
            inside = 0;
#pragma omp atomic
            fibs += f;
        }
#pragma omp taskloop grainsize(1) shared(left)
        for (int i = 0; i < 600; i++) {
            if (i % 3 == 0) {
#pragma omp task shared(left)
                {
#pragma omp task shared(left)
#pragma omp atomic
                    left++;
                }
            }
        }
        wrong += left_behind();
        wrong += without_group();
        wrong += left != 200; /* children, too, are over when the loop is */
#pragma omp taskloop num_tasks(300) final(1) shared(wrong)
        for (int i = 0; i < 3000; i++) {
#pragma omp atomic
            wrong += !omp_in_final();
        }
#pragma omp taskloop num_tasks(300) if (0) firstprivate(next)
        for (int i = 0; i < N; i++) {
            if (next++ == 0) begins[i] = 1;
            hits[i]++;
        }
        by_number += checksum();
        for (int k = 0; k < 2; k++) {
#pragma omp task shared(triangles)
            {
                long t = triangle(40);
#pragma omp atomic
                triangles += t;
            }
        }
#pragma omp taskwait
    }
    printf("%u %u %ld %ld %d\n", by_number, by_grain, fibs, triangles, wrong);
    return 0;
}
