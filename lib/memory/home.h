/* memory/home.h: the objects of one thread: the list that heist/memory.h shows as a heist_object_cache, the slabs that
 * they come from, and the list of those that other threads have given back.
 *
 * Behind each object is a word. While the object is in use it has the home's address, with the lowest bit set. While
 * the object is free it has the link of the list that the object is in. So a release finds the home, and sees whether
 * the object is in use, with one load. */
#ifndef HEIST_MEMORY_HOME_H
#define HEIST_MEMORY_HOME_H

#include <heist/memory.h>

#include "memory/returned.h"

/* The same for all homes of a pool; does not change. */
typedef struct heist__object_layout {
    size_t object_size;
    size_t alignment;
    size_t word;       /* offset of the word */
    size_t block_size; /* from one object to the next */
    bool checked;      /* fill and look; the inline paths have no objects then */
    void *pool;        /* the pool that the homes belong to */
} heist__object_layout;

typedef struct heist__home {
    heist_object_cache cache; /* first; `kept` is empty in checked pools. This and all up to `returned`: owner only. */
    const heist__object_layout *layout;
    void *free;  /* the free objects of a checked pool, whose words may lie in hidden memory */
    void *rest;  /* returned objects that the owner has taken and not yet looked at */
    char *fresh; /* objects of the newest slab that nobody has had yet */
    char *fresh_end;
    struct heist__slab *slabs;
    HEIST__ATOMIC(uint64_t)
    returned_count; /* objects of other homes that the owner has released. One writer, as are
                                             * the next three; read by: any thread. */
    HEIST__ATOMIC(uint64_t) made;
    HEIST__ATOMIC(uint64_t) bytes;
    HEIST__ATOMIC(uint64_t) damaged;
    _Alignas(HEIST__LINE) heist__returned returned;
} heist__home;

/* Fills in a layout from object_size and alignment (a power of two, at least 16). Returns 0 or -EOVERFLOW. */
int heist__object_layout_init(heist__object_layout *layout, size_t object_size, size_t alignment, bool checked,
                              void *pool);

/* Puts memory where the owner runs. Returns 0 or a negative errno, which is a loss of speed only. */
typedef int heist__place_memory(void *context, void *memory, size_t bytes);

/* A home without objects, or NULL. */
heist__home *heist__home_new(const heist__object_layout *layout);
void heist__home_free(heist__home *home);

/* Makes `count` more objects; 0: as many as are sensible. `touch`: their memory is really there.
 * Returns 0, -ENOMEM or -EOVERFLOW. `*placed` becomes what `place` returned. */
int heist__home_grow(heist__home *home, size_t count, bool touch, heist__place_memory *place, void *context,
                     int *placed);

/* An object, or NULL if the home has none: then it must grow. Call from: the owner. */
void *heist__home_take(heist__home *home);

/* The home of an object that is in use; NULL: it is not in use. */
heist__home *heist__home_of(const heist__object_layout *layout, const void *object);

/* Gives an object back to its home, which the calling thread owns, or does not own. */
void heist__home_keep(heist__home *home, void *object);
void heist__home_return(heist__home *home, void *object);

#endif
