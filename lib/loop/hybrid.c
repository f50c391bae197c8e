/* A fixed share for each worker first, some cells at a time; who has finished takes cells from the back of others' shares, the
 * nearest first, and makes them its own share, where they can be taken again.
 *
 * Why every cell is run: a cell is in a share, or in the hands of a member that runs it before it ends. A member ends when it
 * saw every share empty after its own. Only a worker fills its own share, as a member, and does not end before it has
 * emptied it again; a share without a member was never filled again after the last member saw it empty. */
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

static bool rob(heist__loop *l, heist__worker *w, heist__share *mine)
{
    for (unsigned i = 0; i < w->victims.count; i++) {
        unsigned victim = w->victims.worker[i];
        uint64_t first, last;
        if (victim >= l->workers || !take_from(l, victim, &first, &last)) continue;
        heist__share_set(mine, first, last);
        return true;
    }
    return false;
}

/* Tapering: the cells from `first` on to `last` are one batch. Where such batches have a least size, it was guessed from the first iterations
 * of the loop, which may have been the cheap ones: it is made smaller when one takes long. */
static bool run_together(heist__loop *l, heist__worker *w, uint64_t first, uint64_t last, uint64_t *least)
{
    const int64_t began = *least > 1 ? heist__clock_ns() : 0;
    if (!heist__loop_batch(l, w, heist__plan_cell(&l->plan, first), heist__plan_cell(&l->plan, last), NULL))
        return false;
    if (*least > 1) {
        int64_t took = heist__clock_ns() - began;
        if (took > HEIST__FINE_NS * 2) *least = heist__ceil_div((last - first) * HEIST__FINE_NS, (uint64_t)took);
    }
    return true;
}

static void run_share(heist__worker *w, void *loop)
{
    heist__loop *l = loop;
    heist__share *mine = &l->shares[w->index];
    uint64_t least = l->plan.least, first, last;
    if (heist__load_relaxed(&l->drained)) return; /* relaxed: late, it costs a look */
    do {
        while (heist__share_front(mine, l->plan.part, least, &first, &last)) {
            bool goes_on =
                l->plan.part ? run_together(l, w, first, last, &least) : heist__loop_cells(l, w, first, last);
            if (!goes_on) return;
        }
    } while (rob(l, w, mine));
    heist__store_relaxed(&l->drained, 1); /* relaxed: all cells are with members, who are joined */
}

void heist__loop_hybrid(heist__loop *l, heist__worker *w)
{
    heist__crew_run(w, (unsigned)(l->plan.cells < l->workers ? l->plan.cells : l->workers), run_share, l);
}
