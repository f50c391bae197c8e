/* The idle protocol of lib/idle/IDLE.md at the level of its design, for N workers: what harness_pool.c shows of the code for
 * two or three, this shows of the protocol for more. Memory is sequentially consistent here: how the code pays for that, with
 * fences and barriers, is the checker's business. Each statement is one access.
 *
 * Worker 0 pushes PUSHES tasks and then computes for ever. The others search, take, run and sleep. A task is short, or with
 * LONG any may never end. When nothing moves any more, nobody sleeps beside a task that waits, and the counts are right.
 *
 * The names in #ifdef are breaks: with each, spin must find an error. */
#ifndef N
#define N 4
#endif
#ifndef PUSHES
#define PUSHES 3
#endif

byte tasks;                 /* in worker 0's deque */
bool shut;                  /* its push gate */
byte asleep;                /* the counts of heist__idle */
byte searching = N - 1;
bool word[N];               /* each worker's own */
byte computing;             /* workers in a task that does not end */

/* True in `won` for exactly one caller a sleep. */
inline rouse(who)
{
    atomic { won = word[who]; word[who] = false };
    if
    :: won -> asleep--
    :: else
    fi
}

/* heist__idle_wake_one */
inline wake_one()
{
    do
    :: asleep == 0 -> break
    :: else ->
        if
        :: searching != 0 -> break
        :: else
        fi;
        atomic {
            won = searching == 0;
            if
            :: won -> searching = 1
            :: else
            fi
        };
        if
        :: !won -> break
        :: else
        fi;
        at = 0;
        won = false;
        do
        :: at < N && !won -> rouse(at); at++
        :: else -> break
        od;
        if
        :: won -> break
        :: else -> searching-- /* none was found: whoever relied on the announcement must not be left alone */
        fi;
#ifdef NO_SECOND_LOOK
        break
#endif
    od
}

active proctype pusher()
{
    byte at, pushed;
    bool won;
    do
    :: pushed < PUSHES ->
        tasks++;
        pushed++;
        if
        :: shut -> shut = false; wake_one()
        :: else
        fi
    :: else -> break
    od
}

active [N - 1] proctype worker()
{
    byte me = _pid, at;
    bool won, got;
    do
    :: true ->
        atomic {
            got = tasks > 0;
            if
            :: got -> tasks--
            :: else
            fi
        };
        if
        :: got ->
            atomic { searching--; got = searching == 0 };
            if
            :: got -> got = asleep > 0
            :: else
            fi;
            if
            :: got && tasks == 0 ->
#ifndef LEAVES_WITHOUT_A_RING
                shut = true;
#endif
#ifdef LEAVES_WITHOUT_A_LOOK
                got = false
#else
                got = tasks > 0
#endif
            :: else
            fi;
#ifndef NOBODY_WAKES_THE_NEXT
            if
            :: got -> wake_one()
            :: else
            fi;
#endif
#ifdef LONG
            if
            :: computing++; break
            :: true
            fi;
#endif
            searching++
        :: else ->
            word[me] = true;
#ifdef COUNTED_AFTER_THE_RING
            shut = true;
            asleep++;
#else
            asleep++;
#endif
            searching--;
#if !defined(NO_RING) && !defined(COUNTED_AFTER_THE_RING)
            shut = true;
#endif
#ifdef NO_LAST_LOOK
            got = false;
#else
            got = tasks > 0;
#endif
            if
            :: got ->
                rouse(me);
                if
                :: won -> searching++
                :: else /* roused by another, who has counted us */
                fi
            :: else ->
end_asleep:     !word[me]
            fi
        fi
    od
}

active proctype watch()
{
    timeout;
    assert(tasks == 0 || asleep == 0);
    assert(searching == 0);
    assert(asleep + computing == N - 1)
}
