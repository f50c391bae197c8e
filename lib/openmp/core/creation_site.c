/* How a thread learns the kinds of creation sites: see creation_site.h. */
#include "openmp/core/creation_site.h"

void heist__omp_creation_site_learn(heist__omp_slot *self, heist__omp_task *task)
{
    /* relaxed: this thread has the task, which keeps its parent. This thread ran the parent, or still does. */
    const heist__omp_task *parent = heist__load_relaxed(&task->parent);
    bool last = (parent->site | 1) == (task->site | 1);
    heist__omp_creation_site_at(self, task->site)->known |= last ? HEIST__SITE_LAST : HEIST__SITE_FOLLOWED;
}
