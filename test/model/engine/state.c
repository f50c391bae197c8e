/* States: made comparable, copied, hashed. Two runs that came to the same state go on alike, so the second need not be
 * followed. What does not matter any more is therefore taken out: stores that no thread can read, and clocks, of which
 * only the order counts. */
#include <stdlib.h>
#include <string.h>

#include "world.h"

/* ---- what is the same ---- */

static void forget_unreadable(void)
{
    bool newest_only = limits.stale >= 0 && now.stale >= limits.stale;
    for (int l = 0; l < location_count; l++) {
        int n = now.count[l];
        if (n < 2) continue;
        int unread = n - 1;
        if (!newest_only) {
            for (int t = 0; t < thread_count; t++) {
                if (!now.threads[t].done && now.threads[t].cur.at[CLOCKS + l] < unread)
                    unread = now.threads[t].cur.at[CLOCKS + l];
            }
            if (unread < n - 1 - limits.window) unread = n - 1 - limits.window;
        }
        if (unread > 0) drop_oldest(l, unread);
    }
}

/* Plain accesses that have happened before all that is to come are no danger. */
static void forget_settled(void)
{
    uint8_t common[THREADS];
    for (int t = 0; t < thread_count; t++) {
        common[t] = 255;
        for (int u = 0; u < thread_count; u++) {
            const thread *h = &now.threads[u];
            if (u != t && !h->done && h->cur.at[t] < common[t]) common[t] = h->cur.at[t];
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < now.touched_count; i++) {
        shadow *s = &shadows[now.touched[i]];
        if (s->writer && s->written <= common[s->writer - 1]) s->writer = s->written = 0;
        bool any = s->writer;
        for (int t = 0; t < thread_count; t++) {
            if (s->accessed[t] <= common[t]) s->accessed[t] = 0;
            any |= s->accessed[t] != 0;
        }
        if (!any) continue;
        uint16_t word = now.touched[i];
        uint32_t at = kept++;
        for (; at > 0 && now.touched[at - 1] > word; at--) now.touched[at] = now.touched[at - 1];
        now.touched[at] = word;
    }
    now.touched_count = kept;
}

static uint8_t rank[THREADS][256];

static void rerank(view *v)
{
    for (int t = 0; t < thread_count; t++) v->at[t] = rank[t][v->at[t]];
}

/* Clocks are compared only with those of plain accesses: each becomes the number of such that it has seen. */
static void renumber_clocks(void)
{
    (memset)(rank, 0, sizeof rank);
    for (uint32_t i = 0; i < now.touched_count; i++) {
        const shadow *s = &shadows[now.touched[i]];
        if (s->writer) rank[s->writer - 1][s->written] = 1;
        for (int t = 0; t < thread_count; t++) {
            if (s->accessed[t]) rank[t][s->accessed[t]] = 1;
        }
    }
    for (int t = 0; t < thread_count; t++) {
        if (now.threads[t].late.clock) rank[t][now.threads[t].late.clock] = 1;
    }
    for (int t = 0; t < thread_count; t++) {
        thread *h = &now.threads[t];
        if (!rank[t][h->cur.at[t]]) h->clock_given = 1; /* nothing stands under it: so it is as good as given away */
        uint8_t n = 0;
        for (int c = 0; c < 256; c++) rank[t][c] = n = (uint8_t)(n + rank[t][c]);
    }
    for (uint32_t i = 0; i < now.touched_count; i++) {
        shadow *s = &shadows[now.touched[i]];
        if (s->writer) s->written = rank[s->writer - 1][s->written];
        for (int t = 0; t < thread_count; t++) s->accessed[t] = rank[t][s->accessed[t]];
    }
    for (int l = 0; l < location_count; l++) {
        for (int i = 0; i < now.count[l]; i++) rerank(&now.history[l][i].gives);
    }
    for (int t = 0; t < thread_count; t++) {
        thread *h = &now.threads[t];
        rerank(&h->cur);
        rerank(&h->acq);
        rerank(&h->rel);
        h->late.clock = rank[t][h->late.clock];
    }
}

void state_normalise(void)
{
    forget_unreadable();
    forget_settled();
    renumber_clocks();
    for (int t = 0; t < thread_count; t++) {
        thread *h = &now.threads[t];
        h->result = 0;
        h->ok = 0;
        if (h->done) {
            if (limits.late_sc) order_settled(t);
            (memset)(&h->acq, 0, sizeof h->acq);
            (memset)(&h->rel, 0, sizeof h->rel);
        }
    }
    if (now.running >= 0 &&
        (limits.preemptions < 0 || now.threads[now.running].yielded || !thread_enabled(now.running)))
        now.running = -1; /* going on with another costs nothing */
}

/* ---- copies ---- */

static char *at;

static void out(const void *p, size_t n)
{
    memcpy(at, p, n);
    at += n;
}

static void in(void *p, size_t n)
{
    memcpy(p, at, n);
    at += n;
}

/* The fields in one order for both ways. The number of preemptions comes first and is no part of the hash. */
static void pass_threads(void (*pass)(void *, size_t), size_t seen)
{
    for (int t = 0; t < thread_count; t++) {
        thread *h = &now.threads[t];
        pass(&h->done, 1);
        pass(&h->interrupted_by, 1);
        pass(h->cur.at, seen);
        if (h->done) continue; /* of the rest nothing counts: state_normalise has cleared it */
        pass(h->acq.at, seen);
        pass(h->rel.at, seen);
        if (limits.late_sc) pass(h->later.at, seen);
        pass(&h->next, sizeof h->next);
        pass(&h->yielded, 1);
        pass(&h->clock_given, 1);
        pass(&h->asleep, 1);
        pass(&h->must_end, 1);
        pass(&h->local, sizeof h->local);
        pass(&h->late, sizeof h->late);
        pass(&h->sp, sizeof h->sp);
        pass(h->sp, (size_t)(stacks[t] + STACK_BYTES - h->sp));
    }
}

static void out_of(void *p, size_t n)
{
    out(p, n);
}

static size_t size_needed(void)
{
    size_t n = 4096 + dirty_count * (size_t)LINE_BYTES + now.touched_count * (2 + sizeof(shadow)) +
               now.block_count * sizeof(block);
    for (int l = 0; l < location_count; l++) n += 1 + now.count[l] * (9 + CLOCKS + (size_t)location_count);
    for (int t = 0; t < thread_count; t++) n += (size_t)(stacks[t] + STACK_BYTES - now.threads[t].sp) + 1024;
    return n;
}

void state_save(snapshot *s)
{
    size_t needed = size_needed();
    if (s->room < needed) {
        s->room = needed + needed / 2;
        free(s->bytes);
        s->bytes = malloc(s->room);
        if (!s->bytes) abort();
    }
    at = s->bytes;
    uint16_t locations = (uint16_t)location_count;
    size_t seen = CLOCKS + (size_t)location_count;
    out(&now.preempted, sizeof now.preempted);
    out(&locations, sizeof locations);
    out(&now.stale, sizeof now.stale);
    out(&now.running, 1);
    out(now.count, locations);
    for (int l = 0; l < locations; l++) {
        for (int i = 0; i < now.count[l]; i++) {
            const message *m = &now.history[l][i];
            out(&m->value, 8);
            out(&m->rmw, 1);
            out(m->gives.at, seen);
        }
    }
    out(now.sc.at, seen);
    pass_threads(out_of, seen);
    out(&now.heap_end, sizeof now.heap_end);
    out(&dirty_count, sizeof dirty_count);
    for (uint32_t i = 0; i < dirty_count; i++) out(arena + dirty_lines[i] * (size_t)LINE_BYTES, LINE_BYTES);
    out(&now.block_count, sizeof now.block_count);
    out(now.blocks, now.block_count * sizeof(block));
    out(&now.touched_count, sizeof now.touched_count);
    out(now.touched, now.touched_count * sizeof now.touched[0]);
    for (uint32_t i = 0; i < now.touched_count; i++) out(&shadows[now.touched[i]], sizeof(shadow));
    s->size = (size_t)(at - s->bytes);
}

void state_restore(const snapshot *s)
{
    for (uint32_t i = 0; i < now.touched_count; i++) (memset)(&shadows[now.touched[i]], 0, sizeof(shadow));
    at = s->bytes;
    uint16_t locations;
    in(&now.preempted, sizeof now.preempted);
    in(&locations, sizeof locations);
    in(&now.stale, sizeof now.stale);
    in(&now.running, 1);
    size_t seen = CLOCKS + (size_t)locations, unseen = (size_t)(location_count - locations);
    (memset)(now.count, 0, sizeof now.count);
    in(now.count, locations);
    for (int l = 0; l < locations; l++) {
        for (int i = 0; i < now.count[l]; i++) {
            message *m = &now.history[l][i];
            in(&m->value, 8);
            in(&m->rmw, 1);
            in(m->gives.at, seen);
            (memset)(m->gives.at + seen, 0, unseen);
        }
    }
    in(now.sc.at, seen);
    (memset)(now.sc.at + seen, 0, unseen);
    pass_threads(in, seen);
    for (int t = 0; t < thread_count; t++) { /* what was not there yet has not been seen */
        thread *h = &now.threads[t];
        if (h->done) (memset)(&h->later, 0, sizeof h->later);
        (memset)(h->cur.at + seen, 0, unseen);
        (memset)(h->acq.at + seen, 0, unseen);
        (memset)(h->rel.at + seen, 0, unseen);
        (memset)(h->later.at + seen, 0, unseen);
    }
    uint32_t dirty;
    in(&now.heap_end, sizeof now.heap_end);
    in(&dirty, sizeof dirty);
    for (uint32_t i = 0; i < dirty_count; i++) {
        size_t line = dirty_lines[i] * (size_t)LINE_BYTES;
        if (i < dirty) {
            in(arena + line, LINE_BYTES);
        } else {
            memcpy(arena + line, arena_first + line, LINE_BYTES);
        }
    }
    in(&now.block_count, sizeof now.block_count);
    in(now.blocks, now.block_count * sizeof(block));
    in(&now.touched_count, sizeof now.touched_count);
    in(now.touched, now.touched_count * sizeof now.touched[0]);
    for (uint32_t i = 0; i < now.touched_count; i++) in(&shadows[now.touched[i]], sizeof(shadow));
}

static uint64_t mixed(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

/* Two states with the same hash are taken for one: with 2^64 values and some millions of states, a chance of some
 * 10^-6. */
uint64_t state_hash(const snapshot *s)
{
    uint64_t a = s->size, b = UINT64_C(0x9e3779b97f4a7c15), word;
    const char *p = s->bytes + sizeof now.preempted, *end = s->bytes + s->size;
    for (; end - p >= 8; p += 8) {
        memcpy(&word, p, 8);
        a = (a ^ word) * UINT64_C(0x9fb21c651e98df25);
        a ^= a >> 29;
        b = (b + word) * UINT64_C(0xff51afd7ed558ccd);
        b ^= b >> 31;
    }
    word = 0;
    memcpy(&word, p, (size_t)(end - p));
    a = mixed(a ^ word) ^ mixed(b + word + 1);
    return a ? a : 1;
}
