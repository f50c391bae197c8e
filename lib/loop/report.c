/* The report of a loop, for callers that ask for one. */
#include <stdlib.h>
#include <string.h>

#include "loop/loop.h"

heist__loop_tally *heist__loop_tallies_new(unsigned workers)
{
    heist__loop_tally *tallies = aligned_alloc(HEIST__LINE, workers * sizeof *tallies);
    if (tallies) memset(tallies, 0, workers * sizeof *tallies);
    return tallies;
}

static void add(heist_loop_share *to, const heist_loop_share *share)
{
    to->iterations += share->iterations;
    to->batches += share->batches;
    to->busy_ns += share->busy_ns;
}

void heist__loop_report_write(heist_loop_report *report, const heist__loop_tally *tallies, unsigned workers,
                              int64_t began)
{
    report->workers = workers;
    report->elapsed_ns = (uint64_t)(heist__clock_ns() - began);
    report->all = (heist_loop_share){0};
    report->busiest_ns = 0;
    for (unsigned i = 0; i < workers; i++) {
        const heist_loop_share *share = &tallies[i].share;
        add(&report->all, share);
        if (share->busy_ns > report->busiest_ns) report->busiest_ns = share->busy_ns;
        if (report->shares && i < report->room) report->shares[i] = *share;
    }
    report->balance = report->all.busy_ns ? (double)report->busiest_ns * workers / (double)report->all.busy_ns : 1.0;
}
