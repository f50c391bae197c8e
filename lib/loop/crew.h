/* loop/crew.h: the same function for each of a number of members, as fork/join tasks. Those that nobody takes are run by the
 * caller, one after the other, so no member may wait for another to begin. */
#ifndef HEIST_LOOP_CREW_H
#define HEIST_LOOP_CREW_H

#include "schedule/worker.h"

typedef void heist__crew_member(heist__worker *w, void *argument);

/* Runs member(w, argument) `members` times, on workers of the pool that `w` belongs to. Returns when all have ended. */
void heist__crew_run(heist__worker *w, unsigned members, heist__crew_member *member, void *argument);

#endif
