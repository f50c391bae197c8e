/* schedule/thread_ids.h: small numbers for workers and threads, for tables of which each of them has one entry.
 *
 * A worker has an id from its making to its end, whichever thread has its seat. A thread that is in no seat gets an id
 * of its own when it first asks, and loses it when it ends. The lowest free id is given out, so ids are below the
 * largest number of workers and threads that there were at one time. */
#ifndef HEIST_SCHEDULE_THREAD_IDS_H
#define HEIST_SCHEDULE_THREAD_IDS_H

#include <stdint.h>

#define HEIST__MOST_IDS 65536u
#define HEIST__NO_ID UINT32_MAX

/* The lowest free id, or HEIST__NO_ID. */
uint32_t heist__id_take(void);
void heist__id_give(uint32_t id);

/* The id of the calling thread: of the worker whose seat it has, else its own. HEIST__NO_ID: all are taken, or memory
 * is short. */
uint32_t heist__id_here(void);

/* The same, but a thread that has none yet gets none. */
uint32_t heist__id_here_if_any(void);

#endif
