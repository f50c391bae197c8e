/* topology/place.h: which worker belongs to which PU, and the two requests to the system that follow from that.
 *
 * Placing is a pure function of the machine and a word from the options. Every worker has a PU, also when no worker is
 * bound: the order of its victims depends on it. Binding and memory are requests. The caller reports a refusal as a
 * note. */
#ifndef HEIST_TOPOLOGY_PLACE_H
#define HEIST_TOPOLOGY_PLACE_H

#include "topology/machine.h"

typedef enum {
    HEIST__BIND_NONE,    /* "none": the system chooses the CPUs; placed as with core */
    HEIST__BIND_CORE,    /* "core": one worker a core, neighbouring cores in turn, then the cores' siblings */
    HEIST__BIND_COMPACT, /* "compact": PU after PU, siblings of a core together */
    HEIST__BIND_SPREAD,  /* "spread": each worker as far as possible from those before it, siblings last */
    HEIST__BIND_NODE     /* "numa": placed as with spread, bound to all PUs of the node */
} heist__bind;

/* The word for each of the above, then NULL. */
extern const char *const heist__bind_words[];

/* Writes the PU of each worker, an index into m->pus, to pu_of[0 .. workers - 1]. With more workers than PUs it begins
 * again with the first PU. */
void heist__place(const heist__machine *m, heist__bind how, unsigned workers, unsigned *pu_of);

/* Binds the calling thread to the PU, or to all PUs of its node. BIND_NONE: does nothing.
 * Returns 0; -ENOTSUP on a machine that is not this one, -EINVAL for a PU that it does not have, -ENOMEM, or the
 * system's error. */
int heist__bind_thread(const heist__machine *m, heist__bind how, unsigned pu);

/* Asks the system to take the pages that lie wholly in [p, p + n) from the PU's node, or from another node when that
 * one is full. Pages that were touched before move there if they can. Does nothing where there is no choice: on one
 * node, or for a PU without memory of its own. Returns 0, -ENOTSUP on a machine that is not this one, -EINVAL for a PU
 * that it does not have, or the system's error. */
int heist__prefer_node(void *p, size_t n, const heist__machine *m, unsigned pu);

#endif
