/* The detached side of a scope: made by the first detach, freed by the end of the scope.
 *
 * Several threads may detach the first task at once. Each makes a detached side of its own, one CAS decides which of
 * them the scope gets, and the others free theirs: no thread waits for another. Edge:
 *
 *   U1  the counters are zero, then the CAS publishes them      -> every thread that reads scope->core
 *
 * A thread that waits for the scope and reads NULL has nothing to wait for: a task detached before the wait began, and
 * a task detached by a child that the wait has joined, happen before the read, so the read returns the pointer that
 * the detach used. A detach that runs at the same time as the wait may be waited for or not, as ever. */
#include "schedule/scope_core.h"

#include <stdlib.h>

#include "schedule/pool.h"

static heist__scope_core *new_core(unsigned workers)
{
    heist__scope_core *core = malloc(sizeof *core);
    if (core && heist__detector_init(&core->detector, workers) < 0) {
        free(core);
        return NULL;
    }
    if (core) heist__store_relaxed(&core->dropped, 0); /* relaxed: U1 publishes it */
    return core;
}

static void free_core(heist__scope_core *core)
{
    heist__detector_destroy(&core->detector);
    free(core);
}

heist__scope_core *heist__scope_core_make(heist_scope *scope)
{
    heist__scope_core *there = heist__scope_core_of(scope); /* U1 */
    if (there) return there;
    heist__scope_core *core = new_core(scope->pool->count);
    if (!core) return heist__scope_core_of(scope); /* U1: another thread may have had the memory */
    /* U1: pairs with the load in heist__scope_core_of, and with this CAS where it fails. */
    if (heist__cas_acq_rel(&scope->core, &there, core)) return core;
    free_core(core);
    return there;
}

void heist__scope_core_free(heist_scope *scope)
{
    heist__scope_core *core = heist__scope_core_of(scope); /* U1 */
    if (core) free_core(core);
    heist__store_relaxed(&scope->core, NULL); /* relaxed: the scope has ended, and no other thread may use it */
}
