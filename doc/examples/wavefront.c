/* Dependences between tiles (each needs those above and to the left), as a loop over diagonals: wavefront_openmp.c on
 * heist.
 * Prints: 184756 */
#include <heist/heist.h>
#include <stdio.h>

#define SIDE 11

typedef long row[SIDE];

HEIST_LOOP(tile, i, row *, ways, int64_t, diagonal)
{
    int64_t j = diagonal - i;
    ways[i][j] = i && j ? ways[i - 1][j] + ways[i][j - 1] : 1;
}

int main(void)
{
    static row ways[SIDE];
    for (int64_t d = 0; d < 2 * SIDE - 1; d++) {
        int64_t from = d < SIDE ? 0 : d - SIDE + 1, to = d < SIDE ? d : SIDE - 1;
        HEIST_FOR(NULL, tile, heist_between(from, to + 1), ways, d);
    }
    printf("%ld\n", ways[SIDE - 1][SIDE - 1]);
    return 0;
}
