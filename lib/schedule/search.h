/* schedule/search.h: a search for work in the deques of other workers. */
#ifndef HEIST_SCHEDULE_SEARCH_H
#define HEIST_SCHEDULE_SEARCH_H

#include <stdbool.h>

#include "schedule/job.h"
#include "schedule/steal.h"

/* Work that was found: a stolen child, or a job. */
typedef struct heist__found_work {
    heist__stolen child; /* task NULL: none */
    heist__job *job;
    heist__call room; /* where `job` is, if it came without a record */
} heist__found_work;

/* Searches all victims once, in the order of the strategy. False: nothing was found. */
bool heist__steal_somewhere(heist__worker *w, heist__found_work *found);

#endif
