/* heist/scope.h: tasks without macros.
 *
 *     heist_scope scope;
 *     heist_scope_begin(&scope, NULL);
 *     heist_spawn(&scope, sort_half, &left);    // a child of this function: on the deque, no lock, no allocation as a rule
 *     sort_half(&right);
 *     heist_join(&scope);                       // runs what nobody stole, waits for the rest
 *     heist_scope_end(&scope);
 *
 * Inside the body of a typed task, let no HEIST_SPAWN, HEIST_CALL or HEIST_SYNC stand between heist_spawn and heist_join:
 * the typed body does not know of slots that it did not fill itself. Put the scope into a function of its own. A scope
 * does not cross fork().
 *
 * A scope holds two kinds of tasks. heist_spawn makes children of the function that began the scope; only that function,
 * running as a task, may spawn and join them, last in first out among scopes. heist_detach makes tasks that nobody joins
 * one by one, from anywhere; what they detach in turn belongs to the same scope. heist_scope_wait waits for both. */
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
    heist_pool *pool;
    struct heist__scope_core *core; /* the detached tasks' side */
    heist_worker *worker;           /* who may spawn: the worker that began the scope, or NULL */
    size_t count;                   /* children spawned and not joined */
    struct heist__plain_chunk *chunks;
    struct heist__plain first[HEIST__PLAIN_INLINE];
};

/* Begins a scope on `pool` (NULL: the pool of the running task, else the default pool).
 * Call from: any thread.  Returns 0, -EINVAL, -ENOMEM or what making the default pool returned. */
HEIST_API int heist_scope_begin(heist_scope *scope, heist_pool *pool);

/* Spawns function(argument) as a child. Where that cannot be (not inside a task of that pool, or no memory) it is called at
 * once: the result is the same.  Call from: the function that began the scope.  Blocks: no. */
HEIST_API void heist_spawn(heist_scope *scope, heist_function *function, void *argument);

/* Joins all children, running only them and their descendants meanwhile.
 * Call from: the function that began the scope.  Blocks: yes. */
HEIST_API void heist_join(heist_scope *scope);

/* Runs function(argument) some time, as part of `scope`; NULL: of the scope of the running task, else of its pool.
 * Call from: any thread; outside the pool it waits while the inbox is full.
 * Returns 0, -EINVAL, -ENOMEM, -ESHUTDOWN; then it will not run. */
HEIST_API int heist_detach(heist_scope *scope, heist_function *function, void *argument);

/* The same with a choice when the inbox is full: see heist_submit. */
HEIST_API int heist_scope_submit(heist_scope *scope, heist_function *function, void *argument, long patience_ms);

/* Waits until all detached tasks of the scope, however nested, have finished and are visible, and joins the children if the
 * caller may. A worker runs tasks of this scope meanwhile, and of no other.
 * Call from: any thread; from a task of the same scope, or what such a task waits for in a run, it is -EDEADLK.  Blocks: yes.
 * Returns 0, or -ECANCELED if the pool was shut down meanwhile and tasks of the scope were dropped: the others have finished. */
HEIST_API int heist_scope_wait(heist_scope *scope);

/* Waits, and gives back what the scope holds. NULL is allowed. The pool must still live, unless the scope's tasks were dropped.
 * Returns what heist_scope_wait returns; after -ECANCELED the scope has ended, after another failure nothing has changed. */
HEIST_API int heist_scope_end(heist_scope *scope);

HEIST_END_DECLS

#endif
