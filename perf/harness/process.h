/* The parent's side: children that answer one request at a time and are stopped in between, so that what spins while idle
 * does not disturb the others. */
#ifndef HEIST_PERF_PROCESS_H
#define HEIST_PERF_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "harness/protocol.h"

struct perf_child {
    pid_t pid; /* 0: none */
    int socket;
};

/* From here on SIGINT, SIGTERM and SIGHUP are noted, not fatal: the first ends the run under way gently if it can, the
 * second kills it. */
void perf_catch_signals(void);

/* The first of them that came; 0: none. */
int perf_caught_signal(void);

/* Starts a child. `program` is a file name beside our own, or NULL for our own. Returns 0, or -1 with a sentence. */
int perf_child_start(struct perf_child *child, const char *program, unsigned workers, char *error, size_t room);

/* Asks, waits at most `seconds`, stops the child again. Returns 0; or -1 with what has become of it in `error`: then it is
 * gone. */
int perf_child_ask(struct perf_child *child, const struct perf_request *request, struct perf_answer *answer,
                   double seconds, char *error, size_t room);

/* Lets it end by itself. Returns 0, or -1 with a sentence if it could not even do that. */
int perf_child_quit(struct perf_child *child, char *error, size_t room);

/* Ends it at once. */
void perf_child_kill(struct perf_child *child);

#endif
