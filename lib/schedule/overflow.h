/* schedule/overflow.h: a sentence where a task's stack overflows. */
#ifndef HEIST_SCHEDULE_OVERFLOW_H
#define HEIST_SCHEDULE_OVERFLOW_H

/* Makes a SIGSEGV below a worker's stack end with a sentence, if the program has no handler of its own. Once for the
 * process; further calls do nothing. */
void heist__overflow_install(void);

/* Gives the calling thread, which is about to run tasks, a stack for the handler, unless it has one. The thread keeps
 * it until it ends. */
void heist__overflow_prepare_slow(void);

/* The stack that the calling thread got; NULL: none. */
void *heist__overflow_stack(void);

/* In the child of a fork: frees the stack of a thread of the parent, unless the thread that goes on has it. */
void heist__overflow_forget(void *stack);

/* Used by: the thread. */
#ifdef __GLIBC__
__attribute__((tls_model("initial-exec")))
#endif
extern _Thread_local int heist__overflow_prepared;

static inline void heist__overflow_prepare(void)
{
#ifndef HEIST__NAMED_ATOMICS_ONLY /* the model checker has no signals */
    if (!heist__overflow_prepared) heist__overflow_prepare_slow();
#endif
}

#endif
