/* storage/placing.h: memory on a worker's NUMA node. */
#ifndef HEIST_STORAGE_PLACING_H
#define HEIST_STORAGE_PLACING_H

#include <stddef.h>

#include "schedule/inside.h"

/* Asks for the pages in [memory, memory + bytes) from the node of `worker`, a heist__worker. A worker that is not bound
 * has no node of its own, nor has a thread that is no worker (NULL): their memory comes from the node on which it is
 * first touched. Returns 0, or the system's error: a loss of speed only. */
int heist__place_near(void *worker, void *memory, size_t bytes);

/* The sentence for the notes when that was refused. */
#define HEIST__NOT_PLACED "the system refuses to place memory: some of it may be on another node than its worker"

/* Whether mistakes are looked for: asked for by the caller or the environment, or a tool watches this process. */
bool heist__checks_memory(bool asked);

#endif
