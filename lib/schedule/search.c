/* A search through the victims: from each the oldest child of its task deque, else jobs of its ring deque. */
#include "schedule/search.h"

#include "platform/clock.h"
#include "schedule/job.h"
#include "schedule/pool.h"
#include "schedule/victim.h"

static size_t load_of(const void *context, unsigned worker)
{
    const heist_pool *pool = context;
    heist__worker *w = pool->workers[worker];
    return heist__task_deque_size(&w->tasks) + heist_deque_size(w->jobs);
}

/* Takes one job of `victim`, or half of them; all but one go to the thief's own deque. */
static heist_steal steal_jobs(heist__worker *w, heist__worker *victim, heist__found_work *found)
{
    void *taken[HEIST__STEAL_MOST];
    if (w->pool->settings.amount != HEIST_AMOUNT_HALF) {
        heist_steal outcome = heist_deque_steal(victim->jobs, taken);
        if (outcome == HEIST_STEAL_GOT) found->job = taken[0];
        return outcome;
    }
    size_t n = heist_deque_steal_half(victim->jobs, taken, sizeof taken / sizeof *taken);
    if (n == 0) return HEIST_STEAL_EMPTY;
    found->job = taken[0];
    for (size_t i = 1; i < n; i++) {
        heist__job *job = taken[i];
        if (heist_deque_push(w->jobs, job) == 0) continue;
        heist__job_run(w, job); /* no memory: the job runs now */
        heist__tell_waiters(w->pool);
    }
    return HEIST_STEAL_GOT;
}

/* A victim that has nothing is asked for its next push. */
static heist_steal steal_from(heist__worker *w, heist__worker *victim, int64_t now, heist__found_work *found)
{
    heist_steal outcome = heist__steal_child(victim, heist__task_deque_look(&victim->tasks), 0, &found->child);
    if (outcome == HEIST_STEAL_GOT) return outcome;
    found->child.task = NULL;
    heist_steal second = steal_jobs(w, victim, found);
    if (second != HEIST_STEAL_EMPTY) return second;
    if (outcome == HEIST_STEAL_EMPTY) heist__task_deque_want_next(&victim->tasks, now);
    return outcome;
}

bool heist__steal_somewhere(heist__worker *w, heist__found_work *found)
{
    heist__search search;
    unsigned victim, level;
    const int64_t now = heist__clock_ns();
    heist__search_begin(&search, &w->victims, &w->strategy, &w->random, load_of, w->pool);
    while (heist__search_next(&search, &victim, &level)) {
        heist_steal outcome = steal_from(w, w->pool->workers[victim], now, found);
        heist__count(&w->counters.steals[level][outcome]);
        heist__strategy_report(&w->strategy, outcome == HEIST_STEAL_GOT);
        if (outcome != HEIST_STEAL_GOT) continue;
        if (w->stolen_from) heist__count(&w->stolen_from[victim]);
        heist__spread_time(&w->counters.steal_latency, (uint64_t)now, heist__stats_now());
        return true;
    }
    return false;
}
