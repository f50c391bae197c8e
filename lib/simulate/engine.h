/* simulate/engine.h: runs a program on a machine, in virtual time, with the policies of the runtime.
 *
 * The engine calls the functions that the runtime calls: the order and the choice of victims (schedule/victim.c), the
 * back-off (idle/backoff.c), the time to spin (idle/spin_budget.c), how many tasks change hands (deque/amounts.h),
 * which worker is woken (idle/wake_policy.h), and what a waiting join does (schedule/join_policy.h). SIMULATE.md says
 * what is modelled and what is not. The same settings give the same result. */
#ifndef HEIST_SIMULATE_ENGINE_H
#define HEIST_SIMULATE_ENGINE_H

#include "simulate/machine.h"
#include "simulate/program.h"
#include "topology/place.h"

typedef struct heist__sim_settings {
    unsigned workers; /* 1 to 4096 */
    heist__strategy strategy;
    bool half; /* thieves take half of the jobs */
    heist__bind bind;
    uint64_t seed;
    bool cold;            /* all workers but the first are asleep at the beginning; else they search */
    uint64_t most_events; /* 0: no limit */
    /* Called now and then. May be NULL. */
    void (*progress)(void *context, uint64_t events, uint64_t tasks, int64_t now);
    void *context;
    /* Called for each stay of a task on a worker that lasts. May be NULL. */
    void (*ran)(void *context, unsigned worker, int64_t from, int64_t to, bool stolen);
} heist__sim_settings;

typedef struct heist__sim_worker_result {
    uint64_t executed, stolen; /* tasks; those among them that came from another worker */
    int64_t busy;              /* picoseconds of work, as long as it took */
} heist__sim_worker_result;

typedef struct heist__sim_result {
    int64_t time;       /* TP */
    int64_t work, span; /* one worker's time, and infinitely many workers', without any cost */
    uint64_t tasks, events;
    uint64_t steals[HEIST__SIM_LEVELS]; /* successful searches, by distance */
    uint64_t looks;                     /* at victims that had nothing */
    uint64_t lost;                      /* attempts that another thief won */
    uint64_t barriers, answers;         /* how tasks that were not public became so */
    uint64_t leapfrogs, wakes, sleeps;
    int64_t busy;   /* sum over the workers */
    int64_t spread; /* until every worker that ever had a task had one */
    unsigned used;  /* workers that had a task */
    unsigned workers;
    heist__sim_worker_result *of; /* by worker */
} heist__sim_result;

/* Returns 0, -ENOMEM, or -E2BIG for more events than the settings allow, with a sentence in `error`. */
int heist__sim_run(heist__sim_result *r, const heist__sim_machine *m, heist__sim_program *p,
                   const heist__sim_settings *s, char *error, size_t room);
void heist__sim_result_free(heist__sim_result *r);

uint64_t heist__sim_stolen(const heist__sim_result *r);

#endif
