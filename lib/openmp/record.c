/* Where records come from. Each slot keeps up to two batches of free ones, as addresses in a row, so that the next to be
 * taken are known without a look at them: another thread may have written them last, and that takes its time. Beyond
 * that, and when a slot has none, whole batches change hands through one list for all teams. So records that one thread
 * takes and another gives back go round in batches, and there are never more than were in use at one time, plus what the
 * slots keep. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "openmp/team.h"

/* A list of free records on its way from slot to slot. Each chunk of records comes with one, so there are enough, but
 * for records that are of no chunk (kmp/reserve.c). */
typedef struct batch {
    struct batch *next;
    heist__omp_task *tasks[HEIST__OMP_BATCH];
} batch;

typedef struct chunk {
    heist__omp_task tasks[HEIST__OMP_BATCH];
    batch batch;
} chunk;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static batch *full, *blank;    /* under `lock` */
static heist__omp_task *loose; /* given back one by one; under `lock` */

/* Of an array. */
enum { BATCH_BYTES = HEIST__OMP_BATCH * sizeof(heist__omp_task *) };

static heist__omp_task **first_of(heist__omp_slot *self)
{
    return &self->records[HEIST__OMP_AHEAD];
}

/* Under `lock`. */
static void put(batch **list, batch *b)
{
    b->next = *list;
    *list = b;
}

static batch *get(batch **list)
{
    batch *b = *list;
    if (b) *list = b->next;
    return b;
}

/* A batch of which somebody else has made records free, or one such record. Returns how many it put into the slot. */
static int take_free(heist__omp_slot *self)
{
    int count = 0;
    pthread_mutex_lock(&lock);
    batch *b = get(&full);
    if (b) {
        memcpy(first_of(self), b->tasks, BATCH_BYTES);
        count = HEIST__OMP_BATCH;
        put(&blank, b);
    } else if (loose) {
        *first_of(self) = loose;
        loose = loose->next;
        count = 1;
    }
    pthread_mutex_unlock(&lock);
    return count;
}

static int take_new(heist__omp_slot *self)
{
    chunk *c = aligned_alloc(HEIST__LINE, (sizeof *c + HEIST__LINE - 1) / HEIST__LINE * HEIST__LINE);
    if (!c) return 0;
    memset(c, 0, sizeof *c);
    for (int i = 0; i < HEIST__OMP_BATCH; i++) first_of(self)[i] = &c->tasks[HEIST__OMP_BATCH - 1 - i];
    pthread_mutex_lock(&lock);
    put(&blank, &c->batch);
    pthread_mutex_unlock(&lock);
    return HEIST__OMP_BATCH;
}

heist__omp_task *heist__omp_record_take_slow(heist__omp_slot *self)
{
    int count = take_free(self);
    if (count == 0) count = take_new(self);
    if (count == 0) return NULL;
    self->record = first_of(self) + count - 1;
    return *self->record--;
}

/* Both batches of the slot are full: the one that was not touched for longer goes. */
void heist__omp_record_give_slow(heist__omp_slot *self, heist__omp_task *task)
{
    pthread_mutex_lock(&lock);
    batch *b = get(&blank);
    if (b) {
        memcpy(b->tasks, first_of(self), BATCH_BYTES);
        put(&full, b);
    }
    pthread_mutex_unlock(&lock);
    if (!b) {
        heist__omp_record_give_outside(task);
        return;
    }
    memcpy(first_of(self), first_of(self) + HEIST__OMP_BATCH, BATCH_BYTES);
    self->record = first_of(self) + HEIST__OMP_BATCH;
    *self->record = task;
}

void heist__omp_record_give_outside(heist__omp_task *task)
{
    pthread_mutex_lock(&lock);
    task->next = loose;
    loose = task;
    pthread_mutex_unlock(&lock);
}

void heist__omp_records_after_fork(void)
{
    pthread_mutex_init(&lock, NULL); /* whoever held it is not here; at worst a batch is lost */
}
