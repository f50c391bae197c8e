/* Regions: every way in which libomp starts a team. It is given a function of ours in place of the program's; that gives
 * the thread its slot, calls the program's with its arguments, and runs tasks until none is left, before libomp's own
 * barrier. How many threads there are only libomp knows: the first that comes takes a team for them.
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
#define CALL(n) ((void (*)(int32_t *, int32_t *, TYPES_##n))(uintptr_t)region->micro)(gtid, tid, VALUES_##n(a))

static void call_program(const heist__kmp_region *region, int32_t *gtid, int32_t *tid)
{
    void **a = region->arguments;
    if (region->count <= 4) {
        CALL(4);
    } else if (region->count <= 16) {
        CALL(16);
    } else if (region->count <= 64) {
        CALL(64);
    } else {
        CALL(256);
    }
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
    heist__omp_team *team = heist__omp_team_take(threads);
    if (!team) return &no_team;
    if (!have_reserves(team, threads)) {
        heist__omp_team_give(team);
        return &no_team;
    }
    team->region.data = region;
    team->region.reductions = NULL;
    team->region.old_kind = false;
    return team;
}

static heist__omp_team *team_of(heist__kmp_region *region)
{
    heist__omp_team *team = heist__load_acquire(&region->team); /* T1 */
    if (team) return team;
    pthread_mutex_lock(&lock);
    team = heist__load_relaxed(&region->team); /* relaxed: written under the lock */
    if (!team) {
        team = team_take(region, (unsigned)HEIST__REAL(omp_get_num_threads)());
        heist__store_release(&region->team, team); /* T1: what the team is, before others use it */
    }
    pthread_mutex_unlock(&lock);
    return team;
}

static void slot_enter(heist__omp_slot *slot, int32_t gtid)
{
    /* relaxed: the same for all its threads, see heist__omp_slot_begin */
    heist__omp_slot_begin(slot, heist__load_relaxed(&slot->team->size));
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
    heist__omp_self = NULL; /* the slot of a region around it is not to be seen in one that is libomp's */
    heist__omp_team *team = region->served ? team_of(region) : &no_team;
    if (team != &no_team) {
        heist__omp_slot *slot = team->slots[*tid];
        slot_enter(slot, *gtid);
        call_program(region, gtid, tid);
        slot_leave(slot);
    } else {
        call_program(region, gtid, tid);
    }
    heist__omp_self = outer;
    forking = was_forking;
}

typedef void fork_entry(void *loc, int32_t count, heist__kmp_micro *micro, ...);

static void start(fork_entry *libomps, void *loc, heist__kmp_region *region)
{
    bool was_forking = forking;
    forking = true;
    libomps(loc, 1, (heist__kmp_micro *)(uintptr_t)enter, region);
    forking = was_forking;
    heist__omp_team *team = heist__load_acquire(&region->team); /* T1; and libomp's barrier is behind us */
    if (!team || team == &no_team) return;
    heist__kmp_reductions_drop(region);
    heist__omp_team_give(team);
}

static void take_arguments(heist__kmp_region *region, va_list list)
{
    if (region->count > MOST_ARGUMENTS) heist__omp_fatal("__kmpc_fork_call: a region with more than 256 arguments");
    int32_t passed = region->count <= 4 ? 4 : region->count <= 16 ? 16 : region->count <= 64 ? 64 : MOST_ARGUMENTS;
    for (int32_t i = 0; i < passed; i++) region->arguments[i] = i < region->count ? va_arg(list, void *) : NULL;
}

void __kmpc_fork_call(void *loc, int32_t count, heist__kmp_micro *micro, ...)
{
    void *arguments[MOST_ARGUMENTS];
    heist__kmp_region region = {.micro = micro, .arguments = arguments, .count = count};
    va_list list;
    va_start(list, micro);
    take_arguments(&region, list);
    va_end(list);
    /* relaxed: seen late, a region is libomp's */
    region.served = heist__load_relaxed(&heist__omp_active) && !heist__real_contains((uintptr_t)micro);
    start(HEIST__REAL(__kmpc_fork_call), loc, &region);
}

/* teams: its threads only start regions. */
void __kmpc_fork_teams(void *loc, int32_t count, heist__kmp_micro *micro, ...)
{
    void *arguments[MOST_ARGUMENTS];
    heist__kmp_region region = {.micro = micro, .arguments = arguments, .count = count};
    va_list list;
    va_start(list, micro);
    take_arguments(&region, list);
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
    heist__omp_team *team = region ? team_take(region, 1) : &no_team;
    if (team == &no_team) {
        free(region);
        hide_slot();
        return;
    }
    team->region.old_kind = true;
    heist__omp_slot *slot = team->slots[0];
    slot->outer = heist__omp_self;
    slot_enter(slot, gtid);
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
