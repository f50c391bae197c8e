/* loop/fanout.h: runs the same function for each of a number of members, as fork/join tasks. The caller runs the
 * members that no thief takes, one after the other; so no member may wait for another to begin. */
#ifndef HEIST_LOOP_FANOUT_H
#define HEIST_LOOP_FANOUT_H

#include "schedule/inside.h"

typedef void heist__fanout_member(heist__worker *w, void *argument);

/* Runs member(w, argument) `members` times, on workers of the pool that `w` belongs to. Returns when all have ended. */
void heist__fanout_run(heist__worker *w, unsigned members, heist__fanout_member *member, void *argument);

#endif
