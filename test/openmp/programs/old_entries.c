/* Code as gcc before 4.9 emits it: the first thread runs the function itself, between GOMP_parallel_start and _end.
 * only: libgomp */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads);
void GOMP_parallel_loop_dynamic_start(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step,
                                      long chunk);
void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned threads, unsigned count);
void GOMP_parallel_end(void);
bool GOMP_loop_dynamic_next(long *from, long *to);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);

static int sum;

static void spawn(int n)
{
    for (int i = 0; i < n; i++) {
#pragma omp task
        {
#pragma omp task
#pragma omp atomic
            sum++;
        }
    }
}

static void region(void *data)
{
    (void)data;
    if (omp_get_thread_num() == 0) spawn(100);
}

static void loop(void *data)
{
    long from, to;
    (void)data;
    while (GOMP_loop_dynamic_next(&from, &to)) {
        for (long i = from; i < to; i++) spawn(2);
    }
    GOMP_loop_end_nowait();
}

static void sections(void *data)
{
    (void)data;
    for (unsigned s = GOMP_sections_next(); s; s = GOMP_sections_next()) spawn((int)s);
    GOMP_sections_end_nowait();
}

int main(void)
{
    GOMP_parallel_start(region, NULL, 3);
    region(NULL);
    GOMP_parallel_end();
    int first = sum;
    GOMP_parallel_loop_dynamic_start(loop, NULL, 4, 0, 50, 1, 1);
    loop(NULL);
    GOMP_parallel_end();
    int second = sum;
    GOMP_parallel_sections_start(sections, NULL, 2, 3);
    sections(NULL);
    GOMP_parallel_end();
    printf("%d %d %d\n", first, second, sum);
    return 0;
}
