/* simulate/generators.h: what the files of the program generators share. */
#ifndef HEIST_SIMULATE_GENERATORS_H
#define HEIST_SIMULATE_GENERATORS_H

#include "simulate/costs.h"
#include "simulate/program.h"

/* A number from 0 to less than 1 that follows from `seed`. */
double heist__sim_drawn(uint64_t seed);

/* Each fills *p from the values of its options, in the order of the table in programs.c. Returns 0 or -ENOMEM. */
int heist__sim_make_uts(heist__sim_program *p, const double *v);
int heist__sim_make_loop(heist__sim_program *p, const double *v);

/* The names of the trees of UTS, then NULL. */
extern const char *const heist__sim_uts_words[];

#endif
