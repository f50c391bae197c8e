/* A fixed share for each worker first, cell by cell; who has finished takes cells from the back of others' shares, the
 * nearest first, and makes them its own share, where they can be taken again.
 *
 * Why every cell is run: a cell is in a share, or in the hands of a member that runs it before it ends. A member ends when it
 * saw every share empty after its own. Only a worker fills its own share, as a member, and does not end before it has
 * emptied it again; a share without a member was never filled again after the last member saw it empty. */
#include "loop/crew.h"
#include "loop/loop.h"

static bool rob(heist__loop *l, heist__worker *w, heist__share *mine)
{
    for (unsigned i = 0; i < w->victims.count; i++) {
        unsigned victim = w->victims.worker[i];
        uint64_t first, last;
        if (victim >= l->workers || !heist__share_back(&l->shares[victim], l->plan.take, &first, &last)) continue;
        heist__share_set(mine, first, last);
        return true;
    }
    return false;
}

static void run_share(heist__worker *w, void *loop)
{
    heist__loop *l = loop;
    heist__share *mine = &l->shares[w->index];
    if (heist__load_relaxed(&l->drained)) return; /* relaxed: late, it costs a look */
    do {
        uint64_t cell;
        while (heist__share_front(mine, &cell)) {
            if (!heist__loop_cells(l, w, cell, cell + 1)) return;
        }
    } while (rob(l, w, mine));
    heist__store_relaxed(&l->drained, 1); /* relaxed: all cells are with members, who are joined */
}

void heist__loop_hybrid(heist__loop *l, heist__worker *w)
{
    heist__crew_run(w, (unsigned)(l->plan.cells < l->workers ? l->plan.cells : l->workers), run_share, l);
}
