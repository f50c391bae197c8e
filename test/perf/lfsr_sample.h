/* What the tests of the shift register share: how one is run, and structures that are known. For one file of a program:
 * it defines perf_interrupted, setUp and tearDown. */
#ifndef LFSR_SAMPLE_H
#define LFSR_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <unity.h>

#include "apps/lfsr/census.h"

extern const struct perf_implementation perf_lfsr_serial, perf_lfsr_heist;

volatile bool perf_interrupted;

void setUp(void)
{
    perf_interrupted = false;
}

void tearDown(void)
{
}

/* ---- running one ---- */

struct choice {
    const char *size, *poly, *field, *algorithm, *mode, *batch, *aggregate;
    unsigned workers;
};

static int prepare(const struct perf_implementation *implementation, const struct choice *choice, void **state,
                   char *error, size_t room)
{
    const char *settings[] = {
        "poly",       choice->poly ? choice->poly : "auto",
        "field",      choice->field ? choice->field : "2",
        "algorithm",  choice->algorithm ? choice->algorithm : "walk",
        "mode",       choice->mode ? choice->mode : "steal",
        "batch-size", choice->batch ? choice->batch : "auto",
        "aggregate",  choice->aggregate ? choice->aggregate : "auto",
        NULL,
    };
    struct perf_input input = {choice->size, choice->workers ? choice->workers : 1, settings};
    return implementation->prepare(&input, state, error, room);
}

static void run_once(const struct perf_implementation *implementation, void *state, struct perf_outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    if (implementation->reset) implementation->reset(state);
    implementation->run(state);
    implementation->check(state, outcome);
}

/* ---- structures that were found by other programs: polynomial, bits, cycles as [count, length] ---- */

static const struct {
    const char *poly, *size, *cycles;
} recorded[] = {
    {"0x1053", "12", "[[1,1],[1,4095]]"},
    {"0x1fff", "12", "[[1,1],[315,13]]"},
    {"0x45ed", "14", "[[1,1],[5,51],[1,63],[15,1071]]"},
    {"0x1100b", "16", "[[1,1],[1,65535]]"},
    {"0x11021", "16", "[[2,1],[2,32767]]"},
    {"0x40101", "18", "[[1,1],[1,511],[256,1022]]"},
    {"0x100009", "20", "[[1,1],[1,1048575]]"},
};
#define RECORDED (sizeof recorded / sizeof recorded[0])

static const char *const algorithms[] = {"walk", "stream", "leaders", "algebra"};
static const char *const modes[] = {"static", "shared", "steal", "hybrid", "auto"};

#endif
