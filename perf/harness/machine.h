/* A description of the machine, as the system reports it. */
#ifndef HEIST_PERF_MACHINE_H
#define HEIST_PERF_MACHINE_H

#include <stdio.h>

/* Default number of workers of a pool on this machine. */
long perf_usual_workers(void);

/* Number of cores for so many workers: at most the default size of a pool; two threads of one core count once. */
long perf_cores_for(long workers, long usual_workers);

/* {"cpu":...}: the machine as JSON. */
void perf_machine_json(FILE *to, long usual_workers);

/* The same in a line or two for people. */
void perf_machine_text(FILE *to, long usual_workers);

#endif
