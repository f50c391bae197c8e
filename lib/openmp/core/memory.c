/* Memory that a slot does not keep, or does not have. All that a slot keeps of one size changes hands at once,
 * through one list for all teams; malloc serves the rest. So a thread that creates tasks and a thread that finishes
 * them do not meet in malloc for each task. */
#include "openmp/core/memory.h"

#include <pthread.h>

#include "openmp/core/own_lock.h"

/* Under AddressSanitizer nothing is kept, so that it sees every use after the end. */
#if defined(__SANITIZE_ADDRESS__)
#define KEPT 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEPT 0
#endif
#endif
#ifndef KEPT
#define KEPT 1
#endif

/* Pieces of one size. Lies at the beginning of the first. */
typedef struct bunch {
    heist__omp_memory head; /* the first piece; the others follow by `next` */
    struct bunch *next;
    uint32_t count;
} bunch;

_Static_assert(sizeof(bunch) <= HEIST__OMP_SIZE_STEP, "fits into the smallest piece");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bunch *bunches[HEIST__OMP_SIZES]; /* by their size in steps, less one. Under `lock`. */
static size_t bytes_there;               /* in all of them. Under `lock`. */

enum { MOST_THERE = 4 * HEIST__OMP_MOST_KEPT };

static size_t bytes_of(size_t size, uint32_t count)
{
    return size * HEIST__OMP_SIZE_STEP * count;
}

/* Memory of `size` steps for a slot that has none. */
static bool take_bunch(heist__omp_slot *self, size_t size)
{
    heist__own_lock(&lock);
    bunch *b = bunches[size - 1];
    if (b) {
        bunches[size - 1] = b->next;
        bytes_there -= bytes_of(size, b->count);
    }
    heist__own_unlock(&lock);
    if (!b) return false;
    self->kept[size - 1] = &b->head;
    self->kept_count[size - 1] = b->count;
    self->kept_bytes += bytes_of(size, b->count);
    return true;
}

void *heist__omp_memory_take_slow(heist__omp_slot *self, size_t bytes)
{
    size_t size = KEPT ? heist__omp_memory_size(bytes) : 0;
    if (size && take_bunch(self, size)) return heist__omp_memory_take(self, bytes);
    if (bytes > PTRDIFF_MAX) return NULL; /* so that the sum below does not overflow */
    heist__omp_memory *memory = malloc(size ? size * HEIST__OMP_SIZE_STEP : sizeof *memory + bytes);
    if (!memory) return NULL;
    memory->size = size;
    return memory + 1;
}

static bool give_bunch(bunch *b, size_t size)
{
    size_t bytes = bytes_of(size, b->count);
    heist__own_lock(&lock);
    bool room = bytes_there + bytes <= MOST_THERE;
    if (room) {
        b->next = bunches[size - 1];
        bunches[size - 1] = b;
        bytes_there += bytes;
    }
    heist__own_unlock(&lock);
    return room;
}

void heist__omp_memory_give_slow(heist__omp_slot *self, heist__omp_memory *memory)
{
    size_t size = self ? memory->size : 0;
    bunch *b = size ? (bunch *)self->kept[size - 1] : NULL;
    if (!b) { /* too large, or from outside the team, or the slot keeps only other sizes */
        free(memory);
        return;
    }
    b->count = self->kept_count[size - 1];
    self->kept_bytes -= bytes_of(size, b->count);
    self->kept[size - 1] = NULL;
    self->kept_count[size - 1] = 0;
    if (!give_bunch(b, size)) {
        for (heist__omp_memory *m = &b->head; m;) {
            heist__omp_memory *next = m->next;
            free(m);
            m = next;
        }
    }
    heist__omp_memory_keep(self, memory, size);
}

void heist__omp_memory_after_fork(void)
{
    pthread_mutex_init(&lock, NULL); /* the thread that held it is not here; at worst a bunch is lost */
}
