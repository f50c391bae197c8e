/* objects.c: pools of objects. See heist/memory.h. A pool is a table of homes (memory/home.h), one for each worker and
 * each other thread that has acquired something. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/home.h"
#include "platform/one_line.h"
#include "storage/placing.h"
#include "storage/table.h"

#undef heist_object_pool_new

#define MOST_ALIGNMENT ((size_t)2 << 20)
#define NAME_SIZE 32

struct heist_object_pool {
    heist__object_layout layout;
    heist__table table;
    char name[NAME_SIZE];
    /* Whether memory could not be placed. Written by: any thread that uses the pool. Read by: any thread. */
    HEIST__ATOMIC(uint32_t) misplaced;
    /* Releases by threads that have acquired nothing, and so have no home. Written by: any thread (add). */
    HEIST__ATOMIC(uint64_t) released_by_others;
};

static void *fail(int error, const char *sentence)
{
    errno = -heist__fail(error, "%s", sentence);
    return NULL;
}

/* ---- making ---- */

static int read_options(heist_object_options *o, const heist_object_options *given)
{
    if (!given) return heist__fail(-EINVAL, "heist_object_pool_new: no options");
    const size_t size = given->size ? given->size : sizeof *o;
    if (size < offsetof(heist_object_options, alignment) || size > 4096)
        return heist__fail(-EINVAL, "heist_object_pool_new: options of %zu bytes", size);
    if (HEIST__ENDS_WITHIN(size, heist_object_options, pool) || HEIST__ENDS_WITHIN(size, heist_object_options, name))
        return heist__fail(-EINVAL, "heist_object_pool_new: options of %zu bytes end within a pointer", size);
    memset(o, 0, sizeof *o);
    memcpy(o, given, size < sizeof *o ? size : sizeof *o);
    if (!o->alignment) o->alignment = HEIST_ALIGNMENT;
    if (o->object_size == 0) return heist__fail(-EINVAL, "heist_object_pool_new: no object_size");
    if ((o->alignment & (o->alignment - 1)) || o->alignment > MOST_ALIGNMENT)
        return heist__fail(-EINVAL, "heist_object_pool_new: %zu is no power of two up to %zu", o->alignment,
                           MOST_ALIGNMENT);
    if (o->alignment < HEIST_ALIGNMENT) o->alignment = HEIST_ALIGNMENT;
    return 0;
}

/* The home of an id, with no objects. NULL: memory is short. */
static heist__home *make_home(heist_object_pool *pool, uint32_t id)
{
    heist__view *entry = heist__table_entry(&pool->table, id);
    heist__home *home = entry ? heist__home_new(&pool->layout) : NULL;
    if (home) heist__view_set(entry, home);
    return home;
}

static int grow(heist_object_pool *pool, heist__home *home, size_t count, heist__worker *w)
{
    int placed = 0;
    const int error = heist__home_grow(home, count, count > 0, heist__place_near, w, &placed);
    if (placed < 0) heist__store_relaxed(&pool->misplaced, 1); /* relaxed: a note, which orders nothing */
    return error;
}

static int preallocate(heist_object_pool *pool, const heist_object_options *o)
{
    heist_pool *workers = heist__pool_resolve(o->pool);
    if (!workers) return -errno;
    for (unsigned i = 0; i < workers->count; i++) {
        heist__worker *w = workers->workers[i];
        if (w->id == HEIST__NO_ID) continue;
        heist__home *home = make_home(pool, w->id);
        const int error = home ? grow(pool, home, o->preallocate, w) : -ENOMEM;
        if (error)
            return heist__fail(error, "%zu objects of %zu bytes for each of %u workers: %s", o->preallocate,
                               o->object_size, workers->count, heist_strerror(error));
    }
    return 0;
}

static void free_home(void *home, void *unused)
{
    (void)unused;
    heist__home_free(home);
}

static void destroy(heist_object_pool *pool)
{
    heist__table_visit(&pool->table, free_home, NULL);
    heist__table_destroy(&pool->table);
    free(pool);
}

heist_object_pool *heist__object_pool_make(const heist_object_options *options, bool debug)
{
    heist_object_options o;
    int error = read_options(&o, options);
    heist_object_pool *pool = error ? NULL : calloc(1, sizeof *pool);
    if (!error && !pool) error = heist__fail(-ENOMEM, "no memory for a pool of objects");
    if (!error) {
        error = heist__object_layout_init(&pool->layout, o.object_size, o.alignment,
                                          heist__checks_memory(o.check || debug), pool);
        if (error) heist__fail(error, "no address space holds objects of %zu bytes", o.object_size);
    }
    if (!error) {
        snprintf(pool->name, sizeof pool->name, "%s", o.name ? o.name : "objects");
        heist__one_line(pool->name);
        if (o.preallocate) error = preallocate(pool, &o);
    }
    if (!error) return pool;
    if (pool) destroy(pool);
    errno = -error;
    return NULL;
}

heist_object_pool *heist_object_pool_new(const heist_object_options *options)
{
    return heist__object_pool_make(options, false);
}

int heist_object_pool_free(heist_object_pool *pool)
{
    if (!pool) return 0;
    heist_object_stats stats = {.size = sizeof stats};
    heist_object_stats_read(pool, &stats);
    if (stats.acquired != stats.released)
        return heist__fail(-EBUSY, "pool \"%s\": %llu objects are in use", pool->name,
                           (unsigned long long)(stats.acquired - stats.released));
    destroy(pool);
    return 0;
}

/* ---- acquiring ---- */

heist_object_cache *heist_object_cache_here(heist_object_pool *pool)
{
    if (!pool) return fail(-EINVAL, "no pool of objects");
    const uint32_t id = heist__id_here();
    heist__home *home = heist__view_of(&pool->table, id);
    if (home) return &home->cache;
    if (id == HEIST__NO_ID) return fail(-EAGAIN, "too many threads use heist's pools of objects");
    home = make_home(pool, id);
    return home ? &home->cache : fail(-ENOMEM, "no memory for a list of objects");
}

static void tell_of_damage(const heist_object_pool *pool, const void *object)
{
    fprintf(stderr, "heist: object %p of pool \"%s\" was written to after its release\n", object, pool->name);
}

void *heist__object_take_slow(heist_object_cache *cache)
{
    heist__home *home = (heist__home *)(void *)cache;
    heist_object_pool *pool = home->layout->pool;
    const uint64_t damaged = heist__load_relaxed(&home->damaged); /* relaxed: own; likewise below */
    void *object = heist__home_take(home);
    if (!object && grow(pool, home, 0, heist__self()) == 0) object = heist__home_take(home);
    if (!object) return fail(-ENOMEM, "no memory for an object");
    if (heist__load_relaxed(&home->damaged) != damaged) tell_of_damage(pool, object);
    return object;
}

void *heist_object_acquire(heist_object_pool *pool)
{
    heist_object_cache *cache = heist_object_cache_here(pool);
    return cache ? heist_object_take(cache) : NULL;
}

/* ---- releasing ---- */

typedef struct {
    const heist__home *wanted;
    bool found;
} home_search;

static void compare(void *home, void *search)
{
    home_search *s = search;
    if (home == s->wanted) s->found = true;
}

/* The home of `object`, or NULL: it is no object of this pool that is in use, and this is explained. */
static heist__home *home_of(heist_object_pool *pool, const void *object)
{
    heist__home *home = heist__home_of(&pool->layout, object);
    if (!home) {
        fail(-EINVAL, "heist_object_release: the object is not in use: it was released before");
        return NULL;
    }
    home_search s = {home, !pool->layout.checked};
    if (!s.found) heist__table_visit(&pool->table, compare, &s);
    if (s.found && home->layout->pool == pool) return home;
    fail(-EINVAL, "heist_object_release: the object is of another pool");
    return NULL;
}

/* `mine`: the calling thread's home; NULL: it has none. */
static int release(heist_object_pool *pool, heist__home *mine, void *object)
{
    if (!object) return 0;
    heist__home *home = home_of(pool, object);
    if (!home) return -EINVAL;
    if (mine) {
        heist__count_one(&mine->cache.released);
    } else {
        heist__add_relaxed(&pool->released_by_others, 1); /* relaxed: counts */
    }
    if (home == mine) {
        heist__home_keep(home, object);
    } else {
        if (mine) heist__count_one(&mine->returned_count);
        heist__home_return(home, object);
    }
    return 0;
}

int heist__object_give_slow(heist_object_cache *cache, void *object)
{
    heist__home *mine = (heist__home *)(void *)cache;
    return release(mine->layout->pool, mine, object);
}

int heist_object_release(heist_object_pool *pool, void *object)
{
    if (!pool) return heist__fail(-EINVAL, "heist_object_release: no pool");
    heist__home *mine = heist__view_of(&pool->table, heist__id_here_if_any());
    return mine ? heist_object_give(&mine->cache, object) : release(pool, NULL, object);
}

/* ---- asking ---- */

/* relaxed throughout: numbers of threads that may run */
static void add(void *view, void *sum)
{
    heist__home *home = view;
    heist_object_stats *all = sum;
    all->acquired += heist__load_relaxed(&home->cache.acquired);
    all->released += heist__load_relaxed(&home->cache.released);
    all->returned += heist__load_relaxed(&home->returned_count);
    all->made += heist__load_relaxed(&home->made);
    all->bytes += heist__load_relaxed(&home->bytes);
    all->damaged += heist__load_relaxed(&home->damaged);
    all->lists++;
}

int heist_object_stats_read(heist_object_pool *pool, heist_object_stats *stats)
{
    if (!pool || !stats) return heist__fail(-EINVAL, "heist_object_stats_read: no pool, or no stats");
    const size_t size = stats->size ? stats->size : sizeof *stats;
    if (size < sizeof(size_t) || size > 4096)
        return heist__fail(-EINVAL, "heist_object_stats_read: a size of %zu", size);
    heist_object_stats all = {.size = size};
    heist__table_visit(&pool->table, add, &all);
    const uint64_t others = heist__load_relaxed(&pool->released_by_others); /* relaxed: as above */
    all.released += others;
    all.returned += others;
    memset(stats, 0, size);
    memcpy(stats, &all, size < sizeof all ? size : sizeof all);
    return 0;
}

const char *heist_object_pool_notes(const heist_object_pool *pool)
{
    /* relaxed: a note, which orders nothing */
    return pool && heist__load_relaxed(&pool->misplaced) ? HEIST__NOT_PLACED : "";
}
