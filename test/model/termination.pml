/* The termination detector of lib/quiescence/TERMINATION.md at the level of its design, for N workers: counters with
 * one writer, read one by one, and a waiter that is told. Memory is sequentially consistent here.
 *
 * Somebody outside submits a task and waits. A running task may create others, TASKS in all. Equal sums must mean that
 * nothing waits or runs, and the waiter must be told.
 *
 * The names in #ifdef are breaks: with each, spin must find an error. */
#ifndef N
#define N 3
#endif
#ifndef TASKS
#define TASKS 4
#endif

byte waiting_tasks, running, made;      /* for the proof only: what there is */
byte created[N + 1], finished[N + 1];   /* the last pair is the outsiders' */
bool listed, told;

/* Equal sums? The order is the point: all of finished, then all of created. */
inline sum()
{
    f = 0;
    c = 0;
    k = 0;
#ifdef CREATED_IS_READ_FIRST
    do
    :: k <= N -> c = c + created[k]; k++
    :: else -> break
    od;
    k = 0;
#endif
    do
    :: k <= N -> f = f + finished[k]; k++
    :: else -> break
    od;
#ifndef CREATED_IS_READ_FIRST
    k = 0;
    do
    :: k <= N -> c = c + created[k]; k++
    :: else -> break
    od;
#endif
    if
    :: f == c -> assert(waiting_tasks == 0 && running == 0)
    :: else
    fi
}

inline create(who)
{
#ifdef COUNTED_AFTER_IT_IS_SEEN
    waiting_tasks++;
    created[who]++
#else
    created[who]++;
    waiting_tasks++
#endif
}

active [N] proctype worker()
{
    byte me = _pid, f, c, k;
    bool more;
end_idle:
    do
    :: atomic { waiting_tasks > 0 -> waiting_tasks--; running++ };
#ifdef FINISHED_BEFORE_THE_LAST_SPAWN
        finished[me]++;
#endif
        do
        :: atomic { made < TASKS -> made++; more = true };
            create(me)
        :: true -> break
        od;
#ifdef FINISHED_BEFORE_THE_LAST_SPAWN
        running--;
#else
        atomic { running--; finished[me]++ };
#endif
        if
        :: listed ->
            sum();
            if
            :: f == c -> told = true
            :: else
            fi
        :: else
        fi
    od
}

active proctype outsider()
{
    byte f, c, k;
    made = 1;
    create(N);
#ifdef LOOKS_BEFORE_IT_IS_LISTED
    sum();
    listed = true;
#else
    listed = true;
    sum();
#endif
    if
    :: f == c
    :: else -> told
    fi;
    assert(waiting_tasks == 0 && running == 0)
}
