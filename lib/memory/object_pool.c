/* object_pool.c: a list of free blocks, last in first out, because the latest block is still in the cache. The link is
 * in the block's last word. Under AddressSanitizer blocks are longer, so that the link lies beyond the object. Then the
 * whole object can be poisoned, and the leak checker still sees the list, though it does not follow pointers in
 * poisoned memory. */
#include "memory/object_pool.h"

#include <errno.h>
#include <heist/memory.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif
#ifdef ASAN
#include <sanitizer/asan_interface.h>
#define LINK_ROOM sizeof(void *)
#else
#define LINK_ROOM 0
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)0)
#endif

/* Where the link is in a block. */
static size_t link_in(const heist__object_pool *pool)
{
    return pool->block_size - sizeof(void *);
}

int heist__object_pool_init(heist__object_pool *pool, size_t object_size, size_t keep_max)
{
    if (object_size == 0 || object_size > PTRDIFF_MAX / 2) {
        return -EINVAL;
    }
    size_t lines = (object_size + LINK_ROOM + HEIST__LINE - 1) / HEIST__LINE;
    *pool = (heist__object_pool){
        .keep_max = keep_max,
        .object_size = object_size,
        .block_size = lines * HEIST__LINE,
    };
    return 0;
}

static void *take_kept(heist__object_pool *pool)
{
    void *block = heist__chain_pop(&pool->kept, link_in(pool));
    pool->kept_count--;
    ASAN_UNPOISON_MEMORY_REGION(block, pool->object_size);
    return block;
}

void *heist__object_pool_take(heist__object_pool *pool)
{
    return pool->kept ? take_kept(pool) : aligned_alloc(HEIST__LINE, pool->block_size);
}

void heist__object_pool_give(heist__object_pool *pool, void *object)
{
    if (!object) {
        return;
    }
    if (pool->kept_count == pool->keep_max) {
        free(object);
        return;
    }
    heist__chain_push(&pool->kept, object, link_in(pool));
    pool->kept_count++;
    ASAN_POISON_MEMORY_REGION(object, pool->block_size - LINK_ROOM); /* up to the link: poison covers whole words */
}

void heist__object_pool_destroy(heist__object_pool *pool)
{
    while (pool->kept) {
        free(take_kept(pool));
    }
}
