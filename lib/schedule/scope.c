/* Scopes: their beginning, their end, and the choice of how to wait. Neither allocates: the detached side is made by
 * the first detach (scope_core.c), and a scope without one has nothing to wait for but its children. */
#include <errno.h>

#include "schedule/error.h"
#include "schedule/nesting.h"
#include "schedule/pool.h"
#include "schedule/run.h"
#include "schedule/scope_core.h"
#include "schedule/scope_wait.h"
#include "schedule/seat.h"
#include "schedule/worker.h"

int heist_scope_begin(heist_scope *scope, heist_pool *pool)
{
    if (!scope) return heist__fail(-EINVAL, "heist_scope_begin: no scope");
    heist__worker *w = heist__self();
    if (w && (!pool || pool == w->pool)) {
        pool = w->pool;
    } else {
        w = NULL;
        pool = heist__pool_resolve(pool);
    }
    scope->pool = pool;
    heist__store_relaxed(&scope->core, NULL); /* relaxed: the user gives the scope to other threads later than this */
    scope->worker = w ? &w->tasks.face : NULL;
    scope->count = 0;
    scope->chunks = NULL;
    scope->run = heist__run_plain;
    return pool ? 0 : -errno;
}

/* Of a scope that is quiet. */
static int outcome(heist__scope_core *core)
{
    if (!heist__load_relaxed(&core->dropped)) return 0; /* relaxed: T1 has ordered it */
    return heist__fail(-ECANCELED, "the pool was shut down before all tasks of the scope had begun");
}

/* Whether a task of the scope was dropped and none is left. Then the pool is ending, or has ended, and must not be
 * touched; nothing can come after quiet. */
static bool ended_with_pool(heist__scope_core *core)
{
    return heist__load_relaxed(&core->dropped) && heist__detector_quiet(&core->detector); /* relaxed: a hint */
}

/* A thread that has a seat of the pool waits in that seat, also while it is in a seat of another pool: the tasks of the
 * scope may lie in that seat's deque, and no other thread need come for them. */
static void wait_for_detached(heist_pool *pool, heist__scope_core *core)
{
    heist__worker *w = heist__seat_in(pool), *now = heist__self();
    if (w) {
        heist__set_self(w);
        heist__scope_wait_as_worker(w, core);
        heist__set_self(now);
    } else {
        heist__outsider_enter(&pool->outsiders); /* S3 */
        heist__wait_outside(pool, &core->detector);
        heist__outsider_leave(&pool->outsiders); /* S3: last touch of *pool */
    }
}

int(heist_scope_wait)(heist_scope *scope)
{
    if (!scope || !scope->pool) return heist__fail(-EINVAL, "heist_scope_wait: no scope, or one that has ended");
    heist__scope_core *core = heist__scope_core_of(scope); /* U1 */
    if (core) {
        if (ended_with_pool(core)) return outcome(core);
        if (!heist__pool_resolve(scope->pool)) return -errno;
        if (heist__runs_within(heist__self(), scope->pool, core))
            return heist__fail(-EDEADLK, "a task of a scope cannot wait for that scope");
    }
    (heist_join)(scope);
    core = heist__scope_core_of(scope); /* U1: a child may have detached the first task */
    if (!core) return 0;
    wait_for_detached(scope->pool, core);
    return outcome(core);
}

int(heist_scope_end)(heist_scope *scope)
{
    if (!scope || !scope->pool) return 0;
    int error = (heist_scope_wait)(scope);
    if (error && error != -ECANCELED) return error;
    heist__scope_core_free(scope);
    scope->pool = NULL; /* says that it has ended */
    return error;
}
