/* Children of a scope: plain functions as fork/join tasks. The first records lie in the scope, the others in chunks.
 *
 * heist/scope.h has both functions inline for scopes whose children all have their records in the scope; those trust
 * that the caller is the function that began the scope. The functions here look. */
#include <stdlib.h>

#include "schedule/pool.h"
#include "schedule/run.h"
#include "schedule/worker.h"

#define CHUNK 64

struct heist__plain_chunk {
    struct heist__plain_chunk *older;
    struct heist__plain items[CHUNK];
};

/* Whether the child with this number is the first of a chunk. */
static bool begins_chunk(size_t number)
{
    return number >= HEIST__PLAIN_INLINE && (number - HEIST__PLAIN_INLINE) % CHUNK == 0;
}

static bool make_room(heist_scope *scope)
{
    if (!begins_chunk(scope->count)) return true;
    struct heist__plain_chunk *chunk = malloc(sizeof *chunk);
    if (!chunk) return false;
    chunk->older = scope->chunks;
    scope->chunks = chunk;
    return true;
}

/* The record of the child with this number, which is the youngest. */
static struct heist__plain *record(heist_scope *scope, size_t number)
{
    if (number < HEIST__PLAIN_INLINE) return &scope->first[number];
    return &scope->chunks->items[(number - HEIST__PLAIN_INLINE) % CHUNK];
}

void(heist_spawn)(heist_scope *scope, heist_function *function, void *argument)
{
    heist__worker *w = heist__self();
    bool ours = w && scope->worker == &w->tasks.face;
    if (!ours || !make_room(scope)) {
        function(argument);
        return;
    }
    struct heist__plain *child = record(scope, scope->count);
    child->task.run = heist__run_plain;
    child->function = function;
    child->argument = argument;
    scope->count++;
    heist__push(scope->worker, heist__bottom_of(w), &child->task);
}

void(heist_join)(heist_scope *scope)
{
    heist__worker *w = heist__self();
    if (!w || scope->worker != &w->tasks.face) return; /* nothing can have been spawned from here */
    while (scope->count > 0) {
        size_t number = --scope->count;
        struct heist__plain *child = record(scope, number);
        heist_slot *bottom = heist__bottom_of(w);
        if (heist__pop(scope->worker, bottom, &child->task)) {
            child->function(child->argument);
            if (heist__bottom_of(w) != bottom - 1) heist__plain_left(scope->worker, bottom - 1, child->function);
        } else {
            heist__join_slow(scope->worker, bottom, &child->task);
        }
        if (begins_chunk(number)) {
            struct heist__plain_chunk *empty = scope->chunks;
            scope->chunks = empty->older;
            free(empty);
        }
    }
}
