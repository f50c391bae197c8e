/* Mutexes of mutexinoutset: see mutex.h. */
#include "openmp/mutex.h"

#include <stdlib.h>

static heist__omp_waiter taken_mark;
#define TAKEN (&taken_mark)

heist__omp_mutex *heist__omp_mutex_new(void)
{
    heist__omp_mutex *mutex = malloc(sizeof *mutex);
    if (!mutex) return NULL;
    /* relaxed: nobody knows it yet */
    heist__store_relaxed(&mutex->state, NULL);
    heist__store_relaxed(&mutex->references, 1);
    return mutex;
}

void heist__omp_mutex_keep(heist__omp_mutex *mutex)
{
    heist__add_relaxed(&mutex->references, 1); /* relaxed: the caller's place has a reference */
}

void heist__omp_mutex_drop(heist__omp_mutex *mutex)
{
    if (heist__add_acq_rel(&mutex->references, (uint32_t)-1) == 1) free(mutex); /* all uses, before the end */
}

bool heist__omp_mutex_take(heist__omp_mutex *mutex, heist__omp_waiter *waiter)
{
    heist__omp_waiter *state = heist__load_relaxed(&mutex->state); /* relaxed: the CAS decides */
    for (;;) {
        if (!state) {
            if (heist__cas_acq_rel(&mutex->state, &state, TAKEN)) return true; /* M1: what the last holder did */
        } else {
            waiter->next = state == TAKEN ? NULL : state;
            /* M2: the waiter's fields, before it is handed the mutex; last touch of it. Pairs with M2 below. */
            if (heist__cas_acq_rel(&mutex->state, &state, waiter)) return false;
        }
    }
}

heist__omp_waiter *heist__omp_mutex_pass(heist__omp_mutex *mutex)
{
    heist__omp_waiter *state = heist__load_acquire(&mutex->state); /* M2 */
    for (;;) {
        if (state == TAKEN) {
            if (heist__cas_acq_rel(&mutex->state, &state, NULL)) return NULL; /* M1: what this holder did */
        } else {
            heist__omp_waiter *rest = state->next;
            if (heist__cas_acq_rel(&mutex->state, &state, rest ? rest : TAKEN)) return state; /* M2 */
        }
    }
}
