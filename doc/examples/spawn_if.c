/* A child under a condition: small parts are sorted by a call.
 * Prints: sorted */
#include <heist/heist.h>
#include <stdio.h>
#include <string.h>

#define COUNT 200000

static void merge(int *a, size_t middle, size_t count, int *room)
{
    memcpy(room, a, middle * sizeof *a);
    for (size_t left = 0, right = middle, to = 0; left < middle; to++)
        a[to] = right < count && a[right] < room[left] ? a[right++] : room[left++];
}

HEIST_VOID_TASK(merge_sort, int *, a, size_t, count, int *, room)
{
    if (count < 2) return;
    size_t middle = count / 2;
    HEIST_SPAWN_IF(count > 1000, left, merge_sort, a, middle, room); /* else it is called, here and now */
    HEIST_CALL(merge_sort, a + middle, count - middle, room + middle);
    HEIST_SYNC(left); /* in either case */
    merge(a, middle, count, room);
}

int main(void)
{
    static int numbers[COUNT], room[COUNT];
    unsigned state = 1;
    for (size_t i = 0; i < COUNT; i++) numbers[i] = (int)((state = state * 1664525u + 1013904223u) >> 8);
    HEIST_RUN(NULL, merge_sort, numbers, COUNT, room);
    for (size_t i = 1; i < COUNT; i++) {
        if (numbers[i - 1] > numbers[i]) return 1;
    }
    puts("sorted");
    return 0;
}
