/* The idle protocol of lib/idle/IDLE.md at the level of its design, for N workers: what harness_pool.c shows of the
 * code for two or three, this shows of the protocol for more. Memory is sequentially consistent here: how the code pays
 * for that, with fences and barriers, is the checker's business. Each statement is one access.
 *
 * Worker 0 pushes PUSHES tasks and then computes for ever. The others search, take, run and sleep. A task is short, or
 * with LONG any may never end. When nothing moves any more, nobody sleeps beside a task that waits, and the counts are
 * right.
 *
 * With CROWD workers guess about CPUs, right or wrong: on whom to rely, and when to stand by. The other names in #ifdef
 * are breaks: with each, spin must find an error. */
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
byte standing_by;
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

/* heist__idle_any_asleep: `at` is N if no word is set. The count does not tell: a thread may stand still between the
 * two steps of rouse. */
inline look_for_words()
{
    at = 0;
#ifdef NO_SECOND_LOOK
    at = N;
#endif
    do
    :: at < N && !word[at] -> at++
    :: else -> break
    od
}

/* heist__idle_wake_one */
inline wake_one()
{
    do
    :: asleep == 0 -> break
    :: else ->
        seen = searching;
        if
        :: seen != 0 -> break
#ifdef CROWD
        :: seen != 0 /* it may be thought to be stuck */
        :: standing_by != 0 -> break /* if every CPU is thought to be taken */
#endif
        :: seen == 0
        fi;
        atomic {
            won = searching == seen;
            if
            :: won -> searching++
            :: else
            fi
        };
        if
        :: !won /* another round */
        :: else ->
            at = 0;
            won = false;
            do
            :: at < N && !won -> rouse(at); at++
            :: else -> break
            od;
            if
            :: won -> break
            :: else /* none was found: a thread that relied on the announcement must not be left alone */
            fi;
#ifdef LOOKS_BEFORE_IT_TAKES_BACK
            look_for_words();
            searching--;
#else
            searching--;
            look_for_words();
#endif
            if
            :: at == N -> break
            :: else
            fi
        fi
    od
}

active proctype pusher()
{
    byte at, pushed, seen;
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
    byte me = _pid, at, seen;
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
#ifdef CROWD
            if
            :: got = true /* the others may be thought to be stuck */
            :: true
            fi;
            if
            :: standing_by != 0 -> got = false
            :: true
            fi;
#endif
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
                :: else /* roused by another, which has counted this one */
                fi
            :: else ->
end_asleep:     !word[me]
            fi;
#ifdef CROWD
            if
            :: true
            :: standing_by++;
                searching--;
                searching++;
#ifndef STANDS_BY_FOR_EVER
                standing_by--
#endif
            fi
#endif
        fi
    od
}

active proctype watch()
{
    timeout;
    assert(tasks == 0 || asleep == 0);
    assert(searching == 0);
#ifndef STANDS_BY_FOR_EVER
    assert(standing_by == 0);
#endif
    assert(asleep + computing == N - 1)
}
