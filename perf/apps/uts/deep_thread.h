/* A thread with a stack of any depth, kept for one call after the other. A recursive search goes as deep as its tree.
 * The stack of the main thread has the user's limit, and the first worker of an OpenMP or TBB program is the calling
 * thread. */
#ifndef HEIST_PERF_UTS_DEEP_THREAD_H
#define HEIST_PERF_UTS_DEEP_THREAD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct deep_thread;

/* Returns 0 or a negative errno. */
int deep_thread_new(struct deep_thread **thread, size_t stack);

/* Runs function(argument) there and waits for it. */
void deep_thread_call(struct deep_thread *thread, void (*function)(void *), void *argument);

/* NULL is allowed. */
void deep_thread_free(struct deep_thread *thread);

#ifdef __cplusplus
}
#endif

#endif
