/* schedule/stand_in.h: a worker for a thread that has none. It belongs to no pool and nobody robs it, so what is
 * spawned on it runs in that thread when it is joined. */
#ifndef HEIST_SCHEDULE_STAND_IN_H
#define HEIST_SCHEDULE_STAND_IN_H

#include "schedule/worker.h"

/* Beyond so many unjoined children, spawns become calls. */
#define HEIST__STAND_IN_SLOTS 256

typedef struct heist__stand_in {
    heist__worker worker;
    heist_slot memory[HEIST__STAND_IN_SLOTS + 2];
} heist__stand_in;

void heist__stand_in_init(heist__stand_in *s);

#endif
