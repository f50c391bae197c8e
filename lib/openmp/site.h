/* Which new tasks wait for their creator to wait: the order of tasks where nobody else wants them.
 *
 * A thread may run a new task at once, or first what comes after it. libgomp and libomp do the latter: at a
 * taskwait the newest child comes first. Programs that search, and leave out what cannot be better than the best
 * so far, may be written for that, and take much longer in the order of creation. So where a task is followed by
 * another one, of another place in the program, it is set aside (aside.h), and the last one runs at once: the
 * newest first. Where one place makes one task after the other, in a loop, there are as many as it pleases, none
 * is known to be the last, and they run at once, in the order of the loop, as in the serial program.
 *
 * Which it is, a thread learns of each place, which is known by the task's function, when it sees it first. That
 * needs no more than the last place for each task that creates some, and a table of places for each thread, in
 * which those that do not find room are forgotten. Nothing depends on it but time. */
#ifndef HEIST_OPENMP_SITE_H
#define HEIST_OPENMP_SITE_H

#include "openmp/team.h"

/* What is known of a place: one task after the other came from there; another place's came after it; none did. */
enum { HEIST__SITE_LOOPS = 1, HEIST__SITE_FOLLOWED = 2, HEIST__SITE_LAST = 4 };

/* What to do with a new task: run it; set it aside; ask more than its place (create.h). Anything else is the name
 * of a place of which nothing is known yet: the task is to be set aside, and to remember it. */
enum { HEIST__SITE_AT_ONCE = 0, HEIST__SITE_ASIDE = 1, HEIST__SITE_ASK = 3 };

/* Children that a task sets aside before others run at once: two places may take turns in a loop, too. */
enum { HEIST__OMP_MOST_ASIDE = 16 };

/* A place's name: even, and never one of the above in practice. In `site` of a task it is odd if the child ran at once
 * because nothing is known to come after it. */
static inline uint32_t heist__omp_site_name(uintptr_t function)
{
    return (uint32_t)function << 1;
}

static inline heist__omp_site *heist__omp_site_at(heist__omp_slot *self, uint32_t name)
{
    heist__omp_site *site = &self->sites[(name >> 5) % HEIST__OMP_SITES];
    if (__builtin_expect(site->name != name, 0)) *site = (heist__omp_site){name, 0};
    return site;
}

/* ---- site.c ---- */
/* Of a task of this thread that was set aside, and now begins: whether another came after it. */
void heist__omp_site_learn(heist__omp_slot *self, heist__omp_task *task);

/* For a new child of the current task, where there is enough to steal. */
static inline uint32_t heist__omp_site_says(heist__omp_slot *self, uintptr_t function)
{
    heist__omp_task *parent = self->current;
    if (__builtin_expect(!self->sets_aside || (parent->flags & HEIST__TASK_EVENT), 0)) return HEIST__SITE_AT_ONCE;
    uint32_t name = heist__omp_site_name(function), last = parent->site;
    heist__omp_site *site = heist__omp_site_at(self, name);
    if (site->known & HEIST__SITE_LOOPS)
        return HEIST__SITE_AT_ONCE; /* what comes after one of these is not asked for */
    parent->site = name;
    if ((last ^ name) <= 1) {
        site->known |= HEIST__SITE_LOOPS;
        return HEIST__SITE_AT_ONCE;
    }
    if (__builtin_expect(last & 1, 0)) heist__omp_site_at(self, last & ~UINT32_C(1))->known |= HEIST__SITE_FOLLOWED;
    if (site->known == HEIST__SITE_LAST) {
        parent->site = name | 1;
        return HEIST__SITE_AT_ONCE;
    }
    if (parent->spawned - parent->done_here >= HEIST__OMP_MOST_ASIDE) return HEIST__SITE_AT_ONCE;
    return site->known ? HEIST__SITE_ASIDE : name;
}

#endif
