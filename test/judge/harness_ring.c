/* The ring deque under GenMC: the scenarios of test/model/harness_ring.c.
 *
 *   STEPS    what the owner does, as statements: push(); pop();
 *   THIEVES  how many; TRIES: steals of each; HALF: they steal half at a time
 *   AT       the index of the first element
 *
 * Every element must be had once, by some thread, or still be there. GenMC itself finds races on an element's contents,
 * uses of freed rings and reads of slots that were never written. */
#include "scenario.h"

#include "judge.h"

#include "deque/ring_deque.h"

static void *judge_calloc(size_t count, size_t size);
#define calloc judge_calloc
#include <string.h>
#define memset(memory, value, size) ((void)0) /* for heist__deque_new_in, which no scenario uses */
#include "deque/ring_deque.c"

enum { ELEMENTS = 8, OWNER = THIEVES };

typedef struct {
    int value;
} record;

static heist_deque *deque;
static record records[ELEMENTS];
static int pushed;                     /* Owner only. */
static int had[THIEVES + 1][ELEMENTS]; /* a row for each thread */
static void *popped;                   /* Owner only. Not a local: GenMC confuses locals that have the same address. */

/* Only rings come from calloc. GenMC wants each field written with its own size. */
static void *judge_calloc(size_t count, size_t size)
{
    assert(count == 1);
    heist__ring *ring = malloc(size);
    ring->mask = 0;
    ring->shrink_below = 0;
    ring->older = NULL;
    ring->idle_seen = 0;
    size_t slots = (size - sizeof *ring) / sizeof ring->slots[0];
    for (size_t i = 0; i < slots; i++) __c11_atomic_init(&ring->slots[i], NULL);
    return ring;
}

static void take(int thread, void *element)
{
    record *r = element;
    assert(r >= records && r < records + ELEMENTS);
    long i = r - records;
    assert(r->value == (int)i + 1);
    had[thread][i]++;
}

static void push(void)
{
    record *r = &records[pushed];
    r->value = ++pushed;
    heist_deque_push(deque, r);
}

static void pop(void)
{
    if (heist_deque_pop(deque, &popped) == HEIST_STEAL_GOT) take(OWNER, popped);
}

static void *thief(void *number)
{
    int self = (int)(intptr_t)number;
    for (int i = 0; i < TRIES; i++) {
#ifdef HALF
        void *elements[4];
        size_t n = heist_deque_steal_half(deque, elements, 4);
        for (size_t k = 0; k < n; k++) take(self, elements[k]);
#else
        void *element;
        if (heist_deque_steal(deque, &element) == HEIST_STEAL_GOT) take(self, element);
#endif
    }
    return NULL;
}

static void check_end(void)
{
    uint64_t top = heist__load_relaxed(&deque->top), bottom = heist__load_relaxed(&deque->bottom);
    const heist__ring *ring = heist__load_relaxed(&deque->ring);
    for (uint64_t i = top; i != bottom; i++) take(OWNER, slot_read(ring, i));
    for (int i = 0; i < pushed; i++) {
        int times = 0;
        for (int t = 0; t <= THIEVES; t++) times += had[t][i];
        assert(times == 1);
    }
}

int main(void)
{
    pthread_t threads[THIEVES];
    deque = heist__deque_new_at(2, (uint64_t)(int64_t)(AT));
    for (int i = 0; i < THIEVES; i++) pthread_create(&threads[i], NULL, thief, (void *)(intptr_t)i);
    STEPS
    for (int i = 0; i < THIEVES; i++) pthread_join(threads[i], NULL);
    check_end();
    heist_deque_free(deque);
    return 0;
}
