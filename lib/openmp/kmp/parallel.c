/* Regions: every way in which libomp starts a team. It is given a function of ours in place of the program's; that gives
 * the thread its slot, calls the program's with its arguments, and runs tasks until none is left, before libomp's own
 * barrier. How many threads there are only libomp knows: as many as the last time, mostly. If there are more, the first that
 * comes takes a team for them.
 *
 * libomp calls some of its own entries as anybody else does, and so comes by here: a region with one thread is a
 * serialized one within __kmpc_fork_call, which `forking` says; and the threads that it keeps for devices are a region whose
 * function is its own, and never ends.
 *
 * A region for whose team there is no memory is libomp's, with its tasks. */
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

#include "openmp/kmp/kmp.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The thread is in libomp, between our entry and the program's function. */
static __thread bool forking;

/* ---- calling the program's function ---- */

/* A function that is given more arguments than it has does not see them: so few kinds of calls do for all. */
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

/* A region that libomp is to run as if we were not there. */
static void pass_on(fork_entry *libomps, void *loc, const heist__kmp_region *region)
{
#define CALL(n) libomps(loc, region->count, region->micro, VALUES_##n(a))
    CALL_WITH_ALL(region);
#undef CALL
}

/* ---- slots ---- */

/* Of a region without one: its threads are libomp's. */
static heist__omp_team no_team;

/* Each of its threads is to be able to create tasks, come what may. */
static bool have_reserves(heist__omp_team *team, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++) {
        if (!heist__kmp_reserve_make(team->slots[i])) return false;
    }
    return true;
}

static heist__omp_team *team_take(heist__kmp_region *region, unsigned threads)
{
    heist__omp_team *team = heist__omp_team_take(threads, region->within);
    if (!team) return &no_team;
    if (!have_reserves(team, threads)) {
        heist__omp_team_give(team);
        return &no_team;
    }
    HEIST__OMP_KEEP(team->region.data, (void *)region);
    HEIST__OMP_KEEP(team->region.reductions, NULL);
    HEIST__OMP_KEEP(team->region.old_kind, false);
    return team;
}

/* How many threads the last region had that this thread began, outside of others. 0: it was the first. */
static __thread unsigned last_threads;

/* So that its threads, who come all at once, need not ask each other. Not for regions in regions, which are of all sizes, and
 * there may be many at a time. */
static void expect_team(heist__kmp_region *region)
{
    heist__omp_team *team = NULL;
    unsigned threads = 0;
    if (!heist__omp_self) {
        threads = last_threads ? last_threads : (unsigned)HEIST__REAL(omp_get_max_threads)();
        threads = heist__omp_threads_within_limit(threads);
        team = team_take(region, threads);
        if (team == &no_team) team = NULL;
        if (team) heist__omp_team_starts(team);
    }
    HEIST__OMP_KEEP(region->expected_threads, threads);
    HEIST__OMP_KEEP(region->expected, team);
}

static heist__omp_team *team_of(heist__kmp_region *region, unsigned threads)
{
    if (region->expected && threads <= region->expected_threads) return region->expected;
    heist__omp_team *team = heist__load_acquire(&region->team); /* T1 */
    if (team) return team;
    pthread_mutex_lock(&lock);
    team = heist__load_relaxed(&region->team); /* relaxed: written under the lock */
    if (!team) {
        if (region->expected) heist__omp_team_count(region->expected, 0); /* nobody uses it */
        team = team_take(region, threads);
        if (team != &no_team) HEIST__OMP_KEEP_RELAXED(&team->slots[0]->cpu, -1); /* relaxed: a hint; whoever we are */
        heist__store_release(&region->team, team); /* T1: what the team is, before others use it */
    }
    pthread_mutex_unlock(&lock);
    return team;
}

static void slot_enter(heist__omp_slot *slot, int32_t gtid, unsigned threads)
{
    heist__omp_slot_begin(slot, threads);
    slot->thread = gtid;
    heist__omp_self = slot;
}

static void slot_leave(heist__omp_slot *slot)
{
    heist__omp_barrier(slot, HEIST__BAR_END);
    heist__omp_slot_end(slot);
}

/* ---- a region ---- */

static void enter(int32_t *gtid, int32_t *tid, heist__kmp_region *region)
{
    heist__omp_slot *outer = heist__omp_self;
    bool was_forking = forking;
    forking = false;
    heist__omp_starting = false;
    heist__omp_self = NULL; /* the slot of a region around it is not to be seen in one that is libomp's */
    unsigned threads = region->served ? (unsigned)HEIST__REAL(omp_get_num_threads)() : 0;
    heist__omp_team *team = threads ? team_of(region, threads) : &no_team;
    if (!outer && *tid == 0 && threads) last_threads = threads;
    if (team != &no_team) {
        heist__omp_slot *slot = team->slots[*tid];
        slot_enter(slot, *gtid, threads);
        call_program(region, gtid, tid);
        slot_leave(slot);
    } else {
        call_program(region, gtid, tid);
    }
    heist__omp_self = outer;
    forking = was_forking;
}

static void start(fork_entry *libomps, void *loc, heist__kmp_region *region)
{
    bool was_forking = forking;
    forking = true;
    libomps(loc, 1, (heist__kmp_micro *)(uintptr_t)enter, region);
    forking = was_forking;
    heist__omp_team *team = heist__load_acquire(&region->team); /* T1; and libomp's barrier is behind us */
    if (!region->served) return;
    heist__kmp_reductions_drop(region);
    if (team && team != &no_team) heist__omp_team_give(team);
    if (region->expected) heist__omp_team_give(region->expected);
}

/* ---- what a region is given ---- */

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

/* That of the thread's region which is in no other: where the same one comes again and again, most of it is as it was, and the
 * other threads have it in their caches. Blank but for what is filled in. */
static __thread heist__kmp_region kept;
static __thread bool kept_is_used;

static void serve(void *loc, heist__kmp_region *region)
{
    HEIST__OMP_KEEP(region->served, true);
    HEIST__OMP_KEEP(region->within, heist__omp_self != NULL);
    HEIST__OMP_KEEP_RELAXED(&region->team, NULL); /* relaxed: starting the region publishes it */
    expect_team(region);
    start(HEIST__REAL(__kmpc_fork_call), loc, region);
}

void __kmpc_fork_call(void *loc, int32_t count, heist__kmp_micro *micro, ...)
{
    /* relaxed: seen late, a region is libomp's. It is in none of ours then, and `forking` makes no difference. */
    bool active = heist__load_relaxed(&heist__omp_active);
    bool served = active && !heist__real_contains((uintptr_t)micro);
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
        pass_on(HEIST__REAL(__kmpc_fork_call), loc, region);
    } else if (served) {
        serve(loc, region);
    } else {
        start(HEIST__REAL(__kmpc_fork_call), loc, region);
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
    start(HEIST__REAL(__kmpc_fork_teams), loc, &region);
}

void __kmpc_fork_call_if(void *loc, int32_t count, heist__kmp_micro *micro, int32_t condition, void *argument)
{
    if (condition) {
        __kmpc_fork_call(loc, count, micro, argument);
        return;
    }
    int32_t gtid = HEIST__REAL(__kmpc_global_thread_num)(loc), tid = 0;
    __kmpc_serialized_parallel(loc, gtid);
    micro(&gtid, &tid, argument);
    __kmpc_end_serialized_parallel(loc, gtid);
}

/* ---- a region of one thread, whose function the program calls itself ---- */

/* Slots of the thread that are not to be seen, because it is in serialized regions that are libomp's for want of memory: the
 * innermost one, which knows how many there are since it was hidden, and who was hidden before. */
static __thread heist__omp_slot *hidden;

static void hide_slot(void)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) {
        self->hidden = hidden;
        self->hidden_regions = 0;
        hidden = self;
        heist__omp_self = NULL;
    }
    if (hidden) hidden->hidden_regions++;
}

static void show_slot(void)
{
    if (!hidden || --hidden->hidden_regions > 0) return;
    heist__omp_self = hidden;
    hidden = hidden->hidden;
}

void __kmpc_serialized_parallel(void *loc, int32_t gtid)
{
    HEIST__REAL(__kmpc_serialized_parallel)(loc, gtid);
    if (forking || !heist__load_relaxed(&heist__omp_active)) return; /* relaxed: as above */
    heist__kmp_region *region = calloc(1, sizeof *region);
    if (region) region->within = heist__omp_self != NULL;
    heist__omp_team *team = region ? team_take(region, 1) : &no_team;
    if (team == &no_team) {
        free(region);
        hide_slot();
        return;
    }
    team->region.old_kind = true;
    heist__omp_slot *slot = team->slots[0];
    slot->outer = heist__omp_self;
    slot_enter(slot, gtid, 1);
}

void __kmpc_end_serialized_parallel(void *loc, int32_t gtid)
{
    heist__omp_slot *slot = forking ? NULL : heist__omp_self;
    if (!forking && !slot) {
        show_slot();
    } else if (slot && slot->team->region.old_kind) {
        heist__kmp_region *region = heist__kmp_region_of(slot);
        slot_leave(slot);
        heist__omp_self = slot->outer;
        heist__kmp_reductions_drop(region);
        free(region);
        heist__omp_team_give(slot->team);
    }
    HEIST__REAL(__kmpc_end_serialized_parallel)(loc, gtid);
}

int32_t __kmpc_global_thread_num(void *loc)
{
    heist__omp_slot *self = heist__omp_self;
    return self ? self->thread : HEIST__REAL(__kmpc_global_thread_num)(loc);
}
