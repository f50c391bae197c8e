/* platform/reserve.h: memory that is reserved in one line and becomes usable in steps.
 *
 * The system may count every writable page as used, whether it is touched or not: vm.overcommit_memory=2 does for the
 * whole machine, RLIMIT_DATA for a process. So a reservation is neither readable nor writable, and counts only in the
 * address space. Its owner makes more of it usable when it has used the usable part. The usable part stays usable until
 * heist__reserve_free, so another thread may read there at any time.
 *
 * Usage:
 *     heist__reserve r;
 *     int error = heist__reserve_make(&r, (size_t)1 << 30, 65536);
 *     ... r.start[0 .. r.usable - 1] is zero, and can be written ...
 *     if (heist__reserve_grow(&r)) ... r.usable is larger ...
 *     heist__reserve_free(&r); */
#ifndef HEIST_PLATFORM_RESERVE_H
#define HEIST_PLATFORM_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

/* Call all functions from one thread at a time. */
typedef struct heist__reserve {
    char *start;   /* at the start of a page; NULL: no reservation */
    size_t bytes;  /* whole pages */
    size_t usable; /* from `start` on; whole pages */
    bool refused;  /* the system had no more: it is not asked again until memory was given back */
} heist__reserve;

/* Reserves `bytes`, the first `usable` of which can be used, both rounded up to pages. Returns 0 or -ENOMEM. */
int heist__reserve_make(heist__reserve *r, size_t bytes, size_t usable);

/* Makes twice as much usable, or less if the system or the reservation has less. False: no more became usable. */
bool heist__reserve_grow(heist__reserve *r);

/* Gives the memory of the usable part back to the system, except the first `kept` bytes. It reads as zero from then
 * on. */
void heist__reserve_trim(heist__reserve *r, size_t kept);

void heist__reserve_free(heist__reserve *r);

/* Whether the system would grant `bytes` at this moment: reserve: of address space; commit: of writable memory, if need
 * be in several mappings; map_whole: in one mapping that counts as used, as the stack of a thread does. */
bool heist__could_reserve(size_t bytes);
bool heist__could_commit(size_t bytes);
bool heist__could_map_whole(size_t bytes);

/* Whether writable memory counts as used from the moment it is mapped, as far as that is known. */
bool heist__commitment_counts(void);

#endif
