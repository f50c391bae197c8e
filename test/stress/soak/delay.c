/* Holding threads up. The sequence of delays of one thread comes from the seed; which thread meets it where does
 * not, since threads race. To repeat a failure, run many rounds of the seed's program. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "soak.h"

void soak_point(const char *file, int line, const char *function);

static _Atomic uint64_t round_seed;
static atomic_uint one_in; /* passages between two delays, about; 0: none */
static const char *point_file;
static int point_line;
static unsigned point_us;

void delay_set(delay_amount amount, uint64_t seed, const char *point, unsigned us)
{
    static char file[128];
    static const unsigned rates[] = {[DELAYS_NONE] = 0, [DELAYS_SOME] = 5000, [DELAYS_MANY] = 300};
    point_file = NULL;
    const char *colon = point ? strrchr(point, ':') : NULL;
    if (colon && (size_t)(colon - point) < sizeof file) {
        memcpy(file, point, (size_t)(colon - point));
        file[colon - point] = '\0';
        point_line = atoi(colon + 1);
        point_us = us;
        point_file = file;
    }
    atomic_store(&round_seed, seed);
    atomic_store(&one_in, rates[amount]);
}

static void nap(unsigned us)
{
    struct timespec t = {0, (long)us * 1000};
    nanosleep(&t, NULL);
}

static bool is_here(const char *file, int line)
{
    if (!point_file || line != point_line) return false;
    const char *slash = strrchr(file, '/');
    return strcmp(slash ? slash + 1 : file, point_file) == 0;
}

/* Mostly short ones: a race needs a few nanoseconds, a lost wake-up a few microseconds, a starved waiter a
 * millisecond. */
static void hold_up(chance *c)
{
    uint32_t kind = chance_below(c, 100);
    if (kind < 50) {
        for (volatile uint32_t i = chance_below(c, 400); i > 0; i--) {
        }
    } else if (kind < 85) {
        sched_yield();
    } else {
        nap(kind < 98 ? 1 + chance_below(c, 60) : 200 + chance_below(c, 2000));
    }
}

void soak_point(const char *file, int line, const char *function)
{
    (void)function;
    static _Thread_local chance mine;
    static _Thread_local uint64_t mine_of;
    static _Thread_local uint32_t left;
    if (is_here(file, line)) nap(point_us);
    unsigned rate = atomic_load_explicit(&one_in, memory_order_relaxed); /* relaxed: late is as good */
    if (rate == 0 || left-- > 0) return;
    uint64_t seed = atomic_load_explicit(&round_seed, memory_order_relaxed); /* relaxed: as above */
    if (mine_of != seed) {
        static _Atomic uint64_t threads;
        mine = chance_from(seed, atomic_fetch_add(&threads, 1));
        mine_of = seed;
    }
    left = chance_below(&mine, 2 * rate);
    hold_up(&mine);
}
