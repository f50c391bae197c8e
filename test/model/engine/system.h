/* Included before each of the library's sources: the system's calls become the model's. */
#ifndef HEIST_MODEL_SYSTEM_H
#define HEIST_MODEL_SYSTEM_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model.h"

#define malloc model_malloc
#define calloc model_calloc
#define aligned_alloc model_aligned_alloc
#define free model_free
#define memset model_memset
#define memcpy model_memcpy
#undef mmap
#define mmap(address, size, ...) model_mmap(size)
#undef munmap
#define munmap(address, size) ((void)0)
#define madvise(address, size, advice) ((void)0)
#define pthread_mutex_lock(m) model_lock(m)
#define pthread_setcancelstate(state, old) ((void)(old))
#define pthread_mutex_trylock(m) model_trylock(m)
#define pthread_mutex_unlock(m) model_unlock(m)
#define sched_yield() model_pause()

/* Times are no part of the model (observe/counters.h). */
#define HEIST__TIME_STANDS_STILL 1

/* So few that a second waiter needs more. */
#define HEIST__PLACES 1
#define __builtin_ia32_pause() model_pause()

#endif
