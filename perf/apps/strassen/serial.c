/* strassen without tasks. */
#include "apps/strassen/strassen.h"

static struct strassen_job job;

static void multiply(const struct strassen_product *whole)
{
    struct strassen_split split;
    if (whole->n <= job.cutoff) {
        strassen_base(whole);
        return;
    }
    if (!strassen_split_begin(&split, whole)) return;
    for (unsigned i = 0; i < 7; i++) {
        struct strassen_product part;
        if (!strassen_product_begin(&part, &split, i)) continue;
        multiply(&part);
        strassen_product_end(&part);
    }
    for (unsigned band = 0; band < split.bands; band++) strassen_put_together(&split, band);
    strassen_split_end(&split);
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    *state = &job;
    return strassen_prepare(input, &job, error, room);
}

static void run(void *state)
{
    (void)state;
    struct strassen_product whole = strassen_whole(&job);
    multiply(&whole);
}

const struct perf_implementation perf_strassen_serial = {"strassen", "serial",       prepare,         strassen_reset,
                                                         run,        strassen_check, strassen_discard};
