/* The entry for target that compilers before gcc 6 call, by hand. The tasks of the target region end with it, as its
 * data does.
 * only: libgomp */
#include <stdio.h>

extern void GOMP_target(int, void (*)(void *), const void *, size_t, void **, size_t *, unsigned char *);

static int *counted;

static void region(void *data)
{
    (void)data;
    for (int i = 0; i < 20; i++) {
        int *count = counted;
#pragma omp task firstprivate(count)
        {
#pragma omp atomic
            ++*count;
        }
    }
}

int main(void)
{
    int wrong = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 100; i++) {
        int count = 0;
        counted = &count;
        GOMP_target(-2, region, NULL, 0, NULL, NULL, NULL); /* -2: the host */
        int seen;
#pragma omp atomic read
        seen = count;
        wrong += seen != 20;
    }
    return printf("%d\n", wrong) < 0;
}
