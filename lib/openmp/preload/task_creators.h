/* Which of the loaded objects create tasks, by the names that they import. */
#ifndef HEIST_OPENMP_PRELOAD_TASK_CREATORS_H
#define HEIST_OPENMP_PRELOAD_TASK_CREATORS_H

#include <stdbool.h>

typedef struct heist__omp_creators {
    const char *creator; /* the first object that creates tasks, or NULL */
    const char *foreign; /* the first object that calls the runtime by foreign entries (HEIST__FOREIGN), or NULL */
    const char *unknown; /* an entry of tasks that an object calls and this library cannot serve, or NULL */
    bool foreign_tasks;  /* an object creates tasks by foreign entries */
    bool yields;         /* an object calls taskyield */
} heist__omp_creators;

heist__omp_creators heist__omp_find_creators(void);

#endif
