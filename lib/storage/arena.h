/* storage/arena.h: the part of an arena that a set of arenas uses. */
#ifndef HEIST_STORAGE_ARENA_H
#define HEIST_STORAGE_ARENA_H

#include <heist/memory.h>

/* The place of an arena's chunks. */
typedef struct heist__site {
    void (*place)(const struct heist__site *site, void *memory, size_t bytes);
} heist__site;

#endif
