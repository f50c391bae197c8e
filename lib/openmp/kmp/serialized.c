/* A region of one thread, whose function the program calls itself, between a begin and an end entry. */
#include <stdlib.h>

#include "openmp/kmp/reduction.h"
#include "openmp/kmp/region.h"
#include "openmp/preload/load.h"
#include "openmp/preload/runtime_symbols.h"

/* The innermost slot of the thread that is hidden, because the thread is in serialized regions that are libomp's for
 * want of memory. A hidden slot knows how many such regions there are since it was hidden, and which slot was hidden
 * before it. */
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
    HEIST__RUNTIME(__kmpc_serialized_parallel)(loc, gtid);
    /* relaxed: seen late, a region is libomp's */
    if (heist__kmp_forking || !heist__load_relaxed(&heist__omp_active)) return;
    heist__kmp_region *region = calloc(1, sizeof *region);
    if (region) region->within = heist__omp_self != NULL;
    heist__omp_team *team = region ? heist__kmp_team_take(region, 1) : &heist__kmp_no_team;
    if (team == &heist__kmp_no_team) {
        free(region);
        hide_slot();
        return;
    }
    team->region.old_kind = true;
    heist__kmp_slot_enter(team->slots[0], gtid, 1);
}

void __kmpc_end_serialized_parallel(void *loc, int32_t gtid)
{
    heist__omp_slot *slot = heist__kmp_forking ? NULL : heist__omp_self;
    if (!heist__kmp_forking && !slot) {
        show_slot();
    } else if (slot && slot->team->region.old_kind) {
        heist__kmp_region *region = heist__kmp_region_of(slot);
        heist__omp_slot_leave(slot);
        heist__kmp_reductions_drop(region);
        free(region);
        heist__omp_team_give(slot->team);
    }
    HEIST__RUNTIME(__kmpc_end_serialized_parallel)(loc, gtid);
}
