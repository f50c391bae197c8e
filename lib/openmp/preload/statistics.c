/* Counts of all regions: see statistics.h. */
#include "openmp/preload/statistics.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <heist/version.h>

#include "observe/json.h"
#include "openmp/preload/load.h"
#include "openmp/preload/runtime_symbols.h"
#include "platform/safe_file.h"

static bool wanted;         /* constant once the library is loaded */
static char file[PATH_MAX]; /* likewise. "": stderr. A copy, since the program may change its environment. */

/* Written by: threads that leave regions (add). */
static HEIST__ATOMIC(uint64_t) total_tasks, total_now, total_stolen, total_taskwaits, total_sleeps;

void heist__omp_statistics_begin(void)
{
    const char *omp = secure_getenv("HEIST_OMP_STATS"), *text = secure_getenv("HEIST_STATS");
    wanted = omp && *omp && strcmp(omp, "0") != 0;
    if (!text) return;
    if (strcmp(text, "1") == 0) wanted = true;
    if (!strpbrk(text, "./") || strlen(text) >= sizeof file) return;
    wanted = true;
    memcpy(file, text, strlen(text) + 1);
}

void heist__omp_statistics_add(const heist__omp_counters *c, uint64_t made, uint64_t put_off)
{
    if (!wanted) return;
    /* relaxed: statistics order nothing */
    heist__add_relaxed(&total_tasks, made);
    heist__add_relaxed(&total_now, made - put_off);
    heist__add_relaxed(&total_stolen, c->stolen);
    heist__add_relaxed(&total_taskwaits, c->taskwaits);
    heist__add_relaxed(&total_sleeps, c->sleeps);
}

static unsigned long long read_total(HEIST__ATOMIC(uint64_t) * total)
{
    return heist__load_relaxed(total); /* relaxed: as above */
}

static void print_json(FILE *out)
{
    heist__json j = heist__json_to(out);
    heist__json_begin(&j, NULL, '{');
    heist__json_string(&j, "heist", HEIST_VERSION_STRING);
    heist__json_string(&j, "program", program_invocation_short_name);
    heist__json_number(&j, "process", (uint64_t)getpid());
    heist__json_begin(&j, "openmp", '{');
    heist__json_string(&j, "runtime", heist__runtime_file());
    heist__json_number(&j, "tasks", read_total(&total_tasks));
    heist__json_number(&j, "run_at_once", read_total(&total_now));
    heist__json_number(&j, "stolen", read_total(&total_stolen));
    heist__json_number(&j, "taskwaits", read_total(&total_taskwaits));
    heist__json_number(&j, "sleeps", read_total(&total_sleeps));
    heist__json_end(&j);
    heist__json_end(&j);
}

static void write_file(void)
{
    heist__safe_file f;
    int error = heist__safe_file_open(&f, file);
    if (!error) {
        print_json(f.out);
        error = heist__safe_file_close(&f);
    }
    if (error) fprintf(stderr, "heist-omp: HEIST_STATS: %s could not be written: %s\n", file, strerror(-error));
}

/* Where it is not known which runtime a program needs, both libraries are preloaded, and one of them prints nothing. */
__attribute__((destructor)) static void print(void)
{
    if (!wanted || heist__omp_other_library_serves() || !heist__runtime_file()) return;
    if (file[0]) {
        write_file();
        return;
    }
    fprintf(stderr, "heist-omp: tasks %llu, run at once %llu, stolen %llu, waits that helped %llu, sleeps %llu\n",
            read_total(&total_tasks), read_total(&total_now), read_total(&total_stolen), read_total(&total_taskwaits),
            read_total(&total_sleeps));
}
