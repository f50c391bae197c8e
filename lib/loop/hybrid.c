/* The schedule hybrid. Each worker first runs a fixed share, some cells at a time. A worker that has finished its share
 * takes cells from the back of another's, the nearest worker's first, and puts them into its own share, where thieves
 * can take them again.
 *
 * Why every cell is run: a cell is in a share, or in the hands of a member that runs it before it ends. A member ends
 * after it has seen every share empty after its own. Only a worker, as a member, fills its own share, and it does not
 * end before it has emptied that share again; a share without a member was never filled again after the last member saw
 * it empty. */
#include "loop/fanout.h"
#include "loop/loop.h"
#include "platform/pause.h"

/* Takes half of the cells that are left in the victim's share, or the given number. But it takes all of a share that
 * has not been begun: its worker may not come at all. */
static bool take_from(heist__loop *l, unsigned victim, uint64_t *first, uint64_t *last)
{
    heist__cell_range *share = &l->shares[victim];
    if (l->plan.take == 0 && heist__cell_range_unbegun(share, heist__loop_share(l, victim)))
        return heist__cell_range_all(share, first, last);
    return heist__cell_range_back(share, l->plan.take, first, last);
}

/* Between the taking of cells and the filling of the taker's own share the cells are in no share. A worker that looks
 * just then must not think that all is over: it would leave the rest, maybe half of the loop, to others. So takings are
 * counted before and after. Relaxed: a wrong guess costs time, nothing else. */
static bool take_and_keep(heist__loop *l, unsigned victim, heist__cell_range *mine)
{
    uint64_t first, last;
    if (heist__cell_range_empty(&l->shares[victim])) return false;
    heist__add_relaxed(&l->takings, 1);
    bool got = take_from(l, victim, &first, &last);
    if (got) heist__cell_range_set(mine, first, last);
    heist__add_relaxed(&l->taken, 1);
    return got;
}

static bool steal_from_any(heist__loop *l, heist__worker *w, heist__cell_range *mine)
{
    for (unsigned i = 0; i < w->victims.count; i++) {
        unsigned victim = w->victims.worker[i];
        if (victim < l->workers && take_and_keep(l, victim, mine)) return true;
    }
    return false;
}

/* Looks before a worker gives up while takings go on. There is a bound, because a descheduled taker must not keep the
 * others from better things. */
#define MOST_LOOKS 100

/* Fills this worker's share from another's. False: there is nothing left to take; or, with *sure false, so it seems. */
static bool steal_cells(heist__loop *l, heist__worker *w, heist__cell_range *mine, bool *sure)
{
    *sure = false;
    for (unsigned looks = 0; looks < MOST_LOOKS && !*sure; looks++) {
        uint32_t taken = heist__load_relaxed(&l->taken);
        if (steal_from_any(l, w, mine)) return true;
        *sure = heist__load_relaxed(&l->takings) == taken; /* no taking was under way during the look */
        if (!*sure) heist__pause();
    }
    return false;
}

/* How a member's batches taper. */
typedef struct {
    uint64_t least; /* the fewest cells of a batch, as far as there are so many */
    bool timed;     /* the next batch is timed: a cell may be too short for a batch */
} tapering;

/* For a new share: its cells may cost more than those that were measured. */
static void taper_begin(const heist__plan *p, tapering *t)
{
    if (t->least > p->least) t->least = p->least;
    t->timed = true;
}

/* A batch of `cells` cells took `took` nanoseconds. Batches of at least HEIST__FINE_NS are wanted, but the next has at
 * most twice as many cells, since these may cost more. Once a single cell takes long enough, no more batches are
 * timed. */
static void taper_learn(const heist__plan *p, tapering *t, uint64_t cells, int64_t took)
{
    uint64_t wanted = heist__ceil_div(cells * HEIST__FINE_NS, took > 0 ? (uint64_t)took : 1);
    uint64_t most = cells * 2 < p->largest ? cells * 2 : p->largest;
    if (wanted >= t->least && cells < t->least) return; /* the share had no more cells: that tells little */
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
    heist__cell_range *mine = &l->shares[w->index];
    tapering t = {.least = l->plan.least};
    uint64_t first, last;
    bool drained;
    if (heist__load_relaxed(&l->drained)) return; /* relaxed: seen late, it costs a look */
    do {
        taper_begin(&l->plan, &t);
        while (heist__cell_range_front(mine, t.least, l->plan.most, &first, &last)) {
            bool goes_on = l->plan.most ? run_together(l, w, first, last, &t) : heist__loop_cells(l, w, first, last);
            if (!goes_on) return;
        }
    } while (steal_cells(l, w, mine, &drained));
    if (drained) heist__store_relaxed(&l->drained, 1); /* relaxed: all cells are with members, which are joined */
}

void heist__loop_hybrid(heist__loop *l, heist__worker *w)
{
    heist__fanout_run(w, (unsigned)(l->plan.cells < l->workers ? l->plan.cells : l->workers), run_share, l);
}
