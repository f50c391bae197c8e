/* The library's functions of the pthread and C11 threads libraries: pthread_create.c and pthread_locks.c. */
#ifndef HEIST_OPENMP_PRELOAD_PTHREAD_WRAPPERS_H
#define HEIST_OPENMP_PRELOAD_PTHREAD_WRAPPERS_H

/* Finds the functions behind the wrappers. Call when the library is loaded: later a thread may hold the loader's
 * lock. */
void heist__omp_pthread_create_init(void);
void heist__omp_pthread_locks_init(void);

static inline void heist__omp_pthread_wrappers_init(void)
{
    heist__omp_pthread_create_init();
    heist__omp_pthread_locks_init();
}

#endif
