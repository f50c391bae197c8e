/* Default and requested waiting: see wait_policy.h. */
#include "openmp/core/wait_policy.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "openmp/core/keep.h"
#include "openmp/preload/runtime_symbols.h"

/* The waiting policy that the environment asks for. */
typedef enum { NOT_READ, USUAL, PASSIVE, ACTIVE } policy;

/* Rounds of spinning, and then of yielding.
 *
 * USUAL: some 200 us of spinning, because a thread that yields on a busy machine loses its CPU for a millisecond or
 * more, and tasks that come every few microseconds are then run by the others. Then a millisecond or two of yielding,
 * as libgomp does: yielding costs little on an idle machine, and on a busy one it may let the thread run that is
 * waited for. ACTIVE: about a second of spinning. PASSIVE: some microseconds. OVERSUBSCRIBED, where there are fewer
 * CPUs than threads: the thread that is waited for may have no CPU, so the CPU is given away almost at once. It
 * mostly comes back within microseconds; see wait.c for when it does not. */
enum {
    USUAL_SPIN = 200,
    USUAL_YIELD = 3000,
    ACTIVE_SPIN = 1000000,
    PASSIVE_SPIN = 12,
    PASSIVE_YIELD = 4,
    OVERSUBSCRIBED_SPIN = 4,
    OVERSUBSCRIBED_YIELD = 200
};

/* The policy that the runtime's own variable asks for: how long threads spin, in the runtime's units. */
static policy own_policy(const char *asked)
{
    char *end;
    if (!asked || !*asked) return NOT_READ;
    if (strncasecmp(asked, "infinit", 7) == 0) return ACTIVE;
    double amount = strtod(asked, &end);
    static const char units[] = "kMGT";
    for (const char *unit = units; *unit && *end; unit++) {
        amount *= 1000;
        if (strncasecmp(end, unit, 1) == 0) break;
    }
    return amount <= 0 ? PASSIVE : amount >= HEIST__SPIN_LONG ? ACTIVE : USUAL;
}

static policy read_policy(void)
{
    policy own = own_policy(secure_getenv(HEIST__SPIN_VARIABLE));
    const char *asked = secure_getenv("OMP_WAIT_POLICY");
    if (own != NOT_READ || !asked) return own == NOT_READ ? USUAL : own;
    return strcasecmp(asked, "active") == 0 ? ACTIVE : strcasecmp(asked, "passive") == 0 ? PASSIVE : USUAL;
}

static policy asked_policy(void)
{
    /* Written by: the first threads that start regions. relaxed: each writes the same value */
    static HEIST__ATOMIC(uint32_t) known;
    policy asked = (policy)heist__load_relaxed(&known);
    if (asked == NOT_READ) {
        asked = read_policy();
        heist__store_relaxed(&known, (uint32_t)asked);
    }
    return asked;
}

/* Regions of a team after which the number of CPUs is asked for again. That is a system call; with libgomp it takes
 * as long as a region. */
enum { ASK_AGAIN = 256 };

static int32_t cpus_of(heist__omp_team *team, unsigned threads)
{
    if (team->asked_for != threads || ++team->regions >= ASK_AGAIN) {
        team->asked_for = threads;
        team->regions = 0;
        team->cpus = HEIST__RUNTIME(omp_get_num_procs)();
    }
    return team->cpus;
}

/* Threads of all regions at this moment, including regions within others. In a child of fork() the number is too
 * small, and may be negative. Written by: threads that begin and end regions (add). */
static HEIST__ATOMIC(int32_t) busy_threads;

void heist__omp_count_threads(heist__omp_team *team, int32_t threads)
{
    if (team->counted == threads) return;
    heist__add_relaxed(&busy_threads, threads - team->counted); /* relaxed: a hint */
    team->counted = threads;
}

void heist__omp_set_wait_policy(heist__omp_team *team, unsigned threads)
{
    policy asked = asked_policy();
    bool lacks_cpus = heist__load_relaxed(&busy_threads) > cpus_of(team, threads); /* relaxed: a hint */
    bool oversubscribed = asked == USUAL && lacks_cpus;
    bool gives_way = asked == ACTIVE && lacks_cpus; /* stays awake, but lets the others run */
    uint32_t spin = oversubscribed || gives_way ? OVERSUBSCRIBED_SPIN
                    : asked == ACTIVE           ? ACTIVE_SPIN
                    : asked == PASSIVE          ? PASSIVE_SPIN
                                                : USUAL_SPIN;
    uint32_t yield = oversubscribed ? OVERSUBSCRIBED_YIELD : asked == PASSIVE ? PASSIVE_YIELD : USUAL_YIELD;
    HEIST__OMP_KEEP(team->lacks_cpus, lacks_cpus);
    HEIST__OMP_KEEP(team->oversubscribed, oversubscribed);
    HEIST__OMP_KEEP(team->spin, spin);
    HEIST__OMP_KEEP(team->yield, yield);
}

void heist__omp_wait_policy_after_fork(void)
{
    heist__store_relaxed(&busy_threads, 0); /* relaxed: there is one thread */
}
