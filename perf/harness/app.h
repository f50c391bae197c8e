/* The interface between a problem and heist-perf.
 *
 * perf/apps/<name>/ holds one problem: workload.c (name, help, sizes, options), one file per runtime (serial.c,
 * heist.c, openmp.c, tbb.cpp ...) and a header with the input and the check, which all runtimes share. Each runtime's
 * code runs in a process of its own, one for each number of workers, so that thread pools do not meet. While one
 * process runs, the others are stopped. A process calls prepare once, then for each run `run` (timed) and `check` (not
 * timed), and discard at the end.
 *
 * The names are fixed: a workload is `perf_<name>_workload`, an implementation `perf_<name>_<runtime>`. openmp.c is
 * compiled twice, with gcc for libgomp and with clang for libomp: it names its implementation by PERF_OPENMP(name). A
 * new problem is added to the tables in perf/meson.build and nowhere else. */
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
    const char *size; /* as given; valid_size has accepted it */
    unsigned workers; /* 1 for the serial program */
    const char *const
        *settings; /* name, value, name, value ... NULL: every option of the workload, defaults included */
};

/* The value of a setting; NULL if the workload has no such option. */
const char *perf_setting(const struct perf_input *input, const char *name);

/* Reads a whole number between `least` and `most`. Returns 0, or -EINVAL with a sentence in `error` that names
 * `what`. */
int perf_number(const char *text, const char *what, long least, long most, long *number, char *error, size_t room);

/* Checks that this machine has memory for so many bytes. Returns 0, or -EINVAL with a sentence in `error`. `what` names
 * the object that needs the memory. */
int perf_fits(double bytes, const char *what, char *error, size_t room);

/* Checks likewise that a value is one of several words. `words` lists them, with commas. */
int perf_word(const char *text, const char *words, char *error, size_t room);

/* The result of one run. Zeroed before each check. */
struct perf_outcome {
    uint64_t tasks;  /* 0: does not apply */
    uint64_t steals; /* counted since prepare or the last check; has_steals: the runtime reports steals */
    bool has_steals;
    bool of_all_runs; /* the value covers all runs so far: the last one is shown, otherwise that of the fastest run */
    double flops;     /* floating-point operations of one run, 0: does not apply */
    uint64_t ns;      /* not 0: replaces the measured time (latencies, and programs that time a part of a run) */
    char check[200];  /* "ok", or the error */
    char more[8192];  /* further members of the JSON row, without the first comma: "\"mode\":\"steal\",\"batch\":100" */
};

/* Fills in outcome->check: "ok" if got == expected, else both values and their meaning. */
void perf_expect(struct perf_outcome *outcome, const char *what, long got, long expected);

/* True after Ctrl-C: a long run ends early, and its check says "interrupted". The signal handler of the child sets
 * it. */
extern volatile bool perf_interrupted;

struct perf_implementation {
    const char *workload;
    const char *runtime; /* serial, heist, openmp (libgomp), libomp, tbb, openblas, blis */
    /* Not timed, once: allocates memory, makes the pool and the input. Returns 0, or a negative errno with a sentence
     * in `error`. -ENOTSUP: this runtime cannot run here (a library is missing); the program reports that and skips the
     * runtime. */
    int (*prepare)(const struct perf_input *input, void **state, char *error, size_t room);
    void (*reset)(void *state); /* not timed, before each run; may be NULL */
    void (*run)(void *state);   /* timed */
    void (*check)(void *state, struct perf_outcome *outcome);
    void (*discard)(void *state);
};

/* An option of a workload: --name VALUE. With `list`, VALUE may be a list with commas, and each value is measured. */
struct perf_option {
    const char *name;  /* without dashes; NULL ends the table */
    const char *value; /* the name of its value in --help: "NAME", "N" */
    const char *preset;
    const char *help;
    bool list;
    int (*valid)(const char *value, char *error, size_t room); /* returns 0, or -EINVAL with a sentence; NULL: any
                                                                * value is valid */
    const char *only; /* the runtimes that use this option: "heist" or "heist,tbb"; others get its first value; NULL:
                       * all */
    bool (*matters)(const char *size); /* likewise, the sizes that use it; NULL: all */
};

struct perf_workload {
    const char *name;
    const char *summary;     /* one line */
    const char *help;        /* more lines for heist-perf NAME --help: the computation, the meaning of a size */
    const char *sizes;       /* the usual sizes, comma-separated */
    const char *quick_sizes; /* smaller ones for tests: well under a tenth of a second a run */
    int (*valid_size)(const char *size, char *error, size_t room);
    bool (*has)(const char *size, const char *runtime); /* whether that runtime supports that size; NULL: all do */
    const struct perf_option *options;                  /* NULL: none */
    const char *workers;    /* the usual numbers of workers; NULL: 1, 2, 4 ... up to the default size of a pool */
    unsigned least_workers; /* the least number of workers (0: one) */
    bool latency;           /* measures the time of one event: speedup and vs_serial do not apply */
    bool efficiency;        /* its table also has the speed-up for each core */
    const char *note;       /* printed below the table: reference figures */
    /* Writes a line about a row that no column holds, from its size and outcome; false: there is none. Such lines stand
     * below the table, each once. NULL: no lines. */
    bool (*below)(const char *size, const struct perf_outcome *outcome, char *line, size_t room);
    /* Checks that a size and a choice of settings fit together (workers is 1). Returns 0, or -EINVAL with a sentence.
     * NULL: all combinations fit. */
    int (*agree)(const struct perf_input *input, char *error, size_t room);
    /* Returns the default sizes, given the first value of each option. `size` is the usual list; it is taken if this is
     * NULL or returns NULL. */
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
