/* topology/place.h: which worker belongs to which PU, and the two requests to the system that follow.
 *
 * Placing is a pure function of the machine and a word from the options. Every worker has a PU, also when nothing is
 * bound: the order of its victims is taken from there. Binding and memory are requests; a refusal is the caller's
 * note. */
#ifndef HEIST_TOPOLOGY_PLACE_H
#define HEIST_TOPOLOGY_PLACE_H

#include "topology/machine.h"

typedef enum {
    HEIST__BIND_NONE,    /* "none": the system moves workers as it likes; placed as with core */
    HEIST__BIND_CORE,    /* "core": one worker a core, near ones together, then the cores' siblings */
    HEIST__BIND_COMPACT, /* "compact": PU after PU, siblings of a core together */
    HEIST__BIND_SPREAD,  /* "spread": each next worker as far from those before as can be, siblings last */
    HEIST__BIND_NODE     /* "numa": placed as with spread, bound to all PUs of the node */
} heist__bind;

/* Returns 0, or -EINVAL for a word that is none of the above; then *how is as it was. */
int heist__bind_parse(const char *word, heist__bind *how);

/* The word for `how`, or NULL for none of the above. */
const char *heist__bind_word(heist__bind how);

/* Writes the PU of each worker, an index into m->pus, to pu_of[0 .. workers - 1]. More workers than PUs: round
 * again. */
void heist__place(const heist__machine *m, heist__bind how, unsigned workers, unsigned *pu_of);

/* Binds the calling thread to the PU, or to all PUs of its node. BIND_NONE: nothing is asked.
 * Returns 0; -ENOTSUP on a machine that is not here, -EINVAL for a PU that it has not, -ENOMEM, or what the system
 * said. */
int heist__bind_thread(const heist__machine *m, heist__bind how, unsigned pu);

/* Asks that pages which lie wholly in [p, p + n) come from the PU's node, or from elsewhere when that is full; those that
 * were touched before move there if they can. Nothing is asked where there is no choice: one node, or a PU without memory of its own.
 * Returns 0, -ENOTSUP on a machine that is not here, -EINVAL for a PU that it has not, or what the system said. */
int heist__prefer_node(void *p, size_t n, const heist__machine *m, unsigned pu);

#endif
