/* schedule/scope_wait.h: a worker of the scope's pool waits for a scope, and runs the scope's tasks meanwhile. */
#ifndef HEIST_SCHEDULE_SCOPE_WAIT_H
#define HEIST_SCHEDULE_SCOPE_WAIT_H

#include "schedule/job.h"
#include "schedule/worker.h"

void heist__scope_wait_as_worker(heist__worker *w, heist__scope_core *core);

#endif
