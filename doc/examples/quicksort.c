/* A typed task without a result: quicksort, one half in a child.
 * Prints: sorted */
#include <heist/heist.h>
#include <stdio.h>

#define COUNT 200000

static size_t split(int *a, size_t count)
{
    size_t middle = 0;
    int pivot = a[count / 2];
    a[count / 2] = a[count - 1];
    for (size_t i = 0; i + 1 < count; i++) {
        if (a[i] >= pivot) continue;
        int swap = a[i];
        a[i] = a[middle];
        a[middle++] = swap;
    }
    a[count - 1] = a[middle];
    a[middle] = pivot;
    return middle;
}

HEIST_VOID_TASK(quicksort, int *, a, size_t, count)
{
    if (count < 2) return;
    size_t middle = split(a, count);
    HEIST_SPAWN(left, quicksort, a, middle);
    HEIST_CALL(quicksort, a + middle + 1, count - middle - 1);
    HEIST_SYNC(left);
}

int main(void)
{
    static int numbers[COUNT];
    unsigned state = 1;
    for (size_t i = 0; i < COUNT; i++) numbers[i] = (int)((state = state * 1664525u + 1013904223u) >> 8);
    HEIST_RUN(NULL, quicksort, numbers, COUNT); /* NULL: the default pool */
    for (size_t i = 1; i < COUNT; i++) {
        if (numbers[i - 1] > numbers[i]) return 1;
    }
    puts("sorted");
    return 0;
}
