/* The functions of heist/future.h for one future: starting its task, its handle, its result; and promises. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "async/future.h"
#include "async/wait.h"
#include "platform/clock.h"

int64_t heist_time(void)
{
    return heist__clock_ns();
}

/* The error of a future that is done, with a sentence for heist_explain. */
static int error_of(const heist_future *f)
{
    const int error = heist__error_of(f);
    return error ? heist__fail(error, "the future has no result: %s (%d)", heist_strerror(error), error) : 0;
}

/* ---- starting ---- */

static void produce(heist_worker *w, heist_slot *bottom, heist_task *task)
{
    (void)w;
    (void)bottom;
    heist__producing *p = (heist__producing *)(void *)task;
    void *argument = heist__load_relaxed(&p->value);        /* relaxed: Y1 has published it */
    heist__store_relaxed(&p->value, p->function(argument)); /* relaxed: J2 publishes it */
}

void heist__producing_init(heist_future *f, heist_future_function *function, void *argument, heist_function *release)
{
    heist__producing *p = (heist__producing *)(void *)&f->task;
    p->task.run = produce;
    p->function = function;
    heist__store_relaxed(&p->value, argument); /* relaxed: Y1 publishes it */
    f->job.of_end.function = release;
}

heist_task *heist__future_record(heist_pool *pool, size_t size)
{
    pool = heist__pool_resolve(pool);
    heist_future *f = pool ? heist__future_make(pool, HEIST__TYPED, size, 0) : NULL;
    return f ? &f->task : NULL;
}

heist_future *heist__future_start(heist_task *task)
{
    heist_future *f = heist__future_of(task);
    int error = heist__future_give(f);
    if (!error) return f;
    heist__store_relaxed(&f->error, error); /* no result is to be freed. relaxed: no other thread has it */
    heist__future_free(f);
    errno = -error;
    return NULL;
}

heist_future *heist_async(heist_pool *pool, heist_future_function *function, void *argument, heist_function *release)
{
    if (!function) {
        errno = -heist__fail(-EINVAL, "heist_async: no function");
        return NULL;
    }
    pool = heist__pool_resolve(pool);
    heist_future *f = pool ? heist__future_make(pool, HEIST__POINTER, sizeof(heist__producing), 0) : NULL;
    if (!f) return NULL;
    heist__producing_init(f, function, argument, release);
    return heist__future_start(&f->task);
}

/* ---- handles ---- */

heist_future *heist_future_hold(heist_future *f)
{
    if (heist__future_check(f, "heist_future_hold") < 0) {
        errno = EINVAL;
        return NULL;
    }
    heist__add_relaxed(&f->refs, 1); /* relaxed: the caller has a handle */
    return f;
}

int heist_future_drop(heist_future *f)
{
    if (!f) return 0;
    int error = heist__future_check(f, "heist_future_drop");
    if (!error) heist__future_unref(f);
    return error;
}

bool heist_future_ready(const heist_future *f)
{
    return f && f->mark && heist__is_done(f);
}

int heist_future_wait_until(heist_future *f, int64_t when)
{
    int error = heist__future_check(f, "heist_future_wait");
    if (!error) error = heist__future_wait(f, when, false);
    return error ? error : error_of(f);
}

int heist_future_wait(heist_future *f)
{
    return heist_future_wait_until(f, HEIST_FOREVER);
}

/* ---- results ---- */

/* Of a future that is done. */
static int take(heist_future *f, void **result)
{
    if (result) *result = NULL;
    const int error = error_of(f);
    if (error) return error;
    if (f->kind != HEIST__POINTER) return 0;
    heist__producing *p = (heist__producing *)(void *)&f->task;
    void *taken = p;                                         /* no result lies there */
    void *value = heist__exchange_acq_rel(&p->value, taken); /* J2 published it; one taker gets it */
    if (value == taken) return heist__fail(-EALREADY, "the result of this future was taken before");
    if (result) {
        *result = value;
    } else if (value && f->job.of_end.function) {
        f->job.of_end.function(value);
    }
    return 0;
}

int heist_future_take(heist_future *f, void **result)
{
    int error = heist__future_check(f, "heist_future_take");
    if (error) return error;
    if (!heist__is_done(f)) return heist__fail(-EAGAIN, "heist_future_take: the future is not done");
    return take(f, result);
}

int heist_await(heist_future *f, void **result)
{
    if (result) *result = NULL;
    int error = heist__future_check(f, "heist_await");
    if (error) return error;
    error = heist__future_wait(f, HEIST_FOREVER, true);
    if (!error) error = take(f, result);
    heist__future_unref(f);
    return error;
}

/* A mistake of the program in an expression that can return no error. */
static void tell(const char *what)
{
    const char *why = heist_explain();
    const bool named = strncmp(why, what, strlen(what)) == 0;
    fprintf(stderr, "heist: %s%s%s; the result is zero\n", named ? "" : what, named ? "" : ": ", why);
}

int heist__future_value(heist_future *f, void *result, size_t offset, size_t size, bool last_use)
{
    const char *name = last_use ? "HEIST_AWAIT" : "HEIST_RESULT";
    int error = heist__future_check(f, name);
    const bool there = !error;
    if (there) error = heist__future_wait(f, HEIST_FOREVER, last_use);
    if (!error && f->kind != HEIST__TYPED) error = heist__fail(-EINVAL, "%s: the future is not of a task", name);
    if (error) tell(name);
    if (!error) error = error_of(f);
    if (size && error) memset(result, 0, size);
    if (size && !error) memcpy(result, (const char *)&f->task + offset, size);
    if (there && last_use) heist__future_unref(f);
    return error;
}

/* ---- promises ---- */

static heist_future *inside(heist_promise *promise)
{
    return (heist_future *)(void *)promise;
}

heist_promise *heist_promise_new(heist_function *release)
{
    heist_future *f = heist__future_make(NULL, HEIST__POINTER, sizeof(heist__producing), 0);
    if (!f) return NULL;
    heist__producing_init(f, NULL, NULL, release);
    heist__store_relaxed(&f->refs, 1); /* relaxed: the promise; it is published with it */
    return (heist_promise *)(void *)f;
}

heist_promise *heist__promise_typed(size_t size)
{
    heist_future *f = heist__future_make(NULL, HEIST__TYPED, size, 0);
    if (!f) return NULL;
    heist__store_relaxed(&f->refs, 1); /* relaxed: as above */
    return (heist_promise *)(void *)f;
}

heist_future *heist_promise_future(heist_promise *promise)
{
    return heist_future_hold(inside(promise));
}

/* Claims the promise for the calling thread, which alone may then write its result. */
static int claim(heist_future *f, const char *function)
{
    int error = heist__future_check(f, function);
    if (error) return error;
    uintptr_t waits = HEIST__TASK_WAITS;
    /* relaxed: the result is published when the promise is completed, J2 */
    if (heist__cas_relaxed(&f->task.state, &waits, HEIST__TASK_CLAIMED)) return 0;
    return heist__fail(-EALREADY, "%s: the promise was fulfilled or broken before", function);
}

int heist_promise_fulfil(heist_promise *promise, void *result)
{
    heist_future *f = inside(promise);
    if (f && f->mark && f->kind != HEIST__POINTER)
        return heist__fail(-EINVAL, "heist_promise_fulfil: the promise has a type: HEIST_FULFIL");
    int error = claim(f, "heist_promise_fulfil");
    if (error) return error;
    heist__store_relaxed(&((heist__producing *)(void *)&f->task)->value, result); /* relaxed: J2 publishes it */
    heist__future_complete(f, 0);
    return 0;
}

int heist__promise_value(heist_promise *promise, const void *value, size_t offset, size_t size)
{
    heist_future *f = inside(promise);
    if (f && f->mark && f->kind != HEIST__TYPED)
        return heist__fail(-EINVAL, "HEIST_FULFIL: the promise has no type: heist_promise_fulfil");
    int error = claim(f, "HEIST_FULFIL");
    if (error) return error;
    if (size) memcpy((char *)&f->task + offset, value, size);
    heist__future_complete(f, 0);
    return 0;
}

int heist_promise_break(heist_promise *promise, int error)
{
    if (error >= 0) return heist__fail(-EINVAL, "heist_promise_break: the error %d is not negative", error);
    int claimed = claim(inside(promise), "heist_promise_break");
    if (!claimed) heist__future_complete(inside(promise), error);
    return claimed;
}

int heist_promise_drop(heist_promise *promise)
{
    if (!promise) return 0;
    heist_future *f = inside(promise);
    int error = heist__future_check(f, "heist_promise_drop");
    if (error) return error;
    if (!heist__is_done(f)) heist_promise_break(promise, -ECANCELED); /* or another thread fulfils it now */
    heist__future_unref(f);
    return 0;
}
