/* The schedule static: the cells in as many equal shares as there are workers. A worker takes its own share first, so
 * that a loop of the same length finds its data where the last one left it. Then it takes whole shares that have not
 * been begun, so that no share waits for a worker that is busy elsewhere. */
#include "loop/fanout.h"
#include "loop/loop.h"

static void run_shares(heist__worker *w, void *loop)
{
    heist__loop *l = loop;
    if (heist__load_relaxed(&l->drained)) return; /* relaxed: seen late, it costs a look */
    for (unsigned i = 0; i < l->workers; i++) {
        uint64_t first, last;
        if (!heist__cell_range_all(&l->shares[(w->index + i) % l->workers], &first, &last)) continue;
        if (!heist__loop_cells(l, w, first, last)) return;
    }
    heist__store_relaxed(&l->drained, 1); /* relaxed: all shares have been begun, and their members are joined */
}

void heist__loop_static(heist__loop *l, heist__worker *w)
{
    heist__fanout_run(w, (unsigned)(l->plan.cells < l->workers ? l->plan.cells : l->workers), run_shares, l);
}
