/* The states of a task's record, beyond the address of its slot. */
#ifndef HEIST_SCHEDULE_JOIN_H
#define HEIST_SCHEDULE_JOIN_H

#include <stdint.h>

#include <heist/task.h>

#define HEIST__TASK_TAKEN ((uintptr_t)1)  /* and the thief's number, shifted by 3 */
#define HEIST__TASK_DONE ((uintptr_t)2)   /* run by a thief */
#define HEIST__TASK_RAN ((uintptr_t)4)    /* was a call: it has no slot */
#define HEIST__TASK_JOINED ((uintptr_t)6) /* and not to be joined again; in debug builds only */

#endif
