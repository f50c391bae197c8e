/* The end of a future, and the threads and futures that hear of it.
 *
 * A future has a list of followers, one for each future that is to hear of its end. The thread that completes the
 * future takes the list and closes it by one exchange. A thread that adds a follower does so by a CAS: it either gets
 * the follower into the list before that, or finds the list closed, and the source is done. A thread that sleeps until
 * the end marks the list by a CAS in the same way.
 *
 * A future that is one of `any` may outlive many of them, and its list would grow. So from time to time a thread that
 * adds a follower takes the whole list out, drops the followers whose owners are done, and puts the others back. If the
 * list has been closed meanwhile, that thread tells the owners itself. Edges:
 *
 *   J2  the result and the error, before "done" in the state                      -> all that read "done"
 *   Y2  "done", before the list is closed; a follower is whole, before it is in   -> threads that add one, and sleepers
 *   Y3  "done", before `wake`                                                     -> sleepers */
#include <errno.h>
#include <limits.h>

#include "async/future.h"
#include "platform/futex.h"

/* After so many followers were added, one more thread looks for those that need not hear. */
#define WEED_EVERY 64

/* ---- the list ---- */

/* Puts the followers from `first` to `last` into the list of `f`. False: it is closed. */
static bool put(heist_future *f, heist__follower *first, heist__follower *last)
{
    uintptr_t list = heist__load_acquire(&f->list); /* Y2: pairs with the exchange in close_list */
    do {
        if (list == HEIST__CLOSED) return false;
        last->next = (heist__follower *)(list & ~HEIST__SLEEPERS);
    } while (!heist__cas_acq_rel(&f->list, &list, (uintptr_t)first | (list & HEIST__SLEEPERS))); /* Y2 */
    return true;
}

/* Closes the list of `f`, which is done. Gives the followers. Wakes the sleepers. */
static heist__follower *close_list(heist_future *f)
{
    /* Y2: pairs with `put` and heist__future_sleep */
    uintptr_t list = heist__exchange_acq_rel(&f->list, HEIST__CLOSED);
    if (list & HEIST__SLEEPERS) {
        heist__store_release(&f->wake, 1); /* Y3: pairs with the load in heist__future_sleep */
        heist__futex_wake(&f->wake, INT_MAX);
    }
    return (heist__follower *)(list & ~HEIST__SLEEPERS);
}

/* ---- telling ---- */

static heist__follower *append(heist__follower *list, heist__follower *more)
{
    if (!more) return list;
    heist__follower *last = more;
    while (last->next) last = last->next;
    last->next = list;
    return more;
}

/* Tells the owners of these followers, and the owners of theirs, as far as they are done by that. It is a loop, since
 * the chain may be long. */
static void tell_all(heist__follower *list)
{
    while (list) {
        heist__follower *follower = list;
        heist_future *owner = follower->owner;
        list = follower->next; /* read now: *follower may be gone below */
        list = append(list, heist__follower_told(follower));
        heist__future_unref(owner); /* the follower's reference */
    }
}

/* Of a future that is done: closes its list, and needs its sources no more. */
static heist__follower *settle(heist_future *f)
{
    heist__follower *list = close_list(f);
    if (heist__sources_of(f)) heist__sources_close(f);
    return list;
}

void heist__followers_tell(heist__follower *list)
{
    tell_all(list);
}

void heist__future_tell(heist_future *f)
{
    tell_all(settle(f));
}

static heist__follower *finish(heist_future *f, int error)
{
    heist__store_relaxed(&f->error, error);                 /* relaxed: J2 publishes it */
    heist__store_release(&f->task.state, HEIST__TASK_DONE); /* J2 */
    return settle(f);
}

void heist__future_complete(heist_future *f, int error)
{
    tell_all(finish(f, error));
}

/* ---- hearing ---- */

/* The first source of an `any` is done. False: another one was first. */
static bool is_first(heist__sources *s, const heist__follower *follower)
{
    size_t none = 0;
    /* Y2: one thread completes it */
    return heist__cas_acq_rel(&s->first, &none, (size_t)(follower - s->followers) + 1);
}

/* The error of an `all`: that of the first source, in their order, that has one. */
static int first_error(const heist__sources *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const int error = heist__error_of(s->followers[i].source);
        if (error) return error;
    }
    return 0;
}

heist__follower *heist__follower_told(heist__follower *follower)
{
    heist_future *owner = follower->owner;
    heist__sources *s = heist__sources_of(owner);
    if (owner->kind == HEIST__ANY)
        return is_first(s, follower) ? finish(owner, heist__error_of(follower->source)) : NULL;
    /* Y2: what all sources did comes before the last one's thread goes on */
    if (heist__add_acq_rel(&s->left, (size_t)-1) != 1) return NULL;
    if (owner->kind == HEIST__ALL) return finish(owner, first_error(s));
    heist__add_relaxed(&owner->refs, 1); /* relaxed: the follower has a reference; this one is for the job */
    int error = heist__future_begin(owner);
    if (!error) return NULL;
    heist__follower *list = error == HEIST__REFUSED_LATE ? NULL : finish(owner, error);
    heist__future_unref(owner); /* the job's */
    return list;
}

/* ---- waiting ---- */

/* Whether the follower's owner still wants to hear. */
static bool is_wanted(const heist__follower *follower)
{
    return !heist__is_done(follower->owner);
}

/* Takes the followers of futures that are done out of the list of `f`. */
static void weed(heist_future *f)
{
    uintptr_t list = heist__load_relaxed(&f->list); /* relaxed: the CAS checks it */
    do {
        if (list == HEIST__CLOSED) return;
    } while (
        !heist__cas_acq_rel(&f->list, &list, list & HEIST__SLEEPERS)); /* Y2: the followers are this thread's now */
    heist__follower *first = NULL, *last = NULL;
    for (heist__follower *follower = (heist__follower *)(list & ~HEIST__SLEEPERS), *next; follower; follower = next) {
        next = follower->next;
        if (is_wanted(follower)) {
            follower->next = first;
            if (!first) last = follower;
            first = follower;
        } else {
            heist__future_unref(follower->owner);
        }
    }
    if (first && !put(f, first, last)) {
        last->next = NULL;
        tell_all(first);
    }
}

bool heist__follower_add(heist__follower *follower)
{
    heist_future *source = follower->source;
    uint8_t added = heist__add_relaxed(&source->added, 1); /* relaxed: a hint when to look */
    if (added % WEED_EVERY == WEED_EVERY - 1) weed(source);
    return put(source, follower, follower);
}

void heist__future_sleep(heist_future *f, int64_t limit_ns)
{
    uintptr_t list = heist__load_acquire(&f->list); /* Y2 */
    while (!(list & HEIST__SLEEPERS)) {
        if (list == HEIST__CLOSED) return;
        if (heist__cas_acq_rel(&f->list, &list, list | HEIST__SLEEPERS)) break; /* Y2 */
    }
    heist__futex_wait(&f->wake, 0, limit_ns);
    (void)heist__load_acquire(&f->wake); /* Y3: if it is 1, the caller sees "done" in the state */
}
