/* Advice in words, from the figures of a report. Each rule is a function that fills one piece of advice, or returns
 * false. The thresholds are in report.h. */
#include <inttypes.h>

#include "observe/report.h"

typedef bool rule(const heist__report *r, heist__advice *a);

#define SAY(...) snprintf(a->text, sizeof a->text, __VA_ARGS__)

static uint64_t all_time(const heist__report *r)
{
    return r->all.working + r->all.searching + r->all.asleep;
}

static bool long_enough(const heist__report *r)
{
    return all_time(r) >= UINT64_C(1000000) * HEIST__ADVICE_LEAST_MS;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static uint64_t tries(const heist__report *r)
{
    return heist__sum_of_levels(r->all.steal_got) + heist__sum_of_levels(r->all.steal_empty) +
           heist__sum_of_levels(r->all.steal_lost);
}

static bool searches_in_vain(const heist__report *r, heist__advice *a)
{
    const uint64_t tried = tries(r);
    const double success = percent(heist__sum_of_levels(r->all.steal_got), tried);
    const double share = percent(r->all.searching, r->all.working + r->all.searching);
    if (!long_enough(r) || tried < HEIST__ADVICE_LEAST_STEALS) return false;
    if (success >= HEIST__ADVICE_SUCCESS_PERCENT || share < HEIST__ADVICE_SEARCH_PERCENT) return false;
    a->figure = success;
    SAY("%.0f%% of the tries to steal got a task, and searching took %.0f%% of the time awake: there is too little to "
        "steal. Split the work into more tasks, earlier; or use fewer workers (HEIST_WORKERS).",
        success, share);
    return true;
}

static bool tasks_too_small(const heist__report *r, heist__advice *a)
{
    const uint64_t cost = HEIST__ADVICE_SPAWN_NS * r->all.joins_inline + HEIST__ADVICE_DETACHED_NS * r->all.detached +
                          HEIST__ADVICE_STEAL_NS * heist__sum_of_levels(r->all.steal_got);
    const double share = percent(cost, r->all.working);
    if (!long_enough(r) || r->all.tasks == 0 || share < HEIST__ADVICE_OVERHEAD_PERCENT) return false;
    a->figure = (double)r->all.working / (double)r->all.tasks;
    SAY("a task works for %.3g ns in the mean, and about %.0f%% of that is the cost of tasks: they are too small. Stop "
        "splitting earlier (a cut-off), or let loops choose their batches (heist_for).",
        a->figure, share > 100 ? 100 : share);
    return true;
}

static bool too_few_tasks(const heist__report *r, heist__advice *a)
{
    const double idle = percent(r->all.searching + r->all.asleep, all_time(r));
    if (!long_enough(r) || r->workers < 2 || r->all.tasks == 0) return false;
    if (r->all.tasks >= (uint64_t)HEIST__ADVICE_TASKS_A_WORKER * r->workers) return false;
    if (idle < HEIST__ADVICE_IDLE_PERCENT) return false;
    a->figure = (double)r->all.tasks / r->workers;
    SAY("%" PRIu64
        " tasks for %u workers, which had nothing to do for %.0f%% of the time: too few. Split the work into "
        "at least %u tasks.",
        r->all.tasks, r->workers, idle, HEIST__ADVICE_TASKS_A_WORKER * r->workers);
    return true;
}

/* The victim from which most tasks were stolen; *most is how many. */
static unsigned richest(const heist__report *r, uint64_t *most)
{
    unsigned best = 0;
    *most = 0;
    for (unsigned victim = 0; victim < r->workers; victim++) {
        uint64_t from = 0;
        for (unsigned thief = 0; thief < r->workers; thief++) from += r->matrix[(size_t)thief * r->workers + victim];
        if (from <= *most) continue;
        *most = from;
        best = victim;
    }
    return best;
}

static bool one_producer(const heist__report *r, heist__advice *a)
{
    const uint64_t got = heist__sum_of_levels(r->all.steal_got);
    uint64_t most;
    if (!r->matrix || r->workers < 2 || got < HEIST__ADVICE_LEAST_STEALS) return false;
    if (percent(got, r->all.tasks) < HEIST__ADVICE_STOLEN_PERCENT) return false;
    const unsigned victim = richest(r, &most);
    a->figure = percent(most, got);
    if (a->figure < HEIST__ADVICE_PRODUCER_PERCENT) return false;
    SAY("%.0f%% of %" PRIu64
        " steals were from worker %u: one worker produces everything, and each task costs a steal. "
        "Spawn in a tree, so that thieves spawn, too; or use a loop (heist_for, heist_generate).",
        a->figure, got, victim);
    return true;
}

static bool asleep_with_work(const heist__report *r, heist__advice *a)
{
    const heist_histogram *wake = &r->all.wake_latency;
    if (!long_enough(r) || wake->count < HEIST__ADVICE_LEAST_WAKES) return false;
    a->figure = percent(wake->sum, r->all.working);
    if (a->figure < HEIST__ADVICE_WAKE_PERCENT) return false;
    SAY("workers were woken %" PRIu64
        " times and took %.3g us in the mean to run, %.0f%% of the time working: there was "
        "work while they slept. Give work in larger portions, or let workers search longer (HEIST_SPIN).",
        wake->count, (double)wake->sum / 1000 / (double)wake->count, a->figure);
    return true;
}

static bool far_steals(const heist__report *r, heist__advice *a)
{
    const uint64_t got = heist__sum_of_levels(r->all.steal_got);
    a->figure = percent(r->all.steal_got[HEIST_LEVEL_PACKAGE] + r->all.steal_got[HEIST_LEVEL_FAR], got);
    if (!r->near || got < HEIST__ADVICE_LEAST_STEALS || a->figure < HEIST__ADVICE_FAR_PERCENT) return false;
    SAY("%.0f%% of %" PRIu64
        " steals went beyond the NUMA node: data follows them. Bind workers (HEIST_BIND=numa), keep "
        "the order of victims near (HEIST_STEAL=near), or split the work by node first.",
        a->figure, got);
    return true;
}

static bool beyond_quota(const heist__report *r, heist__advice *a)
{
    a->figure = r->workers;
    if (r->workers <= r->cpus) return false;
    SAY("%u workers have %u CPUs (affinity mask and quota): they take turns. HEIST_WORKERS=%u, or leave the number to "
        "heist.",
        r->workers, r->cpus, r->cpus);
    return true;
}

static bool share_cores(const heist__report *r, heist__advice *a)
{
    a->figure = r->workers;
    if (r->pus <= r->cores || r->workers <= r->cores || r->workers > r->cpus) return false;
    SAY("%u workers on %u cores: two hardware threads share a core's units. Programs that compute may be faster with "
        "HEIST_WORKERS=%u HEIST_BIND=core; try both.",
        r->workers, r->cores, r->cores);
    return true;
}

static bool inbox_too_small(const heist__report *r, heist__advice *a)
{
    a->figure = percent(r->all.inbox_full, r->all.detached);
    if (r->all.inbox_full < HEIST__ADVICE_LEAST_STEALS || a->figure < HEIST__ADVICE_INBOX_PERCENT) return false;
    SAY("%" PRIu64
        " submissions found the inbox full (%.0f%% of the detached tasks), and waited or were refused. Make it "
        "larger (HEIST_INBOX), or submit larger tasks.",
        r->all.inbox_full, a->figure);
    return true;
}

static bool out_of_slots(const heist__report *r, heist__advice *a)
{
    a->figure = (double)r->all.spawns_called;
    if (r->all.spawns_called == 0) return false;
    SAY("%" PRIu64 " spawns became calls, since a worker had no slot left: no thief could take them. Join children "
        "earlier, spawn in a tree, or raise HEIST_SLOTS.",
        r->all.spawns_called);
    return true;
}

static const struct {
    const char *name;
    rule *applies;
} rules[HEIST__ADVICES] = {
    {"steal-success", searches_in_vain}, {"task-size", tasks_too_small},
    {"task-count", too_few_tasks},       {"one-producer", one_producer},
    {"asleep", asleep_with_work},        {"far-steals", far_steals},
    {"cpu-quota", beyond_quota},         {"shared-cores", share_cores},
    {"inbox", inbox_too_small},          {"slots", out_of_slots},
};

unsigned heist__advise(const heist__report *r, heist__advice advice[HEIST__ADVICES])
{
    unsigned count = 0;
    for (unsigned i = 0; i < HEIST__ADVICES; i++) {
        advice[count].rule = rules[i].name;
        if (rules[i].applies(r, &advice[count])) count++;
    }
    return count;
}
