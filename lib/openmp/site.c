/* What is learned of places that create tasks: see site.h. */
#include "openmp/site.h"

void heist__omp_site_learn(heist__omp_slot *self, heist__omp_task *task)
{
    /* relaxed: the task is ours, and its parent kept for it. This thread ran the parent, or still does. */
    const heist__omp_task *parent = heist__load_relaxed(&task->parent);
    bool last = (parent->site | 1) == (task->site | 1);
    heist__omp_site_at(self, task->site)->known |= last ? HEIST__SITE_LAST : HEIST__SITE_FOLLOWED;
}
