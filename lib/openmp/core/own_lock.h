/* Locks of the library itself. The library defines pthread_mutex_lock in front of the C library's, to count the locks
 * that a program holds (lock_depth.h). Its own locks must not be counted there: these call the C library's. */
#ifndef HEIST_OPENMP_CORE_OWN_LOCK_H
#define HEIST_OPENMP_CORE_OWN_LOCK_H

#include <pthread.h>

/* ---- preload/pthread_locks.c ---- */
void heist__own_lock(pthread_mutex_t *lock);
void heist__own_unlock(pthread_mutex_t *lock);

#endif
