/* victim.c: the order of a thief's victims, and the strategies that walk through it; see victim.h. */
#include "schedule/victim.h"

#include <errno.h>
#include <stdlib.h>

/* The thief and its pool: enough to tell in which ring a victim is. */
typedef struct {
    const heist__machine *m;
    const unsigned *pu_of;
    unsigned workers, thief;
    unsigned far[HEIST__FAR_RINGS - 1]; /* the greatest distance of each far ring but the last */
} ordering;

/* The n-th victim before sorting: the workers after the thief first, then round. So of equally near victims, different
 * thieves prefer different ones. */
static unsigned nth_other(const ordering *o, unsigned n)
{
    unsigned left = o->workers - 1 - o->thief;
    return n < left ? o->thief + 1 + n : n - left;
}

static unsigned far_distance(const ordering *o, unsigned worker)
{
    return heist__node_distance(o->m, o->m->pus[o->pu_of[o->thief]].node, o->m->pus[o->pu_of[worker]].node);
}

static heist__level level_of(const ordering *o, unsigned worker)
{
    return heist__distance(o->m, o->pu_of[o->thief], o->pu_of[worker]);
}

/* Finds the three smallest distances to far victims; further ones share the last ring. */
static void cut_far(ordering *o)
{
    for (unsigned ring = 0; ring < HEIST__FAR_RINGS - 1; ring++) {
        unsigned least = UINT16_MAX;
        for (unsigned i = 0; i < o->workers - 1; i++) {
            unsigned worker = nth_other(o, i);
            if (level_of(o, worker) != HEIST__FAR) continue;
            unsigned distance = far_distance(o, worker);
            if (distance < least && (!ring || distance > o->far[ring - 1])) least = distance;
        }
        o->far[ring] = least;
    }
}

static unsigned ring_of(const ordering *o, unsigned worker)
{
    unsigned ring = (unsigned)level_of(o, worker);
    if (ring != HEIST__FAR) return ring;
    unsigned distance = far_distance(o, worker);
    for (unsigned i = 0; i < HEIST__FAR_RINGS - 1 && distance > o->far[i]; i++) ring++;
    return ring;
}

/* Turns the number of victims in each possible ring into the ends of those rings that have any. */
static void close_rings(heist__victims *v, const unsigned size[HEIST__RINGS])
{
    unsigned end = 0;
    for (unsigned ring = 0; ring < HEIST__RINGS; ring++) {
        unsigned level = ring < HEIST__FAR ? ring : HEIST__FAR;
        end += size[ring];
        v->level_end[level] = end;
        if (!size[ring]) continue;
        v->ring_end[v->ring_count] = end;
        v->ring_level[v->ring_count++] = (uint8_t)level;
    }
}

int heist__victims_init(heist__victims *v, const heist__machine *m, const unsigned *pu_of, unsigned workers,
                        unsigned thief, void *(*alloc)(size_t size))
{
    *v = (heist__victims){0};
    if (workers > HEIST__WORKERS_MAX || thief >= workers) return -EINVAL;
    if (workers == 1) return 0;
    v->worker = (alloc ? alloc : malloc)((workers - 1) * sizeof *v->worker);
    if (!v->worker) return -ENOMEM;
    v->count = workers - 1;

    ordering o = {m, pu_of, workers, thief, {0}};
    cut_far(&o);
    unsigned size[HEIST__RINGS] = {0}, next[HEIST__RINGS] = {0};
    for (unsigned i = 0; i < v->count; i++) size[ring_of(&o, nth_other(&o, i))]++;
    for (unsigned ring = 1; ring < HEIST__RINGS; ring++) next[ring] = next[ring - 1] + size[ring - 1];
    for (unsigned i = 0; i < v->count; i++) {
        unsigned worker = nth_other(&o, i);
        v->worker[next[ring_of(&o, worker)]++] = (uint16_t)worker;
    }
    close_rings(v, size);
    return 0;
}

void heist__victims_free(heist__victims *v, void (*release)(void *))
{
    (release ? release : free)(v->worker);
    *v = (heist__victims){0};
}

const char *const heist__strategy_words[] = {
    [HEIST__STEAL_NEAR] = "near",
    [HEIST__STEAL_RANDOM] = "random",
    [HEIST__STEAL_MOST_LOADED] = "most-loaded",
    [HEIST__STEAL_LEAST_LOADED] = "least-loaded",
    [HEIST__STEAL_POWER_OF_TWO] = "power-of-two",
    [HEIST__STEAL_ADAPTIVE] = "adaptive",
    NULL,
};

void heist__strategy_init(heist__strategy_state *state, heist__strategy chosen)
{
    *state = (heist__strategy_state){.chosen = chosen, .now = chosen};
    if (chosen == HEIST__STEAL_ADAPTIVE) state->now = HEIST__STEAL_NEAR;
}

void heist__strategy_report(heist__strategy_state *state, bool success)
{
    if (state->chosen != HEIST__STEAL_ADAPTIVE) return;
    state->attempts++;
    state->successes += success;
    if (state->attempts < HEIST__ADAPTIVE_WINDOW) return;
    bool dry = state->successes * 100 < state->attempts * HEIST__ADAPTIVE_PERCENT;
    state->now = dry ? HEIST__STEAL_MOST_LOADED : HEIST__STEAL_POWER_OF_TWO;
    state->attempts = state->successes = 0;
}

void heist__search_begin(heist__search *s, const heist__victims *victims, const heist__strategy_state *state,
                         heist__random *random, heist__load *load, const void *context)
{
    *s = (heist__search){.victims = victims, .random = random, .load = load, .context = context, .how = state->now};
    if (!load && s->how != HEIST__STEAL_RANDOM) s->how = HEIST__STEAL_NEAR;
}

static size_t load_at(const heist__search *s, unsigned place)
{
    return s->load(s->context, s->victims->worker[place]);
}

static unsigned ring_at(const heist__victims *v, unsigned place)
{
    unsigned ring = 0;
    while (place >= v->ring_end[ring]) ring++;
    return ring;
}

/* Picks come in the order of the rings, so the number of picks gives the current ring. */
static unsigned near_place(heist__search *s)
{
    const heist__victims *v = s->victims;
    if (s->tried && s->tried == v->ring_end[s->ring]) s->ring++;
    unsigned begin = s->ring ? v->ring_end[s->ring - 1] : 0;
    unsigned size = v->ring_end[s->ring] - begin;
    if (s->tried == begin) s->start = heist__random_below(s->random, size);
    return begin + (s->start + s->tried - begin) % size;
}

static unsigned two_place(const heist__search *s)
{
    const heist__victims *v = s->victims;
    unsigned a = heist__random_below(s->random, v->count);
    if (v->count == 1) return a;
    unsigned b = heist__random_below(s->random, v->count - 1);
    if (b >= a) b++; /* a second victim, each as likely */
    size_t load_a = load_at(s, a), load_b = load_at(s, b);
    if (load_a == load_b) return ring_at(v, b) < ring_at(v, a) ? b : a;
    return load_b > load_a ? b : a;
}

/* Whether a victim with this load, at this place, comes after the pick before. Equal loads go by place, near first. */
static bool comes_after(const heist__search *s, bool most, size_t load, unsigned place)
{
    if (!s->tried) return true;
    if (load == s->last_load) return place > s->last_place;
    return most ? load < s->last_load : load > s->last_load;
}

/* The next victim in the order of the loads, among those that have any. The order is remembered by the last pick alone,
 * so loads that change during the search may bring a victim twice or never; the number of picks is bounded all the
 * same. */
static bool loaded_place(heist__search *s, bool most, unsigned *place)
{
    bool found = false;
    size_t best = 0;
    for (unsigned i = 0; i < s->victims->count; i++) {
        size_t load = load_at(s, i);
        if (!load || !comes_after(s, most, load, i)) continue;
        if (found && (most ? load <= best : load >= best)) continue;
        found = true;
        best = load;
        *place = i;
    }
    s->last_load = best;
    s->last_place = *place;
    if (!found) s->tried = s->victims->count; /* the search is over, also for the next call */
    return found;
}

bool heist__search_next(heist__search *s, unsigned *victim, unsigned *level)
{
    const heist__victims *v = s->victims;
    unsigned place = 0;
    if (s->tried >= v->count) return false;
    switch (s->how) {
    case HEIST__STEAL_RANDOM: place = heist__random_below(s->random, v->count); break;
    case HEIST__STEAL_POWER_OF_TWO: place = two_place(s); break;
    case HEIST__STEAL_MOST_LOADED:
    case HEIST__STEAL_LEAST_LOADED:
        if (!loaded_place(s, s->how == HEIST__STEAL_MOST_LOADED, &place)) return false;
        break;
    case HEIST__STEAL_NEAR:
    case HEIST__STEAL_ADAPTIVE: place = near_place(s); break;
    }
    s->tried++;
    *victim = v->worker[place];
    *level = v->ring_level[ring_at(v, place)];
    return true;
}
