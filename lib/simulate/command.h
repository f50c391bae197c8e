/* simulate/command.h: heist-sim's command line, its answers and their forms. */
#ifndef HEIST_SIMULATE_COMMAND_H
#define HEIST_SIMULATE_COMMAND_H

#include <stdio.h>

#include "simulate/engine.h"

enum { HEIST__SIM_COUNTS = 64, HEIST__SIM_WHAT_IFS = 16, HEIST__SIM_ERROR = 300 };

typedef enum { HEIST__SIM_TABLE, HEIST__SIM_CSV, HEIST__SIM_JSON } heist__sim_format;

typedef struct heist__sim_command {
    const char *program; /* a description, or the path of a file.dag; NULL with a preset */
    const char *preset, *machine, *like, *costs, *timeline;
    const char *what_if[HEIST__SIM_WHAT_IFS];
    unsigned what_ifs;
    unsigned workers[HEIST__SIM_COUNTS], counts; /* counts 0: 1, 2, 4 ... */
    bool all_strategies, per_worker, limits, quiet;
    heist__sim_format format;
    unsigned runs;
    heist__sim_settings settings;
} heist__sim_command;

typedef enum { HEIST__SIM_GO_ON, HEIST__SIM_OVER, HEIST__SIM_BAD } heist__sim_reading;

/* Reads the arguments. OVER: --help and the like have been printed. BAD: one line is in `error`. */
heist__sim_reading heist__sim_command_read(heist__sim_command *c, int count, char **arguments, char *error,
                                           size_t room);

/* A line of the answer: a simulation, or the means of several. */
typedef struct heist__sim_row {
    char what[100]; /* the strategy, or what is supposed */
    unsigned workers, runs;
    double time, work, span; /* nanoseconds */
    double tasks, stolen, steals[HEIST__SIM_LEVELS], leapfrogs, looks, lost, wakes, sleeps, spread, busy;
    double used, events;
} heist__sim_row;

/* Adds a simulation to the sums of a row; after the last, heist__sim_row_mean divides. */
void heist__sim_row_add(heist__sim_row *row, const heist__sim_result *r);
void heist__sim_row_mean(heist__sim_row *row);

static inline double heist__sim_speedup(const heist__sim_row *row)
{
    return row->time > 0 ? row->work / row->time : 1;
}

/* The least time that any schedule takes, and the most of a greedy one: both without costs. */
static inline double heist__sim_least(const heist__sim_row *row)
{
    const double share = row->work / row->workers;
    return share > row->span ? share : row->span;
}
static inline double heist__sim_greedy(const heist__sim_row *row)
{
    return row->work / row->workers + row->span;
}

void heist__sim_print(FILE *out, heist__sim_format format, const char *program, const char *machine,
                      const heist__sim_row *rows, unsigned count);

/* "1.5 us": three digits and a unit. */
const char *heist__sim_time(double ns, char text[24]);

#endif
