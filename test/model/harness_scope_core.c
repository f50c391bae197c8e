/* The detached side of a scope: several threads detach the first task into it at once, and another waits for the scope.
 *
 *   makers=  how many threads detach (2)
 *   joined   the first of them is a child that the waiter has joined before it looks: then the waiter must see its task
 *
 * All threads must get the same detached side, whole, with every task counted; what no thread got is freed once. */
#include "schedule/pool.h"
#include "schedule/scope_core.h"

const char model_harness_name[] = "scope_core";

enum { MOST = 3 };

static heist_pool *pool;
static heist_scope *scope;
static HEIST__ATOMIC(uint32_t) * child_done; /* stands for the join: J2 */
static struct {
    heist__scope_core *got[MOST];
    uint8_t detached;
} * seen;
static long makers;
static bool joined;

static void detach(void *number)
{
    long i = (long)(intptr_t)number;
    heist__scope_core *core = heist__scope_core_make(scope);
    seen->got[i] = core;
    model_check(core, "maker %ld has no detached side", i);
    if (!core) return;
    heist__detector_created_outside(&core->detector);
    seen->detached++;
    heist__detector_finished_outside(&core->detector);
    if (i == 0) heist__store_release(child_done, 1);
}

static void wait_for_scope(void *unused)
{
    (void)unused;
    if (joined && !heist__load_acquire(child_done)) return;
    heist__scope_core *core = heist__scope_core_of(scope);
    if (joined) model_check(core, "a task that a joined child has detached is not seen");
    if (!core) return;
    heist__detector_quiet(&core->detector);
    model_check(heist__load_relaxed(&core->dropped) == 0, "the detached side is not whole");
}

void model_setup(void)
{
    makers = model_number("makers", 2);
    joined = model_number("joined", 0);
    pool = model_alloc(sizeof *pool);
    pool->count = 1;
    scope = model_alloc(sizeof *scope);
    scope->pool = pool;
    heist__store_relaxed(&scope->core, NULL);
    child_done = model_alloc(sizeof *child_done);
    seen = model_alloc(sizeof *seen);
    model_name(&scope->core, 8, 8, false, "core");
    model_name(child_done, 4, 4, false, "child_done");
    for (long i = 0; i < makers; i++) model_thread(detach, (void *)(intptr_t)i);
    model_thread(wait_for_scope, NULL);
}

void model_always(void)
{
}

void model_end(unsigned blocked)
{
    model_check(!blocked, "threads %x wait for ever", blocked);
    heist__scope_core *core = heist__scope_core_of(scope);
    for (long i = 0; i < makers; i++) model_check(seen->got[i] == core, "maker %ld has another detached side", i);
    if (!core) return;
    uint64_t created = heist__load_relaxed(&core->detector.tallies[1].created);
    model_check(created == seen->detached, "%ld of %d tasks are counted", (long)created, seen->detached);
}
