/* Objects of one home that other threads give back: the owner gives out objects, others use and return them, and the
 * owner gives them out again.
 *
 *   givers=  how many threads return objects (2)
 *   each=    how many each returns (1)
 *   takes=   how many objects the owner tries to take (2)
 *   alone    every thread gets on though all others stand still
 *
 * An object must not be given out before the thread that returned it has touched it for the last time, nor twice, and
 * none may be lost. The owner touches every object that it gets, as the task that acquires it would: the checker finds
 * a touch that nothing orders after the returning thread's. */
#include "memory/returned.h"

#include <string.h>

#include "model.h"

const char model_harness_name[] = "remote_free";

enum { MOST = 6 };

typedef struct {
    _Alignas(8) uint64_t contents;
    uintptr_t word;
} object;

static heist__returned *list;
static object *objects;
static struct {
    uint8_t had[MOST];
    void *rest;
} * seen;
static long givers, each, takes;

static void give_back(void *number)
{
    long first = (long)(intptr_t)number * each;
    model_must_end(model_number("alone", 0));
    for (long i = first; i < first + each; i++) {
        objects[i].contents++; /* the last use */
        heist__returned_push(list, &objects[i], offsetof(object, word));
    }
}

/* As look_at_returned in home.c. */
static object *take(void)
{
    if (!seen->rest) seen->rest = heist__returned_take_all(list);
    object *got = seen->rest;
    return got && heist__returned_next(got, offsetof(object, word), &seen->rest) ? got : NULL;
}

static void take_back(void *unused)
{
    (void)unused;
    model_must_end(model_number("alone", 0));
    for (long i = 0; i < takes; i++) {
        object *got = take();
        if (!got) continue;
        model_check(got >= objects && got < objects + givers * each, "no object of this home");
        model_check(!seen->had[got - objects], "object %ld was given out twice", (long)(got - objects));
        seen->had[got - objects] = 1;
        got->word = 1; /* in use again: a plain store */
        got->contents++;
    }
}

void model_setup(void)
{
    givers = model_number("givers", 2);
    each = model_number("each", 1);
    takes = model_number("takes", 2);
    list = model_alloc(sizeof *list);
    objects = model_payload(MOST * sizeof *objects);
    seen = model_alloc(sizeof *seen);
    for (long i = 0; i < givers * each; i++) objects[i].word = 1; /* in use */
    model_name(list, 8, 8, false, "returned");
    for (long i = 0; i < givers * each; i++) {
        model_name(&objects[i].word, 8, 8, false, "word%ld", i);
        model_name(&objects[i].contents, 8, 8, false, "contents%ld", i);
    }
    model_thread(take_back, NULL);
    for (long i = 0; i < givers; i++) model_thread(give_back, (void *)(intptr_t)i);
}

void model_always(void)
{
}

/* The objects of a chain that nobody has taken. */
static void count_chain(object *first)
{
    long left = givers * each;
    for (object *o = first; o && left > 0; left--) {
        model_check(!seen->had[o - objects], "object %ld is had, and in the list", (long)(o - objects));
        seen->had[o - objects] = 1;
        const HEIST__ATOMIC(uintptr_t) *link = (const HEIST__ATOMIC(uintptr_t) *)(const void *)&o->word;
        o = (object *)(uintptr_t)model_peek(link, sizeof *link);
    }
}

void model_end(unsigned blocked)
{
    model_check(!blocked, "threads %x wait for ever", blocked);
    count_chain(seen->rest);
    count_chain(MODEL_PEEK(list));
    for (long i = 0; i < givers * each; i++) model_check(seen->had[i], "object %ld was lost", i);
}
