/* The schedule shared: one queue of batches, which is a counter. Each worker takes the next few cells until there are
 * no more. */
#include "loop/fanout.h"
#include "loop/loop.h"

static void take_cells(heist__worker *w, void *loop)
{
    heist__loop *l = loop;
    const uint64_t cells = l->plan.cells, take = l->plan.take < cells ? l->plan.take : cells;
    while (!heist__loop_stopped(l)) {
        /* relaxed: each worker gets another number, and no other access depends on it. Each member goes at most one
         * step beyond the end, so the counter cannot wrap. */
        uint64_t first = heist__add_relaxed(&l->next, take);
        if (first >= cells) return;
        if (!heist__loop_cells(l, w, first, cells - first > take ? first + take : cells)) return;
    }
}

void heist__loop_shared(heist__loop *l, heist__worker *w)
{
    if (l->plan.take == 0) l->plan.take = 1;
    heist__store_relaxed(&l->next, 0); /* relaxed: no other worker sees it yet */
    heist__fanout_run(w, (unsigned)(l->plan.cells < l->workers ? l->plan.cells : l->workers), take_cells, l);
}
