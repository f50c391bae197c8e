/* Stand-ins for workers, and HEIST_WITH_WORKER: the worker of the calling thread, or the stand-in that the thread then
 * gets and keeps until it ends. */
#include "schedule/stand_in.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void heist__stand_in_init(heist__stand_in *s)
{
    memset(s, 0, sizeof *s);
    heist__task_deque *tasks = &s->worker.tasks;
    tasks->slots = s->memory + 1; /* as in heist__task_deque_init */
    tasks->end = tasks->slots + HEIST__STAND_IN_SLOTS;
    tasks->pop_gate = &tasks->face.pop_gate;
    tasks->push_gate = &tasks->face.push_gate;
    /* relaxed: no other thread sees this */
    heist__store_relaxed(&tasks->face.bottom, tasks->slots);
    heist__store_relaxed(&tasks->face.pop_gate, tasks->slots);
    heist__store_relaxed(&tasks->face.push_gate, tasks->end);
}

/* ---- one for a thread ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t of_thread;
static bool has_key;

static void make_key(void)
{
    has_key = pthread_key_create(&of_thread, free) == 0;
}

/* The library may be unloaded while threads live on; their stand-ins are then lost. */
__attribute__((destructor)) static void delete_key(void)
{
    if (has_key) pthread_key_delete(of_thread);
}

/* Without memory, or without a key, no spawn can be served, and the caller has no way to hear of it. */
static heist__stand_in *new_stand_in(void)
{
    heist__stand_in *s = aligned_alloc(_Alignof(heist__stand_in), sizeof *s);
    if (!s || !has_key || pthread_setspecific(of_thread, s) != 0) {
        fputs("heist: HEIST_WITH_WORKER in a thread that runs no task: no memory\n", stderr);
        abort();
    }
    heist__stand_in_init(s);
    return s;
}

heist_worker *heist__find_worker(void)
{
    heist__worker *w = heist__self();
    if (w) return &w->tasks.face;
    pthread_once(&once, make_key);
    heist__stand_in *s = has_key ? pthread_getspecific(of_thread) : NULL;
    if (!s) s = new_stand_in();
    return &s->worker.tasks.face;
}
