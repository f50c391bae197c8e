/* arena.c: see heist/memory.h. An arena is a stack of chunks. Allocation moves a pointer up within the newest chunk. In
 * an arena that is checked the inline path finds no memory, so that every allocation comes here: then there are gaps
 * between allocations, and memory that is not in use is hidden. */
#include "storage/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory/poison.h"
#include "platform/reserve.h"
#include "storage/placing.h"

#undef heist_arena_alloc
#undef heist_arena_begin
#undef heist_arena_begin_in

#define DEFAULT_CHUNK ((size_t)64 << 10)
#define LEAST_ROOM 64 /* in a chunk, beside its own fields */
#define LEAST_BUFFER 256
#define FREE_BYTE 0xDF
#define GAP HEIST_ALIGNMENT /* behind each allocation of a checked arena */

/* Spare chunks that an allocation looks at before it asks for a new one. */
#define MOST_LOOKS 8

/* At the beginning of its memory. */
typedef struct heist__chunk {
    struct heist__chunk *before;
    char *end;
    heist__reserve memory; /* .start is NULL: from malloc, or the caller's */
    size_t bytes;
    bool borrowed; /* the caller's buffer */
} heist__chunk;

static char *align_up(char *p, size_t alignment)
{
    return p + ((((uintptr_t)p + alignment - 1) & ~(alignment - 1)) - (uintptr_t)p);
}

static char *begin_of(heist__chunk *chunk)
{
    return align_up((char *)(chunk + 1), HEIST_ALIGNMENT);
}

/* ---- chunks ---- */

static void use(heist_arena *a, heist__chunk *chunk, char *next)
{
    a->chunk = chunk;
    a->next = next;
    a->limit = chunk ? chunk->end : NULL;
    a->end = a->checked ? next : a->limit;
}

/* Makes memory of `bytes` a chunk. Its end is a multiple of the alignment, as the inline path needs it. */
static heist__chunk *chunk_in(heist_arena *a, char *memory, size_t bytes)
{
    heist__chunk *chunk = (heist__chunk *)(void *)align_up(memory, HEIST_ALIGNMENT);
    char *end = memory + bytes;
    *chunk = (heist__chunk){.end = end - (uintptr_t)end % HEIST_ALIGNMENT, .bytes = bytes};
    if (a->checked) heist__hide(begin_of(chunk), (size_t)(chunk->end - begin_of(chunk)));
    a->chunks++;
    a->reserved += bytes;
    return chunk;
}

static heist__chunk *new_chunk(heist_arena *a, size_t bytes)
{
    if (!a->at) {
        char *memory = malloc(bytes);
        return memory ? chunk_in(a, memory, bytes) : NULL;
    }
    heist__reserve reserve;
    if (heist__reserve_make(&reserve, bytes, bytes) < 0) return NULL;
    a->at->place(a->at, reserve.start, reserve.bytes);
    heist__chunk *chunk = chunk_in(a, reserve.start, reserve.bytes);
    chunk->memory = reserve;
    return chunk;
}

static void free_chunk(heist__chunk *chunk)
{
    char *begin = begin_of(chunk);
    heist__show(begin, (size_t)(chunk->end - begin));
    heist__reserve reserve = chunk->memory;
    if (reserve.start) {
        heist__reserve_free(&reserve);
    } else if (!chunk->borrowed) {
        free(chunk);
    }
}

/* Takes a chunk with room for `bytes` from the spare ones, or NULL. */
static heist__chunk *take_spare(heist_arena *a, size_t bytes)
{
    heist__chunk **link = &a->spare;
    for (unsigned i = 0; *link && i < MOST_LOOKS; i++, link = &(*link)->before) {
        heist__chunk *chunk = *link;
        if ((size_t)(chunk->end - begin_of(chunk)) < bytes) continue;
        *link = chunk->before;
        return chunk;
    }
    return NULL;
}

/* ---- allocating ---- */

static uint64_t used_of(const heist_arena *a)
{
    return a->chunk ? a->before + (uint64_t)(a->next - begin_of(a->chunk)) : 0;
}

/* Memory in the chunk in use, or NULL. */
static void *take_here(heist_arena *a, size_t size, size_t alignment)
{
    if (!a->chunk) return NULL;
    const size_t gap = a->checked ? GAP : 0, room = (size_t)(a->limit - a->next);
    char *memory = align_up(a->next, alignment);
    const size_t skipped = (size_t)(memory - a->next);
    if (skipped > room || gap > room - skipped || size > room - skipped - gap) return NULL;
    a->next = align_up(memory + size + gap, HEIST_ALIGNMENT);
    if (a->next > a->limit) a->next = a->limit;
    if (a->checked) {
        heist__show(memory, size);
        a->end = a->next;
    }
    return memory;
}

static void *fail(int error, const char *sentence, size_t size)
{
    errno = -heist__fail(error, sentence, size);
    return NULL;
}

void *heist__arena_more(heist_arena *a, size_t size, size_t alignment)
{
    if (!a) return fail(-EINVAL, "heist_arena_alloc: no arena for %zu bytes", size);
    if (!a->chunk_bytes) return fail(-EINVAL, "heist_arena_alloc: the arena has not begun, or has ended", 0);
    void *memory = take_here(a, size, alignment);
    if (memory) return memory;
    const size_t extra = sizeof(heist__chunk) + 2 * HEIST_ALIGNMENT + GAP + alignment;
    if (size > PTRDIFF_MAX / 2 - extra)
        return fail(-ENOMEM, "heist_arena_alloc: %zu bytes are more than an arena can have", size);
    heist__chunk *chunk = take_spare(a, size + GAP + alignment);
    if (!chunk) chunk = new_chunk(a, size + extra > a->chunk_bytes ? size + extra : a->chunk_bytes);
    if (!chunk) return fail(-ENOMEM, "no memory for an arena: %zu bytes", size);
    a->before = used_of(a);
    chunk->before = a->chunk;
    use(a, chunk, begin_of(chunk));
    return take_here(a, size, alignment);
}

void *heist_arena_alloc(heist_arena *arena, size_t size)
{
    return heist__arena_get(arena, size);
}

void *heist_arena_alloc_aligned(heist_arena *arena, size_t size, size_t alignment)
{
    if (alignment == 0 || (alignment & (alignment - 1)) || alignment > PTRDIFF_MAX / 4)
        return fail(-EINVAL, "heist_arena_alloc_aligned: %zu is no power of two that can be an alignment", alignment);
    return heist__arena_more(arena, size, alignment > HEIST_ALIGNMENT ? alignment : HEIST_ALIGNMENT);
}

void *heist_arena_array(heist_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return fail(-EOVERFLOW, "heist_arena_array: so many elements of %zu bytes have more bytes than a size_t holds",
                    size);
    return heist__arena_get(arena, bytes);
}

/* ---- beginning, rewinding, ending ---- */

int heist__arena_start(heist_arena *arena, size_t chunk_bytes, bool debug)
{
    if (!arena) return heist__fail(-EINVAL, "heist_arena_begin: no arena");
    if (chunk_bytes > PTRDIFF_MAX / 2)
        return heist__fail(-EINVAL, "heist_arena_begin: no address space holds chunks of %zu bytes", chunk_bytes);
    const size_t least = sizeof(heist__chunk) + LEAST_ROOM;
    memset(arena, 0, sizeof *arena);
    arena->chunk_bytes = !chunk_bytes ? DEFAULT_CHUNK : chunk_bytes < least ? least : chunk_bytes;
    arena->checked = heist__checks_memory(debug);
    return 0;
}

int heist__arena_start_in(heist_arena *arena, void *buffer, size_t bytes, size_t chunk_bytes, bool debug)
{
    if (!buffer) return heist__fail(-EINVAL, "heist_arena_begin_in: no buffer");
    if (bytes < LEAST_BUFFER)
        return heist__fail(-EINVAL, "heist_arena_begin_in: a buffer of %zu bytes is too small: %d at least", bytes,
                           LEAST_BUFFER);
    const int error = heist__arena_start(arena, chunk_bytes, debug);
    if (error) return error;
    heist__chunk *chunk = chunk_in(arena, buffer, bytes);
    chunk->borrowed = true;
    use(arena, chunk, begin_of(chunk));
    return 0;
}

int heist_arena_begin(heist_arena *arena, size_t chunk_bytes)
{
    return heist__arena_start(arena, chunk_bytes, false);
}

int heist_arena_begin_in(heist_arena *arena, void *buffer, size_t bytes, size_t chunk_bytes)
{
    return heist__arena_start_in(arena, buffer, bytes, chunk_bytes, false);
}

heist_arena_mark heist_arena_mark_now(const heist_arena *arena)
{
    if (!arena) return (heist_arena_mark){NULL, NULL, 0};
    return (heist_arena_mark){arena->chunk, arena->next, arena->before};
}

/* Memory from `from` to `to` is no longer in use. */
static void close_memory(const heist_arena *a, char *from, char *to)
{
    if (!a->checked) return;
    heist__show(from, (size_t)(to - from)); /* the gaps, too */
    memset(from, FREE_BYTE, (size_t)(to - from));
    heist__hide(from, (size_t)(to - from));
}

/* Makes all chunks above `chunk` spare, and goes back to `next` in that one. */
static void go_back(heist_arena *a, heist__chunk *chunk, char *next, uint64_t before)
{
    const uint64_t used = used_of(a);
    if (used > a->most) a->most = used;
    char *top = a->next;
    while (a->chunk != chunk) {
        heist__chunk *above = a->chunk;
        close_memory(a, begin_of(above), top);
        a->chunk = above->before;
        top = a->chunk ? a->chunk->end : NULL;
        above->before = a->spare;
        a->spare = above;
    }
    if (chunk) close_memory(a, next, top);
    use(a, chunk, next);
    a->before = before;
}

int heist_arena_rewind(heist_arena *arena, heist_arena_mark mark)
{
    if (!arena) return heist__fail(-EINVAL, "heist_arena_rewind: no arena");
    heist__chunk *chunk = arena->chunk;
    char *top = arena->next;
    while (chunk && chunk != mark.chunk) {
        chunk = chunk->before;
        top = chunk ? chunk->end : NULL;
    }
    if (chunk != mark.chunk || (chunk && (mark.next < begin_of(chunk) || mark.next > top)) || (!chunk && mark.next))
        return heist__fail(-EINVAL, "heist_arena_rewind: the mark is not of this arena, or lies behind its end");
    go_back(arena, chunk, mark.next, mark.before);
    return 0;
}

void heist_arena_reset(heist_arena *arena)
{
    if (!arena || !arena->chunk) return;
    heist__chunk *oldest = arena->chunk;
    while (oldest->before) oldest = oldest->before;
    go_back(arena, oldest, begin_of(oldest), 0);
}

void heist_arena_trim(heist_arena *arena)
{
    if (!arena) return;
    if (arena->chunk && !arena->chunk->before && !arena->chunk->borrowed && arena->next == begin_of(arena->chunk)) {
        arena->chunk->before = arena->spare; /* nothing is in it */
        arena->spare = arena->chunk;
        use(arena, NULL, NULL);
    }
    while (arena->spare) {
        heist__chunk *chunk = arena->spare;
        arena->spare = chunk->before;
        arena->chunks--;
        arena->reserved -= chunk->bytes;
        free_chunk(chunk);
    }
}

void heist_arena_end(heist_arena *arena)
{
    if (!arena) return;
    heist_arena_reset(arena);
    heist_arena_trim(arena);
    if (arena->chunk) free_chunk(arena->chunk); /* the caller's buffer */
    memset(arena, 0, sizeof *arena);
}

heist_arena_stats heist_arena_stats_read(const heist_arena *arena)
{
    if (!arena) return (heist_arena_stats){0, 0, 0, 0};
    const uint64_t used = used_of(arena);
    return (heist_arena_stats){used, used > arena->most ? used : arena->most, arena->reserved, arena->chunks};
}
