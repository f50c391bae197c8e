/* Work from outside the pool: into the inbox of a NUMA node, and out of it. A plain function is carried as it is, and the
 * worker that takes it makes the record; the one that it runs at once needs none but a place on its stack. A worker takes a
 * batch: the queue, the room and the record then cost each task little, and the rest of the batch lies in the worker's own
 * deque, where others can steal it. Edges S1 to S3, in TERMINATION.md. */
#include "schedule/worker.h"

#include <errno.h>
#include <limits.h>

#include "idle/backoff.h"
#include "platform/clock.h"
#include "platform/futex.h"

/* How long a submitter spins for room, in pauses, each round twice as many: some microseconds. Workers make room for a batch
 * at a time, so that it is seldom long in coming; sleeping and waking cost more. */
#define ROOM_PAUSES 64

/* A submitter that sleeps is woken when half of the inbox is free: it can then fill that half before it sleeps again. Until then
 * it looks by itself this often, for the tasks may be long, or wait for what it is about to submit. */
#define ROOM_NAP_NS 1000000

/* A century; longer is for ever. */
#define LONGEST_PATIENCE_MS INT64_C(3155760000000)

/* ---- out of it ---- */

static heist__loose *unpack(const heist__parcel *parcel, heist__call *room, size_t size)
{
    if (!parcel->function) return parcel->content;
    heist__call_init(room, size, parcel->function, parcel->content, parcel->scope);
    return &room->loose;
}

/* How many to take: a fair share of what is there, so that the others need not steal it. */
static size_t batch_of(const heist_pool *pool, const heist__inbox *inbox)
{
    size_t share = (heist__inbox_size(inbox) + pool->count - 1) / pool->count;
    return share > pool->batch ? pool->batch : share > 0 ? share : 1;
}

static void tell_of_room(heist_pool *pool, const heist__inbox *inbox)
{
    heist__fence_seq_cst(); /* S1: the room made comes before the look for those who want it */
    if (heist__load_relaxed(&pool->wanting_room) == 0) return; /* relaxed: S1 orders it */
    if (heist__inbox_size(inbox) > pool->settings.inbox / 2) return;
    heist__add_seq_cst(&pool->room, 1); /* S1: who read it before its look does not fall asleep now */
    heist__futex_wake(&pool->room, INT_MAX);
}

/* Keeps all but the first in the worker's own deque, the oldest at the young end, where it is next. Returns the blocks that
 * were not needed. */
static heist__loose **keep_rest(heist__worker *w, const heist__parcel *parcels, size_t count, heist__loose **blocks)
{
    while (count-- > 1) {
        heist__loose *l = unpack(&parcels[count], (heist__call *)(void *)*blocks, HEIST__LOOSE_BLOCK);
        if (parcels[count].function) blocks++;
        if (heist_deque_push(w->loose, l) == 0) continue;
        heist__loose_run(w, l); /* no memory: better run than lost */
        heist__tell_waiters(w->pool);
    }
    return blocks;
}

/* Takes up to `most` out of one inbox. The blocks come first: what has been taken must have a place. */
static heist__loose *take_batch(heist__worker *w, heist__inbox *inbox, heist__call *room, size_t most)
{
    heist__loose *blocks[HEIST__BATCH], **unused = blocks, **end = blocks;
    heist__parcel parcels[HEIST__BATCH];
    while (end < blocks + most - 1 && (*end = heist__loose_alloc(w, sizeof(struct heist__plain)))) end++;
    size_t got = heist__inbox_take(inbox, parcels, (size_t)(end - blocks) + 1);
    if (got) {
        tell_of_room(w->pool, inbox);
        unused = keep_rest(w, parcels, got, blocks);
    }
    while (unused < end) heist__loose_free(w, *unused++);
    return got ? unpack(&parcels[0], room, 0) : NULL;
}

heist__loose *heist__inbox_find(heist__worker *w, heist__call *room, size_t most)
{
    heist_pool *pool = w->pool;
    for (unsigned i = 0; i < pool->inbox_count; i++) {
        heist__inbox *inbox = &pool->inboxes[(w->node + i) % pool->inbox_count];
        size_t batch = most == 1 ? 1 : batch_of(pool, inbox);
        heist__loose *l = take_batch(w, inbox, room, batch < most ? batch : most);
        if (l) return l;
    }
    return NULL;
}

/* ---- into it ---- */

/* True: it is in. */
static bool spin_for_room(heist__inbox *inbox, const heist__parcel *parcel)
{
    for (unsigned pauses = 1; pauses <= ROOM_PAUSES; pauses *= 2) {
        for (unsigned i = 0; i < pauses; i++) heist__pause();
        if (heist__inbox_put(inbox, parcel)) return true;
    }
    return false;
}

/* Waits until `parcel` is in the inbox, the time is over, or the pool is closed. */
static int put_when_room(heist_pool *pool, heist__inbox *inbox, const heist__parcel *parcel, long patience_ms)
{
    if (spin_for_room(inbox, parcel)) return 0;
    int64_t began = heist__clock_ns(), napped = 0; /* the clock may stand still: naps count, too */
    int error = 0;
    heist__add_seq_cst(&pool->wanting_room, 1); /* S1 */
    heist__fence_seq_cst(); /* S1: before the looks at the slots, which only acquire. Pairs with that in tell_of_room. */
    for (;;) {
        uint32_t room = heist__load_seq_cst(&pool->room); /* S1: before the look. Pairs with the add in tell_of_room. */
        if (heist__load_relaxed(&pool->state) != HEIST__POOL_OPEN) { /* relaxed: S2 covers who sees it too late */
            error = -ESHUTDOWN;
            break;
        }
        if (heist__inbox_put(inbox, parcel)) break;
        int64_t passed = heist__clock_ns() - began, nap = ROOM_NAP_NS;
        if (passed < napped) passed = napped;
        if (patience_ms >= 0 && patience_ms <= LONGEST_PATIENCE_MS && (int64_t)patience_ms * 1000000 - passed < nap)
            nap = (int64_t)patience_ms * 1000000 - passed;
        if (nap <= 0) {
            error = -ETIMEDOUT;
            break;
        }
        if (heist__futex_wait(&pool->room, room, nap)) napped += nap;
    }
    heist__add_seq_cst(&pool->wanting_room, (uint32_t)-1); /* S1: seen late it costs a wake in vain */
    return error;
}

/* A node of its own for each submitting thread, so that they do not all meet at one inbox. */
static heist__inbox *inbox_for_caller(heist_pool *pool)
{
    static HEIST__ATOMIC(unsigned) threads;
    static _Thread_local unsigned mine;
    if (mine == 0) mine = heist__add_relaxed(&threads, 1) + 1; /* relaxed: only to differ */
    return &pool->inboxes[mine % pool->inbox_count];
}

int heist__submit(heist_pool *pool, const heist__parcel *parcel, heist__scope_core *core, long patience_ms)
{
    heist__inbox *inbox = inbox_for_caller(pool);
    heist__add_acq_rel(&pool->outsiders, 1); /* S3: the pool is not freed until the matching subtraction */
    heist__count_created(pool, NULL, core);
    heist__fence_seq_cst(); /* S2: counted before the look. Pairs with the fence in heist_pool_close. */
    int error = heist__load_relaxed(&pool->state) == HEIST__POOL_OPEN ? 0 : -ESHUTDOWN; /* relaxed: S2 orders it */
    if (!error && !heist__inbox_put(inbox, parcel))
        error = patience_ms == 0 ? -EAGAIN : put_when_room(pool, inbox, parcel, patience_ms);
    if (error) {
        heist__count_finished(pool, NULL, core);
        heist__tell_waiters(pool);
        if (error == -ESHUTDOWN)
            heist__fail(error, "the pool takes nothing more");
        else
            heist__fail(error, "the inbox (%zu tasks) is full", pool->settings.inbox);
    } else {
        heist__idle_wake_one(&pool->idle);
    }
    heist__add_acq_rel(&pool->outsiders, (uint32_t)-1); /* S3: last touch of *pool */
    return error;
}
