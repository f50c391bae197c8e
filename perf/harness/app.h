/* What a problem gives to heist-perf, and what it gets.
 *
 * perf/apps/<name>/ holds one problem: workload.c (its name, help, sizes, options), one file per runtime (serial.c, heist.c,
 * openmp.c, tbb.cpp ...) and a header of its own with the input and the check, the same for all of them. Every runtime's
 * code runs in a process of its own, one for each number of workers, so that thread pools do not meet; while one of them
 * runs, the others are stopped. There, once: prepare; then for each run: run (timed) and check (not timed); at last discard.
 *
 * The names are fixed: a workload is `perf_<name>_workload`, an implementation `perf_<name>_<runtime>`. openmp.c is
 * compiled twice, with gcc for libgomp and with clang for libomp: it names its implementation by PERF_OPENMP(name).
 * A new one is added to the tables in perf/meson.build and nowhere else. */
#ifndef HEIST_PERF_APP_H
#define HEIST_PERF_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One choice from the command line: a size, a number of workers, a value for each of the workload's options. */
struct perf_input {
    const char *size; /* as given, and found right by valid_size */
    unsigned workers; /* 1 for the serial program */
    const char *const
        *settings; /* name, value, name, value ... NULL: every option of the workload, defaults included */
};

/* The value of a setting; NULL if the workload has no such option. */
const char *perf_setting(const struct perf_input *input, const char *name);

/* A whole number between `least` and `most`: 0, or -EINVAL with a sentence in `error`. `what` names it there. */
int perf_number(const char *text, const char *what, long least, long most, long *number, char *error, size_t room);

/* Whether the memory of this machine suffices for so many bytes: 0, or -EINVAL with a sentence in `error`. `what` names what
 * needs them. */
int perf_fits(double bytes, const char *what, char *error, size_t room);

/* Likewise, one of several words; `words` is their list, with commas. */
int perf_word(const char *text, const char *words, char *error, size_t room);

/* What is said of one run. Zeroed before each check. */
struct perf_outcome {
    uint64_t tasks;  /* 0: does not apply */
    uint64_t steals; /* counted since prepare or the last check; has_steals says whether the runtime tells */
    bool has_steals;
    double flops; /* floating-point operations of one run, 0: does not apply */
    uint64_t ns;  /* not 0: counts in place of the measured time (latencies, and programs that time a part of a run) */
    char check[200]; /* "ok", or what is wrong */
    char more[8192]; /* further members of the JSON row, without the first comma: "\"mode\":\"steal\",\"batch\":100" */
};

/* Fills in outcome->check: "ok" if got == expected, else both, and what they are of. */
void perf_expect(struct perf_outcome *outcome, const char *what, long got, long expected);

/* True after Ctrl-C: a long run comes to an end, and its check says "interrupted". Set in the child by its handler. */
extern volatile bool perf_interrupted;

struct perf_implementation {
    const char *workload;
    const char *runtime; /* serial, heist, openmp (libgomp), libomp, tbb, openblas, blis */
    /* Not timed, once: allocates, makes the pool, makes the input. Returns 0, or a negative errno and a sentence in `error`;
     * -ENOTSUP: this runtime cannot do it here (a library missing), which is told and skipped, not an error. */
    int (*prepare)(const struct perf_input *input, void **state, char *error, size_t room);
    void (*reset)(void *state); /* not timed, before each run; may be NULL */
    void (*run)(void *state);   /* timed */
    void (*check)(void *state, struct perf_outcome *outcome);
    void (*discard)(void *state);
};

/* An option of a workload: --name VALUE. With `list`, VALUE may be several, with commas, and each is measured. */
struct perf_option {
    const char *name;  /* without dashes; NULL ends the table */
    const char *value; /* what --help calls its value: "NAME", "N" */
    const char *preset;
    const char *help;
    bool list;
    int (*valid)(const char *value, char *error, size_t room); /* 0, or -EINVAL and a sentence; NULL: anything */
    const char *only; /* the runtimes it matters to: "heist" or "heist,tbb"; others get its first value; NULL: all */
};

struct perf_workload {
    const char *name;
    const char *summary;     /* one line */
    const char *help;        /* more lines for heist-perf NAME --help: what it computes, what a size means */
    const char *sizes;       /* the usual sizes, comma-separated */
    const char *quick_sizes; /* smaller ones for tests: well under a tenth of a second a run */
    int (*valid_size)(const char *size, char *error, size_t room);
    const struct perf_option *options; /* NULL: none */
    const char *workers;               /* the usual numbers of workers; NULL: 1, 2, 4 ... up to what the machine has */
    unsigned least_workers;            /* fewer make no sense (0: one will do) */
    bool latency;                      /* it measures how long one thing takes: speedup and vs_serial do not apply */
    bool efficiency;                   /* its table has the speed-up for each core, too */
    const char *note;                  /* printed below the table: what to compare with */
    /* What a row has to tell that is no column, from its size and outcome: a line, or false. Below the table, each line
     * once; NULL: nothing. */
    bool (*below)(const char *size, const struct perf_outcome *outcome, char *line, size_t room);
    /* Whether a size and a choice of settings go together (workers is 1): 0, or -EINVAL and a sentence; NULL: they do. */
    int (*agree)(const struct perf_input *input, char *error, size_t room);
    /* The sizes when none are given, from the first value of each option; size is the list that is usual here, and the
     * one that is taken if this is NULL or returns NULL. */
    const char *(*sizes_for)(const struct perf_input *input);
};

/* Runtime name of an openmp.c. */
#ifdef PERF_LIBOMP
#define PERF_OPENMP(name) perf_##name##_libomp
#define PERF_OPENMP_RUNTIME "libomp"
#else
#define PERF_OPENMP(name) perf_##name##_openmp
#define PERF_OPENMP_RUNTIME "openmp"
#endif

#ifdef __cplusplus
}
#endif

#endif
