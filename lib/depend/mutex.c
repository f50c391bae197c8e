/* Mutual exclusion without blocking: see mutex.h. */
#include "depend/mutex.h"

#include <stdlib.h>

static heist__depend_waiter held_mark;
#define HELD (&held_mark)

heist__depend_mutex *heist__depend_mutex_new(void)
{
    heist__depend_mutex *mutex = malloc(sizeof *mutex);
    if (!mutex) return NULL;
    /* relaxed: no other thread knows it yet */
    heist__store_relaxed(&mutex->state, NULL);
    heist__store_relaxed(&mutex->references, 1);
    return mutex;
}

void heist__depend_mutex_keep(heist__depend_mutex *mutex)
{
    heist__add_relaxed(&mutex->references, 1); /* relaxed: the caller's entry has a reference */
}

void heist__depend_mutex_drop(heist__depend_mutex *mutex)
{
    /* M3: release for this thread's uses, acquire for those of the threads that dropped theirs before. */
    if (heist__add_acq_rel(&mutex->references, (uint32_t)-1) == 1) free(mutex);
}

bool heist__depend_mutex_take(heist__depend_mutex *mutex, heist__depend_waiter *waiter)
{
    heist__depend_waiter *state = heist__load_relaxed(&mutex->state); /* relaxed: the CAS decides */
    for (;;) {
        if (!state) {
            if (heist__cas_acq_rel(&mutex->state, &state, HELD))
                return true; /* M1: after all that the last holder did. Pairs with M1 in pass. */
        } else {
            waiter->next = state == HELD ? NULL : state;
            /* M2: the waiter's fields, before it is handed the mutex. Last touch of *waiter. Pairs with M2 in pass. */
            if (heist__cas_acq_rel(&mutex->state, &state, waiter)) return false;
        }
    }
}

heist__depend_waiter *heist__depend_mutex_pass(heist__depend_mutex *mutex)
{
    heist__depend_waiter *state = heist__load_acquire(&mutex->state); /* M2 */
    for (;;) {
        if (state == HELD) {
            if (heist__cas_acq_rel(&mutex->state, &state, NULL)) return NULL; /* M1: all that this holder did */
        } else {
            heist__depend_waiter *rest = state->next;
            if (heist__cas_acq_rel(&mutex->state, &state, rest ? rest : HELD)) return state; /* M2 */
        }
    }
}
