/* Futures that wait for others: then, all, any.
 *
 * Such a future counts as a user of its sources until it is done. A worker that waits for it looks for a source that it
 * can run, while other threads may complete the future. So the worker counts itself among the readers of the sources.
 * The last of the readers and the thread that completes the future drops the sources: no thread waits for another.
 * Edge:
 *
 *   Y5  all uses of a future, before the thread that gives up the last reference frees it */
#include <errno.h>
#include <stdlib.h>

#include "async/future.h"

/* The owner is done, in `readers`. */
#define DONE_WITH ((uint32_t)1)

/* ---- their lifetime ---- */

static void drop_sources(heist__sources *s)
{
    for (size_t i = 0; i < s->count; i++) heist__future_unref(s->followers[i].source);
}

static bool begin_reading(heist__sources *s)
{
    uint32_t readers = heist__load_relaxed(&s->readers); /* relaxed: the CAS checks it */
    do {
        if (readers & DONE_WITH) return false;
    } while (!heist__cas_acq_rel(&s->readers, &readers, readers + 2)); /* Y5: pairs with itself */
    return true;
}

static void end_reading(heist__sources *s)
{
    if (heist__add_acq_rel(&s->readers, (uint32_t)-2) == (2 | DONE_WITH)) drop_sources(s); /* Y5 */
}

void heist__sources_close(heist_future *f)
{
    heist__sources *s = heist__sources_of(f);
    if (heist__add_acq_rel(&s->readers, DONE_WITH) == 0) drop_sources(s); /* Y5 */
}

/* ---- looking for one to run ---- */

heist_future *heist__unfinished_source(heist_future *f, size_t from)
{
    heist__sources *s = heist__sources_of(f);
    if (!s || !begin_reading(s)) return NULL;
    heist_future *found = NULL;
    size_t at = from % s->count;
    for (size_t i = 0; i < s->count; i++) {
        heist_future *source = s->followers[at].source;
        at = at + 1 < s->count ? at + 1 : 0;
        uintptr_t state = heist__load_acquire(&source->task.state); /* J2 */
        if (state == HEIST__TASK_DONE || (state == HEIST__TASK_WAITS && !heist__sources_of(source))) continue;
        if (!found || state == HEIST__TASK_READY) found = source;
        if (state == HEIST__TASK_READY) break;
    }
    if (found) heist__add_relaxed(&found->refs, 1); /* relaxed: `f` has a reference, as long as it is read */
    end_reading(s);
    return found;
}

/* ---- making them ---- */

/* Makes `f` wait for its sources. The caller has filled in everything else. */
static void wait_for_sources(heist_future *f)
{
    heist__sources *s = heist__sources_of(f);
    const size_t count = s->count;
    heist__add_relaxed(&f->refs, (uint32_t)count); /* relaxed: the followers, which publish them */
    for (size_t i = 0; i < count; i++) {
        if (heist__follower_add(&s->followers[i])) continue;
        s->followers[i].next = NULL;
        heist__followers_tell(&s->followers[i]);
    }
}

static void set_source(heist_future *f, size_t number, heist_future *source)
{
    heist__follower *follower = &heist__sources_of(f)->followers[number];
    heist__add_relaxed(&source->refs, 1); /* relaxed: the caller has a handle of it */
    follower->owner = f;
    follower->source = source;
}

/* A future that runs on the pool of `after`, or, if that has none, on the caller's. */
static heist_future *make_after(heist_future *after, heist__future_kind kind, size_t record)
{
    heist_pool *pool = after->pool ? after->pool : heist__pool_resolve(NULL);
    return pool ? heist__future_make(pool, kind, record, 1) : NULL;
}

heist_future *heist__future_after(heist_future *after, heist_task *task)
{
    if (!task) return NULL; /* explained by heist__future_record_after */
    heist_future *f = heist__future_of(task);
    set_source(f, 0, after);
    heist__store_relaxed(&f->refs, 1); /* relaxed: no other thread has it; the job gets its reference when it begins */
    wait_for_sources(f);
    return f;
}

heist_task *heist__future_record_after(heist_future *after, size_t size)
{
    if (heist__future_check(after, "HEIST_THEN") < 0) {
        errno = EINVAL;
        return NULL;
    }
    heist_future *f = make_after(after, HEIST__TYPED, size);
    return f ? &f->task : NULL;
}

heist_future *heist_then(heist_future *after, heist_future_function *function, void *argument, heist_function *release)
{
    if (heist__future_check(after, "heist_then") < 0 || !function) {
        if (!function) heist__fail(-EINVAL, "heist_then: no function");
        errno = EINVAL;
        return NULL;
    }
    heist_future *f = make_after(after, HEIST__POINTER, sizeof(heist__producing));
    if (!f) return NULL;
    heist__producing_init(f, function, argument, release);
    return heist__future_after(after, &f->task);
}

static heist_future *combine(heist__future_kind kind, heist_future *const *futures, size_t count, const char *name)
{
    int error = futures || count == 0 ? 0 : heist__fail(-EINVAL, "%s: no futures", name);
    if (kind == HEIST__ANY && count == 0) error = heist__fail(-EINVAL, "%s: none of no futures is ever done", name);
    for (size_t i = 0; i < count && !error; i++) error = heist__future_check(futures[i], name);
    heist_future *f = error ? NULL : heist__future_make(NULL, kind, sizeof(heist_task), count);
    if (error) errno = -error;
    if (!f) return NULL;
    heist__store_relaxed(&f->refs, 1); /* relaxed: no other thread has it; it has no job */
    if (count == 0) {
        heist__future_complete(f, 0);
        return f;
    }
    for (size_t i = 0; i < count; i++) set_source(f, i, futures[i]);
    wait_for_sources(f);
    return f;
}

heist_future *heist_all(heist_future *const *futures, size_t count)
{
    return combine(HEIST__ALL, futures, count, "heist_all");
}

heist_future *heist_any(heist_future *const *futures, size_t count)
{
    return combine(HEIST__ANY, futures, count, "heist_any");
}

int heist_future_first(heist_future *any, size_t *number)
{
    int error = heist__future_check(any, "heist_future_first");
    if (error) return error;
    if (any->kind != HEIST__ANY || !number)
        return heist__fail(-EINVAL, "heist_future_first: not a future of heist_any, or no place for the number");
    if (!heist__is_done(any)) return heist__fail(-EAGAIN, "heist_future_first: no future of them is done yet");
    *number = heist__load_relaxed(&heist__sources_of(any)->first) - 1; /* relaxed: J2 orders it */
    return 0;
}
