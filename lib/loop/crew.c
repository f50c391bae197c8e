/* A crew is spawned as a tree: who takes a half of it spawns the other half of that, so that four thousand members are
 * spread in twelve steps, and their records lie in frames. */
#include "loop/crew.h"

#include "loop/fork.h"

typedef struct {
    heist__crew_member *member;
    void *argument;
} crew;

typedef struct {
    heist_task task;
    const crew *all;
    unsigned members;
} half;

static void run_members(heist__worker *w, const crew *all, unsigned members);

static void run_half(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    (void)bottom; /* as in memory: w's bottom is read again where it is used */
    half *h = (half *)(void *)task;
    run_members(heist__worker_of(face), h->all, h->members);
}

static void run_members(heist__worker *w, const crew *all, unsigned members)
{
    if (members == 1) {
        all->member(w, all->argument);
        return;
    }
    half rest = {.task = {.run = run_half}, .all = all, .members = members / 2};
    heist__fork_for_others(w, &rest.task);
    run_members(w, all, members - members / 2);
    if (heist__take_back_or_join(w, &rest.task)) run_members(w, all, rest.members);
}

void heist__crew_run(heist__worker *w, unsigned members, heist__crew_member *member, void *argument)
{
    const crew all = {member, argument};
    if (members > 0) run_members(w, &all, members);
}
