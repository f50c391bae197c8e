/* libgomp's entries that are little more than a call of the core: barriers, taskgroups, taskwaits, cancel. */
#include "openmp/core/barrier.h"
#include "openmp/core/cancel.h"
#include "openmp/core/group.h"
#include "openmp/core/wait.h"
#include "openmp/preload/runtime_symbols.h"

void GOMP_barrier(void)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, GOMP_barrier, ());
    heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
}

bool GOMP_barrier_cancel(void)
{
    HEIST__SELF_OR_RUNTIME(self, GOMP_barrier_cancel, ());
    return heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
}

void GOMP_taskwait(void)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, GOMP_taskwait, ());
    heist__omp_taskwait(self);
}

void GOMP_taskyield(void)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, GOMP_taskyield, ());
    heist__omp_taskyield(self);
}

void GOMP_taskgroup_start(void)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, GOMP_taskgroup_start, ());
    heist__omp_group_begin(self);
}

void GOMP_taskgroup_end(void)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, GOMP_taskgroup_end, ());
    heist__omp_group_end(self);
}

bool GOMP_cancellation_point(int which)
{
    HEIST__SELF_OR_RUNTIME(self, GOMP_cancellation_point, (which));
    return heist__omp_cancellation_point(self, which);
}

bool GOMP_cancel(int which, bool active)
{
    HEIST__SELF_OR_RUNTIME(self, GOMP_cancel, (which, active));
    if (!active) return heist__omp_cancellation_point(self, which);
    bool cancelled = heist__omp_cancel(self, which);
    /* libgomp is told, so that it frees data that threads leave behind in the middle of a loop. */
    if (cancelled && (which & HEIST__CANCEL_PARALLEL)) HEIST__RUNTIME(GOMP_cancel)(which, true);
    return cancelled;
}
