/* observe/report.h: the statistics of a pool at one time, as plain data, and what is made of them: text, JSON, the text
 * format of Prometheus, and advice. Only schedule/stats.c knows where they come from. */
#ifndef HEIST_OBSERVE_REPORT_H
#define HEIST_OBSERVE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <heist/stats.h>

#include "observe/json.h"

typedef struct heist__report {
    char name[32];
    unsigned workers;
    heist_stats all;
    heist_stats *worker; /* of each */
    uint64_t *matrix;    /* workers * workers: row thief, column victim; NULL: the pool keeps none */
    /* What the advice needs to know of the machine. */
    unsigned cpus;  /* that the workers can use at once: affinity mask and quota */
    unsigned cores; /* that the affinity mask reaches */
    unsigned pus;   /* hardware threads of these cores */
    bool near;      /* some victims are nearer than others */
} heist__report;

/* Makes a report of zeros, with room for the workers. NULL: no memory. */
heist__report *heist__report_new(unsigned workers, bool matrix);
void heist__report_free(heist__report *r);

uint64_t heist__sum_of_levels(const uint64_t levels[HEIST_LEVELS]);

void heist__report_text(const heist__report *r, FILE *out);
void heist__report_json(heist__report *const *reports, unsigned count, FILE *out);
void heist__report_prometheus(heist__report *const *reports, unsigned count, FILE *out);

/* ---- advice ---- */

/* The thresholds. lib/observe/STATISTICS.md has the same table, with reasons (test/tools/stats.sh compares them). */
enum {
    HEIST__ADVICE_LEAST_MS = 10,         /* worker time below which nothing is said of times */
    HEIST__ADVICE_SEARCH_PERCENT = 20,   /* searching, of working and searching */
    HEIST__ADVICE_SUCCESS_PERCENT = 30,  /* steals that got something, of all tries */
    HEIST__ADVICE_LEAST_STEALS = 100,    /* tries or steals below which nothing is said of them */
    HEIST__ADVICE_OVERHEAD_PERCENT = 20, /* estimated cost of the tasks, of the time working */
    HEIST__ADVICE_SPAWN_NS = 2,          /* estimated cost of a child that meets no thief */
    HEIST__ADVICE_DETACHED_NS = 60,      /* ... of a detached task */
    HEIST__ADVICE_STEAL_NS = 1500,       /* ... of a steal */
    HEIST__ADVICE_TASKS_A_WORKER = 8,    /* tasks for each worker */
    HEIST__ADVICE_IDLE_PERCENT = 20,     /* searching and asleep, of all time */
    HEIST__ADVICE_PRODUCER_PERCENT = 90, /* steals from one worker, of all */
    HEIST__ADVICE_STOLEN_PERCENT = 10,   /* tasks that were stolen, of all, before a single producer matters */
    HEIST__ADVICE_WAKE_PERCENT = 20,     /* time between a wake and the first step, over the time working */
    HEIST__ADVICE_LEAST_WAKES = 20,
    HEIST__ADVICE_FAR_PERCENT = 50,  /* steals beyond the node, of all */
    HEIST__ADVICE_INBOX_PERCENT = 1, /* submissions that found the inbox full, of detached tasks */
    HEIST__ADVICES = 10              /* the number of rules */
};

typedef struct heist__advice {
    const char *rule; /* a word: the name of the rule */
    double figure;    /* the figure behind it */
    char text[320];
} heist__advice;

/* Fills `advice`, one entry for each rule that applies. Returns how many. */
unsigned heist__advise(const heist__report *r, heist__advice advice[HEIST__ADVICES]);

#endif
