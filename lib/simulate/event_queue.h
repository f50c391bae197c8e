/* simulate/event_queue.h: the next event of each worker, the earliest first. A tournament tree: each worker has one
 * leaf, and every inner node names the worker below it that comes first. Of two events at the same time the one of the
 * lower number comes first, so a simulation has one order. */
#ifndef HEIST_SIMULATE_EVENT_QUEUE_H
#define HEIST_SIMULATE_EVENT_QUEUE_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define HEIST__NEVER INT64_MAX

typedef struct heist__event_queue {
    int64_t *at;     /* the time of each worker's event, or HEIST__NEVER */
    uint16_t *first; /* first[1]: the winner; first[leaves + w] == w */
    unsigned leaves; /* a power of two */
} heist__event_queue;

/* For workers 0 .. count - 1, which have no events yet. Returns 0 or -ENOMEM; count is at most 65535. */
static inline int heist__events_init(heist__event_queue *q, unsigned count)
{
    unsigned leaves = 2;
    while (leaves < count) leaves *= 2;
    q->leaves = leaves;
    q->at = malloc(leaves * sizeof *q->at);
    q->first = malloc(2 * (size_t)leaves * sizeof *q->first);
    if (!q->at || !q->first) return -ENOMEM;
    for (unsigned i = 0; i < leaves; i++) {
        q->at[i] = HEIST__NEVER;
        q->first[leaves + i] = (uint16_t)i;
    }
    for (unsigned i = leaves - 1; i > 0; i--) q->first[i] = q->first[2 * i];
    q->first[0] = 0;
    return 0;
}

static inline void heist__events_free(heist__event_queue *q)
{
    free(q->at);
    free(q->first);
    q->at = NULL;
    q->first = NULL;
}

static inline void heist__events_set(heist__event_queue *q, unsigned worker, int64_t at)
{
    q->at[worker] = at;
    for (unsigned i = (q->leaves + worker) / 2; i > 0; i /= 2) {
        const uint16_t left = q->first[2 * i], right = q->first[2 * i + 1];
        const uint16_t winner = q->at[right] < q->at[left] ? right : left;
        if (q->first[i] == winner && winner != worker) break; /* nothing changes above */
        q->first[i] = winner;
    }
}

static inline unsigned heist__events_first(const heist__event_queue *q)
{
    return q->first[1];
}

#endif
