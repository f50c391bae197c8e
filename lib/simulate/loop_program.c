/* loop_program.c: loops under the runtime's schedules. The plan (loop/plan.c) and the shares (loop/cell_range.c) are
 * the runtime's own; a member of a loop asks them for its next batch. Members are spread as in loop/fanout.c, spans are
 * split as in loop/steal.c. Not modelled: the measurements by which batches adapt. A batch that is not given takes ten
 * microseconds at the mean cost, as loop/steal.c aims at. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "loop/cell_range.h"
#include "loop/plan.h"
#include "loop/range.h"
#include "simulate/generators.h"

enum { CONSTANT, RANDOM, TRIANGULAR, HEAVY };
enum { STATIC, STEAL, SHARED, HYBRID };

/* word 2 of a task. */
enum { FANOUT, SPAN, LEFT_OF_SPAN };

#define BATCH_NS 10000

typedef struct {
    uint64_t n;
    double grain; /* nanoseconds, the mean */
    int shape, schedule;
    uint64_t given, batch;
    int64_t *sum; /* sum[i]: the cost of the iterations before i, for shapes that are drawn */
    /* of the running simulation */
    unsigned workers;
    heist__plan plan;
    heist__cell_range *shares;
    uint64_t next;
} loop;

/* The cost of the iterations before i. */
static int64_t cost_before(const loop *l, uint64_t i)
{
    if (l->sum) return l->sum[i];
    const double x = (double)i, n = (double)l->n;
    const double ns = l->shape == TRIANGULAR ? l->grain * x * (x + 1) / (n + 1) : l->grain * x;
    return (int64_t)(ns * 1e3 + 0.5);
}

static int64_t cost_of_cells(const loop *l, uint64_t first, uint64_t last)
{
    return cost_before(l, heist__plan_cell(&l->plan, last)) - cost_before(l, heist__plan_cell(&l->plan, first));
}

/* Uniform from 0 to twice the mean, or Pareto with the exponent 1.5, whose variance is infinite. */
static int draw(loop *l, uint64_t seed)
{
    l->sum = malloc((l->n + 1) * sizeof *l->sum);
    if (!l->sum) return -ENOMEM;
    int64_t sum = 0;
    for (uint64_t i = 0; i < l->n; i++) {
        const double u = heist__sim_drawn(seed + i);
        double ns = l->shape == RANDOM ? 2 * l->grain * u : l->grain / 3 / pow(1 - u, 1 / 1.5);
        if (ns > l->grain * 1e6) ns = l->grain * 1e6;
        l->sum[i] = sum;
        sum += (int64_t)(ns * 1e3 + 0.5);
    }
    l->sum[l->n] = sum;
    return 0;
}

/* The next batch of a member: cells [*first, *last). */
static bool next_shared(loop *l, uint64_t *first, uint64_t *last)
{
    const uint64_t take = l->plan.take ? l->plan.take : 1, cells = l->plan.cells;
    *first = l->next;
    if (*first >= cells) return false;
    l->next += take;
    *last = l->next < cells ? l->next : cells;
    return true;
}

static uint64_t share_begin(const loop *l, unsigned worker)
{
    return l->plan.cells * worker / l->workers;
}

static bool next_static(loop *l, heist__sim_task *t, unsigned worker, uint64_t *first, uint64_t *last)
{
    while (t->word[0] < l->workers) {
        const unsigned at = (unsigned)((worker + t->word[0]++) % l->workers);
        if (heist__cell_range_all(&l->shares[at], first, last)) return true;
    }
    return false;
}

/* As in loop/hybrid.c: half of another's cells, or all if it has not begun. */
static bool fill_share(loop *l, const heist__sim_place *place)
{
    uint64_t first, last;
    for (unsigned i = 0; i < place->victims->count; i++) {
        const unsigned victim = place->victims->worker[i];
        heist__cell_range *share = &l->shares[victim];
        if (heist__cell_range_empty(share)) continue;
        bool got = l->plan.take == 0 && heist__cell_range_unbegun(share, share_begin(l, victim))
                       ? heist__cell_range_all(share, &first, &last)
                       : heist__cell_range_back(share, l->plan.take, &first, &last);
        if (!got) continue;
        heist__cell_range_set(&l->shares[place->worker], first, last);
        return true;
    }
    return false;
}

static bool next_hybrid(loop *l, const heist__sim_place *place, uint64_t *first, uint64_t *last)
{
    heist__cell_range *mine = &l->shares[place->worker];
    do {
        if (heist__cell_range_front(mine, l->plan.least, l->plan.most, first, last)) return true;
    } while (fill_share(l, place));
    return false;
}

static heist__sim_kind member_step(loop *l, heist__sim_task *t, uint32_t step, const heist__sim_place *place,
                                   heist__sim_step *out)
{
    uint64_t first, last;
    if (step == 0) t->word[0] = 0;
    bool got = l->schedule == SHARED   ? next_shared(l, &first, &last)
               : l->schedule == STATIC ? next_static(l, t, place->worker, &first, &last)
                                       : next_hybrid(l, place, &first, &last);
    if (!got) return HEIST__SIM_END;
    out->ps = cost_of_cells(l, first, last);
    return HEIST__SIM_WORK;
}

static heist__sim_kind work_on(loop *l, heist__sim_task *t, heist__sim_step *out)
{
    const uint64_t from = t->word[0], to = t->word[1] - from < l->batch ? t->word[1] : from + l->batch;
    out->ps = cost_before(l, to) - cost_before(l, from);
    t->word[0] = to;
    return HEIST__SIM_WORK;
}

/* word 0: the first iteration that has not run, word 1: the end. */
static heist__sim_kind span_step(loop *l, heist__sim_task *t, const heist__sim_place *place, heist__sim_step *out)
{
    if (t->word[0] >= t->word[1]) return HEIST__SIM_END; /* which runs the right half, if no thief has it */
    if (t->word[2] == LEFT_OF_SPAN) {
        if (!place->taken) return work_on(l, t, out);
        out->child = (heist__sim_task){{t->word[0], t->word[1], SPAN}}; /* the next thief should find something, too */
        t->word[0] = t->word[1];
        return HEIST__SIM_CALL;
    }
    const uint64_t batches = heist__ceil_div(t->word[1] - t->word[0], l->batch), right = batches / 2;
    if (right == 0 || place->workers == 1) return work_on(l, t, out);
    const uint64_t half = t->word[0] + (batches - right) * l->batch;
    out->child = (heist__sim_task){{half, t->word[1], SPAN}};
    t->word[1] = half;
    t->word[2] = LEFT_OF_SPAN;
    return HEIST__SIM_SPAWN;
}

static heist__sim_kind loop_step(void *state, heist__sim_task *t, uint32_t step, const heist__sim_place *place,
                                 heist__sim_step *out)
{
    loop *l = state;
    if (t->word[2] != FANOUT) return span_step(l, t, place, out);
    if (l->schedule == STEAL) { /* the root */
        *t = (heist__sim_task){{0, l->n, SPAN}};
        return span_step(l, t, place, out);
    }
    if (step == 0 && t->word[0] == 0) t->word[0] = l->plan.cells < l->workers ? l->plan.cells : l->workers;
    if (t->word[1] || t->word[0] == 1) {
        t->word[1] = 1; /* a member from now on */
        return member_step(l, t, step, place, out);
    }
    const uint64_t members = t->word[0];
    if (step >= 2) return HEIST__SIM_END;
    out->child = (heist__sim_task){{step == 0 ? members / 2 : members - members / 2, 0, FANOUT}};
    return step == 0 ? HEIST__SIM_SPAWN : HEIST__SIM_CALL;
}

static int loop_begin(void *state, unsigned workers)
{
    static const heist_schedule schedules[] = {HEIST_SCHEDULE_STATIC, HEIST_SCHEDULE_STEAL, HEIST_SCHEDULE_SHARED,
                                               HEIST_SCHEDULE_HYBRID};
    loop *l = state;
    l->workers = workers;
    l->next = 0;
    const heist__wish wish = {
        .schedule = schedules[l->schedule], .units = l->n, .workers = workers, .at_once = workers, .batch = l->given};
    heist__plan_make(&l->plan, &wish);
    const double usual = l->grain > 0 ? BATCH_NS / l->grain : (double)l->n;
    const uint64_t most = l->n / ((uint64_t)workers * HEIST__LARGEST_PART);
    l->batch = l->given ? l->given : usual < (double)most ? (uint64_t)usual : most;
    if (l->batch == 0) l->batch = 1;
    free(l->shares);
    l->shares = aligned_alloc(_Alignof(heist__cell_range), workers * sizeof *l->shares);
    if (!l->shares) return -ENOMEM;
    for (unsigned w = 0; w < workers; w++)
        heist__cell_range_set(&l->shares[w], share_begin(l, w), share_begin(l, w + 1));
    return 0;
}

static void loop_free(void *state)
{
    loop *l = state;
    free(l->sum);
    free(l->shares);
    free(l);
}

int heist__sim_make_loop(heist__sim_program *p, const double *v)
{
    loop *l = calloc(1, sizeof *l);
    if (!l) return -ENOMEM;
    l->n = (uint64_t)v[0];
    l->grain = v[1];
    l->shape = (int)v[2];
    l->schedule = (int)v[3];
    l->given = (uint64_t)v[4];
    p->state = l;
    p->free = loop_free;
    p->step = loop_step;
    p->begin = loop_begin;
    return l->shape == RANDOM || l->shape == HEAVY ? draw(l, (uint64_t)v[5] << 32) : 0;
}
