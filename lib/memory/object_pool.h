/* object_pool.h: blocks of one size for one owner, kept for reuse instead of going back to malloc each time. A pool is
 * not shared between threads and has no atomics; what makes it useful to several is that a block is at home nowhere:
 * one taken from a pool may be given to any pool of the same object size, by whichever thread has it last, so records
 * that are stolen settle where they were finished. Whoever hands a block to another thread orders that hand-over. */
#ifndef HEIST_OBJECT_POOL_H
#define HEIST_OBJECT_POOL_H

#include <stddef.h>

typedef struct heist__object_pool { /* everything: owner only */
    void *kept;                     /* the block given last, linked to the one before */
    size_t kept_count;              /* how many there are */
    size_t keep_max;
    size_t object_size;
    size_t block_size; /* object_size with room for the link, a multiple of HEIST__LINE */
} heist__object_pool;

/* Makes an empty pool; allocates nothing. Returns 0, or -EINVAL for an object size of 0 or beyond PTRDIFF_MAX / 2. */
int heist__object_pool_init(heist__object_pool *pool, size_t object_size, size_t keep_max);

/* A block of object_size bytes, aligned to HEIST__LINE, with undefined contents: one that was kept, the latest given
 * first, otherwise a new one. Returns NULL when memory is short. Call from: the owner. */
void *heist__object_pool_take(heist__object_pool *pool);

/* Takes a block back from whichever pool of this object size; NULL is allowed. Keeps up to keep_max, frees the rest.
 * Under AddressSanitizer a kept block is poisoned: who still uses it is told. Call from: the owner. */
void heist__object_pool_give(heist__object_pool *pool, void *object);

/* Frees what is kept; blocks not given back live on. The pool may be used again. */
void heist__object_pool_destroy(heist__object_pool *pool);

#endif
