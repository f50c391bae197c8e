/* heist/scope.h: tasks without macros.
 *
 *     heist_scope scope;
 *     heist_scope_begin(&scope, NULL);
 *     heist_spawn(&scope, sort_half, &left);    // a child of this function: on the deque, no lock, no allocation
 *     sort_half(&right);
 *     heist_join(&scope);                       // runs the children that no thief took, waits for the others
 *     heist_scope_end(&scope);
 *
 * A scope holds two kinds of tasks. heist_spawn makes children of the function that began the scope. Only that
 * function, running as a task, may spawn and join them, last in first out among scopes. heist_detach makes tasks that
 * nobody joins one by one, from any thread; tasks that they detach in turn belong to the same scope. heist_scope_wait
 * waits for both kinds.
 *
 * Beginning and ending a scope allocates nothing. The first detach into it does, and so does the seventh child that is
 * unjoined at the same time. Plain and typed children may be mixed in one function, and joined in any order. A
 * function that returns with children unjoined has lost them: heist says so on stderr, and they do not run. A thief
 * that takes such a child before that finds its record gone, and may crash. A scope does not cross fork(). */
#ifndef HEIST_SCOPE_H
#define HEIST_SCOPE_H

#include <heist/pool.h>
#include <heist/task.h>

HEIST_BEGIN_DECLS

/* A child made by heist_spawn. */
struct heist__plain {
    heist_task task;
    heist_function *function;
    void *argument;
};

#define HEIST__PLAIN_INLINE 6

/* Not for use by hand; lives where its user puts it, usually on the stack. */
struct heist_scope {
    heist_pool *pool; /* NULL: it has ended */
    /* The detached tasks; NULL: there were none. Written by: the first detach. Read by: any thread. */
    HEIST__ATOMIC(struct heist__scope_core *) core;
    heist_worker *worker; /* the worker that began the scope, which alone may spawn; NULL: none */
    size_t count;         /* children spawned and not joined */
    struct heist__plain_chunk *chunks;
    void (*run)(heist_worker *, heist_slot *, heist_task *); /* runs a struct heist__plain */
    struct heist__plain first[HEIST__PLAIN_INLINE];
};

/* Begins a scope on `pool` (NULL: the pool of the running task, else the default pool).
 * Call from: any thread.  Returns 0, -EINVAL, or the error of making the default pool. */
HEIST_API int heist_scope_begin(heist_scope *scope, heist_pool *pool);

/* Spawns function(argument) as a child. Where that cannot be (the scope was begun outside the pool's tasks, or there is
 * no memory) it calls the function at once: the result is the same.
 * Call from: the function that began the scope.  Blocks: no. */
HEIST_API void heist_spawn(heist_scope *scope, heist_function *function, void *argument);

/* Joins all children, running only them and their descendants meanwhile.
 * Call from: the function that began the scope.  Blocks: yes. */
HEIST_API void heist_join(heist_scope *scope);

/* Runs function(argument) some time, as part of `scope`; NULL: of the scope of the running task, else of its pool.
 * Call from: any thread; outside the pool it waits while the inbox is full.
 * Returns 0, -EINVAL, -ENOMEM, -ESHUTDOWN; after an error it will not run. */
HEIST_API int heist_detach(heist_scope *scope, heist_function *function, void *argument);

/* The same with a choice when the inbox is full: see heist_submit. */
HEIST_API int heist_scope_submit(heist_scope *scope, heist_function *function, void *argument, long patience_ms);

/* Waits until all detached tasks of the scope, however nested, have finished and their effects are visible, and joins
 * the children if the caller may. A worker runs tasks of this scope meanwhile, and of no other.
 * Call from: any thread. From a task of the same scope, or from a run that such a task waits for, it is -EDEADLK.
 * Blocks: yes.
 * Returns 0, or -ECANCELED if the pool was shut down meanwhile and tasks of the scope were dropped: the others have
 * finished. */
HEIST_API int heist_scope_wait(heist_scope *scope);

/* Waits, and gives back the memory of the scope. NULL is allowed. The pool must still live, unless tasks of the scope
 * were dropped.
 * Returns what heist_scope_wait returns; after -ECANCELED the scope has ended, after another error nothing has
 * changed. */
HEIST_API int heist_scope_end(heist_scope *scope);

/* ---- the same, inline: these are the functions above for the usual case ---- */

/* Tells that `function` returned with children unjoined, which lie above `bottom`, and withdraws them. */
HEIST_API void heist__plain_left(heist_worker *w, heist_slot *bottom, heist_function *function);

HEIST__INLINE int heist__spawn_plain(heist_scope *scope, heist_function *function, void *argument)
{
    if (HEIST_DEBUG || !scope->worker || scope->count >= HEIST__PLAIN_INLINE) {
        heist_spawn(scope, function, argument);
        return 0;
    }
    struct heist__plain *child = &scope->first[scope->count++];
    child->task.run = scope->run;
    child->function = function;
    child->argument = argument;
    /* relaxed: the caller is the worker, which writes it */
    heist__push(scope->worker, heist__load_relaxed(&scope->worker->bottom), &child->task);
    return 0;
}

HEIST__INLINE int heist__join_plain(heist_scope *scope)
{
    heist_worker *w = scope->worker;
    if (HEIST_DEBUG || scope->count > HEIST__PLAIN_INLINE) {
        heist_join(scope);
        return 0;
    }
    while (scope->count > 0) {
        struct heist__plain *child = &scope->first[--scope->count];
        heist_slot *bottom = heist__load_relaxed(&w->bottom); /* relaxed: as above */
        if (heist__pop(w, bottom, &child->task)) {
            child->function(child->argument);
            if (HEIST__UNLIKELY(heist__load_relaxed(&w->bottom) != bottom - 1)) /* relaxed: as above */
                heist__plain_left(w, bottom - 1, child->function);
        } else {
            heist__join_slow(w, bottom, &child->task);
        }
    }
    return 0;
}

HEIST__INLINE int heist__end_plain(heist_scope *scope)
{
    /* U1: pairs with the CAS in lib/schedule/scope_core.c */
    if (!scope || scope->count > 0 || heist__load_acquire(&scope->core)) return heist_scope_end(scope);
    scope->pool = NULL;
    return 0;
}

/* In a task the hidden argument follows when a plain child takes or leaves a slot. A lambda that captures nothing
 * inside a task does not have the argument: there, write (heist_spawn)(...), which is the function itself. */
#define heist_spawn(...) ((void)HEIST__FOLLOW(heist__spawn_plain(__VA_ARGS__)))
#define heist_join(...) ((void)HEIST__FOLLOW(heist__join_plain(__VA_ARGS__)))
#define heist_scope_wait(...) HEIST__FOLLOW((heist_scope_wait)(__VA_ARGS__))
#define heist_scope_end(...) HEIST__FOLLOW(heist__end_plain(__VA_ARGS__))
#define HEIST__FOLLOW(call) heist__follow(call, HEIST__WORKER_HERE, HEIST__BOTTOM_HERE)

HEIST__INLINE int heist__follow(int result, heist_worker *w, heist_slot **bottom)
{
    if (bottom) *bottom = heist__load_relaxed(&w->bottom); /* relaxed: as above */
    return result;
}

HEIST_END_DECLS

/* The hidden arguments, or NULL outside tasks. */
#ifdef __cplusplus
#define HEIST__WORKER_HERE heist__worker_here(heist__w)
#define HEIST__BOTTOM_HERE heist__bottom_here(heist__bottom)
extern "C++" {
HEIST__INLINE heist_worker *heist__worker_here(heist_worker *w)
{
    return w;
}
HEIST__INLINE heist_worker *heist__worker_here(void (&)(void))
{
    return NULL;
}
HEIST__INLINE heist_slot **heist__bottom_here(heist_slot *&bottom)
{
    return &bottom;
}
HEIST__INLINE heist_slot **heist__bottom_here(void (&)(void))
{
    return NULL;
}
}
#else
#define HEIST__WORKER_HERE                                                                                             \
    _Generic(&heist__w, heist_worker * * : heist__w, heist_worker *const * : heist__w, default : NULL)
#define HEIST__BOTTOM_HERE _Generic(&heist__bottom, heist_slot * * : &heist__bottom, default : NULL)
#endif

#endif
