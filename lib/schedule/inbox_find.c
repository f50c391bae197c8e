/* Taking work out of the inboxes. A worker takes a batch: the queue, the room and the record then cost each task
 * little, and the rest of the batch lies in the worker's own deque, where thieves can take it. The task that the worker
 * runs at once needs no record but a place on its stack. */
#include <limits.h>

#include "platform/futex.h"
#include "schedule/job.h"
#include "schedule/pool.h"
#include "schedule/submit.h"

static heist__job *unpack(const heist__parcel *parcel, heist__call *room, size_t size)
{
    if (!parcel->function) return parcel->content;
    heist__call_init(room, size, parcel->function, parcel->content, parcel->scope);
    return &room->job;
}

/* The number of parcels to take: a fair share of those in the inbox, so that other workers need not steal them. */
static size_t batch_of(const heist_pool *pool, const heist__inbox *inbox)
{
    size_t share = (heist__inbox_size(inbox) + pool->count - 1) / pool->count;
    return share > pool->batch ? pool->batch : share > 0 ? share : 1;
}

static void tell_of_room(heist_pool *pool, const heist__inbox *inbox)
{
    heist__fence_seq_cst(); /* S1: the room made comes before the look for submitters that want it */
    if (heist__load_relaxed(&pool->wanting_room) == 0) return; /* relaxed: S1 orders it */
    if (heist__inbox_size(inbox) > pool->settings.inbox / 2) return;
    heist__add_seq_cst(&pool->room, 1); /* S1: a submitter that read it before its look does not fall asleep now */
    heist__futex_wake(&pool->room, INT_MAX);
}

/* Keeps all but the first parcel in the worker's own deque, the oldest at the young end, where it is next. Returns the
 * blocks that were not needed. */
static heist__job **keep_rest(heist__worker *w, const heist__parcel *parcels, size_t count, heist__job **blocks)
{
    while (count-- > 1) {
        heist__job *job = unpack(&parcels[count], (heist__call *)(void *)*blocks, HEIST__JOB_BLOCK);
        if (parcels[count].function) blocks++;
        if (heist_deque_push(w->jobs, job) == 0) continue;
        heist__job_run(w, job); /* no memory: a task that runs now is better than a lost one */
        heist__tell_waiters(w->pool);
    }
    return blocks;
}

/* Takes up to `most` parcels out of one inbox. The blocks are allocated first: a parcel that is taken must have a
 * place. */
static heist__job *take_batch(heist__worker *w, heist__inbox *inbox, heist__call *room, size_t most)
{
    heist__job *blocks[HEIST__BATCH], **unused = blocks, **end = blocks;
    heist__parcel parcels[HEIST__BATCH];
    while (end < blocks + most - 1 && (*end = heist__job_alloc(w, sizeof(struct heist__plain)))) end++;
    size_t got = heist__inbox_take(inbox, parcels, (size_t)(end - blocks) + 1);
    if (got) {
        tell_of_room(w->pool, inbox);
        unused = keep_rest(w, parcels, got, blocks);
    }
    while (unused < end) heist__job_free(w, *unused++);
    return got ? unpack(&parcels[0], room, 0) : NULL;
}

heist__job *heist__inbox_find(heist__worker *w, heist__call *room, size_t most)
{
    heist_pool *pool = w->pool;
    for (unsigned i = 0; i < pool->inbox_count; i++) {
        heist__inbox *inbox = &pool->inboxes[(w->node + i) % pool->inbox_count];
        size_t batch = most == 1 ? 1 : batch_of(pool, inbox);
        heist__job *job = take_batch(w, inbox, room, batch < most ? batch : most);
        if (job) return job;
    }
    return NULL;
}
