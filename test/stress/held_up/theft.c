/* Work of which there is always something to be stolen. An owner leaves detached tasks, then spawns children that
 * have children, and all of them take their time. So an idle worker finds children and detached tasks, and a worker
 * that has to wait for a stolen child finds that child's children. Owners never end: all thieves come again and
 * again to a deque that a stopped thread would have locked. Why one thread that stands still must not keep the
 * others from stealing, whatever it has in its hands: its task is on one path of one owner's tree, three tasks long.
 * At most two workers wait for it: those that have the tasks above it. With three owners and six workers two owners
 * go on, and at least one thief waits for no other worker. */
#include <stdatomic.h>

#include "held_up.h"

/* The number of a worker, as the argument of a plain function. */
static const int numbers[MOST_WORKERS] = {0, 1, 2, 3, 4, 5};

/* Some microseconds, in which others can come and steal. No yielding: with six workers on two CPUs, and other
 * programs beside them, that would be milliseconds. */
static void take_a_while(void)
{
    for (volatile int i = 0; i < 1000; i++) {
    }
}

static void ran(int home, deed if_stolen)
{
    did(DID_TASK);
    if (heist_worker_number() != home) did(if_stolen);
}

HEIST_TASK(long, leaf, int, home)
{
    ran(home, DID_CHILD);
    take_a_while();
    return 1;
}

HEIST_TASK(long, branch, int, home)
{
    ran(home, DID_CHILD);
    int here = heist_worker_number();
    HEIST_SPAWN(a, leaf, here);
    HEIST_SPAWN(b, leaf, here);
    HEIST_SPAWN(c, leaf, here);
    HEIST_SPAWN(d, leaf, here);
    take_a_while();
    return HEIST_SYNC(d) + HEIST_SYNC(c) + HEIST_SYNC(b) + HEIST_SYNC(a);
}

HEIST_TASK(long, tree, int, here)
{
    HEIST_SPAWN(a, branch, here);
    HEIST_SPAWN(b, branch, here);
    HEIST_SPAWN(c, branch, here);
    HEIST_SPAWN(d, branch, here);
    take_a_while();
    return HEIST_SYNC(d) + HEIST_SYNC(c) + HEIST_SYNC(b) + HEIST_SYNC(a);
}

static void loose(void *home)
{
    ran(*(const int *)home, DID_LOOSE);
    take_a_while();
}

static void own_for_a_while(int here)
{
    heist_scope scope;
    if (heist_scope_begin(&scope, NULL) != 0) {
        demand(false, "no scope");
        return;
    }
    for (int i = 0; i < 4; i++) demand(heist_detach(&scope, loose, (void *)&numbers[here]) == 0, "not detached");
    demand(HEIST_RUN(NULL, tree, here) == 16, "a tree has lost a leaf, or found one");
    demand(heist_scope_end(&scope) == 0, "a scope did not end");
}

void theft_owner(void *unused)
{
    (void)unused;
    while (!work_enough()) {
        did(DID_TASK);
        own_for_a_while(heist_worker_number());
    }
}

static void submitted(void *ran_once)
{
    did(DID_TASK);
    did(DID_SUBMITTED);
    atomic_store((atomic_bool *)ran_once, true);
}

void theft_submit(heist_pool *pool)
{
    atomic_bool ran_once = false;
    heist_scope scope;
    demand(heist_scope_begin(&scope, pool) == 0, "no scope outside");
    demand(heist_scope_submit(&scope, submitted, &ran_once, HEIST_WAIT) == 0, "not submitted");
    demand(heist_scope_end(&scope) == 0, "not waited");
    demand(atomic_load(&ran_once), "waiting ended before the task");
}
