/* place.c: the pure half of place.h: the words of the options, and the PU of each worker. */
#include "topology/place.h"

const char *const heist__bind_words[] = {
    [HEIST__BIND_NONE] = "none",     [HEIST__BIND_CORE] = "core", [HEIST__BIND_COMPACT] = "compact",
    [HEIST__BIND_SPREAD] = "spread", [HEIST__BIND_NODE] = "numa", NULL,
};

static unsigned nth(const heist__machine *m, heist__bind how, unsigned n)
{
    switch (how) {
    case HEIST__BIND_COMPACT: return n;
    case HEIST__BIND_SPREAD:
    case HEIST__BIND_NODE: return m->spread_order[n];
    case HEIST__BIND_NONE:
    case HEIST__BIND_CORE: break;
    }
    return m->core_order[n];
}

void heist__place(const heist__machine *m, heist__bind how, unsigned workers, unsigned *pu_of)
{
    for (unsigned i = 0; i < workers; i++) pu_of[i] = nth(m, how, i % m->pu_count);
}
