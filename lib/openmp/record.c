/* Where records come from. Each slot keeps up to two batches of free ones; beyond that, and when it has none, whole
 * batches change hands through one list for all teams. So records that one thread takes and another gives back go round
 * in batches, and there are never more than were in use at one time, plus what the slots keep. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "openmp/team.h"

/* Batches are linked by the field below, records within a batch by `next`. */
#define NEXT_BATCH(task) ((task)->data)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static heist__omp_task *batches; /* under `lock` */
static heist__omp_task *loose;   /* given back from outside, one by one; under `lock` */

static heist__omp_task *new_batch(void)
{
    heist__omp_task *chunk = aligned_alloc(HEIST__LINE, HEIST__OMP_BATCH * sizeof *chunk);
    if (!chunk) return NULL;
    memset(chunk, 0, HEIST__OMP_BATCH * sizeof *chunk);
    for (int i = 0; i + 1 < HEIST__OMP_BATCH; i++) chunk[i].next = &chunk[i + 1];
    return chunk;
}

static heist__omp_task *take_batch(int *count)
{
    pthread_mutex_lock(&lock);
    heist__omp_task *batch = batches;
    *count = HEIST__OMP_BATCH;
    if (batch) {
        batches = NEXT_BATCH(batch);
    } else if (loose) {
        batch = loose;
        loose = batch->next;
        batch->next = NULL;
        *count = 1;
    }
    pthread_mutex_unlock(&lock);
    return batch ? batch : new_batch();
}

heist__omp_task *heist__omp_record_take_slow(heist__omp_slot *self)
{
    int count = HEIST__OMP_BATCH;
    heist__omp_task *task = self->spare;
    self->spare = NULL;
    if (!task) task = take_batch(&count);
    if (!task) return NULL;
    self->records = task->next;
    self->record_count = count - 1;
    return task;
}

void heist__omp_record_give_slow(heist__omp_slot *self, heist__omp_task *task)
{
    if (self->spare) {
        pthread_mutex_lock(&lock);
        NEXT_BATCH(self->spare) = batches;
        batches = self->spare;
        pthread_mutex_unlock(&lock);
    }
    self->spare = self->records;
    task->next = NULL;
    self->records = task;
    self->record_count = 1;
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
