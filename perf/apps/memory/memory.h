/* Blocks of one size, acquired, stamped, looked at and released by every worker, from heist's memory or from malloc. */
#ifndef HEIST_PERF_MEMORY_H
#define HEIST_PERF_MEMORY_H

#include "harness/app.h"

#define MEMORY_WAYS "arena,pool,malloc,return,return-malloc"

/* The bytes of a block. Returns 0, or -EINVAL with a sentence. */
int memory_size(const char *size, char *error, size_t room);

#endif
