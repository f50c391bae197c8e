/* Which task descends from which, and so which tasks of other threads a thread may run while it waits in a task.
 *
 * The tied-task rule lets a waiting task's thread begin only descendants of that task. A thread's own deque is in the
 * order of descent, so there an index tells. In another thread's deque the oldest task is examined before it is taken,
 * and its ancestors are followed up to the depth of the waiting task. A record on that way may belong to a task that
 * has ended, or be in use for another task by now. Records are never unmapped, each task has an id of its own, and a
 * child knows its parent's id: so a reused record is recognised. The descent of a task that has ended is still true.
 * When in doubt the answer is no; then another thread runs the task.
 *
 *   A3: a record's id is set to 0, its fields are written, its new id is written; a reader reads id, fields, id. Equal
 *       ids mean that the fields belong together. */
#ifndef HEIST_OPENMP_CORE_ANCESTRY_H
#define HEIST_OPENMP_CORE_ANCESTRY_H

#include "openmp/core/task.h"

/* Whether `task`, seen in a deque, descends from `ancestor`, which the calling thread runs. A yes is true if the task
 * is still in that deque afterwards. */
bool heist__omp_descends(heist__omp_task *task, heist__omp_task *ancestor);

#endif
