/* object_pool.h: blocks of one size for one owner, kept for reuse instead of going back to malloc each time. A pool is
 * not shared between threads and has no atomics. Several threads can use it together because a block belongs to no
 * pool: a block taken from one pool may be given to any pool of the same object size, by the thread that has it last.
 * So the records of stolen tasks stay with the thread that finished them. A thread that hands a block to another thread
 * orders that hand-over. */
#ifndef HEIST_OBJECT_POOL_H
#define HEIST_OBJECT_POOL_H

#include <stddef.h>

typedef struct heist__object_pool { /* everything: owner only */
    void *kept;                     /* the block given last, linked to the block given before it */
    size_t kept_count;              /* the number of kept blocks */
    size_t keep_max;
    size_t object_size;
    size_t block_size; /* object_size with room for the link, a multiple of HEIST__LINE */
} heist__object_pool;

/* Makes an empty pool; allocates nothing. Returns 0, or -EINVAL for an object size of 0 or beyond PTRDIFF_MAX / 2. */
int heist__object_pool_init(heist__object_pool *pool, size_t object_size, size_t keep_max);

/* Returns a block of object_size bytes, aligned to HEIST__LINE, with undefined contents: the kept block that was given
 * last, or a new one. Returns NULL when memory is short. Call from: the owner. */
void *heist__object_pool_take(heist__object_pool *pool);

/* Takes a block back, from any pool of this object size; NULL is allowed. Keeps up to keep_max blocks, frees the rest.
 * Under AddressSanitizer a kept block is poisoned: a later use of it is reported. Call from: the owner. */
void heist__object_pool_give(heist__object_pool *pool, void *object);

/* Frees the kept blocks. Blocks that were not given back stay valid. The pool may be used again. */
void heist__object_pool_destroy(heist__object_pool *pool);

#endif
