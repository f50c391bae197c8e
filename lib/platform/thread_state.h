/* The system's view of a thread of this process. For diagnoses: it describes a moment that has passed. */
#ifndef HEIST_PLATFORM_THREAD_STATE_H
#define HEIST_PLATFORM_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

/* The system's number of the calling thread. */
int32_t heist__thread_number(void);

/* Whether a thread computes, or would if it had a CPU. False also where the system does not tell. */
bool heist__thread_wants_cpu(int32_t number);

#endif
