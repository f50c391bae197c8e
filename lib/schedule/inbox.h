/* schedule/inbox.h: the queue through which work enters a pool from outside: bounded, many producers, many consumers,
 * lock-free. Two queues have this interface: the built-in one (inbox_builtin.c), and liblfds's bounded queue
 * (inbox_liblfds.c) where liblfds was found. One is compiled, the other's file is then empty.
 *
 * An inbox carries parcels: a parcel is a task that has a record, or, in the built-in queue, a function with its
 * argument and scope. A parcel is copied in and out, so that a plain submission needs no memory of its own.
 *
 * THE PROMISE, on which sleeping relies
 *   take        If it returns fewer parcels than asked for, every parcel whose put had returned true before the take
 *               began has been taken by some thread.
 *   looks_empty Never true while a parcel whose put had returned true before the call began has not been taken.
 * "Before" is happens-before, or the order of two seq_cst fences: put; fence; "does a worker sleep?" on the one side,
 * "I sleep"; fence; looks_empty on the other. So a put that a consumer missed belongs to a producer that has not yet
 * looked for a worker to wake.
 *
 * A PRODUCER SUSPENDED IN THE MIDDLE OF PUT holds one slot, and its item does not exist yet.
 *   built-in    Consumers take the items behind it. Producers go on until they come round to that slot, which then
 *               looks full to them; no thread waits. looks_empty does not count it.
 *   liblfds     That queue cannot pass the slot: a take that finds nothing else waits, yielding, until the put is
 *               finished, and looks_empty is false meanwhile.
 * A consumer suspended in the middle of take holds nothing in the built-in queue; in liblfds's it holds its slot, which
 * looks full when the producers come round to it.
 *
 * Items come out roughly in the order in which they went in; two that went in while a third was taken may change
 * places. After fork() the child must destroy and init: a put that another thread of the parent had begun will never
 * end there.
 *
 *               put   take   looks_empty   init, destroy        -: in any threads at once   no: never
 * put            -     -         -             no
 * take           -     -         -             no */
#ifndef HEIST_INBOX_H
#define HEIST_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/detail/atomic.h>
#include <heist/pool.h>

/* liblfds's dequeue has no acquire between the sequence number and the value that it guards. x86 keeps loads in order,
 * other processors may give the value of a lap ago, and nothing outside the library can repair that. */
#if defined(HEIST_HAVE_LIBLFDS) && defined(__x86_64__)
#define HEIST__INBOX_LIBLFDS 1
#else
#define HEIST__INBOX_LIBLFDS 0
#endif

/* Whether a parcel may be a call. liblfds's elements have two words, one too few. */
#define HEIST__INBOX_CARRIES_CALLS (!HEIST__INBOX_LIBLFDS)

typedef struct heist__parcel {
    heist_function *function; /* the function to call; NULL: `content` is a task with a record */
    void *content;            /* the argument of the call, or the task. A task needs no other field. */
    void *scope;              /* the scope that the call counts for */
} heist__parcel;

#if HEIST__INBOX_LIBLFDS
typedef struct heist__inbox {
    void *state;    /* struct lfds711_queue_bmm_state. The pointer is constant after init. */
    void *elements; /* the queue's array. The pointer is constant after init. */
} heist__inbox;
#else
typedef struct heist__inbox_slot {
    /* i: free for position i.  i + 1: holds the item of position i.  Written by: the producer of i, the consumer of i.
     * Read by: all threads. Only ever goes up, so that a CAS on it cannot mistake one lap for another. */
    HEIST__ATOMIC(uint64_t) sequence;
    /* The parcel. Written by: the producer of the position. Read by: consumers. */
    HEIST__ATOMIC(heist_function *) function;
    HEIST__ATOMIC(void *) content;
    HEIST__ATOMIC(void *) scope;
} heist__inbox_slot;

/* Aligned to cache lines: a struct with an inbox in it needs aligned_alloc. */
typedef struct heist__inbox {
    /* Next position to put. Written by: producers, by CAS. Read by: all threads. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint64_t) tail;
    /* All positions below were taken; a hint where to begin. Written by: consumers, by CAS. Read by: consumers. */
    _Alignas(HEIST__LINE) HEIST__ATOMIC(uint64_t) head;
    _Alignas(HEIST__LINE) heist__inbox_slot *slots; /* constant after init */
    uint64_t mask;                                  /* capacity - 1, constant after init */
} heist__inbox;
#endif

/* Makes an empty inbox for `capacity` items, rounded up to a power of two, at least 2. The memory is first touched by
 * the caller, so it lies on the caller's node. Returns 0, -EINVAL for 0 or more than 2^24 items, -ENOMEM. */
int heist__inbox_init(heist__inbox *inbox, size_t capacity);

/* Frees the inbox; items still inside are forgotten. Also allowed after a failed init, or on zeroed memory. */
void heist__inbox_destroy(heist__inbox *inbox);

/* Adds a copy of `parcel`. The producer's earlier writes are visible to the taker. Returns false when the inbox is
 * full, or when another thread still holds the slot whose turn it is (above). Call from: any thread.  Blocks: no. */
bool heist__inbox_put(heist__inbox *inbox, const heist__parcel *parcel);

/* Takes up to `most` parcels, the oldest first, and returns how many (see the promise above).
 * Call from: any thread.  Blocks: no; with liblfds see above. */
size_t heist__inbox_take(heist__inbox *inbox, heist__parcel *parcels, size_t most);

/* About how many parcels there are, including those being put or taken. A hint. Call from: any thread.  Blocks: no. */
size_t heist__inbox_size(const heist__inbox *inbox);

/* Whether there seems to be nothing to take (above). Call from: any thread.  Blocks: no. */
bool heist__inbox_looks_empty(const heist__inbox *inbox);

#endif
