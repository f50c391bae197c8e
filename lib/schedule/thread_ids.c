/* thread_ids.c: see thread_ids.h. A bit for each id, changed by a CAS: fork() finds no lock taken. */
#include "schedule/thread_ids.h"

#include <heist/detail/atomic.h>
#include <pthread.h>

#include "schedule/worker.h"

#define BITS 64

/* A bit is set while its id is in use. Written by: any thread (CAS). */
static HEIST__ATOMIC(uint64_t) used[HEIST__MOST_IDS / BITS];

uint32_t heist__id_take(void)
{
    for (uint32_t i = 0; i < HEIST__MOST_IDS / BITS; i++) {
        uint64_t now = heist__load_relaxed(&used[i]); /* relaxed: the CAS looks again */
        while (~now) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(~now);
            /* Z1: what the last owner of this id did, before this one. Pairs with heist__id_give. */
            if (heist__cas_acq_rel(&used[i], &now, now | UINT64_C(1) << bit)) return i * BITS + bit;
        }
    }
    return HEIST__NO_ID;
}

void heist__id_give(uint32_t id)
{
    if (id == HEIST__NO_ID) return;
    HEIST__ATOMIC(uint64_t) *word = &used[id / BITS];
    uint64_t now = heist__load_relaxed(word); /* relaxed: the CAS looks again */
    /* Z1: the last use of the id. Pairs with heist__id_take. */
    while (!heist__cas_acq_rel(word, &now, now & ~(UINT64_C(1) << id % BITS))) {
    }
}

/* ---- threads in no seat ---- */

/* The id + 1; 0: none yet. */
#ifdef __GLIBC__
__attribute__((tls_model("initial-exec")))
#endif
static _Thread_local uint32_t own;

static pthread_key_t at_end;
static bool can_end;

static void end_thread(void *unused)
{
    (void)unused;
    heist__id_give(own - 1);
    own = 0;
}

static void make_key(void)
{
    can_end = pthread_key_create(&at_end, end_thread) == 0;
}

/* A library that is unloaded leaves no function behind for threads that live on. */
__attribute__((destructor)) static void delete_key(void)
{
    if (can_end) pthread_key_delete(at_end);
}

static uint32_t make_own(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    uint32_t id = can_end ? heist__id_take() : HEIST__NO_ID;
    if (id == HEIST__NO_ID) return id;
    if (pthread_setspecific(at_end, &own) != 0) { /* any address but NULL */
        heist__id_give(id);
        return HEIST__NO_ID;
    }
    own = id + 1;
    return id;
}

uint32_t heist__id_here_if_any(void)
{
    const heist__worker *w = heist__self();
    return w ? w->id : own - 1; /* 0 - 1 is HEIST__NO_ID */
}

uint32_t heist__id_here(void)
{
    uint32_t id = heist__id_here_if_any();
    return id == HEIST__NO_ID && !heist__self() ? make_own() : id;
}
