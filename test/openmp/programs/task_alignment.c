/* firstprivate blocks: larger than a record, aligned more than any type, of variable length (a copy function). The
 * compiler's code copies them once more, so blocks of each alignment are also examined directly. (clang has no copies
 * of variable length, and libomp aligns nothing.)
 * expect with libomp: 0 4950 0 0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    _Alignas(64) double v[8];
} line;
typedef struct {
    _Alignas(512) char c[512];
} page;
typedef struct {
    int n[3000];
} big;

#ifndef __clang__
void GOMP_task(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool if_clause,
               unsigned flags, void **depend, int priority, void *detach);

static int misplaced;

static void look(void *data)
{
    long align;
    memcpy(&align, data, sizeof align);
    if ((uintptr_t)data % (uintptr_t)align) {
#pragma omp atomic
        misplaced++;
    }
}

static void copy_block(void *to, void *from)
{
    memcpy(to, from, sizeof(long));
}

static int direct(void)
{
#pragma omp parallel
#pragma omp single
    for (long align = 8; align <= 4096; align *= 2) {
        _Alignas(4096) char block[8192];
        memcpy(block, &align, sizeof align);
        for (int i = 0; i < 10; i++) {
            GOMP_task(look, block, NULL, align, align, true, 0, NULL, 0, NULL);
            GOMP_task(look, block, copy_block, align + 8, align, true, 0, NULL, 0, NULL);
            GOMP_task(look, block, copy_block, align, align, i % 2, 0, NULL, 0, NULL);
#pragma omp taskwait
        }
    }
    return misplaced;
}

static int vla(int n)
{
    int values[n], total = 0;
    for (int i = 0; i < n; i++) values[i] = i;
#pragma omp parallel
#pragma omp single
    for (int t = 0; t < 20; t++) {
#pragma omp task firstprivate(values) shared(total)
        {
            int s = 0;
            for (int i = 0; i < n; i++) s += values[i];
#pragma omp atomic
            total += s;
        }
    }
    return total;
}

#else
static int direct(void)
{
    return 0;
}

static int vla(int n)
{
    return n - n;
}
#endif

int main(void)
{
    line a = {{1, 2, 3, 4, 5, 6, 7, 8}};
    page p;
    big b;
    int wrong = 0, sum = 0;
    memset(p.c, 7, sizeof p.c);
    for (int i = 0; i < 3000; i++) b.n[i] = i;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(a) shared(wrong)
        if ((uintptr_t)&a % 64 || a.v[7] != 8) wrong++;
#pragma omp task firstprivate(p) shared(wrong)
        if ((uintptr_t)&p % 512 || p.c[511] != 7) wrong++;
#pragma omp task firstprivate(b, i) shared(wrong, sum)
        {
            if (b.n[2999] != 2999) wrong++;
#pragma omp atomic
            sum += b.n[i];
        }
    }
    printf("%d %d %d %d\n", wrong, sum, vla(500), direct());
    return 0;
}
