/* When the library is loaded: finds the runtime, and whether anything in the program creates tasks. If not, regions
 * stay the runtime's, at the runtime's price. A plugin that comes later and creates tasks has its regions served from
 * then on. Three kinds of programs are left alone: those in which code for another runtime calls this runtime, too,
 * those whose runtime is another one under the same name, and those that call an entry of tasks which is not served. */
#include "openmp/preload/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "openmp/preload/fork.h"
#include "openmp/preload/pthread_wrappers.h"
#include "openmp/preload/runtime_symbols.h"
#include "openmp/preload/statistics.h"
#include "openmp/preload/task_creators.h"
#include "platform/barrier.h"

HEIST__ATOMIC(uint32_t) heist__omp_active;
bool heist__omp_puts_all_off;
bool heist__omp_yields;

/* Constant once the library is loaded. */
static bool verbose;
static bool refused; /* the program is not served at all */
static bool others;  /* see heist__omp_other_library_serves */

bool heist__omp_other_library_serves(void)
{
    return others;
}

void heist__omp_activate(void)
{
    if (refused || heist__load_relaxed(&heist__omp_active)) return; /* relaxed: a switch that stays on */
    heist__store_relaxed(&heist__omp_active, 1);                    /* relaxed: likewise */
    if (verbose) fprintf(stderr, "heist-omp: something loaded later creates tasks: served from the next region on\n");
}

static bool asked_for(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

/* Whether users tell the runtime, by a variable of its own, to put off all tasks. */
static bool throttling_is_off(void)
{
    const char *variable = HEIST__THROTTLING_VARIABLE;
    const char *value = variable ? secure_getenv(variable) : NULL;
    return value && (strcmp(value, "0") == 0 || strcasecmp(value, "false") == 0);
}

static void say_what_was_found(const char *creator)
{
    const char *file = heist__runtime_file();
    if (!file) {
        /* Of two libraries the last one speaks, and only if there is no runtime at all. */
        if (!heist__next_symbol(HEIST__OTHER_KEY))
            fprintf(stderr, "heist-omp: no OpenMP runtime is loaded: nothing to serve\n");
        return;
    }
    int wrapped = 0;
    for (int i = 0; i < HEIST__WRAPPED_COUNT; i++) wrapped += heist__runtime_has((heist__runtime_symbol)i);
    fprintf(stderr, "heist-omp: %s; %d entries wrapped; ", file, wrapped);
    if (creator) {
        fprintf(stderr, "%s creates tasks: they run on heist\n", creator);
    } else {
        fprintf(stderr, "nothing loaded creates tasks: regions stay " HEIST__RUNTIME_NAME "'s\n");
    }
}

/* Whether the program is left alone. Says so if the program creates tasks, or if --verbose asks. */
static bool is_left_alone(const heist__omp_creators *found)
{
    bool tasks = found->creator || found->foreign_tasks || verbose;
    if (found->unknown && heist__runtime_file()) {
        fprintf(stderr, "heist-omp: the program calls %s, which is not served: it is left to " HEIST__RUNTIME_NAME "\n",
                found->unknown);
        return true;
    }
    if (HEIST__NEVER_BOTH) {
        if (!heist__runtime_defines(HEIST__FOREIGN_KEY)) return false;
        others = !heist__runtime_is_called_by(HEIST__FOREIGN_KEY);
        if (tasks && !others)
            fprintf(stderr, "heist-omp: %s is not " HEIST__RUNTIME_NAME ": it is left alone\n", heist__runtime_file());
        return true;
    }
    if (!heist__runtime_serves(HEIST__FOREIGN_KEY) || !found->foreign) return false;
    if (tasks)
        fprintf(stderr, "heist-omp: %s uses %s by " HEIST__FOREIGN " entries, which are not served: it is left alone\n",
                found->foreign, heist__runtime_file());
    return true;
}

__attribute__((constructor)) static void load(void)
{
    verbose = asked_for("HEIST_OMP_VERBOSE");
    heist__omp_statistics_begin();
    heist__omp_puts_all_off = throttling_is_off();
    heist__runtime_resolve();
    heist__omp_fork_init();
    heist__omp_pthread_wrappers_init();
    heist__omp_creators found = heist__omp_find_creators();
    heist__omp_yields = found.yields;
    refused = is_left_alone(&found);
    if (refused) return;
    if (found.creator && heist__runtime_file()) {
        heist__store_relaxed(&heist__omp_active, 1); /* relaxed: before any region */
        heist__barrier_available(); /* the first call takes milliseconds once there are other threads */
    }
    if (verbose) say_what_was_found(found.creator);
}
