/* heist/future.h: futures: a task that is started now, and its result later.
 *
 *     HEIST_TASK(long, fib, int, n) { ... }
 *
 *     heist_future *f = HEIST_ASYNC(NULL, fib, 30);    // from any thread; may run elsewhere from here on
 *     ...                                              // keep f in a struct, pass it on, forget it
 *     long result = HEIST_AWAIT(f, fib);               // waits, gives the result, drops the handle
 *
 * A future is a task that no frame holds. It may be started anywhere and waited for anywhere else: that is the
 * difference to a spawned child (heist/task.h), which its parent joins, and which costs a tenth of it.
 *
 * The same without macros: the task is a function that returns a pointer.
 *
 *     heist_future *f = heist_async(NULL, load_image, path, free);    // free: for a result that no thread takes
 *     void *image;
 *     int error = heist_await(f, &image);
 *
 * Handles. A heist_future * is a handle, and handles are counted. heist_future_hold makes one more, heist_future_drop
 * gives one back, and heist_await and HEIST_AWAIT end with a drop. Several threads may use one handle at once, as long
 * as none drops it. A handle may be dropped before the future is done: the task runs all the same. A result that no
 * thread has taken when the last handle goes is freed. A handle may outlive its pool.
 *
 * Waiting. In a task, a wait runs the awaited task itself if no thread has begun it; or, if the awaited future waits
 * for others (heist_then, heist_all, heist_any), one of those; or what descends from it. It never runs anything else.
 * So a task that waits for a promise that a task fulfils which has not begun may keep the worker from beginning it: let
 * the first be a future after the promise (heist_then), or the second a future. In any other thread, a wait runs the
 * task in the place of a worker that sleeps (see heist_run), or spins for a microsecond, and then sleeps.
 * A task that waits for a future which, in any number of steps, waits for that task, gets -EDEADLK, as far as all of
 * them run on one pool.
 *
 * Scopes and pools. A future belongs to no scope, and the tasks that it detaches without a scope belong to its pool.
 * heist_pool_wait waits for futures that have been started on the pool, and ending a pool with HEIST_DRAIN runs them,
 * with HEIST_CANCEL those that have not begun are done with -ECANCELED.
 *
 * Typed futures
 *   HEIST_ASYNC(pool, name, ...)      starts the task `name` on `pool` (NULL: see heist/pool.h). NULL with errno set:
 *                                     no memory, or the pool is closed. Waits while the inbox is full.
 *   HEIST_THEN(future, name, ...)     a future that starts the task `name` when `future` is done. Pass the future as an
 *                                     argument if the task is to have its result: the new future has a handle of its
 *                                     own on it until the task has run.
 *   HEIST_AWAIT(future, name)         waits, gives the result of the task `name`, and drops the handle
 *   HEIST_RESULT(future, name)        waits, and gives the result; the handle stays. Any number of threads may.
 *   HEIST_PROMISE(name)               a promise of the result of a task `name`, which is not run
 *   HEIST_FULFIL(promise, name, value)    fulfils it; without the value if the task has no result
 * If the future has no result (-ECANCELED, an error of a promise), HEIST_AWAIT and HEIST_RESULT give zero bytes:
 * heist_future_wait tells beforehand. If the wait itself is a mistake (-EDEADLK, a NULL handle), heist also says so on
 * stderr.
 *
 * Functions that return int return 0, or a negative errno; functions that return a handle return NULL with errno set.
 * heist_explain says what was wrong. After fork(), the child must not wait for a future of its parent (-ECANCELED). */
#ifndef HEIST_FUTURE_H
#define HEIST_FUTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/pool.h>
#include <heist/task.h>

HEIST_BEGIN_DECLS

/* The task of a plain future. Returns its result. */
typedef void *heist_future_function(void *argument);

/* ---- starting ---- */

/* Starts function(argument) on `pool` (NULL: the pool of the running task, else the default pool). `release` frees a
 * result other than NULL that no thread takes; NULL: nothing is to be freed.
 * Call from: any thread.  Blocks: outside the pool, while the inbox is full.
 * Returns a handle, or NULL with errno EINVAL, ENOMEM or ESHUTDOWN; then the function does not run. */
HEIST_API heist_future *heist_async(heist_pool *pool, heist_future_function *function, void *argument,
                                    heist_function *release);

/* A future that starts function(argument) when `after` is done, with a result or without. It runs on the pool of
 * `after`; if that has none (a promise, heist_all, heist_any), on the pool that NULL stands for at this call. If that
 * pool has ended, the future is done with -ESHUTDOWN.
 * Call from: any thread.  Blocks: as heist_async, if `after` is done already.  Returns a handle, or NULL as above. */
HEIST_API heist_future *heist_then(heist_future *after, heist_future_function *function, void *argument,
                                   heist_function *release);

/* A future that is done when all of these are: with 0, or with the error of the first of them, in the order of the
 * array, that has one. It has no result. The array is copied. All of none are done at once.
 * Call from: any thread.  Blocks: no.  Returns a handle, or NULL with errno EINVAL or ENOMEM. */
HEIST_API heist_future *heist_all(heist_future *const *futures, size_t count);

/* A future that is done when one of these is, and with the error of that one. It has no result: heist_future_first
 * tells which it was. A wait for it in a task may run any of them to its end: none of them may need what the waiting
 * task does afterwards.
 * Call from: any thread.  Blocks: no.  Returns a handle, or NULL with errno EINVAL (also for none) or ENOMEM. */
HEIST_API heist_future *heist_any(heist_future *const *futures, size_t count);

/* *number is the place, in the array, of the future that was done first.
 * Call from: any thread.  Blocks: no.  Returns 0, -EAGAIN if none is done, or -EINVAL. */
HEIST_API int heist_future_first(heist_future *any, size_t *number);

/* ---- handles ---- */

/* One more handle: returns `future`. NULL with errno EINVAL for NULL.
 * Call from: any thread that has a handle.  Blocks: no. */
HEIST_API heist_future *heist_future_hold(heist_future *future);

/* Gives a handle back. NULL is allowed.
 * Call from: any thread, once for each handle.  Blocks: no, but may call the function that frees the result.
 * Returns 0, or -EINVAL for a handle that was dropped before, as far as that can be seen: a build with
 * AddressSanitizer sees it always. */
HEIST_API int heist_future_drop(heist_future *future);

/* ---- waiting ---- */

/* Whether the future is done. False for NULL.
 * Call from: any thread.  Blocks: no. */
HEIST_API bool heist_future_ready(const heist_future *future);

/* Waits until the future is done.
 * Call from: any thread.  Blocks: yes; see above.
 * Returns 0 if it has a result; the future's error: -ECANCELED (its pool was shut down before its task began),
 * -ESHUTDOWN, or that of heist_promise_break; or, without having waited to the end, -EINVAL, -EDEADLK, and -ECANCELED
 * after fork(). */
HEIST_API int heist_future_wait(heist_future *future);

/* A point in time: nanoseconds of the system's monotonic clock; that clock now; and a point that never comes. */
#define HEIST_FOREVER INT64_MAX
HEIST_API int64_t heist_time(void);

/* The same, but at `when` at the latest, with -ETIMEDOUT. A point that is over is only a look. A wait in a task that
 * has begun to run the awaited task, or another, goes on until that task has ended. */
HEIST_API int heist_future_wait_until(heist_future *future, int64_t when);

/* ---- results of plain futures ---- */

/* Takes the result of a future that is done; it is the caller's now. `result` NULL: frees it.
 * Call from: any thread.  Blocks: no.
 * Returns 0, the future's error, -EAGAIN (not done), -EALREADY (taken before), or -EINVAL; *result is NULL then. For
 * futures without a pointer as result, *result is NULL. */
HEIST_API int heist_future_take(heist_future *future, void **result);

/* Waits, takes, and drops the handle, also after an error.
 * Call from: any thread.  Blocks: yes.  Returns what heist_future_wait or heist_future_take returns. */
HEIST_API int heist_await(heist_future *future, void **result);

/* ---- promises ---- */

/* A promise is the other end of a future: a callback of something else fulfils it. `release` is as in heist_async.
 * Call from: any thread.  Blocks: no.  Returns NULL with errno ENOMEM. */
HEIST_API heist_promise *heist_promise_new(heist_function *release);

/* A handle of the promise's future. Any number of handles may be made, until the promise is dropped.
 * Call from: any thread.  Blocks: no.  NULL with errno EINVAL for NULL. */
HEIST_API heist_future *heist_promise_future(heist_promise *promise);

/* The future is done, with this result; or, for heist_promise_break, with this error, which is negative.
 * Call from: any thread, once.  Blocks: no; but it starts the futures after it, and that blocks as heist_async.
 * Returns 0, -EALREADY (fulfilled or broken before; the result stays the caller's), or -EINVAL. */
HEIST_API int heist_promise_fulfil(heist_promise *promise, void *result);
HEIST_API int heist_promise_break(heist_promise *promise, int error);

/* Frees the promise. If it was not fulfilled, it is broken, with -ECANCELED. NULL is allowed.
 * Call from: any thread, once, after all other calls with this promise.  Blocks: as above.  Returns 0 or -EINVAL. */
HEIST_API int heist_promise_drop(heist_promise *promise);

/* ---- typed futures ---- */

#define HEIST_ASYNC(...) HEIST__CAT(HEIST__ASYNC_, HEIST__MORE_THAN_2(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__ASYNC_no(pool, name) (HEIST__KNOWN(name), heist__gen_async_##name(pool))
#define HEIST__ASYNC_yes(pool, name, ...) (HEIST__KNOWN(name), heist__gen_async_##name(pool, __VA_ARGS__))

#define HEIST_THEN(...) HEIST__CAT(HEIST__THEN_, HEIST__MORE_THAN_2(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__THEN_no(future, name) (HEIST__KNOWN(name), heist__gen_then_##name(future))
#define HEIST__THEN_yes(future, name, ...) (HEIST__KNOWN(name), heist__gen_then_##name(future, __VA_ARGS__))

#define HEIST_AWAIT(future, name) HEIST__AWAIT(future, name)
#define HEIST__AWAIT(future, name) (HEIST__KNOWN(name), heist__gen_await_##name(future, true))
#define HEIST_RESULT(future, name) HEIST__RESULT(future, name)
#define HEIST__RESULT(future, name) (HEIST__KNOWN(name), heist__gen_await_##name(future, false))

#define HEIST_PROMISE(name) HEIST__PROMISE(name)
#define HEIST__PROMISE(name) (HEIST__KNOWN(name), heist__promise_typed(sizeof(HEIST__CHILD(name))))
#define HEIST_FULFIL(...) HEIST__CAT(HEIST__FULFIL_, HEIST__MORE_THAN_2(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__FULFIL_no(promise, name) (HEIST__KNOWN(name), heist__gen_fulfil_##name(promise))
#define HEIST__FULFIL_yes(promise, name, ...) (HEIST__KNOWN(name), heist__gen_fulfil_##name(promise, __VA_ARGS__))

HEIST_END_DECLS

#endif
