/* schedule/watch.h: a thread that reports when all workers of a pool are blocked while tasks wait. Only on request. */
#ifndef HEIST_SCHEDULE_WATCH_H
#define HEIST_SCHEDULE_WATCH_H

#include <stdbool.h>

#include <heist/pool.h>

/* Starts the watch if the pool's settings ask for it; the workers run. A watch that cannot be started is a note. */
void heist__watch_start(heist_pool *pool);

/* Ends the watch if there is one, before the workers end. */
void heist__watch_stop(heist_pool *pool);

#endif
