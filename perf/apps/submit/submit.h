/* Tasks from outside: threads that are not workers submit empty tasks to a pool, then all are waited for. The timed
 * part begins when the submitters are released and ends when the last task has run. */
#ifndef HEIST_PERF_SUBMIT_H
#define HEIST_PERF_SUBMIT_H

#include "harness/app.h"

#ifdef __cplusplus
extern "C" {
#endif

struct submit {
    long tasks, threads;
    uint64_t ns;
};

int submit_size(const char *size, char *error, size_t room);
int submit_prepare(const struct perf_input *input, struct submit *submit, char *error, size_t room);

/* Calls one(number of the thread) so many times from each thread, all threads at once, then finish(), and keeps the
 * time. The sum over the threads is `tasks`. */
void submit_run(struct submit *submit, void (*one)(long thread), void (*finish)(void));

/* Counts a task as run, on the calling thread's own line. */
void submit_count(void);

void submit_check(const struct submit *submit, struct perf_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
