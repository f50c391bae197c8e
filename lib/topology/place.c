/* place.c: the pure half of place.h: words, and which PU is whose. */
#include "topology/place.h"

#include <errno.h>
#include <string.h>

static const char *const words[] = {
    [HEIST__BIND_NONE] = "none",     [HEIST__BIND_CORE] = "core", [HEIST__BIND_COMPACT] = "compact",
    [HEIST__BIND_SPREAD] = "spread", [HEIST__BIND_NODE] = "numa",
};
enum { WORDS = sizeof words / sizeof *words };

int heist__bind_parse(const char *word, heist__bind *how)
{
    for (unsigned i = 0; word && i < WORDS; i++) {
        if (strcmp(word, words[i]) != 0) continue;
        *how = (heist__bind)i;
        return 0;
    }
    return -EINVAL;
}

const char *heist__bind_word(heist__bind how)
{
    return (unsigned)how < WORDS ? words[how] : NULL;
}

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
