/* The dependence graph: see node.h.
 *
 * Members of a mutexinoutset do not wait for each other, but share a mutex. When all predecessors of a task are
 * complete, it takes its mutexes one after another, always in the same order, and is ready when it has them all. A
 * thread that passes a mutex on goes on for the next holder. */
#include "depend/node.h"

#include <stddef.h>
#include <stdlib.h>

heist__depend_arc heist__depend_closed;

heist__depend_node *heist__depend_node_new(heist__depend_caller by, void *task, size_t mutexes)
{
    heist__depend_node *node = by.host->take(by.thread, sizeof *node + mutexes * sizeof *node->mutex);
    if (!node) return NULL;
    node->task = task;
    node->waiter = NULL;
    node->taken = node->mutexes = node->arcs = 0;
    node->mutex = (heist__depend_mutex **)(node + 1);
    /* relaxed: no other thread knows the node yet */
    heist__store_relaxed(&node->references, 1);
    heist__store_relaxed(&node->waits, 1);
    heist__store_relaxed(&node->successors, NULL);
    return node;
}

void heist__depend_node_init_waiter(heist__depend_node *node, void *waiter)
{
    *node = (heist__depend_node){.waiter = waiter};
    heist__store_relaxed(&node->waits, 1); /* relaxed: no other thread knows the node yet */
}

void heist__depend_node_drop(heist__depend_caller by, heist__depend_node *node)
{
    /* E3: release for this thread's uses, acquire for those of the threads that dropped theirs before. */
    if (heist__add_acq_rel(&node->references, (uint32_t)-1) != 1) return;
    for (size_t i = 0; i < node->mutexes; i++) heist__depend_mutex_drop(node->mutex[i]);
    by.host->give(by.thread, node);
}

/* NULL: no memory. */
static heist__depend_arc *arc_new(heist__depend_node *to)
{
    heist__depend_arc *arc = to->arcs < HEIST__DEPEND_OWN_ARCS ? &to->own[to->arcs++] : malloc(sizeof *arc);
    if (arc) arc->to = to;
    return arc;
}

static bool is_own(const heist__depend_arc *arc)
{
    return (uintptr_t)arc - (uintptr_t)arc->to->own < sizeof arc->to->own;
}

static bool is_complete(const void *node)
{
    return heist__depend_node_is_complete(node);
}

void heist__depend_connect(heist__depend_caller by, heist__depend_node *from, heist__depend_node *to)
{
    if (from == to || heist__depend_node_is_complete(from)) return;
    heist__depend_arc *arc = arc_new(to);
    if (!arc) {
        by.host->wait(by.thread, is_complete, from); /* no memory: wait here instead */
        return;
    }
    heist__add_relaxed(&to->waits, 1); /* relaxed: the count includes its creator's one, so it is not 0 */
    arc->next = heist__load_acquire(&from->successors); /* E1: closed means that the predecessor is complete */
    do {
        if (arc->next == HEIST__DEPEND_CLOSED) {
            heist__add_relaxed(&to->waits, (uint32_t)-1); /* relaxed: as above */
            if (!is_own(arc)) free(arc);
            return;
        }
        /* E2: the arc, before it is followed. Pairs with E2 in heist__depend_release. */
    } while (!heist__cas_acq_rel(&from->successors, &arc->next, arc));
}

void heist__depend_need_mutex(heist__depend_node *node, heist__depend_mutex *mutex)
{
    size_t i = node->mutexes++;
    /* By rising address: the order in which every task takes them. */
    for (; i > 0 && (uintptr_t)node->mutex[i - 1] > (uintptr_t)mutex; i--) node->mutex[i] = node->mutex[i - 1];
    node->mutex[i] = mutex;
    heist__depend_mutex_keep(mutex);
}

/* Takes the mutexes of a node whose predecessors are complete. */
static void take_mutexes(heist__depend_caller by, heist__depend_node *node)
{
    while (node->taken < node->mutexes) {
        heist__depend_mutex *mutex = node->mutex[node->taken];
        if (!heist__depend_mutex_take(mutex, &node->waiter_in))
            return; /* the thread that passes it on goes on here */
        node->taken++;
    }
    by.host->ready(by.thread, node->task);
}

static void pass_mutexes(heist__depend_caller by, heist__depend_node *node)
{
    for (size_t i = 0; i < node->mutexes; i++) {
        heist__depend_waiter *waiter = heist__depend_mutex_pass(node->mutex[i]);
        if (!waiter) continue;
        heist__depend_node *next = (heist__depend_node *)((char *)waiter - offsetof(heist__depend_node, waiter_in));
        next->taken++;
        take_mutexes(by, next);
    }
}

void heist__depend_satisfy(heist__depend_caller by, heist__depend_node *node)
{
    void *task = node->task; /* read now: the node may be gone below */
    void *waiter = node->waiter;
    if (heist__add_acq_rel(&node->waits, (uint32_t)-1) != 1) return; /* E1: after all that the predecessors did */
    if (task) {
        take_mutexes(by, node);
    } else if (waiter != by.thread) {
        by.host->wake(waiter);
    }
}

void heist__depend_release(heist__depend_caller by, heist__depend_node *node)
{
    /* E1: all that the task did, before its successors run. E2: acquires the arcs that are followed now. */
    heist__depend_arc *arc = heist__exchange_acq_rel(&node->successors, HEIST__DEPEND_CLOSED);
    while (arc) {
        heist__depend_arc *next = arc->next;
        heist__depend_arc *extra =
            is_own(arc) ? NULL : arc; /* read now: the node, with its own arcs, may be gone below */
        heist__depend_satisfy(by, arc->to);
        free(extra);
        arc = next;
    }
    pass_mutexes(by, node);
    heist__depend_node_drop(by, node);
}
