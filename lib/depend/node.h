/* Nodes of the dependence graph, for the files of this module. A node belongs to a task. The nodes of its predecessors
 * list it as a successor. A list is closed when its task is complete: a task that comes later need not wait for that
 * task. A node outlives its task while a table refers to it. */
#ifndef HEIST_DEPEND_NODE_H
#define HEIST_DEPEND_NODE_H

#include <stdint.h>

#include "depend/depend.h"
#include "depend/mutex.h"

typedef struct heist__depend_arc { /* from a predecessor, in whose list it is */
    heist__depend_node *to;
    struct heist__depend_arc *next;
} heist__depend_arc;

/* Arcs that lie in the node to which they lead. More come from malloc. */
enum { HEIST__DEPEND_OWN_ARCS = 2 };

struct heist__depend_node {
    void *task;   /* NULL: the node belongs to a thread that waits in heist__depend_wait */
    void *waiter; /* that thread */
    /* References by the task and by entries of tables. Written by: the parent's thread, and the thread that completes
     * the task. */
    HEIST__ATOMIC(uint32_t) references;
    /* Predecessors that are not complete, plus one while more may come. Written by: as `references`. */
    HEIST__ATOMIC(uint32_t) waits;
    /* Successors, or HEIST__DEPEND_CLOSED. Written by: the parent's thread (push), the thread that completes the
     * task. */
    HEIST__ATOMIC(heist__depend_arc *) successors;
    /* The mutexes that the task needs. Written by: the parent's thread. Read by: the threads that take the mutexes and
     * complete the task. */
    heist__depend_waiter waiter_in; /* the node's link in the list of the mutex that it waits for */
    size_t taken, mutexes;          /* how many it has taken; how many it needs */
    heist__depend_mutex **mutex;    /* by rising address; this array lies behind the node */
    size_t arcs;                    /* how many of `own` are in use. The parent's thread only. */
    heist__depend_arc own[HEIST__DEPEND_OWN_ARCS];
};

extern heist__depend_arc heist__depend_closed;
#define HEIST__DEPEND_CLOSED (&heist__depend_closed)

static inline bool heist__depend_node_is_complete(const heist__depend_node *node)
{
    /* E1: after all that the task did. Pairs with E1 in heist__depend_release. */
    return heist__load_acquire(&node->successors) == HEIST__DEPEND_CLOSED;
}

/* Makes a node with room for `mutexes` mutexes. NULL: no memory. */
heist__depend_node *heist__depend_node_new(heist__depend_caller by, void *task, size_t mutexes);
/* Fills in a node on the caller's stack, for a thread that waits. */
void heist__depend_node_init_waiter(heist__depend_node *node, void *waiter);
/* Drops a reference. */
void heist__depend_node_drop(heist__depend_caller by, heist__depend_node *node);
/* Makes `to` wait for `from`, unless `from` is complete. */
void heist__depend_connect(heist__depend_caller by, heist__depend_node *from, heist__depend_node *to);
/* Counts one predecessor less. The last one makes the task ready, as soon as it has its mutexes. */
void heist__depend_satisfy(heist__depend_caller by, heist__depend_node *node);
/* Adds a mutex to those that the node needs. */
void heist__depend_need_mutex(heist__depend_node *node, heist__depend_mutex *mutex);

#endif
