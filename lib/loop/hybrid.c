/* A fixed share for each worker first, some cells at a time; who has finished takes cells from the back of others' shares, the
 * nearest first, and makes them its own share, where they can be taken again.
 *
 * Why every cell is run: a cell is in a share, or in the hands of a member that runs it before it ends. A member ends when it
 * saw every share empty after its own. Only a worker fills its own share, as a member, and does not end before it has
 * emptied it again; a share without a member was never filled again after the last member saw it empty. */
#include "idle/backoff.h"
#include "loop/crew.h"
#include "loop/loop.h"

/* Half of what is left there, or as many as was said. But all of a share that nobody has begun: its worker may not come at all. */
static bool take_from(heist__loop *l, unsigned victim, uint64_t *first, uint64_t *last)
{
    heist__share *share = &l->shares[victim];
    if (l->plan.take == 0 && heist__share_unbegun(share, heist__loop_share(l, victim)))
        return heist__share_all(share, first, last);
    return heist__share_back(share, l->plan.take, first, last);
}

/* Between a taking and the filling of the own share the cells are in none. Who looks just then must not think that all is over: it would leave
 * the rest, maybe half of the loop, to others. So takings are counted before and after. Relaxed: a wrong guess costs time, nothing else. */
static bool take_and_keep(heist__loop *l, unsigned victim, heist__share *mine)
{
    uint64_t first, last;
    if (heist__share_empty(&l->shares[victim])) return false;
    heist__add_relaxed(&l->takings, 1);
    bool got = take_from(l, victim, &first, &last);
    if (got) heist__share_set(mine, first, last);
    heist__add_relaxed(&l->taken, 1);
    return got;
}

static bool rob_once(heist__loop *l, heist__worker *w, heist__share *mine)
{
    for (unsigned i = 0; i < w->victims.count; i++) {
        unsigned victim = w->victims.worker[i];
        if (victim < l->workers && take_and_keep(l, victim, mine)) return true;
    }
    return false;
}

/* Not for ever: who stands still in the middle of a taking does not keep others from better things. */
#define MOST_LOOKS 100

/* False: there is nothing left to take; or, with *sure false, so it seems. */
static bool rob(heist__loop *l, heist__worker *w, heist__share *mine, bool *sure)
{
    *sure = false;
    for (unsigned looks = 0; looks < MOST_LOOKS && !*sure; looks++) {
        uint32_t taken = heist__load_relaxed(&l->taken);
        if (rob_once(l, w, mine)) return true;
        *sure = heist__load_relaxed(&l->takings) == taken; /* nothing moved while it looked */
        if (!*sure) heist__pause();
    }
    return false;
}

/* How a member's batches taper. */
typedef struct {
    uint64_t least; /* cells */
    bool timed;     /* a cell may be too short for a batch */
} tapering;

/* Others' cells may be dearer than those were from which it was learned. */
static void taper_begin(const heist__plan *p, tapering *t)
{
    if (t->least > p->least) t->least = p->least;
    t->timed = true;
}

/* `cells` were a batch that took so long. Batches of at least HEIST__FINE_NS are wanted; at most twice as many cells the next time, since what
 * comes may be dearer. Once a single cell is enough it is left at that. */
static void taper_learn(const heist__plan *p, tapering *t, uint64_t cells, int64_t took)
{
    uint64_t wanted = heist__ceil_div(cells * HEIST__FINE_NS, took > 0 ? (uint64_t)took : 1);
    uint64_t most = cells * 2 < p->largest ? cells * 2 : p->largest;
    if (wanted >= t->least && cells < t->least) return; /* there were no more: that tells little */
    t->least = wanted < most ? wanted : most;
    t->timed = t->least > 1;
}

static bool run_together(heist__loop *l, heist__worker *w, uint64_t first, uint64_t last, tapering *t)
{
    const int64_t began = t->timed ? heist__clock_ns() : 0;
    if (!heist__loop_batch(l, w, heist__plan_cell(&l->plan, first), heist__plan_cell(&l->plan, last), NULL))
        return false;
    if (t->timed) taper_learn(&l->plan, t, last - first, heist__clock_ns() - began);
    return true;
}

static void run_share(heist__worker *w, void *loop)
{
    heist__loop *l = loop;
    heist__share *mine = &l->shares[w->index];
    tapering t = {.least = l->plan.least};
    uint64_t first, last;
    bool drained;
    if (heist__load_relaxed(&l->drained)) return; /* relaxed: late, it costs a look */
    do {
        taper_begin(&l->plan, &t);
        while (heist__share_front(mine, t.least, l->plan.most, &first, &last)) {
            bool goes_on = l->plan.most ? run_together(l, w, first, last, &t) : heist__loop_cells(l, w, first, last);
            if (!goes_on) return;
        }
    } while (rob(l, w, mine, &drained));
    if (drained) heist__store_relaxed(&l->drained, 1); /* relaxed: all cells are with members, who are joined */
}

void heist__loop_hybrid(heist__loop *l, heist__worker *w)
{
    heist__crew_run(w, (unsigned)(l->plan.cells < l->workers ? l->plan.cells : l->workers), run_share, l);
}
