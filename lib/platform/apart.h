/* Getting away from a CPU. The system may leave two threads of a program on one CPU for ten milliseconds while another is idle: it
 * starts who is woken near the waker, and moves threads that have just run only reluctantly. Who finds that it shares its CPU with
 * one that computes can do better by itself. */
#ifndef HEIST_PLATFORM_APART_H
#define HEIST_PLATFORM_APART_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

/* Moves a thread, which must be there, to a CPU that is not among `taken`, if there is one that it may use. Where it may run is the same
 * afterwards, or what somebody else has said meanwhile. Takes some ten microseconds. Returns whether it was told to move. */
bool heist__move_apart(pthread_t thread, const cpu_set_t *taken);

#endif
