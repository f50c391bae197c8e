/* graph SEED ROUNDS: random task graphs. The results of tasks with dependences are compared with a serial evaluation,
 * statement by statement in the order of creation, which matters except among neighbours in a mutexinoutset. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 12, TASKS = 400 };

typedef struct step {
    int to, a, b, kind;
    unsigned k;
} step;

static unsigned long long state;

static unsigned pick(unsigned below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % below;
}

enum { ADDS = 1 }; /* the kind that may come in any order among its like: it only adds, but not atomically */

static unsigned term(const unsigned *cells, const step *s, int from)
{
    return s->kind == ADDS && from == s->to ? 0 : cells[from];
}

static void apply(unsigned *cells, const step *s)
{
    volatile unsigned *to = &cells[s->to];
    unsigned spin = s->k % 64, old = *to, x = term(cells, s, s->a) * 31u + term(cells, s, s->b) + s->k;
    while (spin--) x = x * 1664525u + 1013904223u;
    *to = (s->kind == ADDS ? old : old * 17u) + x;
}

static void create(unsigned *c, const step *steps, int n, int nested)
{
    for (int i = 0; i < n; i++) {
        const step *s = &steps[i];
        unsigned *to = &c[s->to], *a = &c[s->a], *b = &c[s->b];
        switch (s->kind) {
        case 0:
#pragma omp task depend(in : *a, *b) depend(inout : *to) firstprivate(c, s)
            apply(c, s);
            break;
        case ADDS:
#pragma omp task depend(in : *a) depend(in : *b) depend(mutexinoutset : *to) firstprivate(c, s) priority(3)
            apply(c, s);
            break;
        case 2:
#pragma omp task depend(in : *a, *b) depend(inout : *to) firstprivate(c, s) if (0)
            apply(c, s);
            break;
        case 3: /* the same through a child, which the task waits for */
#pragma omp task depend(in : *a, *b) depend(inout : *to) firstprivate(c, s)
        {
#pragma omp task firstprivate(c, s)
            apply(c, s);
#pragma omp taskwait
        } break;
        case 4: {
#pragma omp taskwait depend(in : *a, *b) depend(inout : *to)
            apply(c, s);
            break;
        }
        default: /* all that is here so far */
            if (nested) {
#pragma omp taskwait
            } else {
#pragma omp task depend(inout                                                                                          \
                        : c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11]) firstprivate(c, s)
                apply(c, s);
                continue;
            }
            apply(c, s);
        }
    }
#pragma omp taskwait
}

int main(int argc, char **argv)
{
    int wrong = 0, rounds = argc > 2 ? atoi(argv[2]) : 20;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    for (int round = 0; round < rounds; round++) {
        enum { GRAPHS = 3 };
        static unsigned expected[GRAPHS][CELLS], cells[GRAPHS][CELLS];
        static step steps[GRAPHS][TASKS];
        for (int g = 0; g < GRAPHS; g++) {
            for (int i = 0; i < CELLS; i++) expected[g][i] = cells[g][i] = (unsigned)i;
            for (int i = 0; i < TASKS; i++) {
                steps[g][i] = (step){(int)pick(CELLS), (int)pick(CELLS), (int)pick(CELLS),
                                     pick(10) < 7 ? (int)pick(2) : (int)pick(6), pick(1000)};
                apply(expected[g], &steps[g][i]);
            }
        }
#pragma omp parallel
#pragma omp single
        {
            for (int g = 1; g < GRAPHS; g++) {
#pragma omp task firstprivate(g)
                create(cells[g], steps[g], TASKS, 1);
            }
            create(cells[0], steps[0], TASKS, 0);
        }
        wrong += memcmp(expected, cells, sizeof cells) != 0;
    }
    printf("%d of %d rounds wrong\n", wrong, rounds);
    return wrong != 0;
}
