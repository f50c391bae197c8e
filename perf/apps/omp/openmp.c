/* omp in OpenMP. heist's part is the same code: the program is started with libheist-gomp.so before libgomp. */
#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "apps/omp/patterns.h"

static struct omp_patterns only;

static void flat(long tasks)
{
    for (long i = 0; i < tasks; i++) {
#pragma omp task
        omp_patterns_task();
    }
#pragma omp taskwait
}

static void nested(long tasks) /* a tree of so many tasks, in which each waits for its children */
{
    if (tasks == 0) return;
    long left = (tasks - 1) / 2, right = tasks - 1 - left;
    omp_patterns_task();
    if (left) {
#pragma omp task
        nested(left);
    }
    if (right) {
#pragma omp task
        nested(right);
    }
#pragma omp taskwait
}

static void taskgroups(long tasks)
{
    for (long done = 0; done < tasks; done += OMP_GROUP) {
        long some = tasks - done < OMP_GROUP ? tasks - done : OMP_GROUP;
#pragma omp taskgroup
        for (long i = 0; i < some; i++) {
#pragma omp task
            omp_patterns_task();
        }
    }
}

static void taskloop(long tasks)
{
#pragma omp taskloop grainsize(1)
    for (long i = 0; i < tasks; i++) omp_patterns_task();
}

static void depend(long tasks)
{
    long *chain = &only.chain;
    for (long i = 0; i < tasks; i++) {
#pragma omp task depend(inout : *chain)
        {
            omp_patterns_task();
            ++*chain;
        }
    }
#pragma omp taskwait
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    (void)state;
    omp_set_dynamic(0);
    omp_set_num_threads((int)input->workers);
    return omp_patterns_prepare(input, &only, error, room);
}

static void run(void *state)
{
    (void)state;
#pragma omp parallel
#pragma omp single
    switch (only.pattern) {
    case OMP_FLAT: flat(only.tasks); break;
    case OMP_NESTED: nested(only.tasks); break;
    case OMP_TASKGROUP: taskgroups(only.tasks); break;
    case OMP_TASKLOOP: taskloop(only.tasks); break;
    case OMP_DEPEND: depend(only.tasks); break;
    }
}

static void check(void *state, struct perf_outcome *outcome)
{
    (void)state;
    omp_patterns_check(&only, outcome);
}

const struct perf_implementation PERF_OPENMP(omp) = {
    .workload = "omp", .runtime = PERF_OPENMP_RUNTIME, .prepare = prepare, .run = run, .check = check};

#ifndef PERF_LIBOMP
/* Measuring libgomp under heist's name would be the worst mistake. */
static int prepare_heist(const struct perf_input *input, void **state, char *error, size_t room)
{
    Dl_info where;
    void *entry = dlsym(RTLD_DEFAULT, "GOMP_task");
    if (!entry || !dladdr(entry, &where) || !strstr(where.dli_fname, "libheist-gomp")) {
        snprintf(error, room, "libheist-gomp.so was not found");
        return -ENOTSUP;
    }
    return prepare(input, state, error, room);
}

const struct perf_implementation perf_omp_heist = {
    .workload = "omp", .runtime = "heist", .prepare = prepare_heist, .run = run, .check = check};
#endif
