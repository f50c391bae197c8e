/* Flags of cancelled constructs: see cancel.h. */
#include "openmp/core/cancel.h"

#include "openmp/core/group.h"
#include "openmp/core/wait.h"

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

bool heist__omp_cancellation_point(heist__omp_slot *self, int which)
{
    if (!self->cancellable) return false;
    if (which & (HEIST__CANCEL_LOOP | HEIST__CANCEL_SECTIONS))
        return heist__load_acquire(&self->team->workshare_cancelled); /* X1 */
    return heist__omp_cancelled(self, which & HEIST__CANCEL_TASKGROUP ? self->current->group : NULL);
}

bool heist__omp_cancel(heist__omp_slot *self, int which)
{
    if (!self->cancellable) return false;
    if (which & (HEIST__CANCEL_LOOP | HEIST__CANCEL_SECTIONS)) {
        heist__store_release(&self->team->workshare_cancelled, 1); /* X1 */
    } else if (which & HEIST__CANCEL_TASKGROUP) {
        heist__omp_group *group = self->current->group;
        if (group && group->workshare && group->prev) group = group->prev;
        if (group) heist__store_release(&group->cancelled, 1); /* X1 */
    } else {
        heist__store_release(&self->team->cancelled, 1); /* X1 */
        heist__omp_wake_all(self->team);
    }
    return true;
}
