/* A task with more data than a stack holds: it is copied elsewhere. */
#include <cstdio>
#include <cstring>

struct board {
    char cells[12 << 20];
    board()
    {
        memset(cells, 1, sizeof cells);
    }
    board(const board &other)
    {
        memcpy(cells, other.cells, sizeof cells);
    }
};

static long sum_of(const board &b)
{
    long sum = 0;
    for (size_t i = 0; i < sizeof b.cells; i += 4096) sum += b.cells[i];
    return sum;
}

int main()
{
    static board b;
    long sums[4] = {0};
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(b, i) shared(sums)
        sums[i] = sum_of(b);
        b.cells[4096]++;
    }
    printf("%ld %ld %ld %ld\n", sums[0], sums[1], sums[2], sums[3]);
    return 0;
}
