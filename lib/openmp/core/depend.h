/* Dependences among the children of a task: lib/depend, with heist's OpenMP threads as its scheduler. A task has the
 * table of its children's dependences, and the node of its own. Each front end reads clauses in its compiler's
 * layout. */
#ifndef HEIST_OPENMP_CORE_DEPEND_H
#define HEIST_OPENMP_CORE_DEPEND_H

#include "openmp/core/slot.h"

/* Gets all the memory that entering the task among its siblings takes. False: no memory, and nothing has changed. */
bool heist__omp_depend_prepare(heist__omp_slot *self, heist__omp_task *task, const heist__depend_clauses *clauses);
/* The task that was prepared is not entered after all. */
void heist__omp_depend_forget(heist__omp_slot *self, heist__omp_task *task);
/* Enters a task that was prepared. The last task that it waits for makes it ready; or it is ready already. */
void heist__omp_depend_enter(heist__omp_slot *self, heist__omp_task *task, const heist__depend_clauses *clauses);
/* Whether all that the clauses name is over now. It may say no where it is. */
bool heist__omp_depend_over(heist__omp_slot *self, const heist__depend_clauses *clauses);
/* Waits, running tasks meanwhile, until all that the clauses name is over. */
void heist__omp_depend_wait(heist__omp_slot *self, const heist__depend_clauses *clauses);
/* The task is complete: makes those tasks ready that waited for it alone. `self` is NULL outside the team. */
void heist__omp_depend_release(heist__omp_slot *self, heist__omp_task *task);
/* The task creates no more children: frees its table. */
void heist__omp_depend_end(heist__omp_slot *self, heist__omp_task *task);

#endif
