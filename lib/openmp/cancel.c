/* cancel, and cancellation points. OMP_CANCELLATION, as libgomp read it, says whether they do anything. A cancelled
 * loop or sections is one for the whole team until its barrier.
 *
 * X1: a flag is set with release after all that the cancelling task did, and read with acquire wherever somebody asks: who
 * finds it set sees what came before. Seen late, it costs only work. */
#include "openmp/group.h"
#include "openmp/real.h"

static bool group_cancelled(const heist__omp_group *group)
{
    /* X1 */
    return group && (heist__load_acquire(&group->cancelled) ||
                     (group->workshare && group->prev && heist__load_acquire(&group->prev->cancelled)));
}

bool heist__omp_cancelled(heist__omp_slot *self, heist__omp_group *group)
{
    return heist__load_acquire(&self->team->cancelled) || group_cancelled(group); /* X1 */
}

bool GOMP_cancellation_point(int which)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) return HEIST__REAL(GOMP_cancellation_point)(which);
    if (!self->cancellable) return false;
    if (which & (HEIST__CANCEL_LOOP | HEIST__CANCEL_SECTIONS))
        return heist__load_acquire(&self->team->share_cancelled); /* X1 */
    return heist__omp_cancelled(self, which & HEIST__CANCEL_TASKGROUP ? self->current->group : NULL);
}

bool GOMP_cancel(int which, bool active)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) return HEIST__REAL(GOMP_cancel)(which, active);
    if (!self->cancellable) return false;
    if (!active) return GOMP_cancellation_point(which);
    if (which & (HEIST__CANCEL_LOOP | HEIST__CANCEL_SECTIONS)) {
        heist__store_release(&self->team->share_cancelled, 1); /* X1 */
    } else if (which & HEIST__CANCEL_TASKGROUP) {
        heist__omp_group *group = self->current->group;
        if (group && group->workshare && group->prev) group = group->prev;
        if (group) heist__store_release(&group->cancelled, 1); /* X1 */
    } else {
        heist__store_release(&self->team->cancelled, 1); /* X1 */
        HEIST__REAL(GOMP_cancel)(which, true); /* so that it frees what threads leave behind in the middle of a loop */
        heist__omp_wake_all(self->team);
    }
    return true;
}
