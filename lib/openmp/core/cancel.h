/* cancel, and cancellation points. OMP_CANCELLATION, as the runtime read it, says whether they do anything. A cancelled
 * loop or sections construct is cancelled for the whole team until its barrier.
 *
 *   X1: a flag is set with release after the cancelling task's earlier writes, and read with acquire. A thread that
 *       finds the flag set sees those writes. A thread that sees the flag late does some needless work. */
#ifndef HEIST_OPENMP_CORE_CANCEL_H
#define HEIST_OPENMP_CORE_CANCEL_H

#include "openmp/core/slot.h"

/* The construct that is cancelled: bits, as libgomp has them. */
enum { HEIST__CANCEL_PARALLEL = 1, HEIST__CANCEL_LOOP = 2, HEIST__CANCEL_SECTIONS = 4, HEIST__CANCEL_TASKGROUP = 8 };

/* True: the task has to go to the end of the cancelled construct. */
bool heist__omp_cancel(heist__omp_slot *self, int which);
bool heist__omp_cancellation_point(heist__omp_slot *self, int which);
/* Whether tasks of this group must not begin any more. */
bool heist__omp_cancelled(heist__omp_slot *self, heist__omp_group *group);

#endif
