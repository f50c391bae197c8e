/* lfsr: its name, its sizes, its options, and whether they go together. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lfsr/census.h"

static int valid_size(const char *size, char *error, size_t room)
{
    long cells;
    return perf_number(size, "size", 1, LFSR_MOST_CELLS, &cells, error, room);
}

static int valid_mode(const char *value, char *error, size_t room)
{
    return perf_word(value, "static,shared,steal,hybrid,auto", error, room);
}

static int valid_algorithm(const char *value, char *error, size_t room)
{
    return perf_word(value, "walk,stream,leaders,algebra", error, room);
}

static int valid_batch(const char *value, char *error, size_t room)
{
    long states;
    if (strcmp(value, "auto") == 0) return 0;
    return perf_number(value, "batch size", 1, (long)LFSR_MOST_STATES, &states, error, room);
}

static int valid_aggregate(const char *value, char *error, size_t room)
{
    long batches;
    if (strcmp(value, "auto") == 0) return 0;
    return perf_number(value, "number of batches", 1, 1000000, &batches, error, room);
}

static int valid_field(const char *value, char *error, size_t room)
{
    long p;
    int result = perf_number(value, "field", 2, LFSR_MOST_FIELD, &p, error, room);
    if (result || lfsr_field_known((unsigned)p)) return result;
    snprintf(error, room, "field '%s' is not a prime", value);
    return -EINVAL;
}

static int valid_polynomial(const char *value, char *error, size_t room)
{
    struct lfsr_polynomial polynomial;
    if (strcmp(value, "auto") == 0) return 0;
    return lfsr_polynomial_read(value, 0, &polynomial, error, room);
}

static int agree(const struct perf_input *input, char *error, size_t room)
{
    struct lfsr_census *census;
    int result = lfsr_census_new(input, &census, error, room);
    if (!result) lfsr_census_free(census);
    return result;
}

/* A polynomial has a size of its own; over larger fields fewer cells have as many states. */
static const char *sizes_for(const struct perf_input *input)
{
    static char sizes[100];
    const char *text = perf_setting(input, "poly");
    struct lfsr_polynomial polynomial;
    long field = 2;
    char error[100];
    if (strcmp(text, "auto") != 0) {
        if (lfsr_polynomial_read(text, 0, &polynomial, error, sizeof error)) return NULL;
        snprintf(sizes, sizeof sizes, "%u", polynomial.cells);
        return sizes;
    }
    if (perf_number(perf_setting(input, "field"), "field", 2, LFSR_MOST_FIELD, &field, error, sizeof error))
        return NULL;
    size_t used = 0;
    unsigned last = 0;
    for (const char *bits = input->size; bits; bits = strchr(bits, ',')) {
        if (*bits == ',') bits++;
        unsigned cells = 1;
        while (lfsr_states((unsigned)field, cells + 1) <= UINT64_C(1) << strtoul(bits, NULL, 10)) cells++;
        if (cells == last) continue;
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%u", last ? "," : "", cells);
        last = cells;
    }
    return sizes;
}

/* So many lengths are listed; how many more there are is said. */
#define MOST_LISTED 12

/* The cycles of a row, from the list that it has for programs. */
static bool below(const char *size, const struct perf_outcome *outcome, char *line, size_t room)
{
    const char *at = strstr(outcome->more, "\"cycles\":["), *poly = strstr(outcome->more, "\"poly\":\"");
    bool cut = strncmp(outcome->check, "interrupted", strlen("interrupted")) == 0;
    unsigned long long count, length = 0, cycles = 0, lengths = 0;
    unsigned field = 2;
    int taken;
    if (!at || !poly || (!cut && strcmp(outcome->check, "ok") != 0)) return false;
    poly += strlen("\"poly\":\"");
    if (strstr(outcome->more, "\"field\":")) sscanf(strstr(outcome->more, "\"field\":"), "\"field\":%u", &field);
    size_t used = (size_t)snprintf(line, room, "Cycles of %.*s (%s cells over GF(%u))%s:", (int)strcspn(poly, "\""),
                                   poly, size, field, cut ? ", found before the interruption" : "");
    at += strlen("\"cycles\":[");
    while (sscanf(at, "[%llu,%llu]%n", &count, &length, &taken) == 2) {
        if (lengths < MOST_LISTED && used < room)
            used += (size_t)snprintf(line + used, room - used, "%s %llu of %s%llu", lengths ? "," : "", count,
                                     lengths ? "" : "length ", length);
        cycles += count;
        lengths++;
        at += taken;
        if (*at++ != ',') break;
    }
    if (lengths > MOST_LISTED && used < room)
        snprintf(line + used, room - used, " ... and %llu more lengths up to %llu; %llu cycles in all",
                 lengths - MOST_LISTED, length, cycles);
    return lengths > 0;
}

static const struct perf_option options[] = {
    {"mode", "NAME", "hybrid", "who runs which batch: static, shared, steal, hybrid, auto", true, valid_mode,
     "heist,openmp,libomp,tbb"},
    {"batch-size", "N", "auto", "states of a batch (100, 200, 500, 1000 ...); auto: the runtime's choice", true,
     valid_batch, "heist,openmp,libomp,tbb"},
    {"aggregate", "N", "auto", "batches that a worker takes at once; auto: the runtime's choice", true, valid_aggregate,
     "heist,openmp,libomp,tbb"},
    {"poly", "P", "auto",
     "monic polynomial: 0x1053, or its digits from the highest, a 1, on (0 to 9, then a to u); auto: the least "
     "primitive one",
     false, valid_polynomial, NULL},
    {"field", "P", "2", "the cells are of GF(P): a prime up to 31", false, valid_field, NULL},
    {"algorithm", "NAME", "walk", "walk, stream, leaders, algebra: see above", true, valid_algorithm, NULL},
    {0},
};

static const char help[] =
    "Counts the cycles of a linear feedback shift register, of which lengths they are, over all of its states. A size "
    "is\n"
    "the number of cells, bits over GF(2). A state is a polynomial s below degree n, a step s -> s*x mod P.\n"
    "Batches of states are tasks; no lock. Each result is compared with what algebra says.\n"
    "\n"
    "Algorithms, the same for the serial program and all others:\n"
    "  walk     state by state from each marker (a state whose lower half is 10...0) to the next one, then the "
    "permutation\n"
    "           of markers; cycles without a marker, if there are any, are found by their least states. A batch has\n"
    "           the walks that begin in it: in the mean as many steps as it has states.\n"
    "  stream   the same, but some fifty states at once, as windows in a word of the register's output. GF(2) only\n"
    "  leaders  each state walks until it meets a lesser one; the least of each cycle counts it. No memory, but "
    "ln(states)\n"
    "           times the steps, most of them from a few states: what a balance is needed for\n"
    "  algebra  from the polynomial's factors, without any state; serial only\n"
    "\n"
    "Modes in OpenMP: schedule(static), schedule(dynamic), taskloop, schedule(guided), schedule(auto); in TBB: "
    "static,\n"
    "simple, simple, affinity and auto partitioner.\n"
    "heist binds its workers to cores, since one that is woken may else stay behind the one that woke it until a short "
    "loop\n"
    "has ended; HEIST_BIND=none leaves them to the system, as OpenMP (without OMP_PROC_BIND=true) and TBB do.\n"
    "Columns: batch, states of one (their mean where it is the runtime's choice); balance, steps of the busiest worker "
    "over\n"
    "the mean; overhead, the share of the workers' time outside batches, the least of some more runs with clocks, "
    "which "
    "the\n"
    "balance is of, too. There is none where workers share cores: where one waits for its core is chance.";

#define REACHED(workers, reached, target) " " #reached
#define AIMED_AT(workers, reached, target) " " #target
#define ALL_REACHED LFSR_SEEDS(REACHED)
#define ALL_AIMED_AT LFSR_SEEDS(AIMED_AT)

static const char note[] =
    "seeds, seeds_target: the program before heist (Python with processes, for 12 to 16 bits) had a speedup "
    "of" ALL_REACHED "\n"
    "over its serial loop at 2, 4 and 8 workers in its dynamic mode; it was to be" ALL_AIMED_AT " at last.\n"
    "efficiency: vs serial, for each core that the workers have.";

const struct perf_workload perf_lfsr_workload = {
    .name = "lfsr",
    .summary = "cycles of a shift register: batches of states",
    .help = help,
    .sizes = "12,16,20,24,28",
    .quick_sizes = "12,14",
    .valid_size = valid_size,
    .options = options,
    .efficiency = true,
    .note = note,
    .below = below,
    .agree = agree,
    .sizes_for = sizes_for,
};
