/* The memory of futures: one block for the future, its task's record and its sources. Blocks of the size that jobs have
 * come from the calling worker's pool of blocks. A thread that is no worker keeps a few such blocks of its own. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "async/future.h"

/* ---- threads that are no workers ---- */

#define KEPT_OUTSIDE 64

static _Thread_local heist__object_pool outside;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

static void thread_ends(void *pool)
{
    heist__object_pool *blocks = pool;
    heist__object_pool_destroy(blocks);
    blocks->keep_max = 0; /* other destructors may still use futures */
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, thread_ends) == 0;
}

/* As in stand_in.c: the library may be unloaded while threads live on. */
__attribute__((destructor)) static void delete_key(void)
{
    if (has_key) pthread_key_delete(key);
}

static heist__object_pool *blocks_here(void)
{
    heist__worker *w = heist__self();
    if (w) return &w->blocks;
    if (outside.block_size == 0) {
        pthread_once(&once, make_key);
        bool kept = has_key && pthread_setspecific(key, &outside) == 0;
        heist__object_pool_init(&outside, HEIST__JOB_BLOCK, kept ? KEPT_OUTSIDE : 0);
    }
    return &outside;
}

/* ---- after fork() ---- */

static HEIST__ATOMIC(uint32_t) process = 1;

static void in_child(void)
{
    uint32_t next = heist__load_relaxed(&process) + 1; /* relaxed: there is one thread */
    heist__store_relaxed(&process, next & 0xffff ? next : next + 1);
}

static void hook(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

uint16_t heist__process_mark(void)
{
    return (uint16_t)heist__load_relaxed(&process); /* relaxed: it changes only in fork() */
}

/* ---- blocks ---- */

heist_future *heist__future_make(heist_pool *pool, heist__future_kind kind, size_t record, size_t sources)
{
    static pthread_once_t hooked = PTHREAD_ONCE_INIT;
    pthread_once(&hooked, hook);
    size_t head = (offsetof(heist_future, task) + record + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
    size_t size = head;
    if (sources > PTRDIFF_MAX / 2 / sizeof(heist__follower)) {
        errno = -heist__fail(-ENOMEM, "no memory for a future of %zu others", sources);
        return NULL;
    }
    if (sources) size += sizeof(heist__sources) + sources * sizeof(heist__follower);
    const bool small = size <= HEIST__JOB_BLOCK;
    heist_future *f = small ? heist__object_pool_take(blocks_here()) : malloc(size);
    if (!f) {
        errno = -heist__fail(-ENOMEM, "no memory for a future");
        return NULL;
    }
    f->job.task = NULL;
    f->job.core = NULL;
    f->job.of_end.memory = sources ? (char *)f + head : NULL;
    f->job.of_end.function = NULL;
    f->job.size = small ? HEIST__JOB_BLOCK : size;
    f->pool = pool;
    f->mark = heist__process_mark();
    f->kind = (uint8_t)kind;
    /* relaxed: giving the job, the handle or a follower to other threads publishes all of these */
    heist__store_relaxed(&f->refs, 2);
    heist__store_relaxed(&f->wake, 0);
    heist__store_relaxed(&f->list, 0);
    heist__store_relaxed(&f->error, 0);
    heist__store_relaxed(&f->added, 0);
    heist__store_relaxed(&f->task.state, HEIST__TASK_WAITS);
    if (sources) {
        heist__sources *s = heist__sources_of(f);
        s->count = sources;
        heist__store_relaxed(&s->left, sources);
        heist__store_relaxed(&s->first, 0);
        heist__store_relaxed(&s->readers, 0);
    }
    return f;
}

/* A result that no thread has taken. */
static void free_result(heist_future *f)
{
    heist_function *release = f->job.of_end.function;
    if (f->kind != HEIST__POINTER || !release || heist__error_of(f)) return;
    heist__producing *p = (heist__producing *)(void *)&f->task;
    void *result = heist__load_relaxed(&p->value); /* relaxed: Y5 orders it, the caller has the last reference */
    if (result && result != (void *)p) release(result);
}

void heist__future_free(heist_future *f)
{
    free_result(f);
    f->mark = 0;
    if (f->job.size == HEIST__JOB_BLOCK) {
        heist__object_pool_give(blocks_here(), f);
    } else {
        free(f);
    }
}

int heist__future_check(const heist_future *f, const char *function)
{
    if (f && f->mark) return 0;
    return heist__fail(-EINVAL, "%s: no future, or a handle that was dropped", function);
}
