/* Dependences by address among the children of one task: which task must wait for which other task.
 *
 *     out a        in a  in a        out a
 *       1 ----------> 2
 *       1 ---------------> 3           2 and 3 may run at the same time
 *                     2 ------------> 4
 *                          3 -------> 4
 *
 * A table says, for each address, which tasks used it last. A new task is entered with its clauses; the module calls
 * `ready` when the last task that it waits for is complete. The module knows nothing of threads, teams or deques: the
 * scheduler that uses it says in a heist__depend_host how to get memory, make a task ready, and wait.
 *
 * One thread enters the tasks of a table, the thread that runs their parent. Any thread may complete a task.
 *
 *                enter, over, wait, table_free   release     X: same thread only, for one table   -: any thread
 *   enter ...              X                       -
 *   release                -                       -
 *
 * E1: all that a task did, before its successors run. E2: an arc's fields, before it is followed. E3: all uses of a
 * node, before it is freed. See also mutex.h. */
#ifndef HEIST_DEPEND_DEPEND_H
#define HEIST_DEPEND_DEPEND_H

#include <stdbool.h>
#include <stddef.h>

typedef struct heist__depend_table heist__depend_table;
typedef struct heist__depend_node heist__depend_node;

/* How a task uses an address, the strongest first. OUT: after all users before it, and before all after it. MUTEX,
 * SET and IN: as OUT, but in any order with neighbours of the same kind; MUTEX one at a time, SET and IN at the same
 * time. */
typedef enum { HEIST__USE_OUT, HEIST__USE_MUTEX, HEIST__USE_SET, HEIST__USE_IN } heist__depend_use;

/* The uses of a task, in the layout of its front end. `at` returns the i-th use, and its address. NULL with
 * HEIST__USE_OUT stands for all memory. */
typedef struct heist__depend_clauses {
    const void *list;
    size_t count;
    heist__depend_use (*at)(const void *list, size_t i, void **address);
} heist__depend_clauses;

/* The scheduler. `thread` is the value that the caller of this module gave in heist__depend_caller. */
typedef struct heist__depend_host {
    void *(*take)(void *thread, size_t bytes); /* memory, aligned as by malloc; NULL: none */
    void (*give)(void *thread, void *memory);
    void (*ready)(void *thread, void *task); /* the task waits for no other task any more */
    void (*wake)(void *waiter);              /* a thread in heist__depend_wait waits for no task any more */
    /* Waits until over(what), running other tasks meanwhile. */
    void (*wait)(void *thread, bool (*over)(const void *what), const void *what);
} heist__depend_host;

typedef struct heist__depend_caller {
    const heist__depend_host *host;
    void *thread; /* NULL: a thread that the scheduler does not know; only heist__depend_release takes it */
} heist__depend_caller;

/* Allocates all the memory that entering a task takes, so that entering cannot fail. Makes *table if it is NULL.
 * Returns the task's node; NULL: no memory. */
heist__depend_node *heist__depend_prepare(heist__depend_caller by, heist__depend_table **table, void *task,
                                          const heist__depend_clauses *clauses);
/* Frees the node of a task that was prepared and is not entered after all. */
void heist__depend_forget(heist__depend_caller by, heist__depend_node *node);
/* Enters a task that was prepared, with the same clauses. `ready` is called for it by the last task that it waits
 * for, or here. */
void heist__depend_enter(heist__depend_caller by, heist__depend_table *table, heist__depend_node *node,
                         const heist__depend_clauses *clauses);
/* The node's task is complete: makes the tasks ready that waited for it alone. The caller must not use the node any
 * more. */
void heist__depend_release(heist__depend_caller by, heist__depend_node *node);

/* Whether a task with these clauses would wait for no other task. The result may be false though there is none. */
bool heist__depend_over(const heist__depend_table *table, const heist__depend_clauses *clauses);
/* Waits, by the host's `wait`, until all tasks are complete that a task with these clauses would wait for. */
void heist__depend_wait(heist__depend_caller by, heist__depend_table *table, const heist__depend_clauses *clauses);

/* Frees the table; no more tasks are entered. Tasks that are still in it complete as before. NULL: does nothing. */
void heist__depend_table_free(heist__depend_caller by, heist__depend_table *table);

#endif
