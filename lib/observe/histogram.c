/* Histograms with buckets of powers of two: see histogram.h, and heist_histogram in heist/stats.h. */
#include "observe/histogram.h"

void heist__histogram_add(heist_histogram *sum, const heist_histogram *other)
{
    if (other->count == 0) return;
    if (sum->count == 0 || other->least < sum->least) sum->least = other->least;
    if (other->most > sum->most) sum->most = other->most;
    sum->count += other->count;
    sum->sum += other->sum;
    for (int b = 0; b < HEIST_BUCKETS; b++) sum->bucket[b] += other->bucket[b];
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t lower_bound(int bucket)
{
    return bucket == 0 ? 0 : UINT64_C(1) << bucket;
}

/* The least and the most are known only within the buckets, and within those of `after`. */
void heist__histogram_difference(const heist_histogram *after, const heist_histogram *before,
                                 heist_histogram *difference)
{
    heist_histogram d = {.sum = less(after->sum, before->sum)};
    for (int b = 0; b < HEIST_BUCKETS; b++) {
        d.bucket[b] = less(after->bucket[b], before->bucket[b]);
        if (d.bucket[b] == 0) continue;
        if (d.count == 0) d.least = lower_bound(b);
        d.most = b < HEIST_BUCKETS - 1 ? lower_bound(b + 1) - 1 : after->most;
        d.count += d.bucket[b];
    }
    if (d.count && d.least < after->least) d.least = after->least;
    if (d.most > after->most) d.most = after->most;
    *difference = d;
}

/* Within a bucket the times are taken as evenly spread. */
uint64_t heist_histogram_percentile(const heist_histogram *h, double percent)
{
    if (!h || h->count == 0) return 0;
    if (!(percent > 0)) return h->least;
    if (percent >= 100) return h->most;
    const double wanted = percent / 100 * (double)h->count;
    double below = 0;
    for (int b = 0; b < HEIST_BUCKETS; b++) {
        const double here = (double)h->bucket[b];
        if (here == 0 || below + here < wanted) {
            below += here;
            continue;
        }
        double from = (double)lower_bound(b), to = (double)lower_bound(b) * 2;
        if (b == 0) to = 2;
        if (b == HEIST_BUCKETS - 1) to = (double)h->most;
        if (from < (double)h->least) from = (double)h->least;
        if (to > (double)h->most) to = (double)h->most;
        return (uint64_t)(from + (to - from) * (wanted - below) / here);
    }
    return h->most;
}
