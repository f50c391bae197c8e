/* inbox_liblfds.c: the inbox on liblfds 7.1.1's bounded many-producer many-consumer queue, compiled where liblfds was
 * found. That queue is a ring with sequence numbers too. Its dequeue says "empty" also when the oldest slot is claimed
 * but not yet filled, though finished ones lie behind it. Here such an answer is believed only when the two indices are
 * equal, as inbox.h promises. liblfds wants its state aligned to LFDS711_PAL_ATOMIC_ISOLATION_IN_BYTES, the number of
 * elements a power of two from 2 on, and a load barrier in each thread that did not do the init: every dequeue and
 * enqueue begins with one, so only heist__inbox_init has to make its own stores visible. */
#include "schedule/inbox.h"

#if !HEIST__INBOX_LIBLFDS
typedef int heist__inbox_liblfds_is_not_used; /* an empty translation unit is not C */
#else

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

/* liblfds's header is not written for our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wpedantic"
#include <liblfds711.h>
#pragma GCC diagnostic pop

/* ThreadSanitizer sees neither into liblfds nor the order that its fences make: these calls tell it of the
 * hand-over. */
#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif
#ifdef TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#else
#define __tsan_acquire(address) ((void)(address))
#define __tsan_release(address) ((void)(address))
#endif

#define MOST_CAPACITY ((size_t)1 << 24)
enum { YIELDS_BEFORE_SLEEP = 64, SLEEP_NANOSECONDS = 50000 };

static size_t power_of_two_from(size_t wanted)
{
    size_t capacity = 2;
    while (capacity < wanted) {
        capacity *= 2;
    }
    return capacity;
}

static void *aligned_for_liblfds(size_t size)
{
    const size_t unit = LFDS711_PAL_ATOMIC_ISOLATION_IN_BYTES;
    return aligned_alloc(unit, (size + unit - 1) / unit * unit);
}

int heist__inbox_init(heist__inbox *inbox, size_t capacity)
{
    inbox->state = NULL;
    inbox->elements = NULL;
    if (capacity == 0 || capacity > MOST_CAPACITY) {
        return -EINVAL;
    }
    size_t rounded = power_of_two_from(capacity);
    inbox->state = aligned_for_liblfds(sizeof(struct lfds711_queue_bmm_state));
    inbox->elements = aligned_for_liblfds(rounded * sizeof(struct lfds711_queue_bmm_element));
    if (!inbox->state || !inbox->elements) {
        heist__inbox_destroy(inbox);
        return -ENOMEM;
    }
    /* The call ends with a store barrier; the step that gives the inbox to another thread then publishes it. */
    lfds711_queue_bmm_init_valid_on_current_logical_core(inbox->state, inbox->elements, rounded, NULL);
    return 0;
}

void heist__inbox_destroy(heist__inbox *inbox)
{
    if (inbox->state && inbox->elements) {
        lfds711_queue_bmm_cleanup(inbox->state, NULL);
    }
    free(inbox->elements);
    free(inbox->state);
    inbox->elements = NULL;
    inbox->state = NULL;
}

bool heist__inbox_put(heist__inbox *inbox, const heist__parcel *parcel)
{
    __tsan_release(parcel->content);
    return lfds711_queue_bmm_enqueue(inbox->state, NULL, parcel->content) != 0;
}

/* The number of positions claimed by producers and not by consumers. liblfds reads the consumers' index first: if the
 * later read of the producers' index is equal, then no position was between them at the first read. */
size_t heist__inbox_size(const heist__inbox *inbox)
{
    lfds711_pal_uint_t count = 0;
    lfds711_queue_bmm_query(inbox->state, LFDS711_QUEUE_BMM_QUERY_GET_POTENTIALLY_INACCURATE_COUNT, NULL, &count);
    return count <= INTPTR_MAX ? (size_t)count : 0; /* a difference of two counters, read one after the other */
}

/* Waits for a producer that is in the middle of its put. Sleeps in the end, because a yield does not let a thread of
 * lower priority run. */
static void wait_a_little(unsigned turn)
{
    if (turn < YIELDS_BEFORE_SLEEP) {
        sched_yield();
    } else {
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NANOSECONDS}, NULL);
    }
}

/* False: the queue is empty. */
static bool take_one(heist__inbox *inbox, void **item)
{
    unsigned turn = 0;
    while (!lfds711_queue_bmm_dequeue(inbox->state, NULL, item)) {
        if (heist__inbox_size(inbox) == 0) {
            return false;
        }
        wait_a_little(turn++);
    }
    __tsan_acquire(*item);
    return true;
}

size_t heist__inbox_take(heist__inbox *inbox, heist__parcel *parcels, size_t most)
{
    size_t got = 0;
    void *item = NULL;
    while (got < most && take_one(inbox, &item)) {
        parcels[got++] = (heist__parcel){.content = item};
    }
    return got;
}

bool heist__inbox_looks_empty(const heist__inbox *inbox)
{
    return heist__inbox_size(inbox) == 0;
}

#endif
