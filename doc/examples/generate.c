/* A producer whose items are drawn as workers become free: numbers, of which the primes are counted.
 * Prints: 1229 primes below 10000 */
#include <heist/heist.h>
#include <stdatomic.h>
#include <stdio.h>

struct search {
    int next, end;     /* the producer's: one worker at a time calls it */
    atomic_int primes; /* the consumers': many at once */
};

static int draw(void *item, void *context)
{
    struct search *s = context;
    if (s->next == s->end) return 0; /* there are no more */
    *(int *)item = s->next++;
    return 1;
}

static int test(void *item, void *context)
{
    struct search *s = context;
    int n = *(int *)item;
    if (n < 2) return 0;
    for (int d = 2; d * d <= n; d++) {
        if (n % d == 0) return 0;
    }
    atomic_fetch_add_explicit(&s->primes, 1, memory_order_relaxed); /* relaxed: read after the end of the loop */
    return 0;
}

int main(void)
{
    struct search s = {.next = 0, .end = 10000};
    heist_loop_options options = {.in_flight = 100}; /* at most a hundred numbers exist at a time */
    if (heist_generate(NULL, sizeof(int), draw, test, &s, &options) != 0) return 1;
    printf("%d primes below %d\n", atomic_load(&s.primes), s.end);
    return 0;
}
