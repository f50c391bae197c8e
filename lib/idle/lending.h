/* idle/lending.h: seats, and callers that borrow them.
 *
 * A seat is a worker's record: its deques, nestings, counters and victims. Each seat has a home thread. A thread from
 * outside the pool, the caller, may take the seat while the home thread sleeps or waits between two searches. It works
 * there as a worker and gives the seat back; the home thread goes on sleeping meanwhile. The word of the home thread
 * (heist__sleeper) says which thread has the seat. So exactly one of the wakers and callers that want the seat gets it.
 * Giving back costs no barrier and as a rule no system call. It may miss work that others pushed meanwhile; the home
 * thread looks for such work within HEIST__LOOK_AGAIN_NS. IDLE.md has the rules, the edges K1 to K5 and the proof. */
#ifndef HEIST_IDLE_LENDING_H
#define HEIST_IDLE_LENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "idle/idle.h"

/* After this time a home thread looks for the work that was pushed while its seat was lent. */
#define HEIST__LOOK_AGAIN_NS 900000 /* differs from every other nap: the model checker tells the naps apart by it */

/* Caller: takes the seat of `s` if the home thread can spare it. Returns whether it did. `*others_sleep`: whether other
 * home threads sleep, so that a push in this seat may have to wake one of them. */
bool heist__lending_take(heist__idle *idle, heist__sleeper *s, const heist__idle_calls *calls, bool *others_sleep);

/* Caller that took the seat: gives it back, and makes sure that a worker looks for the tasks that it leaves behind. */
void heist__lending_give_back(heist__idle *idle, heist__sleeper *s, const heist__idle_calls *calls);

/* Home thread, while it searches: offers its seat for a moment. It touches nothing of the seat until it has taken the
 * seat back. */
void heist__lending_offer(heist__sleeper *self);
/* Home thread: takes the offered seat back. False: a caller has taken the seat. Then the home thread is no longer
 * searching; it waits (below), and searches again after that. */
bool heist__lending_take_back(heist__sleeper *self);

/* Home thread, counted asleep or with its seat lent: waits until a waker comes. It is a searcher afterwards. True: it
 * has woken itself after HEIST__SETTLE_NS, and must call `calls->settled`. */
bool heist__lending_wait(heist__idle *idle, heist__sleeper *self, const heist__idle_calls *calls);

/* ---- when all seats are taken ---- */

/* After this time a caller that waits for a seat gives its task to the inbox, for a worker. */
#define HEIST__SEAT_PATIENCE_NS 10000000

/* Whether a seat can be expected soon: a seat is lent, or a home thread searches. A hint. */
bool heist__lending_soon(const heist__idle *idle);

/* Whether a caller waits for a seat. */
static inline bool heist__lending_wanted(const heist__idle *idle)
{
    return heist__load_seq_cst(&idle->wanting) != 0; /* K4: after the seat was given up */
}

/* Any thread, after it has freed a seat: tells one of the callers that wait for a seat. */
void heist__lending_vacated(heist__idle *idle);

/* A caller that waits: it says that it wants a seat, then looks for one, sleeps until it is told, and looks again.
 * `seen`: the result of heist__lending_await. */
void heist__lending_want(heist__idle *idle);
uint32_t heist__lending_await(heist__idle *idle);
/* Returns true when the time limit has passed. `limit_ns` negative: no limit. */
bool heist__lending_sleep(heist__idle *idle, uint32_t seen, int64_t limit_ns);
void heist__lending_want_no_more(heist__idle *idle);

/* The thread that ends the pool: wakes all callers that wait for a seat. */
void heist__lending_tell_all(heist__idle *idle);

#endif
