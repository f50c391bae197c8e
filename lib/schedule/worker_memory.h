/* schedule/worker_memory.h: a worker's memory. */
#ifndef HEIST_SCHEDULE_WORKER_MEMORY_H
#define HEIST_SCHEDULE_WORKER_MEMORY_H

#include "schedule/worker.h"

/* The smallest stack of a worker when no size was asked for and the system has no more. */
#define HEIST__SMALLEST_STACK ((size_t)256 << 10)

/* Decides how much each worker of `pool` reserves. Address space is reserved freely, unless the process has a limit, or
 * the system counts untouched memory: then each worker gets its part, and a note says so. */
void heist__fit_memory(heist_pool *pool);

/* A worker with its memory on its node, or NULL. Its thread is started later. */
heist__worker *heist__worker_new(heist_pool *pool, unsigned index, const unsigned *pu_of);
void heist__worker_free(heist__worker *w);

/* Puts a worker, its slots and its nestings onto its node. */
void heist__worker_place_memory(heist__worker *w);

/* Call from: the worker's own thread. */
void heist__worker_keep_stack_small(heist__worker *w);
void heist__worker_keep_stack_near(heist__worker *w);

/* Whether the seat has a stack for a thread from outside; it is made on first use. Call from: the thread in the
 * seat. */
bool heist__worker_guest_stack(heist__worker *w);

/* The most slots that the deque of children has used since memory was last given back. Call from: any thread. */
uint64_t heist__worker_slots_used(heist__worker *w);

/* Keeps that number in the counters. Call from: the thread that has the seat. */
void heist__worker_note_slots(heist__worker *w);

/* Gives back memory that earlier work has touched: slots, nestings, and the stack below the caller's frame. The worker
 * has nothing to do. */
void heist__worker_give_memory_back(heist__worker *w);

#endif
