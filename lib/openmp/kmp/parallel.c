/* Regions: every way in which libomp starts a team. libomp is given a function of heist's in place of the program's. It
 * gives the thread its slot, calls the program's function with its arguments, and runs tasks until none is left, before
 * libomp's own barrier. Only libomp knows how many threads there are: mostly as many as the last time. If there are
 * more, the first thread that comes takes a team for them.
 *
 * libomp calls some of its own entries as a program does, and so comes by here. A region with one thread is a
 * serialized region within __kmpc_fork_call; heist__kmp_forking says so. The threads that libomp keeps for devices are
 * a region whose function is libomp's, and which never ends.
 *
 * A region for whose team there is no memory is libomp's, with its tasks.
 *
 *   N2: a team's fields, before its threads use them. */
#include <pthread.h>
#include <stdarg.h>

#include "openmp/core/keep.h"
#include "openmp/core/own_lock.h"
#include "openmp/core/spread_threads.h"
#include "openmp/core/wait_policy.h"
#include "openmp/kmp/reduction.h"
#include "openmp/kmp/region.h"
#include "openmp/kmp/reserve.h"
#include "openmp/preload/load.h"
#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__thread bool heist__kmp_forking;

/* ---- calling the program's function ---- */

/* A function that is given more arguments than it has does not see them: so a few kinds of calls suffice for all. */
enum { MOST_ARGUMENTS = 256 };
#define TYPES_4 void *, void *, void *, void *
#define TYPES_16 TYPES_4, TYPES_4, TYPES_4, TYPES_4
#define TYPES_64 TYPES_16, TYPES_16, TYPES_16, TYPES_16
#define TYPES_256 TYPES_64, TYPES_64, TYPES_64, TYPES_64
#define VALUES_4(a) (a)[0], (a)[1], (a)[2], (a)[3]
#define VALUES_16(a) VALUES_4(a), VALUES_4((a) + 4), VALUES_4((a) + 8), VALUES_4((a) + 12)
#define VALUES_64(a) VALUES_16(a), VALUES_16((a) + 16), VALUES_16((a) + 32), VALUES_16((a) + 48)
#define VALUES_256(a) VALUES_64(a), VALUES_64((a) + 64), VALUES_64((a) + 128), VALUES_64((a) + 192)
/* CALL(n), with as many arguments of the region as that takes. */
#define CALL_WITH_ALL(region)                                                                                          \
    do {                                                                                                               \
        void **a = (region)->arguments;                                                                                \
        if ((region)->count <= 4) {                                                                                    \
            CALL(4);                                                                                                   \
        } else if ((region)->count <= 16) {                                                                            \
            CALL(16);                                                                                                  \
        } else if ((region)->count <= 64) {                                                                            \
            CALL(64);                                                                                                  \
        } else {                                                                                                       \
            CALL(256);                                                                                                 \
        }                                                                                                              \
    } while (0)

static void call_program(const heist__kmp_region *region, int32_t *gtid, int32_t *tid)
{
#define CALL(n) ((void (*)(int32_t *, int32_t *, TYPES_##n))(uintptr_t)region->micro)(gtid, tid, VALUES_##n(a))
    CALL_WITH_ALL(region);
#undef CALL
}

typedef void fork_entry(void *loc, int32_t count, heist__kmp_micro *micro, ...);

/* Has libomp run a region as if this library were not there. */
static void pass_on(fork_entry *libomps, void *loc, const heist__kmp_region *region)
{
#define CALL(n) libomps(loc, region->count, region->micro, VALUES_##n(a))
    CALL_WITH_ALL(region);
#undef CALL
}

/* ---- slots ---- */

heist__omp_team heist__kmp_no_team;

/* Each thread has to be able to create tasks, also without memory. False: there is no memory for that. */
static bool have_reserves(heist__omp_team *team, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++) {
        if (!heist__kmp_reserve_make(team->slots[i])) return false;
    }
    return true;
}

heist__omp_team *heist__kmp_team_take(heist__kmp_region *region, unsigned threads)
{
    heist__omp_team *team = heist__omp_team_take(threads, region->within);
    if (!team) return &heist__kmp_no_team;
    if (!have_reserves(team, threads)) {
        heist__omp_team_give(team);
        return &heist__kmp_no_team;
    }
    HEIST__OMP_KEEP(team->region.data, (void *)region);
    HEIST__OMP_KEEP(team->region.reductions, NULL);
    HEIST__OMP_KEEP(team->region.old_kind, false);
    return team;
}

/* How many threads the last region had that this thread started outside of other regions. 0: there was none. */
static __thread unsigned last_threads;

/* Takes a team before the region starts, so that its threads, which come all at once, need not agree on one. Not for
 * regions in regions: they have all sizes, and there may be many at a time. */
static void expect_team(heist__kmp_region *region)
{
    heist__omp_team *team = NULL;
    unsigned threads = 0;
    if (!heist__omp_self) {
        threads = last_threads ? last_threads : (unsigned)HEIST__RUNTIME(omp_get_max_threads)();
        threads = heist__omp_threads_within_limit(threads);
        team = heist__kmp_team_take(region, threads);
        if (team == &heist__kmp_no_team) team = NULL;
        if (team) heist__omp_team_starts(team);
    }
    HEIST__OMP_KEEP(region->expected_threads, threads);
    HEIST__OMP_KEEP(region->expected, team);
}

static heist__omp_team *team_of(heist__kmp_region *region, unsigned threads)
{
    if (region->expected && threads <= region->expected_threads) return region->expected;
    heist__omp_team *team = heist__load_acquire(&region->team); /* N2 */
    if (team) return team;
    heist__own_lock(&lock);
    team = heist__load_relaxed(&region->team); /* relaxed: written under the lock */
    if (!team) {
        if (region->expected) heist__omp_count_threads(region->expected, 0); /* it is not used */
        team = heist__kmp_team_take(region, threads);
        /* relaxed: a hint. This thread may not be the team's first. */
        if (team != &heist__kmp_no_team) HEIST__OMP_KEEP_RELAXED(&team->slots[0]->cpu, -1);
        heist__store_release(&region->team, team); /* N2: the team's fields, before others use them */
    }
    heist__own_unlock(&lock);
    return team;
}

void heist__kmp_slot_enter(heist__omp_slot *slot, int32_t gtid, unsigned threads)
{
    slot->thread = gtid;
    heist__omp_slot_enter(slot, threads);
}

/* ---- a region ---- */

static void enter(int32_t *gtid, int32_t *tid, heist__kmp_region *region)
{
    heist__omp_slot *outer = heist__omp_self;
    bool was_forking = heist__kmp_forking;
    heist__kmp_forking = false;
    heist__omp_starting_region = false;
    heist__omp_self = NULL; /* the slot of a region around it is hidden in a region that is libomp's */
    unsigned threads = region->served ? (unsigned)HEIST__RUNTIME(omp_get_num_threads)() : 0;
    heist__omp_team *team = threads ? team_of(region, threads) : &heist__kmp_no_team;
    if (!outer && *tid == 0 && threads) last_threads = threads;
    if (team != &heist__kmp_no_team) {
        heist__omp_slot *slot = team->slots[*tid];
        heist__kmp_slot_enter(slot, *gtid, threads);
        call_program(region, gtid, tid);
        heist__omp_slot_leave(slot);
    } else {
        call_program(region, gtid, tid);
    }
    heist__omp_self = outer;
    heist__kmp_forking = was_forking;
}

static void start(fork_entry *libomps, void *loc, heist__kmp_region *region)
{
    bool was_forking = heist__kmp_forking;
    heist__kmp_forking = true;
    libomps(loc, 1, (heist__kmp_micro *)(uintptr_t)enter, region);
    heist__kmp_forking = was_forking;
    heist__omp_team *team = heist__load_acquire(&region->team); /* N2; libomp's barrier is over */
    if (!region->served) return;
    heist__kmp_reductions_drop(region);
    if (team && team != &heist__kmp_no_team) heist__omp_team_give(team);
    if (region->expected) heist__omp_team_give(region->expected);
}

/* ---- the arguments of a region ---- */

/* `room`: for the arguments, if there are many. */
static void fill_in(heist__kmp_region *region, heist__kmp_micro *micro, int32_t count, void **room, va_list list)
{
    if (count > MOST_ARGUMENTS) heist__omp_fatal("__kmpc_fork_call: a region with more than 256 arguments");
    int32_t passed = count <= 4 ? 4 : count <= 16 ? 16 : count <= 64 ? 64 : MOST_ARGUMENTS;
    HEIST__OMP_KEEP(region->micro, micro);
    HEIST__OMP_KEEP(region->count, count);
    HEIST__OMP_KEEP(region->arguments, count <= 4 ? region->few : room);
    for (int32_t i = 0; i < passed; i++) {
        void *value = i < count ? va_arg(list, void *) : NULL;
        HEIST__OMP_KEEP(region->arguments[i], value);
    }
}

/* The description of the thread's region that is in no other: where the same region comes again and again, most of it
 * stays as it was, and the other threads have it in their caches. Fields that are not filled in are 0. */
static __thread heist__kmp_region kept;
static __thread bool kept_is_used;

static void serve(void *loc, heist__kmp_region *region)
{
    HEIST__OMP_KEEP(region->served, true);
    HEIST__OMP_KEEP(region->within, heist__omp_self != NULL);
    HEIST__OMP_KEEP_RELAXED(&region->team, NULL); /* relaxed: starting the region publishes it */
    expect_team(region);
    start(HEIST__RUNTIME(__kmpc_fork_call), loc, region);
}

void __kmpc_fork_call(void *loc, int32_t count, heist__kmp_micro *micro, ...)
{
    /* relaxed: seen late, a region is libomp's. It is in none of heist's then, and heist__kmp_forking does not
     * matter. */
    bool active = heist__load_relaxed(&heist__omp_active);
    bool served = active && !heist__runtime_contains((uintptr_t)micro);
    bool keep = served && !kept_is_used;
    void *room[MOST_ARGUMENTS];
    heist__kmp_region own, *region = &kept;
    if (!keep) {
        own = (heist__kmp_region){0};
        region = &own;
    }
    va_list list;
    va_start(list, micro);
    fill_in(region, micro, count, room, list);
    va_end(list);
    kept_is_used |= keep;
    if (!active) {
        pass_on(HEIST__RUNTIME(__kmpc_fork_call), loc, region);
    } else if (served) {
        serve(loc, region);
    } else {
        start(HEIST__RUNTIME(__kmpc_fork_call), loc, region);
    }
    if (keep) kept_is_used = false;
}

/* teams: its threads only start regions. */
void __kmpc_fork_teams(void *loc, int32_t count, heist__kmp_micro *micro, ...)
{
    void *room[MOST_ARGUMENTS];
    heist__kmp_region region = {0};
    va_list list;
    va_start(list, micro);
    fill_in(&region, micro, count, room, list);
    va_end(list);
    start(HEIST__RUNTIME(__kmpc_fork_teams), loc, &region);
}

void __kmpc_fork_call_if(void *loc, int32_t count, heist__kmp_micro *micro, int32_t condition, void *argument)
{
    if (condition) {
        __kmpc_fork_call(loc, count, micro, argument);
        return;
    }
    int32_t gtid = HEIST__RUNTIME(__kmpc_global_thread_num)(loc), tid = 0;
    __kmpc_serialized_parallel(loc, gtid);
    micro(&gtid, &tid, argument);
    __kmpc_end_serialized_parallel(loc, gtid);
}

int32_t __kmpc_global_thread_num(void *loc)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_global_thread_num, (loc));
    return self->thread;
}
