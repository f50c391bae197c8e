/* schedule/join.h: the states of a task's record, beyond the address of its slot. */
#ifndef HEIST_SCHEDULE_JOIN_H
#define HEIST_SCHEDULE_JOIN_H

#include <stdint.h>

#include <heist/task.h>

#define HEIST__TASK_TAKEN ((uintptr_t)1)  /* with the thief's number, shifted by 3 */
#define HEIST__TASK_DONE ((uintptr_t)2)   /* run by a thief */
/* Joined, and not to be joined again. A join that met no thief stores it in debug builds only. */
#define HEIST__TASK_JOINED ((uintptr_t)6)
/* HEIST__TASK_RAN of heist/task.h: the task was a call, and has no slot. */

#endif
