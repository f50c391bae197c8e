/* What the machine is, as the system tells it. */
#ifndef HEIST_PERF_MACHINE_H
#define HEIST_PERF_MACHINE_H

#include <stdio.h>

/* How many workers a pool has here when nobody says how many. */
long perf_usual_workers(void);

/* How many cores there are for so many workers: no more than a pool takes by itself, and two threads of one core are one. */
long perf_cores_for(long workers, long usual_workers);

/* {"cpu":...}: the machine as JSON. */
void perf_machine_json(FILE *to, long usual_workers);

/* The same in a line or two for people. */
void perf_machine_text(FILE *to, long usual_workers);

#endif
