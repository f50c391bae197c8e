/* arenas.c: an arena for every worker. See heist/memory.h. */
#include <errno.h>
#include <stdlib.h>

#include "storage/arena.h"
#include "storage/placing.h"
#include "storage/table.h"

#undef heist_arenas_new

struct heist_arenas {
    heist__site site; /* first */
    heist__table table;
    size_t chunk_bytes;
    bool debug;
    /* Whether memory could not be placed. Written by: any thread that uses the set. Read by: any thread. */
    HEIST__ATOMIC(uint32_t) misplaced;
};

static void place(const heist__site *site, void *memory, size_t bytes)
{
    heist_arenas *arenas = (heist_arenas *)(uintptr_t)site;
    /* relaxed: a note, which orders nothing */
    if (heist__place_near(heist__self(), memory, bytes) < 0) heist__store_relaxed(&arenas->misplaced, 1);
}

heist_arenas *heist_arenas_new(size_t chunk_bytes)
{
    return heist__arenas_make(chunk_bytes, false);
}

heist_arenas *heist__arenas_make(size_t chunk_bytes, bool debug)
{
    heist_arena sample;
    int error = heist__arena_start(&sample, chunk_bytes, debug);
    heist_arenas *arenas = error ? NULL : calloc(1, sizeof *arenas);
    if (!error && !arenas) error = heist__fail(-ENOMEM, "no memory for a set of arenas");
    if (error) {
        errno = -error;
        return NULL;
    }
    arenas->site.place = place;
    arenas->chunk_bytes = chunk_bytes;
    arenas->debug = debug;
    return arenas;
}

static heist_arena *make_view(heist_arenas *arenas, uint32_t id)
{
    heist__view *entry = id == HEIST__NO_ID ? NULL : heist__table_entry(&arenas->table, id);
    const size_t bytes = (sizeof(heist_arena) + HEIST__LINE - 1) / HEIST__LINE * HEIST__LINE;
    heist_arena *arena = entry ? aligned_alloc(HEIST__LINE, bytes) : NULL; /* a line that no other worker writes to */
    if (!arena) {
        errno = -heist__fail(id == HEIST__NO_ID ? -EAGAIN : -ENOMEM,
                             id == HEIST__NO_ID ? "too many threads use heist's arenas" : "no memory for an arena");
        return NULL;
    }
    heist__arena_start(arena, arenas->chunk_bytes, arenas->debug);
    arena->at = &arenas->site;
    heist__view_set(entry, arena);
    return arena;
}

heist_arena *heist_arenas_here(heist_arenas *arenas)
{
    if (!arenas) {
        errno = -heist__fail(-EINVAL, "heist_arenas_here: no arenas");
        return NULL;
    }
    const uint32_t id = heist__id_here();
    heist_arena *arena = heist__view_of(&arenas->table, id);
    return arena ? arena : make_view(arenas, id);
}

static void reset(void *arena, void *unused)
{
    (void)unused;
    heist_arena_reset(arena);
}

static void end(void *arena, void *unused)
{
    (void)unused;
    heist_arena_end(arena);
    free(arena);
}

static void add(void *arena, void *sum)
{
    heist_arena_stats *all = sum, one = heist_arena_stats_read(arena);
    all->used += one.used;
    all->most += one.most;
    all->reserved += one.reserved;
    all->chunks += one.chunks;
}

void heist_arenas_reset(heist_arenas *arenas)
{
    if (arenas) heist__table_visit(&arenas->table, reset, NULL);
}

void heist_arenas_free(heist_arenas *arenas)
{
    if (!arenas) return;
    heist__table_visit(&arenas->table, end, NULL);
    heist__table_destroy(&arenas->table);
    free(arenas);
}

heist_arena_stats heist_arenas_stats_read(heist_arenas *arenas)
{
    heist_arena_stats all = {0, 0, 0, 0};
    if (arenas) heist__table_visit(&arenas->table, add, &all);
    return all;
}

const char *heist_arenas_notes(const heist_arenas *arenas)
{
    /* relaxed: a note, which orders nothing */
    return arenas && heist__load_relaxed(&arenas->misplaced) ? HEIST__NOT_PLACED : "";
}
