/* schedule/fork.h: pools and fork(). */
#ifndef HEIST_SCHEDULE_FORK_H
#define HEIST_SCHEDULE_FORK_H

/* Registers the fork handlers. Call before the first lock is taken that fork() must find free. */
void heist__fork_hook(void);

#endif
