/* One counting of all cycles: what the command line asked for, the phases, and the check. A runtime brings a loop that
 * runs batches of states; everything else is the same for all of them.
 *
 *   walk, stream   segments over all states (parallel), the permutation of the markers (serial, small), and if
 *                  states are left over, leaders of cycles without markers over all states (parallel)
 *   leaders        leaders over all states (parallel)
 *   algebra        no states at all: serial only
 *
 * No lock, and no atomic access here: a segment is written by the one batch that has its marker, a tally by the one
 * worker it belongs to, and both are read after the loop has ended, which every runtime's loop makes visible. */
#ifndef HEIST_PERF_LFSR_CENSUS_H
#define HEIST_PERF_LFSR_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/lfsr/cycles.h"
#include "apps/lfsr/register.h"
#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

enum lfsr_algorithm { LFSR_BY_WALK, LFSR_BY_STREAM, LFSR_BY_LEADERS, LFSR_BY_ALGEBRA };
enum lfsr_mode { LFSR_STATIC, LFSR_SHARED, LFSR_STEAL, LFSR_HYBRID, LFSR_AUTO, LFSR_SERIAL /* by serial.c */ };

/* The work of one worker. Written by: that worker. Read by: the caller of the loop, after it. */
struct lfsr_tally {
    uint64_t steps;
    uint64_t asked; /* states, by leaders */
    uint64_t batches;
    uint64_t busy_ns; /* inside batches, if metered */
    struct lfsr_cycles cycles;
    char apart[128]; /* keeps it apart from the next worker's */
};

/* The speed-up of the seeds, an earlier program in Python with processes and for 12 to 16 bits, in their dynamic mode
 * over their serial loop, and their goal: X(workers, reached, target). */
#define LFSR_SEEDS(X) X(2, 0.79, 1.5) X(4, 0.62, 1.2) X(8, 0.38, 1.0)

struct lfsr_census;

/* Calls lfsr_batch for parts that together are the states 0 to states - 1, each once, on census->workers workers, in
 * batches of census->batch states. If that is 0, the runtime chooses the batches, whole multiples of `unit` states,
 * which divides their number; all units take about the same time. */
typedef void lfsr_loop(void *runtime, struct lfsr_census *census, uint64_t unit);

struct lfsr_census {
    /* The settings. */
    struct lfsr_polynomial polynomial;
    struct lfsr_register reg;
    enum lfsr_algorithm algorithm;
    enum lfsr_mode mode;
    uint64_t batch;     /* states; 0: the runtime's choice */
    uint64_t aggregate; /* batches that a worker takes in one steal; 0: the runtime's choice */
    unsigned workers;
    unsigned processors;         /* their CPUs; with more workers than CPUs the overhead is not reported */
    struct lfsr_cycles expected; /* by algebra */
    /* Set by the runtime. */
    lfsr_loop *loop;
    void *runtime;
    const char *chosen; /* by mode auto, in the metered run; NULL: not known */
    /* The run. */
    void (*body)(struct lfsr_census *census, struct lfsr_tally *tally, uint64_t from, uint64_t to);
    struct lfsr_segment *segments;
    struct lfsr_tally *tallies;
    struct lfsr_cycles found;
    uint64_t loops;
    uint64_t done; /* states, when it was interrupted */
    bool cut;      /* it was interrupted before its end */
    uint64_t loops_ns;
    bool metered;    /* this run reads clocks around each batch; it is not timed */
    int tries;       /* metered runs so far */
    double overhead; /* the share of the workers' time that was not inside batches; below 0: not known */
    double balance;  /* of the run to which the overhead belongs */
};

/* Reads the settings. Returns 0, or a negative errno and a sentence in `error`. */
int lfsr_census_new(const struct perf_input *input, struct lfsr_census **census, char *error, size_t room);
void lfsr_census_free(struct lfsr_census *census);

/* One batch: states from <= number < to, done by `worker`. */
void lfsr_batch(struct lfsr_census *census, unsigned worker, uint64_t from, uint64_t to);

/* Nanoseconds of a clock that only goes forward. */
uint64_t lfsr_now(void);

/* Counts. */
void lfsr_census_run(struct lfsr_census *census);

/* Compares the cycles found with those expected, and fills in all of *outcome but the steals. The first few times it
 * also runs once more, metered, unless that would take long. Where workers share processors no overhead is reported: it
 * is chance whether a worker waits for a processor inside a batch or outside. */
void lfsr_census_check(struct lfsr_census *census, struct perf_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
