/* schedule/spawn.h: the step after a worker has made a task visible. */
#ifndef HEIST_SCHEDULE_SPAWN_H
#define HEIST_SCHEDULE_SPAWN_H

#include "schedule/worker.h"

/* Wakes a sleeper and answers thieves, if there are any. */
void heist__notice(heist__worker *w);

#endif
