/* Plain memory: the model's malloc, and a record of the accesses to it. The library and the harnesses are compiled with
 * the compiler's instrumentation for ThreadSanitizer, but its calls end here: each plain access to watched memory is
 * compared with the accesses before it that have not happened before it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

char arena[ARENA_BYTES] __attribute__((aligned(4096)));
char arena_first[ARENA_BYTES];
uint16_t dirty_lines[ARENA_BYTES / LINE_BYTES];
uint32_t dirty_count;
char mapped[MAPPED_BYTES] __attribute__((aligned(4096)));
shadow shadows[ARENA_BYTES / 8];
char failure[512];

static uint8_t watched[ARENA_BYTES / 8]; /* constant for a given address, once it is handed out */
static size_t mapped_end;

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fail(const char *format, ...)
{
    if (failure[0]) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure, sizeof failure, format, arguments);
    va_end(arguments);
}

void model_check(bool holds, const char *format, ...)
{
    if (holds || failure[0]) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure, sizeof failure, format, arguments);
    va_end(arguments);
}

bool in_arena(const volatile void *p)
{
    return (const char *)p >= arena && (const char *)p < arena + ARENA_BYTES;
}

static uint32_t word_of(const volatile void *p)
{
    return (uint32_t)((const char *)p - arena) / 8;
}

block *block_at(const volatile void *p)
{
    uint32_t at = (uint32_t)((const char *)p - arena);
    for (uint32_t i = now.block_count; i-- > 0;) {
        block *b = &now.blocks[i];
        if (at >= b->start) return at < b->start + b->size ? b : NULL;
    }
    return NULL;
}

/* ---- what changes ---- */

static void note_change(const volatile void *p, size_t size)
{
    static uint8_t is_dirty[ARENA_BYTES / LINE_BYTES];
    if (self < 0 || size == 0) return;
    size_t from = (size_t)((const char *)p - arena);
    for (size_t line = from / LINE_BYTES; line <= (from + size - 1) / LINE_BYTES; line++) {
        if (is_dirty[line]) continue;
        is_dirty[line] = 1;
        dirty_lines[dirty_count++] = (uint16_t)line;
    }
}

/* ---- races ---- */

static void touch(uint32_t word)
{
    shadow *s = &shadows[word];
    static const shadow none;
    if (!memcmp(s, &none, sizeof none)) now.touched[now.touched_count++] = (uint16_t)word;
}

static bool happened(int t, uint8_t when)
{
    return now.threads[self].cur.at[t] >= when;
}

static void race(const char *what, const volatile void *p, const char *with, int t)
{
    fail("data race: thread %d %s %s, which thread %d %s without an order between them", self, what, name_of(p, 0), t,
         with);
}

/* A plain or atomic access after a plain write. */
static void after_write(const char *what, const volatile void *p)
{
    const shadow *s = &shadows[word_of(p)];
    if (s->writer && s->writer - 1 != self && !happened(s->writer - 1, s->written))
        race(what, p, "wrote", s->writer - 1);
}

/* A plain write, or a free, after anything. */
static void after_any(const char *what, const volatile void *p)
{
    const shadow *s = &shadows[word_of(p)];
    after_write(what, p);
    for (int t = 0; t < thread_count; t++) {
        if (t != self && s->accessed[t] && !happened(t, s->accessed[t])) race(what, p, "uses", t);
    }
}

static void plain(const volatile void *p, size_t size, bool write)
{
    if (self < 0 || !in_arena(p)) return;
    if (write) note_change(p, size);
    block *b = block_at(p);
    if (b && b->freed) {
        fail("thread %d %s %s after it was freed", self, write ? "writes" : "reads", name_of(p, 0));
        return;
    }
    for (uint32_t w = word_of(p), end = word_of((const volatile char *)p + size - 1); w <= end; w++) {
        if (!watched[w]) continue;
        const char *at = arena + 8 * (size_t)w;
        if (write) {
            after_any("writes", at);
            touch(w);
            shadows[w].writer = (uint8_t)(self + 1);
            shadows[w].written = clock_of_access(self);
        } else {
            after_write("reads", at);
            touch(w);
            shadows[w].accessed[self] = clock_of_access(self);
        }
    }
}

void watch_atomic(const volatile void *p, size_t size)
{
    (void)size;
    if (self < 0 || !in_arena(p)) return;
    block *b = block_at(p);
    if (b && b->freed) {
        fail("thread %d uses %s after it was freed", self, name_of(p, 0));
        return;
    }
    uint32_t w = word_of(p);
    if (!watched[w]) return;
    int l = location_of(p, size, true);
    if (b && !b->zeroed && !now.count[l] && !shadows[w].writer && now.threads[self].next.kind != OP_STORE)
        fail("thread %d reads %s, which nobody has written", self, name_of(p, 0));
    after_write("uses", p);
    touch(w);
    shadows[w].accessed[self] = clock_of_access(self);
}

/* ---- malloc ---- */

static void *allocate(size_t size, size_t alignment, bool zeroed, bool watch)
{
    size_t at = ((size_t)now.heap_end + alignment - 1) & ~(alignment - 1);
    if (at + size + 8 > ARENA_BYTES || now.block_count == BLOCKS) {
        fprintf(stderr, "the model's heap is full\n");
        exit(3);
    }
    now.heap_end = (uint32_t)((at + size + 15) & ~(size_t)7); /* one word between blocks */
    now.blocks[now.block_count++] = (block){.start = (uint32_t)at,
                                            .size = (uint32_t)size,
                                            .fresh = (int8_t)(self >= 0 && watch ? self + 1 : 0),
                                            .zeroed = zeroed || self < 0};
    note_change(arena + at, now.heap_end - at);
    (memset)(arena + at, 0, now.heap_end - at);
    if (watch) (memset)(watched + at / 8, 1, (size + 7) / 8);
    return arena + at;
}

void *model_alloc(size_t size)
{
    return allocate(size, 128, true, false);
}

void *model_payload(size_t size)
{
    return allocate(size, 16, true, true);
}

void *model_malloc(size_t size)
{
    return allocate(size, 16, false, true);
}

void *model_calloc(size_t count, size_t size)
{
    return allocate(count * size, 16, true, true);
}

void *model_aligned_alloc(size_t alignment, size_t size)
{
    return allocate(size, alignment, false, true);
}

void model_unwatch(const volatile void *base, size_t size)
{
    (memset)(watched + word_of(base), 0, (size + 7) / 8);
}

void model_free(void *p)
{
    if (!p) return;
    block *b = block_at(p);
    if (!b || arena + b->start != (char *)p || b->freed) {
        fail("thread %d frees %s, which is not allocated", self, name_of(p, 0));
        return;
    }
    for (uint32_t w = b->start / 8; w < (b->start + b->size + 7) / 8; w++) {
        if (self >= 0 && watched[w]) after_any("frees", arena + 8 * (size_t)w);
        (memset)(&shadows[w], 0, sizeof shadows[w]);
    }
    uint32_t kept = 0; /* no shadow left in this block */
    for (uint32_t i = 0; i < now.touched_count; i++) {
        uint32_t at = now.touched[i] * 8u;
        if (at < b->start || at >= b->start + b->size) now.touched[kept++] = now.touched[i];
    }
    now.touched_count = kept;
    for (int l = 0; l < location_count; l++) { /* and no history */
        const char *a = (const char *)location_address[l];
        if (a < arena + b->start || a >= arena + b->start + b->size || !now.count[l]) continue;
        if (now.count[l] > 1) drop_oldest(l, now.count[l] - 1);
        now.count[l] = 0;
    }
    note_change(arena + b->start, b->size);
    (memset)(arena + b->start, 0, b->size);
    b->freed = 1;
}

/* Reserved memory holds nothing but atomics, so its bytes do not belong to the state. */
void *model_mmap(size_t size)
{
    if (mapped_end + size > MAPPED_BYTES) {
        fprintf(stderr, "the model's mapped memory is full\n");
        exit(3);
    }
    void *p = mapped + mapped_end;
    mapped_end += (size + 127) & ~(size_t)127;
    return p;
}

void *model_memset(void *p, int byte, size_t size)
{
    plain(p, size, true);
    block *b = in_arena(p) ? block_at(p) : NULL;
    if (b && arena + b->start == (char *)p && size >= b->size) b->zeroed = 1; /* as if from calloc */
    return (memset)(p, byte, size);
}

void *model_memcpy(void *to, const void *from, size_t size)
{
    plain(from, size, false);
    plain(to, size, true);
    return (memcpy)(to, from, size);
}

/* ---- which threads know of a new block ---- */

bool is_fresh(const volatile void *p, int t)
{
    if (!in_arena(p)) return false;
    const block *b = block_at(p);
    return b && b->fresh == t + 1;
}

/* An address was stored where others may find it. */
void note_escape(uint64_t value)
{
    const void *p = (const void *)(uintptr_t)value;
    if (!in_arena(p)) return;
    block *b = block_at(p);
    if (b) b->fresh = 0;
}

/* ---- the compiler's calls ---- */

void __tsan_init(void);
void __tsan_read_range(void *p, unsigned long size);
void __tsan_write_range(void *p, unsigned long size);
void __tsan_init(void)
{
}
void __tsan_read_range(void *p, unsigned long size)
{
    plain(p, size, false);
}
void __tsan_write_range(void *p, unsigned long size)
{
    plain(p, size, true);
}

#define ACCESSES(size)                                                                                                 \
    void __tsan_read##size(void *p);                                                                                   \
    void __tsan_write##size(void *p);                                                                                  \
    void __tsan_unaligned_read##size(void *p);                                                                         \
    void __tsan_unaligned_write##size(void *p);                                                                        \
    void __tsan_read##size(void *p)                                                                                    \
    {                                                                                                                  \
        plain(p, size, false);                                                                                         \
    }                                                                                                                  \
    void __tsan_write##size(void *p)                                                                                   \
    {                                                                                                                  \
        plain(p, size, true);                                                                                          \
    }                                                                                                                  \
    void __tsan_unaligned_read##size(void *p)                                                                          \
    {                                                                                                                  \
        plain(p, size, false);                                                                                         \
    }                                                                                                                  \
    void __tsan_unaligned_write##size(void *p)                                                                         \
    {                                                                                                                  \
        plain(p, size, true);                                                                                          \
    }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
