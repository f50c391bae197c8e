/* Creation sites: places in the program that create tasks. They decide the order of tasks where no other thread wants
 * them.
 *
 * A thread may run a new task at once, or first the code that comes after it. libgomp and libomp do the latter: at a
 * taskwait the newest child comes first. Programs that search, and leave out branches that cannot be better than the
 * best so far, may be written for that order, and take much longer in the order of creation. So a task that is followed
 * by a task of another site is set aside (private_tail.h), and the last one runs at once: the newest first. Where one
 * site creates one task after the other, in a loop, no task is known to be the last; there tasks run at once, in the
 * order of the loop, as in the serial program.
 *
 * Each thread learns which kind a site is when it first sees tasks of it. The task's function names the site. That
 * takes one word in each task that creates some, for its last child's site, and a table of sites in each thread; a site
 * that finds no room there is forgotten. Nothing but time depends on it. */
#ifndef HEIST_OPENMP_CORE_CREATION_SITE_H
#define HEIST_OPENMP_CORE_CREATION_SITE_H

#include "openmp/core/slot.h"

/* The kinds of a site: one task after the other came from it; a task of another site came after one of its tasks; no
 * task came after one of its tasks. */
enum { HEIST__SITE_LOOPS = 1, HEIST__SITE_FOLLOWED = 2, HEIST__SITE_LAST = 4 };

/* The decisions for a new task. Any other value is the name of a site of which nothing is known yet: the task is set
 * aside, and remembers that name. */
enum { HEIST__RUN_AT_ONCE = 0, HEIST__SET_ASIDE = 1, HEIST__PUT_OFF = 3 };

/* Children that a task sets aside before further ones run at once: two sites may take turns in a loop, too. */
enum { HEIST__OMP_MOST_ASIDE = 16 };

/* The name of a site: even, and in practice none of the values above. In `site` of a task it is odd if the last child
 * ran at once because no task is known to come after it. */
static inline uint32_t heist__omp_creation_site_name(uintptr_t function)
{
    return (uint32_t)function << 1;
}

static inline heist__omp_creation_site *heist__omp_creation_site_at(heist__omp_slot *self, uint32_t name)
{
    heist__omp_creation_site *site = &self->sites[(name >> 5) % HEIST__OMP_SITES];
    if (__builtin_expect(site->name != name, 0)) *site = (heist__omp_creation_site){name, 0};
    return site;
}

/* ---- creation_site.c ---- */
/* A task of this thread that was set aside begins: learns whether another task came after it. */
void heist__omp_creation_site_learn(heist__omp_slot *self, heist__omp_task *task);

/* Decides for a new child of the current task, where thieves have enough to steal. */
static inline uint32_t heist__omp_site_decides(heist__omp_slot *self, uintptr_t function)
{
    heist__omp_task *parent = self->current;
    if (__builtin_expect(!self->sets_aside || (parent->flags & HEIST__OMP_TASK_EVENT), 0)) return HEIST__RUN_AT_ONCE;
    uint32_t name = heist__omp_creation_site_name(function), last = parent->site;
    heist__omp_creation_site *site = heist__omp_creation_site_at(self, name);
    /* the task that follows such a task does not matter */
    if (site->known & HEIST__SITE_LOOPS) return HEIST__RUN_AT_ONCE;
    parent->site = name;
    if ((last ^ name) <= 1) {
        site->known |= HEIST__SITE_LOOPS;
        return HEIST__RUN_AT_ONCE;
    }
    if (__builtin_expect(last & 1, 0))
        heist__omp_creation_site_at(self, last & ~UINT32_C(1))->known |= HEIST__SITE_FOLLOWED;
    if (site->known == HEIST__SITE_LAST) {
        parent->site = name | 1;
        return HEIST__RUN_AT_ONCE;
    }
    if (parent->spawned - parent->done_here >= HEIST__OMP_MOST_ASIDE) return HEIST__RUN_AT_ONCE;
    return site->known ? HEIST__SET_ASIDE : name;
}

#endif
