/* The parent's side: children that answer one request at a time. Between requests they are stopped, so that a runtime
 * that spins while idle does not disturb the others. */
#ifndef HEIST_PERF_PROCESS_H
#define HEIST_PERF_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "harness/protocol.h"

struct perf_child {
    pid_t pid; /* 0: none */
    int socket;
};

/* From here on SIGINT, SIGTERM and SIGHUP are recorded, not fatal: the first ends the current run gently if possible,
 * the second kills it. */
void perf_catch_signals(void);

/* The first of these signals that came; 0: none. */
int perf_caught_signal(void);

/* Starts a child. `program` is a file name in the directory of this program, or NULL for this program. Returns 0, or -1
 * with a sentence. */
int perf_child_start(struct perf_child *child, const char *program, unsigned workers, char *error, size_t room);

/* Sends a request, waits at most `seconds`, stops the child again. Returns 0; or -1 with the fate of the child in
 * `error`: it is gone then. */
int perf_child_ask(struct perf_child *child, const struct perf_request *request, struct perf_answer *answer,
                   double seconds, char *error, size_t room);

/* Lets the child end by itself. Returns 0, or -1 with a sentence if it failed. */
int perf_child_quit(struct perf_child *child, char *error, size_t room);

/* Kills the child. */
void perf_child_kill(struct perf_child *child);

#endif
