/* lfsr: its name, sizes and options, and whether they fit together. */
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

/* At most so many lengths are listed; the number of the others is printed. */
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
    {"mode", "NAME", "hybrid", "the distribution of the batches: static, shared, steal, hybrid, auto", true, valid_mode,
     "heist,openmp,libomp,tbb", NULL},
    {"batch-size", "N", "auto", "states of a batch (100, 200, 500, 1000 ...); auto: the runtime's choice", true,
     valid_batch, "heist,openmp,libomp,tbb", NULL},
    {"aggregate", "N", "auto", "batches that a worker takes in one step; auto: the runtime's choice", true,
     valid_aggregate, "heist,openmp,libomp,tbb", NULL},
    {"poly", "P", "auto",
     "monic polynomial: 0x1053, or its digits from the highest, a 1, on (0 to 9, then a to u); auto: the least "
     "primitive one",
     false, valid_polynomial, NULL, NULL},
    {"field", "P", "2", "the cells are of GF(P): a prime up to 31", false, valid_field, NULL, NULL},
    {"algorithm", "NAME", "walk", "walk, stream, leaders, algebra: see above", true, valid_algorithm, NULL, NULL},
    {0},
};

static const char help[] =
    "Counts the cycles of a linear feedback shift register by their lengths, over all of its states. A size is the\n"
    "number of cells, bits over GF(2). A state is a polynomial s of degree below n, a step s -> s*x mod P. Batches of\n"
    "states are tasks. There is no lock. Each result is compared with the one that algebra gives.\n"
    "\n"
    "Algorithms, the same for the serial program and all others:\n"
    "  walk     state by state from each marker (a state whose lower half is 10...0) to the next one, then the\n"
    "           permutation of markers; cycles without a marker are found by their least states. A batch has the "
    "walks\n"
    "           that begin in it: in the mean as many steps as it has states.\n"
    "  stream   the same, but some fifty states at once, as windows in a word of the register's output. GF(2) only\n"
    "  leaders  each state walks until it meets a lesser one; the least of each cycle counts it. No memory, but\n"
    "           ln(states) times the steps, most of them from a few states: a test of load balancing\n"
    "  algebra  from the polynomial's factors, without any state; serial only\n"
    "\n"
    "Modes in OpenMP: schedule(static), schedule(dynamic), taskloop, schedule(guided), schedule(auto); in TBB:\n"
    "static, simple, simple, affinity and auto partitioner.\n"
    "heist binds its workers to cores here: otherwise a woken worker may stay behind the worker that woke it until a\n"
    "short loop has ended. HEIST_BIND=none leaves the workers to the system, as TBB does, and OpenMP without\n"
    "OMP_PROC_BIND=true.\n"
    "Columns: batch, states of a batch (the mean if the runtime chooses); balance, steps of the busiest worker over\n"
    "the mean; overhead, the share of the workers' time outside batches. Balance and overhead come from some more\n"
    "runs, with clocks; the least overhead counts. There is no overhead where workers share cores: it would be chance.";

#define REACHED(workers, reached, target) " " #reached
#define AIMED_AT(workers, reached, target) " " #target
#define ALL_REACHED LFSR_SEEDS(REACHED)
#define ALL_AIMED_AT LFSR_SEEDS(AIMED_AT)

static const char note[] =
    "seeds, seeds_target: an earlier program (Python with processes, for 12 to 16 bits) had a speedup of" ALL_REACHED
    "\n"
    "over its serial loop with 2, 4 and 8 workers in its dynamic mode; its goals were" ALL_AIMED_AT ".\n"
    "efficiency: vs serial, divided by the cores of the workers.";

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
