/* home.c: see home.h. The owner looks for an object in this order: its own list, where the last released one is first,
 * since it may still be in the cache; objects that others have returned; fresh ones of the newest slab. */
#include "memory/home.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory/poison.h"
#include "platform/reserve.h"

#define FREE_BYTE 0xDF

/* Bytes of a slab when no number of objects was asked for: as many as there are already, within these. */
#define LEAST_SLAB ((size_t)64 << 10)
#define MOST_SLAB ((size_t)1 << 20)

/* Returned objects that one look moves to the owner's list. */
#define BATCH 32

/* A word that no object has: neither a link nor a home. */
#define NEVER ((uintptr_t)2)

/* At the beginning of its memory. */
typedef struct heist__slab {
    heist__reserve memory;
    struct heist__slab *next;
} heist__slab;

static uintptr_t *word_of(const heist__object_layout *layout, const void *object)
{
    return (uintptr_t *)(void *)((char *)(uintptr_t)object + layout->word);
}

int heist__object_layout_init(heist__object_layout *layout, size_t object_size, size_t alignment, bool checked,
                              void *pool)
{
    if (object_size > PTRDIFF_MAX / 4 || alignment > PTRDIFF_MAX / 4) return -EOVERFLOW;
    const size_t word = (object_size + sizeof(uintptr_t) - 1) & ~(sizeof(uintptr_t) - 1);
    *layout = (heist__object_layout){
        .object_size = object_size,
        .alignment = alignment,
        .word = word,
        .block_size = (word + sizeof(uintptr_t) + alignment - 1) & ~(alignment - 1),
        .checked = checked,
        .pool = pool,
    };
    return 0;
}

heist__home *heist__home_new(const heist__object_layout *layout)
{
    heist__home *home = aligned_alloc(HEIST__LINE, (sizeof *home + HEIST__LINE - 1) / HEIST__LINE * HEIST__LINE);
    if (!home) return NULL;
    memset(home, 0, sizeof *home);
    home->layout = layout;
    home->cache.word = layout->word;
    home->cache.own = layout->checked ? NEVER : (uintptr_t)home | 1;
    return home;
}

void heist__home_free(heist__home *home)
{
    if (!home) return;
    while (home->slabs) {
        heist__reserve memory = home->slabs->memory;
        home->slabs = home->slabs->next;
        heist__show(memory.start, memory.bytes); /* another mapping may come to lie here */
        heist__reserve_free(&memory);
    }
    free(home);
}

/* ---- growing ---- */

static size_t sensible_count(const heist__home *home)
{
    const size_t block = home->layout->block_size;
    size_t bytes = (size_t)heist__load_relaxed(&home->bytes); /* relaxed: own */
    if (bytes < LEAST_SLAB) bytes = LEAST_SLAB;
    if (bytes > MOST_SLAB) bytes = MOST_SLAB;
    return bytes > 2 * block ? (bytes - sizeof(heist__slab)) / block : 1;
}

/* The first address for an object in a slab at `start`. */
static char *first_object(const heist__object_layout *layout, char *start)
{
    const uintptr_t from = (uintptr_t)start + sizeof(heist__slab);
    return start + (((from + layout->alignment - 1) & ~(layout->alignment - 1)) - (uintptr_t)start);
}

static void add(HEIST__ATOMIC(uint64_t) * counter, uint64_t more)
{
    heist__store_relaxed(counter, heist__load_relaxed(counter) + more); /* relaxed: one writer; see home.h */
}

int heist__home_grow(heist__home *home, size_t count, bool touch, heist__place_memory *place, void *context,
                     int *placed)
{
    const heist__object_layout *layout = home->layout;
    const size_t extra = sizeof(heist__slab) + layout->alignment;
    size_t bytes;
    if (count == 0) count = sensible_count(home);
    if (__builtin_mul_overflow(count, layout->block_size, &bytes) || bytes > PTRDIFF_MAX / 2 - extra) return -EOVERFLOW;
    heist__reserve memory;
    if (heist__reserve_make(&memory, bytes + extra, bytes + extra) < 0) return -ENOMEM;
    *placed = place(context, memory.start, memory.bytes);
    heist__slab *slab = (heist__slab *)(void *)memory.start;
    *slab = (heist__slab){memory, home->slabs};
    home->slabs = slab;
    home->fresh = first_object(layout, memory.start);
    home->fresh_end = home->fresh + bytes;
    if (touch) memset(home->fresh, 0, bytes);
    heist__hide(home->fresh, bytes);
    add(&home->bytes, memory.bytes);
    return 0;
}

/* ---- giving out ---- */

/* Moves returned objects to the list at `head`. */
static void look_at_returned(heist__home *home, void **head)
{
    const size_t word = home->layout->word;
    if (!home->rest) home->rest = heist__returned_take_all(&home->returned);
    for (unsigned i = 0; i < BATCH && home->rest; i++) {
        void *object = home->rest;
        if (!heist__returned_next(object, word, &home->rest)) return;
        heist__chain_push(head, object, word);
    }
}

static void *take_fresh(heist__home *home)
{
    if (home->fresh == home->fresh_end) return NULL;
    char *object = home->fresh;
    home->fresh += home->layout->block_size;
    add(&home->made, 1);
    heist__show(object + home->layout->word, sizeof(uintptr_t));
    return object;
}

/* Whether a free object is as its release has left it. */
static bool is_intact(const heist__object_layout *layout, const unsigned char *object)
{
    for (size_t i = 0; i < layout->object_size; i++) {
        if (object[i] != FREE_BYTE) return false;
    }
    return true;
}

void *heist__home_take(heist__home *home)
{
    const heist__object_layout *layout = home->layout;
    void **list = layout->checked ? &home->free : &home->cache.kept, *object;
    if (!*list) look_at_returned(home, list);
    if (*list) {
        object = heist__chain_pop(list, layout->word);
        heist__show_contents(object, layout->object_size);
        if (layout->checked && !is_intact(layout, object)) add(&home->damaged, 1);
    } else {
        object = take_fresh(home);
        if (!object) return NULL;
    }
    heist__show(object, layout->object_size);
    *word_of(layout, object) = (uintptr_t)home | 1;
    heist__count_one(&home->cache.acquired);
    return object;
}

/* ---- taking back ---- */

heist__home *heist__home_of(const heist__object_layout *layout, const void *object)
{
    uintptr_t word = *word_of(layout, object);
    return word & 1 ? (heist__home *)(word - 1) : NULL;
}

static void close_object(const heist__object_layout *layout, void *object)
{
    if (layout->checked) memset(object, FREE_BYTE, layout->object_size);
    heist__hide(object, layout->word); /* up to the word: whole words can be hidden */
}

void heist__home_keep(heist__home *home, void *object)
{
    const heist__object_layout *layout = home->layout;
    close_object(layout, object);
    heist__chain_push(layout->checked ? &home->free : &home->cache.kept, object, layout->word);
}

void heist__home_return(heist__home *home, void *object)
{
    close_object(home->layout, object);
    heist__returned_push(&home->returned, object, home->layout->word);
}
