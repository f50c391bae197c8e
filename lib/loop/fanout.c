/* A fanout is spawned as a tree: a worker that takes a half of it spawns one half of that in turn. So four thousand
 * members are spread in twelve steps, and their records lie in frames. */
#include "loop/fanout.h"

#include "schedule/inside.h"

typedef struct {
    heist__fanout_member *member;
    void *argument;
} fanout;

typedef struct {
    heist_task task;
    const fanout *all;
    unsigned members;
} half;

static void run_members(heist__worker *w, const fanout *all, unsigned members);

static void run_half(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    (void)bottom; /* not needed: w's bottom is in memory, and is read there where it is used */
    half *h = (half *)(void *)task;
    run_members(heist__worker_of(face), h->all, h->members);
}

static void run_members(heist__worker *w, const fanout *all, unsigned members)
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

void heist__fanout_run(heist__worker *w, unsigned members, heist__fanout_member *member, void *argument)
{
    const fanout all = {member, argument};
    if (members > 0) run_members(w, &all, members);
}
