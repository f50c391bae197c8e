/* The phases of a census, its settings and its row. */
#include "apps/lfsr/census.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A run that takes longer is not repeated to measure its overhead. A run of less than a tenth of that is repeated a few
 * times: the least of them says most. */
#define LONG_NS UINT64_C(1000000000)
#define MOST_TRIES 5

uint64_t lfsr_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- settings ---- */

static const char *const algorithm_names[] = {"walk", "stream", "leaders", "algebra", NULL};
static const char *const mode_names[] = {"static", "shared", "steal", "hybrid", "auto", NULL};

/* The place of a name; -1 if it is not there. A workload without such an option has its first value. */
static int place_of(const char *name, const char *const *names)
{
    for (int i = 0; name && names[i]; i++)
        if (strcmp(name, names[i]) == 0) return i;
    return name ? -1 : 0;
}

/* A number, or 0 for "auto". */
static int number_or_auto(const char *text, const char *what, uint64_t *value, char *error, size_t room)
{
    long number = 0;
    if (text && strcmp(text, "auto") != 0) {
        int result = perf_number(text, what, 1, (long)LFSR_MOST_STATES, &number, error, room);
        if (result) return result;
    }
    *value = (uint64_t)number;
    return 0;
}

static int read_polynomial(const struct perf_input *input, struct lfsr_polynomial *polynomial, char *error, size_t room)
{
    const char *text = perf_setting(input, "poly"), *field_text = perf_setting(input, "field");
    long cells, field = 2;
    int result = perf_number(input->size, "size", 1, LFSR_MOST_CELLS, &cells, error, room);
    if (!result && field_text) result = perf_number(field_text, "field", 2, LFSR_MOST_FIELD, &field, error, room);
    if (result) return result;
    if (!lfsr_field_known((unsigned)field)) {
        snprintf(error, room, "there is no GF(%ld) here: --field takes a prime up to %d", field, LFSR_MOST_FIELD);
        return -EINVAL;
    }
    if (lfsr_states((unsigned)field, (unsigned)cells) == 0) {
        snprintf(error, room, "%ld cells over GF(%ld) have too many states", cells, field);
        return -EINVAL;
    }
    if (!text || strcmp(text, "auto") == 0) {
        lfsr_polynomial_primitive((unsigned)field, (unsigned)cells, polynomial);
        return 0;
    }
    result = lfsr_polynomial_read(text, (unsigned)field, polynomial, error, room);
    if (!result && polynomial->cells != (unsigned)cells) {
        snprintf(error, room, "polynomial '%s' is of degree %u, and the size %ld", text, polynomial->cells, cells);
        result = -EINVAL;
    }
    return result;
}

static int read_settings(const struct perf_input *input, struct lfsr_census *census, char *error, size_t room)
{
    int algorithm = place_of(perf_setting(input, "algorithm"), algorithm_names);
    int mode = place_of(perf_setting(input, "mode"), mode_names);
    if (algorithm < 0 || mode < 0) {
        snprintf(error, room, "unknown %s", algorithm < 0 ? "algorithm" : "mode");
        return -EINVAL;
    }
    census->algorithm = (enum lfsr_algorithm)algorithm;
    census->mode = (enum lfsr_mode)mode;
    census->workers = input->workers;
    int result = number_or_auto(perf_setting(input, "batch-size"), "batch size", &census->batch, error, room);
    if (!result)
        result = number_or_auto(perf_setting(input, "aggregate"), "number of batches", &census->aggregate, error, room);
    if (!result) result = read_polynomial(input, &census->polynomial, error, room);
    if (!result)
        result = lfsr_register_make(&census->reg, &census->polynomial,
                                    census->algorithm == LFSR_BY_STREAM ? LFSR_STREAM : LFSR_STEPS, error, room);
    return result;
}

/* The number of CPUs of this process, at most 1024. */
static unsigned processors(void)
{
    cpu_set_t ours;
    int count = sched_getaffinity(0, sizeof ours, &ours) ? 0 : CPU_COUNT(&ours);
    return count > 0 ? (unsigned)count : UINT_MAX;
}

int lfsr_census_new(const struct perf_input *input, struct lfsr_census **made, char *error, size_t room)
{
    struct lfsr_census *census = calloc(1, sizeof *census);
    if (!census) {
        snprintf(error, room, "no memory");
        return -ENOMEM;
    }
    int result = read_settings(input, census, error, room);
    if (!result) {
        census->overhead = -1;
        census->processors = processors();
        lfsr_polynomial_cycles(&census->polynomial, &census->expected);
        if (census->expected.overflow) {
            snprintf(error, room, "its cycles have more than %d different lengths", LFSR_MOST_LENGTHS);
            result = -EINVAL;
        }
    }
    if (!result) {
        census->segments = calloc(census->reg.markers, sizeof *census->segments);
        census->tallies = calloc(census->workers, sizeof *census->tallies);
        if (!census->segments || !census->tallies) {
            snprintf(error, room, "no memory for %" PRIu64 " segments", census->reg.markers);
            result = -ENOMEM;
        }
    }
    if (result) {
        lfsr_census_free(census);
        return result;
    }
    *made = census;
    return 0;
}

void lfsr_census_free(struct lfsr_census *census)
{
    if (!census) return;
    free(census->segments);
    free(census->tallies);
    free(census);
}

/* ---- phases ---- */

void lfsr_batch(struct lfsr_census *census, unsigned worker, uint64_t from, uint64_t to)
{
    struct lfsr_tally *tally = &census->tallies[worker];
    uint64_t began = census->metered ? lfsr_now() : 0;
    tally->batches++;
    census->body(census, tally, from, to);
    if (census->metered) tally->busy_ns += lfsr_now() - began;
}

static void segments_body(struct lfsr_census *census, struct lfsr_tally *tally, uint64_t from, uint64_t to)
{
    tally->steps += lfsr_segments(&census->reg, from, to, census->segments, &perf_interrupted);
}

static void leaders_body(struct lfsr_census *census, struct lfsr_tally *tally, uint64_t from, uint64_t to)
{
    tally->steps += lfsr_leaders(&census->reg, from, to, census->algorithm != LFSR_BY_LEADERS, &tally->cycles,
                                 &tally->asked, &perf_interrupted);
}

/* Other workers may have written most of the segments. The walk from one to the next would wait for each of them;
 * requested all at once, they arrive side by side. */
static void fetch_segments(const struct lfsr_census *census)
{
    const uint64_t each = 64 / sizeof *census->segments; /* a line, or half of one */
    for (uint64_t i = 0; i < census->reg.markers; i += each) __builtin_prefetch(&census->segments[i], 1);
}

/* Counts the cycles of the permutation of markers. Consumes the segments; a cycle with a missing segment does not
 * count. */
static void join_segments(struct lfsr_census *census)
{
    struct lfsr_segment *segments = census->segments;
    fetch_segments(census);
    for (uint64_t first = 0; first < census->reg.markers; first++) {
        uint64_t length = 0, part = 0, at = first;
        do {
            part = segments[at].length;
            length += part;
            segments[at].length = 0;
            at = segments[at].next;
        } while (part != 0 && at != first);
        if (part) lfsr_cycles_add(&census->found, length, 1);
    }
}

static void loop(struct lfsr_census *census, uint64_t unit)
{
    uint64_t began = lfsr_now();
    census->loops++;
    census->loop(census->runtime, census, unit);
    census->loops_ns += lfsr_now() - began;
}

static uint64_t sum(const struct lfsr_census *census, size_t member)
{
    uint64_t all = 0;
    for (unsigned w = 0; w < census->workers; w++) {
        uint64_t one;
        memcpy(&one, (const char *)&census->tallies[w] + member, sizeof one);
        all += one;
    }
    return all;
}

#define SUM(census, member) sum(census, offsetof(struct lfsr_tally, member))

static void by_segments(struct lfsr_census *census)
{
    census->body = segments_body;
    loop(census, census->reg.spacing);
    census->done = SUM(census, steps);
    join_segments(census);
}

static void by_leaders(struct lfsr_census *census)
{
    census->body = leaders_body;
    loop(census, 1);
    census->done = SUM(census, asked);
    for (unsigned w = 0; w < census->workers; w++) lfsr_cycles_merge(&census->found, &census->tallies[w].cycles);
}

static void forget(struct lfsr_census *census)
{
    census->found.lengths = 0;
    census->found.overflow = false;
    census->done = census->loops = census->loops_ns = 0;
    census->cut = false;
    for (unsigned w = 0; w < census->workers; w++) {
        struct lfsr_tally *tally = &census->tallies[w];
        tally->steps = tally->asked = tally->batches = tally->busy_ns = 0;
        tally->cycles.lengths = 0;
        tally->cycles.overflow = false;
    }
}

void lfsr_census_run(struct lfsr_census *census)
{
    forget(census);
    if (census->algorithm == LFSR_BY_ALGEBRA) {
        lfsr_polynomial_cycles(&census->polynomial, &census->found);
        return;
    }
    if (census->algorithm != LFSR_BY_LEADERS) by_segments(census);
    /* The state 0, which is never a marker, is a cycle of its own. If more is left over, there are cycles without
     * markers. */
    if (!lfsr_stop(&perf_interrupted) && lfsr_cycles_states(&census->found) != census->reg.states - 1)
        by_leaders(census);
    lfsr_cycles_add(&census->found, 1, 1);
    census->cut = lfsr_stop(&perf_interrupted);
}

/* ---- the check ---- */

/* Busiest worker over the mean, in steps. */
static double balance(const struct lfsr_census *census)
{
    uint64_t most = 0, all = SUM(census, steps);
    for (unsigned w = 0; w < census->workers; w++)
        if (census->tallies[w].steps > most) most = census->tallies[w].steps;
    return all ? (double)most * census->workers / (double)all : 1;
}

static void meter(struct lfsr_census *census)
{
    census->tries++;
    census->metered = true;
    lfsr_census_run(census);
    census->metered = false;
    uint64_t time = census->workers * census->loops_ns;
    double overhead = 1 - (double)SUM(census, busy_ns) / (double)time;
    if (lfsr_stop(&perf_interrupted) || census->workers > census->processors) return;
    if (census->overhead >= 0 && overhead >= census->overhead) return;
    census->overhead = overhead > 0 ? overhead : 0;
    census->balance = balance(census);
}

/* An interrupted run is never right, even if its cycles are: a leader may have met every cycle before the other states
 * were asked, and its time would be too short. */
static void judge(const struct lfsr_census *census, struct perf_outcome *outcome)
{
    if (census->cut) {
        int used = snprintf(outcome->check, sizeof outcome->check,
                            "interrupted after %" PRIu64 " of %" PRIu64 " states", census->done, census->reg.states);
        if (census->algorithm == LFSR_BY_LEADERS) /* the first may walk for long while none is done */
            snprintf(outcome->check + used, sizeof outcome->check - (size_t)used, ", in %" PRIu64 " steps",
                     SUM(census, steps));
    } else if (lfsr_cycles_equal(&census->found, &census->expected)) {
        snprintf(outcome->check, sizeof outcome->check, "ok");
    } else {
        char found[80], expected[80];
        lfsr_cycles_text(&census->found, found, sizeof found);
        lfsr_cycles_text(&census->expected, expected, sizeof expected);
        snprintf(outcome->check, sizeof outcome->check, "found %s, but there are %s", found, expected);
    }
}

/* The part of the row about the timed run. */
struct figures {
    uint64_t batches;
    uint64_t batch; /* states of one; 0: not known */
    double balance; /* of the metered run instead, where there was one */
    struct lfsr_cycles found;
};

static const struct {
    unsigned workers;
    double reached, target;
} seeds[] = {
#define SEEDS_ROW(workers, reached, target) {workers, reached, target},
    LFSR_SEEDS(SEEDS_ROW)
#undef SEEDS_ROW
};

static void describe(const struct lfsr_census *census, const struct figures *figures, char *text, size_t room)
{
    char polynomial[LFSR_MOST_CELLS + 4];
    bool serial = census->mode == LFSR_SERIAL;
    lfsr_polynomial_write(&census->polynomial, polynomial);
    size_t used = (size_t)snprintf(text, room, "\"mode\":\"%s\"", serial ? "serial" : mode_names[census->mode]);
    if (census->chosen) used += (size_t)snprintf(text + used, room - used, ",\"chosen\":\"%s\"", census->chosen);
    if (!serial) {
        char asked[24] = "auto";
        if (census->batch) snprintf(asked, sizeof asked, "%" PRIu64, census->batch);
        used += (size_t)snprintf(text + used, room - used, ",\"batch_size\":\"%s\"", asked);
        if (census->aggregate)
            used += (size_t)snprintf(text + used, room - used, ",\"aggregate\":%" PRIu64, census->aggregate);
        if (figures->batch) used += (size_t)snprintf(text + used, room - used, ",\"batch\":%" PRIu64, figures->batch);
        used += (size_t)snprintf(text + used, room - used, ",\"balance\":%.3f", figures->balance);
    }
    for (size_t i = 0; !serial && i < sizeof seeds / sizeof seeds[0]; i++)
        if (seeds[i].workers == census->workers)
            used += (size_t)snprintf(text + used, room - used, ",\"seeds\":%.2f,\"seeds_target\":%.1f",
                                     seeds[i].reached, seeds[i].target);
    if (census->overhead >= 0)
        used += (size_t)snprintf(text + used, room - used, ",\"overhead\":%.4f", census->overhead);
    used += (size_t)snprintf(text + used, room - used, ",\"algorithm\":\"%s\",\"field\":%u,\"poly\":\"%s\",\"cycles\":",
                             algorithm_names[census->algorithm], census->reg.field, polynomial);
    used += lfsr_cycles_json(&figures->found, text + used, room - used);
    if (used >= room) text[0] = '\0'; /* a truncated list would not be JSON */
}

void lfsr_census_check(struct lfsr_census *census, struct perf_outcome *outcome)
{
    struct figures figures = {SUM(census, batches), census->batch, balance(census), census->found};
    if (!figures.batch && figures.batches && lfsr_cycles_states(&census->found) == census->reg.states)
        figures.batch = census->loops * census->reg.states / figures.batches;
    judge(census, outcome);
    if (census->mode != LFSR_SERIAL) {
        outcome->tasks = figures.batches;
        bool quick = census->loops_ns < (census->tries ? LONG_NS / 10 : LONG_NS);
        if (quick && census->tries < MOST_TRIES && !lfsr_stop(&perf_interrupted)) meter(census);
        if (census->overhead >= 0) figures.balance = census->balance; /* the two belong together */
    }
    describe(census, &figures, outcome->more, sizeof outcome->more);
}
