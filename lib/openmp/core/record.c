/* Batches of free records change hands through one list for all teams: when a slot has more than two batches, and
 * when it has no record. So records that one thread takes and another gives back go round in batches. There are never
 * more records than were in use at one time, plus those that the slots keep. */
#include "openmp/core/record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "openmp/core/own_lock.h"

/* A list of free records on its way from slot to slot. Each chunk of records comes with a batch, so there are enough
 * batches, except for records that are of no chunk (kmp/reserve.c). */
typedef struct batch {
    struct batch *next;
    heist__omp_task *tasks[HEIST__OMP_BATCH];
} batch;

typedef struct chunk {
    heist__omp_task tasks[HEIST__OMP_BATCH];
    batch batch;
} chunk;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static batch *full, *blank;      /* under `lock` */
static heist__omp_task *singles; /* given back one by one. Under `lock`. */

/* Of an array of addresses. */
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

/* Takes a batch of records that another thread gave back, or a single record. Returns how many it put into the slot. */
static int take_free(heist__omp_slot *self)
{
    int count = 0;
    heist__own_lock(&lock);
    batch *b = get(&full);
    if (b) {
        memcpy(first_of(self), b->tasks, BATCH_BYTES);
        count = HEIST__OMP_BATCH;
        put(&blank, b);
    } else if (singles) {
        *first_of(self) = singles;
        singles = singles->next;
        count = 1;
    }
    heist__own_unlock(&lock);
    return count;
}

static int take_new(heist__omp_slot *self)
{
    chunk *c = aligned_alloc(HEIST__LINE, (sizeof *c + HEIST__LINE - 1) / HEIST__LINE * HEIST__LINE);
    if (!c) return 0;
    memset(c, 0, sizeof *c);
    for (int i = 0; i < HEIST__OMP_BATCH; i++) first_of(self)[i] = &c->tasks[HEIST__OMP_BATCH - 1 - i];
    heist__own_lock(&lock);
    put(&blank, &c->batch);
    heist__own_unlock(&lock);
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

/* Both batches of the slot are full: the batch that was not used for longer goes. */
void heist__omp_record_give_slow(heist__omp_slot *self, heist__omp_task *task)
{
    heist__own_lock(&lock);
    batch *b = get(&blank);
    if (b) {
        memcpy(b->tasks, first_of(self), BATCH_BYTES);
        put(&full, b);
    }
    heist__own_unlock(&lock);
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
    heist__own_lock(&lock);
    task->next = singles;
    singles = task;
    heist__own_unlock(&lock);
}

void heist__omp_records_after_fork(void)
{
    pthread_mutex_init(&lock, NULL); /* the thread that held it is not here; at worst a batch is lost */
}
