/* A thread enters and leaves a region: see slot.h. */
#include "openmp/core/slot.h"

#include <stdlib.h>
#include <string.h>

#include "openmp/core/barrier.h"
#include "openmp/core/control_variables.h"
#include "openmp/core/decide.h"
#include "openmp/core/depend.h"
#include "openmp/core/keep.h"
#include "openmp/core/spread_threads.h"
#include "openmp/core/stack.h"
#include "openmp/core/team.h"
#include "openmp/core/wait_policy.h"
#include "openmp/preload/load.h"
#include "openmp/preload/runtime_symbols.h"
#include "openmp/preload/statistics.h"
#include "platform/barrier.h"

__thread heist__omp_slot *heist__omp_self __attribute__((tls_model("initial-exec")));

/* Ids of tasks: the slot's number above this bit, the slot's count below. */
#define ID_SHIFT 40

heist__omp_slot *heist__omp_slot_new(heist__omp_team *team, unsigned index, uint64_t number)
{
    heist__omp_slot *slot = aligned_alloc(_Alignof(heist__omp_slot), sizeof *slot);
    if (!slot) return NULL;
    memset(slot, 0, sizeof *slot);
    slot->team = team;
    slot->index = index;
    slot->record = &slot->records[HEIST__OMP_AHEAD - 1];
    heist__store_relaxed(&slot->cpu, -1); /* relaxed: no other thread knows the slot yet */
    slot->deque = heist__deque_new_in(slot->deque_room);
    slot->next_id = number << ID_SHIFT;
    heist__random_seed(&slot->random, number, index);
    return slot;
}

/* Fills in the record of the implicit task, the first of a region. */
static void implicit_begin(heist__omp_slot *slot)
{
    heist__omp_task *task = &slot->implicit;
    task->group = slot->team->region.reductions ? slot->team->region_group : NULL;
    task->flags = HEIST__OMP_TASK_IMPLICIT;
    task->home = slot;
    task->spawned = 0;
    task->done_here = 0;
    task->icvs = NULL;
    task->nested = 0;
    task->base = heist__load_relaxed(&slot->tail); /* relaxed: its own */
    task->site = 0;
    /* relaxed: no task of the region exists yet */
    heist__store_relaxed(&task->away, 0);
    heist__store_relaxed(&task->depth, 0);
    heist__store_relaxed(&task->id, ++slot->next_id);
}

/* Sets how long the deque should be in a region of `threads` threads: see decide.h. A program that calls taskyield has
 * as many tasks put off as libgomp would before one runs at once: it may wait for its creator. */
static void set_enough(heist__omp_slot *slot, unsigned threads)
{
    enum { OF_LIBGOMP = 64 };
    bool all = threads > 1 && heist__omp_puts_all_off;
    /* no thread steals, and no order is to be kept */
    bool at_once = threads == 1 && slot->team->max_priority == 0 && !heist__omp_yields;
    int64_t most = all ? HEIST__OMP_MOST_QUEUED : at_once ? 0 : heist__omp_yields ? OF_LIBGOMP : 4;
    slot->enough = slot->most_enough = most;
    slot->least_enough = all || heist__omp_yields ? most : at_once ? 0 : 1;
    slot->plenty = all ? HEIST__OMP_MOST_QUEUED : at_once ? 0 : OF_LIBGOMP * (int64_t)threads;
}

void heist__omp_slot_enter(heist__omp_slot *slot, unsigned threads)
{
    heist__omp_team *team = slot->team;
    HEIST__OMP_KEEP_RELAXED(&team->size, threads); /* relaxed: every thread writes the same, and reads afterwards */
    implicit_begin(slot);
    slot->current = &slot->implicit;
    slot->icvs = NULL;
    set_enough(slot, threads);
    slot->sets_aside = threads == 1 || (heist__barrier_available() && !heist__barrier_lost());
    slot->cancellable = HEIST__RUNTIME(omp_get_cancellation)();
    slot->ending_group = false;
    slot->lock_depth = 0;
    heist__omp_stack_begin(slot);
    slot->begun = slot->measured = 0;
    slot->created_before = heist__load_relaxed(&slot->created); /* relaxed: its own */
    slot->id_before = slot->next_id;
    heist__omp_starting_region = false;
    if (slot->index > 0)
        heist__omp_spread_at_begin(slot);
    else
        heist__omp_count_threads(team, (int32_t)threads - team->within); /* libomp may give others than expected */
    slot->outer = heist__omp_self;
    heist__omp_self = slot;
}

void heist__omp_slot_leave(heist__omp_slot *slot)
{
    heist__omp_barrier(slot, HEIST__BARRIER_END);
    heist__omp_depend_end(slot, &slot->implicit);
    heist__omp_icvs_free(slot);
    heist__omp_statistics_add(&slot->counters, slot->next_id - slot->id_before,
                              heist__load_relaxed(&slot->created) - slot->created_before); /* relaxed: its own */
    slot->counters = (heist__omp_counters){0};
    heist__omp_self = slot->outer;
}
