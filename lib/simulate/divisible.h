/* simulate/divisible.h: the model of divisible work with latency: one processor has W units of work; an idle one asks
 * another, drawn at random, and gets half of what is left there. The request and the answer take the latency each. For
 * comparison with published simulations of that model. */
#ifndef HEIST_SIMULATE_DIVISIBLE_H
#define HEIST_SIMULATE_DIVISIBLE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct heist__divisible {
    unsigned processors; /* 2 to 4096 */
    int64_t work;        /* units of time */
    int64_t latency;     /* between clusters, if there are two, where it is 1 within one */
    unsigned clusters;   /* 1 or 2 */
    double remote;       /* two clusters: the probability to ask in the other one */
    bool one_answer;     /* a processor that answers with work refuses others until the answer has arrived */
    uint64_t seed;
} heist__divisible;

/* Returns the time until all work is done, or -ENOMEM. */
int64_t heist__divisible_run(const heist__divisible *d);

#endif
