/* divisible.c: see divisible.h. */
#include "simulate/divisible.h"

#include <errno.h>
#include <stdlib.h>

#include "platform/random.h"
#include "simulate/event_queue.h"

typedef struct {
    enum { BUSY, REQUEST, ANSWER } phase; /* the next event: its work ends, its request arrives, the answer arrives */
    unsigned victim;
    int64_t got;     /* work in the answer */
    int64_t sending; /* until then its answer with work is under way */
} processor;

typedef struct {
    const heist__divisible *d;
    heist__event_queue events;
    processor *of;
    heist__random random;
    int64_t left; /* work that no processor has finished */
} model;

static int64_t latency(const model *m, unsigned a, unsigned b)
{
    if (m->d->clusters == 1) return m->d->latency;
    const unsigned half = m->d->processors / 2;
    return (a < half) == (b < half) ? 1 : m->d->latency;
}

static unsigned victim_of(model *m, unsigned n)
{
    const unsigned p = m->d->processors, half = p / 2;
    if (m->d->clusters == 1) {
        unsigned other = heist__random_below(&m->random, p - 1);
        return other < n ? other : other + 1;
    }
    const bool first = n < half;
    if ((double)(heist__random_next(&m->random) >> 32) < m->d->remote * 4294967296.0)
        return first ? half + heist__random_below(&m->random, p - half) : heist__random_below(&m->random, half);
    const unsigned from = first ? 0 : half, size = first ? half : p - half;
    unsigned other = from + heist__random_below(&m->random, size - 1);
    return other < n ? other : other + 1;
}

static void request(model *m, unsigned n, int64_t t)
{
    m->of[n].phase = REQUEST;
    m->of[n].victim = victim_of(m, n);
    heist__events_set(&m->events, n, t + latency(m, n, m->of[n].victim));
}

/* The request of `n` has arrived: half of the victim's work, rounded down, goes back with the answer. */
static void serve(model *m, unsigned n, int64_t t)
{
    processor *thief = &m->of[n], *victim = &m->of[thief->victim];
    const int64_t back = t + latency(m, n, thief->victim);
    thief->phase = ANSWER;
    thief->got = 0;
    if (victim->phase == BUSY && !(m->d->one_answer && victim->sending > t)) {
        const int64_t end = m->events.at[thief->victim];
        thief->got = (end - t) / 2;
        if (thief->got > 0) {
            victim->sending = back;
            heist__events_set(&m->events, thief->victim, end - thief->got);
        }
    }
    heist__events_set(&m->events, n, back);
}

int64_t heist__divisible_run(const heist__divisible *d)
{
    model m = {.d = d, .left = d->work};
    int64_t t = 0;
    m.of = calloc(d->processors, sizeof *m.of);
    if (!m.of || heist__events_init(&m.events, d->processors)) t = -ENOMEM;
    if (!t) {
        heist__random_seed(&m.random, d->seed, 0);
        heist__events_set(&m.events, 0, d->work);
        for (unsigned n = 1; n < d->processors; n++) request(&m, n, 0);
    }
    int64_t *began = t ? NULL : calloc(d->processors, sizeof *began);
    if (!began) t = -ENOMEM;
    while (t >= 0 && m.left > 0) {
        const unsigned n = heist__events_first(&m.events);
        t = m.events.at[n];
        switch (m.of[n].phase) {
        case BUSY:
            m.left -= t - began[n];
            request(&m, n, t);
            break;
        case REQUEST: serve(&m, n, t); break;
        case ANSWER:
            if (m.of[n].got == 0) {
                request(&m, n, t);
            } else {
                m.of[n].phase = BUSY;
                began[n] = t;
                heist__events_set(&m.events, n, t + m.of[n].got);
            }
            break;
        }
    }
    free(began);
    free(m.of);
    heist__events_free(&m.events);
    return t;
}
