/* heist/task.h: typed tasks.
 *
 *     HEIST_TASK(long, fib, int, n)
 *     {
 *         if (n < 2) return n;
 *         HEIST_SPAWN(left, fib, n - 1);            // may run elsewhere from here on
 *         long right = HEIST_CALL(fib, n - 2);      // a plain call
 *         return HEIST_SYNC(left) + right;          // not stolen: a plain call, too
 *     }
 *     ... HEIST_RUN(pool, fib, 42) ...
 *
 * A task is a function with two hidden arguments: its worker, and the first free slot of that worker's deque. Both
 * travel in registers. A child's record is a local variable of its parent; the deque holds the record's address. So a
 * parent must join a child before the block that spawned the child ends, once; the order of joins is free.
 *
 * heist tells mistakes on stderr. Builds without optimisation, and builds with HEIST_DEBUG=1, say which task forgot
 * which child, joined a child a second time, or joined a child that it has not spawned. Optimised builds say the last
 * two without names, and only where a join does not find its child at once; the result of such a join means nothing.
 * HEIST_CHECK=1 in the environment makes optimised programs look at every spawn and join, at the price of a fence for
 * each, and say which of them go wrong.
 *
 * Declaring
 *   HEIST_TASK(result, name, type, argument, ...) { body }    a task of this file, 0 to 10 arguments
 *   HEIST_VOID_TASK(name, type, argument, ...) { body }       the same without a result
 *   HEIST_TASK_DECL(result, name, ...);                       a task that is defined in another file, or further down
 *   HEIST_STATIC_TASK_DECL(result, name, ...);                a task of this file that is defined further down
 *   HEIST_TASK_IMPL(result, name, ...) { body }               the definition of a task with either declaration
 *   HEIST_VOID_TASK_DECL, HEIST_STATIC_VOID_TASK_DECL, HEIST_VOID_TASK_IMPL    likewise without a result
 * Results and arguments are of any type that can be assigned (no arrays, no const; a function pointer, and in C++ a
 * type with a comma in it, needs a typedef) and that wants no more than malloc's alignment. In C++ the type must also
 * be trivially default-constructible and trivially copyable: pass a std::string, or a struct with initialisers, by
 * pointer.
 *
 * Inside a task
 *   HEIST_SPAWN(child, name, ...);            spawns a task under the name `child`, which HEIST_SYNC uses in this block
 *   HEIST_SPAWN_IF(condition, child, name, ...);    the same; calls the task at once where the condition is false
 *   HEIST_SYNC(child)                         joins it: waits, running only what descends from it; gives its result
 *   HEIST_CALL(name, ...)                     calls a task directly
 *   HEIST_CHILDREN(many, name, n);            declares an array of n children, also for n = 0 ...
 *   HEIST_CHILD(name)                         ... or this is the type of one, for any place that outlives the join ...
 *   HEIST_SPAWN_AT(&many[i], name, ...);      ... spawned one by one ...
 *   HEIST_SYNC_AT(&many[i], name)             ... and joined
 *
 * In functions that are no tasks
 * A helper that spawns is best written as a task, and called with HEIST_CALL: that passes the hidden arguments on.
 * Where the function's type is given (a callback, a loop's body, a C++ lambda), it finds the worker itself:
 *   HEIST_WITH_WORKER;                        from here to the end of the block all of the above can be used
 * That costs a function call. In a thread that runs no task the children run in that thread, when they are joined.
 *
 * From anywhere
 *   HEIST_RUN(pool, name, ...)                runs it on `pool` (NULL: see heist/pool.h), waits, gives its result
 *   HEIST_DETACH(scope, name, ...)            runs it some time, without a result: see heist/scope.h
 *   HEIST_ASYNC(pool, name, ...)              runs it some time, and gives a handle for its result: see heist/future.h
 *
 * Names: tasks and children may have any name that a C identifier may have. heist makes the names that it needs for
 * them by putting heist__gen_ and a word in front. */
#ifndef HEIST_TASK_H
#define HEIST_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/detail/arguments.h>
#include <heist/detail/atomic.h>
#include <heist/export.h>

HEIST_BEGIN_DECLS

typedef struct heist_worker heist_worker;
typedef struct heist_pool heist_pool;
typedef struct heist_scope heist_scope;
typedef struct heist_task heist_task;
typedef struct heist_future heist_future;
typedef struct heist_promise heist_promise;

/* A place in a worker's deque. Written by: owner. Read by: owner, thieves. */
typedef HEIST__ATOMIC(heist_task *) heist_slot;

/* The head of every task's record. */
struct heist_task {
    void (*run)(heist_worker *, heist_slot *, heist_task *);
    /* Where the task is: the address of its slot, then the number of its thief, then "done" (lib/schedule/join.c).
     * Written by: the spawner, then the thief. Read by: the spawner. */
    HEIST__ATOMIC(uintptr_t) state;
};

/* The part of a worker that spawns and joins touch. Not for use by hand. */
struct heist_worker {
    /* First free slot. Written by: owner. Read by: owner, thieves. */
    HEIST__ATOMIC(heist_slot *) bottom;
    /* Children joined without having met a thief. Written by: owner. Read by: any thread. */
    HEIST__ATOMIC(uint64_t) joins_inline;
    char pad[HEIST__LINE - sizeof(void *) - sizeof(uint64_t)];
    /* The owner takes slots below it only with care. Written by: thieves (to the top of memory: "a thief is here"),
     * owner. Read by: owner. */
    HEIST__ATOMIC(heist_slot *) pop_gate;
    /* The owner fills slots from it on only with care. Written by: thieves and sleepers (to NULL: "look here"), owner.
     * Read by: owner. */
    HEIST__ATOMIC(heist_slot *) push_gate;
};

/* The state of a task that was called instead of spawned: it has no slot. */
#define HEIST__TASK_RAN ((uintptr_t)4)

/* What the fast paths below leave to the library. */
HEIST_API heist_slot *heist__push_slow(heist_worker *w, heist_slot *bottom, heist_task *task);
HEIST_API heist_slot *heist__join_slow(heist_worker *w, heist_slot *bottom, heist_task *task);
HEIST_API void heist__run_root(heist_pool *pool, heist_task *task);
HEIST_API heist_worker *heist__find_worker(void);
HEIST_API heist_task *heist__job_new(size_t size);
HEIST_API int heist__job_push(heist_scope *scope, heist_task *task);
HEIST_API void heist__misplaced(heist_worker *w, heist_slot *bottom);

/* What heist/future.h leaves to the library. */
HEIST_API heist_task *heist__future_record(heist_pool *pool, size_t size);
HEIST_API heist_task *heist__future_record_after(heist_future *after, size_t size);
HEIST_API heist_future *heist__future_start(heist_task *task);
HEIST_API heist_future *heist__future_after(heist_future *after, heist_task *task);
HEIST_API int heist__future_value(heist_future *future, void *result, size_t offset, size_t size, bool last_use);
HEIST_API heist_promise *heist__promise_typed(size_t size);
HEIST_API int heist__promise_value(heist_promise *promise, const void *value, size_t offset, size_t size);

/* Debug builds watch for misuse. */
#ifndef HEIST_DEBUG
#if defined(__OPTIMIZE__) || defined(NDEBUG)
#define HEIST_DEBUG 0
#else
#define HEIST_DEBUG 1
#endif
#endif

/* Counting the joins that meet no thief takes some twentieth of an empty task's time. A file compiled with
 * HEIST_COUNT_JOINS=0 does not; heist_stats then lacks its tasks, spawns and joins_inline. */
#ifndef HEIST_COUNT_JOINS
#define HEIST_COUNT_JOINS 1
#endif

#define HEIST__INLINE static inline __attribute__((always_inline, unused))
#define HEIST__UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The names of the hidden arguments. Outside tasks these two functions have them, and so a macro can tell where it is.
 * */
static inline __attribute__((unused)) void heist__w(void)
{
}
static inline __attribute__((unused)) void heist__bottom(void)
{
}

/* Compilers keep a local's address, and a pointer beside its successor, in registers of their own across calls
 * (ADDRESS and FORGET prevent that), and they load an atomic before they compare or count (the others prevent that).
 * Each costs an instruction, or a push and a pop, in every task. The accesses are the same. */
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__ILP32__) && !defined(__SANITIZE_THREAD__) &&                \
    !defined(HEIST__NAMED_ATOMICS_ONLY)
#define HEIST__FORGET(x) __asm__("" : "+r"(x))
#define HEIST__ADDRESS(to, of) __asm__("leaq %1, %0" : "=r"(to) : "m"(*(of)))
#define HEIST__COUNT(counter) __asm__("incq %0" : "+m"(counter))
#define HEIST__IS_BELOW(x, word, result) __asm__("cmpq %1, %2" : "=@ccb"(result) : "m"(word), "r"(x))
#define HEIST__EQUALS(x, word, result) __asm__("cmpq %1, %2" : "=@cce"(result) : "m"(word), "r"(x))
#else
#define HEIST__FORGET(x) ((void)0)
#define HEIST__ADDRESS(to, of) ((to) = (of))
#define HEIST__COUNT(counter) heist__store_relaxed(&(counter), heist__load_relaxed(&(counter)) + 1)
#define HEIST__IS_BELOW(x, word, result) ((result) = (x) < heist__load_relaxed(&(word)))
#define HEIST__EQUALS(x, word, result) ((result) = (x) == heist__load_relaxed(&(word)))
#endif

/* clang keeps every value that lives across a call in registers which it saves when the function begins, even if that
 * call hardly ever happens: with a plain call of the slow path a leaf saves four registers, too. A callee that saves
 * them itself leaves the spawner free, and clang then saves registers only after the test for a leaf. */
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
static __attribute__((preserve_most, noinline, unused)) void heist__push_aside(heist_worker *w, heist_slot *bottom,
                                                                               heist_task *task)
{
    heist__push_slow(w, bottom, task);
}
/* relaxed: own, and equal to the result of push_slow (push_aside has none: clang 14 would restore its register, too) */
#define HEIST__PUSH_SLOW(w, bottom, task) (heist__push_aside(w, bottom, task), heist__load_relaxed(&(w)->bottom))
#else
#define HEIST__PUSH_SLOW(w, bottom, task) heist__push_slow(w, bottom, task)
#endif

/* Puts `task` into the slot at `bottom`; gives the new bottom. */
HEIST__INLINE heist_slot *heist__push(heist_worker *w, heist_slot *bottom, heist_task *task)
{
    heist_task *address;
#if HEIST_DEBUG
    if (heist__load_relaxed(&w->bottom) != bottom) heist__misplaced(w, bottom); /* relaxed: own */
#endif
    HEIST__ADDRESS(address, task);
    heist__store_relaxed(&task->state, (uintptr_t)bottom); /* relaxed: D1 publishes it with the rest of the record */
    heist__store_relaxed(bottom, address);                 /* relaxed: D1 publishes it */
    bottom++;
    HEIST__FORGET(bottom);
    heist__store_release(&w->bottom, bottom); /* D1: the record is whole. Pairs with D1 in task_deque.c. */
    heist__compiler_barrier();                /* I1, D3: the sleeper's barrier makes this store come before the load */
    bool open;
    HEIST__IS_BELOW(bottom, w->push_gate, open); /* relaxed: I1 orders it */
    if (HEIST__UNLIKELY(!open)) bottom = HEIST__PUSH_SLOW(w, bottom, task);
    return bottom;
}

/* Whether `task` is the youngest in the deque and no thief is about: then it is the caller's. */
HEIST__INLINE bool heist__pop(heist_worker *w, heist_slot *bottom, heist_task *task)
{
    heist_slot *slot = bottom - 1;
    heist_task *address;
    HEIST__ADDRESS(address, task);
    bool youngest, shut;
    HEIST__EQUALS(address, *slot, youngest); /* relaxed: only this thread writes slots */
    if (HEIST__UNLIKELY(!youngest)) return false;
    heist__store_release(&w->bottom, slot);   /* D2: withdraws the slot, and D1 for those below */
    heist__compiler_barrier();                /* D2: the thief's barrier makes this store come before the load */
    HEIST__IS_BELOW(slot, w->pop_gate, shut); /* relaxed: D2 orders it */
    if (HEIST__UNLIKELY(shut)) return false;
    if (HEIST_COUNT_JOINS) HEIST__COUNT(w->joins_inline);
    return true;
}

/* ---- watching for children that are never joined, or joined in vain ---- */

/* A named child under watch. When its block ends, heist__guard_leave tells a join that did not happen, and joins. */
struct heist__guard {
    heist_worker *worker;
    heist_slot **bottom;
    heist_task *open;     /* NULL once joined */
    const char *function; /* the parent's, as the compiler calls it */
    const char *child, *task;
};
HEIST_API void heist__guard_leave(struct heist__guard *guard);
/* A body under watch: `entered` returns the bottom of the deque when the body begins, and `left` tells the children
 * that lie above that bottom when the body ends. */
HEIST_API heist_slot *heist__frame_entered(heist_worker *w, heist_slot *bottom);
HEIST_API void heist__frame_left(heist_worker *w, heist_slot *bottom, const char *task_name);
/* A join under watch: whether there is a child to join. If not, heist tells so, and the join gives what the record
 * holds: after a first join, the child's result. */
HEIST_API bool heist__may_join(heist_worker *w, heist_task *task, const char *function, const char *child,
                               const char *task_name);
HEIST_API void heist__joined(heist_task *task);

#if HEIST_DEBUG
#define HEIST__GUARD(child, name)                                                                                      \
    struct heist__guard heist__gen_guard_##child __attribute__((cleanup(heist__guard_leave), unused)) = {              \
        heist__w, &heist__bottom, &heist__gen_record_##child.task, __func__, #child, #name};
#define HEIST__JOINED(child) (heist__gen_guard_##child.open = NULL),
#define HEIST__JOINER , const char *heist__function, const char *heist__child
#define HEIST__JOINED_BY(child) , __func__, child
#define HEIST__MAY_JOIN(name) heist__may_join(heist__w, &heist__c->task, heist__function, heist__child, #name)
#define HEIST__IF_DEBUG(statement) statement;
#else
#define HEIST__GUARD(child, name)
#define HEIST__JOINED(child)
#define HEIST__JOINER
#define HEIST__JOINED_BY(child)
#define HEIST__MAY_JOIN(name) true
#define HEIST__IF_DEBUG(statement)
#endif

/* ---- declaring tasks ---- */

#define HEIST__FN __attribute__((unused))

/* A small task begins on a cache line: otherwise its place is a matter of chance, and worth a tenth of its time. */
#define HEIST__HOT __attribute__((aligned(64)))

/* An exception that leaves a task would leave the seat, the deque and the stolen children of that task as they are. So
 * it ends the program, as an exception that leaves a thread does. */
#ifdef __cplusplus
#define HEIST__NOEXCEPT noexcept
#else
#define HEIST__NOEXCEPT
#endif

/* gcc splits the test for a leaf off a function and puts it into the callers, so that a leaf costs no call; but not
 * where it sees a single caller, as in a static task. This shows gcc another caller. */
#define HEIST__CALLED_ELSEWHERE(function) __asm__("" : : "r"(function))

/* The record, the body's prototype, and the functions around it. `n` is the number of pairs, `pairs` the list in
 * parentheses. The enum has a name that makes a sentence where a compiler does not know it. */
#define HEIST__TASK_TYPES(result, name, n, pairs)                                                                      \
    HEIST__STATIC_ASSERT(!HEIST__SAME(result, void), "a task without a result is declared with HEIST_VOID_TASK");      \
    enum { heist__there_is_no_task_##name };                                                                           \
    struct heist__gen_child_##name {                                                                                   \
        heist_task task;                                                                                               \
        union {                                                                                                        \
            struct {                                                                                                   \
                HEIST__FIELDS_##n pairs                                                                                \
            } in;                                                                                                      \
            HEIST__FIELD(result, out)                                                                                  \
        } of;                                                                                                          \
    };

#define HEIST__VOID_TYPES(name, n, pairs)                                                                              \
    enum { heist__there_is_no_task_##name };                                                                           \
    struct heist__gen_child_##name {                                                                                   \
        heist_task task;                                                                                               \
        struct {                                                                                                       \
            struct {                                                                                                   \
                HEIST__FIELDS_##n pairs                                                                                \
            } in;                                                                                                      \
        } of;                                                                                                          \
    };

#define HEIST__SPAWNING(name, n, pairs)                                                                                \
    HEIST__INLINE heist_slot *heist__gen_spawn_##name(                                                                 \
        heist_worker *heist__w, heist_slot *heist__at,                                                                 \
        struct heist__gen_child_##name *heist__c HEIST__PARAMS_##n pairs)                                              \
    {                                                                                                                  \
        heist__c->task.run = heist__gen_exec_##name;                                                                   \
        HEIST__STORE_##n pairs return heist__push(heist__w, heist__at, &heist__c->task);                               \
    }                                                                                                                  \
    HEIST__INLINE heist_slot *heist__gen_maybe_##name(                                                                 \
        bool heist__yes, heist_worker *heist__w, heist_slot *heist__at,                                                \
        struct heist__gen_child_##name *heist__c HEIST__PARAMS_##n pairs)                                              \
    {                                                                                                                  \
        if (heist__yes) return heist__gen_spawn_##name(heist__w, heist__at, heist__c HEIST__USES_##n pairs);           \
        HEIST__STORE_##n pairs heist__gen_exec_##name(heist__w, heist__at, &heist__c->task);                           \
        heist__store_relaxed(&heist__c->task.state, HEIST__TASK_RAN); /* relaxed: no other thread sees it */           \
        return heist__at;                                                                                              \
    }                                                                                                                  \
    static inline HEIST__FN int heist__gen_detach_##name(heist_scope *heist__s HEIST__PARAMS_##n pairs)                \
    {                                                                                                                  \
        struct heist__gen_child_##name *heist__c =                                                                     \
            (struct heist__gen_child_##name *)(void *)heist__job_new(sizeof *heist__c);                                \
        if (!heist__c) return heist__job_push(heist__s, NULL);                                                         \
        heist__c->task.run = heist__gen_exec_##name;                                                                   \
        HEIST__STORE_##n pairs return heist__job_push(heist__s, &heist__c->task);                                      \
    }                                                                                                                  \
    static inline HEIST__FN heist_future *heist__gen_async_##name(heist_pool *heist__p HEIST__PARAMS_##n pairs)        \
    {                                                                                                                  \
        struct heist__gen_child_##name *heist__c =                                                                     \
            (struct heist__gen_child_##name *)(void *)heist__future_record(heist__p, sizeof *heist__c);                \
        if (!heist__c) return NULL;                                                                                    \
        heist__c->task.run = heist__gen_exec_##name;                                                                   \
        HEIST__STORE_##n pairs return heist__future_start(&heist__c->task);                                            \
    }                                                                                                                  \
    static inline HEIST__FN heist_future *heist__gen_then_##name(heist_future *heist__f HEIST__PARAMS_##n pairs)       \
    {                                                                                                                  \
        struct heist__gen_child_##name *heist__c =                                                                     \
            (struct heist__gen_child_##name *)(void *)heist__future_record_after(heist__f, sizeof *heist__c);          \
        if (!heist__c) return NULL;                                                                                    \
        heist__c->task.run = heist__gen_exec_##name;                                                                   \
        HEIST__STORE_##n pairs return heist__future_after(heist__f, &heist__c->task);                                  \
    }

#define HEIST__DECLARE(linkage, result, name, n, pairs)                                                                \
    HEIST__TASK_TYPES(result, name, n, pairs)                                                                          \
    HEIST__HOT linkage result heist__gen_body_##name(heist_worker *, heist_slot *HEIST__PARAMS_##n pairs);             \
    static HEIST__FN void heist__gen_exec_##name(heist_worker *heist__w, heist_slot *heist__at, heist_task *heist__t)  \
        HEIST__NOEXCEPT                                                                                                \
    {                                                                                                                  \
        struct heist__gen_child_##name *heist__c = (struct heist__gen_child_##name *)(void *)heist__t;                 \
        HEIST__CALLED_ELSEWHERE(heist__gen_body_##name);                                                               \
        result heist__r = heist__gen_body_##name(heist__w, heist__at HEIST__LOAD_##n pairs);                           \
        heist__c->of.out = heist__r;                                                                                   \
    }                                                                                                                  \
    HEIST__SPAWNING(name, n, pairs)                                                                                    \
    HEIST__INLINE result heist__gen_sync_##name(heist_worker *heist__w, heist_slot **heist__bottom,                    \
                                                struct heist__gen_child_##name *heist__c HEIST__JOINER)                \
    {                                                                                                                  \
        if (!HEIST__MAY_JOIN(name)) return heist__c->of.out;                                                           \
        if (heist__pop(heist__w, *heist__bottom, &heist__c->task)) {                                                   \
            heist_slot *heist__at = --*heist__bottom;                                                                  \
            result heist__r = heist__gen_body_##name(heist__w, heist__at HEIST__LOAD_##n pairs);                       \
            HEIST__IF_DEBUG(heist__c->of.out = heist__r)                                                               \
            HEIST__IF_DEBUG(heist__joined(&heist__c->task))                                                            \
            return heist__r;                                                                                           \
        }                                                                                                              \
        *heist__bottom = heist__join_slow(heist__w, *heist__bottom, &heist__c->task);                                  \
        HEIST__IF_DEBUG(heist__joined(&heist__c->task))                                                                \
        return heist__c->of.out;                                                                                       \
    }                                                                                                                  \
    static HEIST__FN result heist__gen_run_##name(heist_pool *heist__p HEIST__PARAMS_##n pairs)                        \
    {                                                                                                                  \
        struct heist__gen_child_##name heist__record, *heist__c = &heist__record;                                      \
        heist__c->task.run = heist__gen_exec_##name;                                                                   \
        HEIST__STORE_##n pairs heist__run_root(heist__p, &heist__c->task);                                             \
        return heist__c->of.out;                                                                                       \
    }                                                                                                                  \
    static inline HEIST__FN result heist__gen_await_##name(heist_future *heist__f, bool heist__last)                   \
    {                                                                                                                  \
        result heist__r;                                                                                               \
        heist__future_value(heist__f, &heist__r, __builtin_offsetof(struct heist__gen_child_##name, of),               \
                            sizeof heist__r, heist__last);                                                             \
        return heist__r;                                                                                               \
    }                                                                                                                  \
    static inline HEIST__FN int heist__gen_fulfil_##name(heist_promise *heist__p, result heist__r)                     \
    {                                                                                                                  \
        return heist__promise_value(heist__p, &heist__r, __builtin_offsetof(struct heist__gen_child_##name, of),       \
                                    sizeof heist__r);                                                                  \
    }

#define HEIST__VOID_DECLARE(linkage, name, n, pairs)                                                                   \
    HEIST__VOID_TYPES(name, n, pairs)                                                                                  \
    HEIST__HOT linkage void heist__gen_body_##name(heist_worker *, heist_slot *HEIST__PARAMS_##n pairs);               \
    static HEIST__FN void heist__gen_exec_##name(heist_worker *heist__w, heist_slot *heist__at, heist_task *heist__t)  \
        HEIST__NOEXCEPT                                                                                                \
    {                                                                                                                  \
        struct heist__gen_child_##name *heist__c = (struct heist__gen_child_##name *)(void *)heist__t;                 \
        (void)heist__c;                                                                                                \
        HEIST__CALLED_ELSEWHERE(heist__gen_body_##name);                                                               \
        heist__gen_body_##name(heist__w, heist__at HEIST__LOAD_##n pairs);                                             \
    }                                                                                                                  \
    HEIST__SPAWNING(name, n, pairs)                                                                                    \
    HEIST__INLINE void heist__gen_sync_##name(heist_worker *heist__w, heist_slot **heist__bottom,                      \
                                              struct heist__gen_child_##name *heist__c HEIST__JOINER)                  \
    {                                                                                                                  \
        if (!HEIST__MAY_JOIN(name)) return;                                                                            \
        if (heist__pop(heist__w, *heist__bottom, &heist__c->task)) {                                                   \
            heist_slot *heist__at = --*heist__bottom;                                                                  \
            heist__gen_body_##name(heist__w, heist__at HEIST__LOAD_##n pairs);                                         \
        } else {                                                                                                       \
            *heist__bottom = heist__join_slow(heist__w, *heist__bottom, &heist__c->task);                              \
        }                                                                                                              \
        HEIST__IF_DEBUG(heist__joined(&heist__c->task))                                                                \
    }                                                                                                                  \
    static HEIST__FN void heist__gen_run_##name(heist_pool *heist__p HEIST__PARAMS_##n pairs)                          \
    {                                                                                                                  \
        struct heist__gen_child_##name heist__record, *heist__c = &heist__record;                                      \
        heist__c->task.run = heist__gen_exec_##name;                                                                   \
        HEIST__STORE_##n pairs heist__run_root(heist__p, &heist__c->task);                                             \
    }                                                                                                                  \
    static inline HEIST__FN void heist__gen_await_##name(heist_future *heist__f, bool heist__last)                     \
    {                                                                                                                  \
        heist__future_value(heist__f, NULL, 0, 0, heist__last);                                                        \
    }                                                                                                                  \
    static inline HEIST__FN int heist__gen_fulfil_##name(heist_promise *heist__p)                                      \
    {                                                                                                                  \
        return heist__promise_value(heist__p, NULL, 0, 0);                                                             \
    }

#define HEIST__BODY(linkage, result, name, n, pairs)                                                                   \
    linkage result name(heist_worker *heist__w __attribute__((unused)),                                                \
                        heist_slot *heist__bottom __attribute__((unused)) HEIST__PARAMS_##n pairs)

#if HEIST_DEBUG
/* The body is a function of its own, so that heist sees its end, whichever way it was called. */
#define HEIST__DEFINE(linkage, result, name, n, pairs)                                                                 \
    HEIST__BODY(static, result, heist__gen_task_##name, n, pairs);                                                     \
    HEIST__BODY(linkage, result, heist__gen_body_##name, n, pairs)                                                     \
    {                                                                                                                  \
        heist_slot *heist__at = heist__frame_entered(heist__w, heist__bottom);                                         \
        result heist__r = heist__gen_task_##name(heist__w, heist__bottom HEIST__USES_##n pairs);                       \
        heist__frame_left(heist__w, heist__at, #name);                                                                 \
        return heist__r;                                                                                               \
    }                                                                                                                  \
    HEIST__BODY(static, result, heist__gen_task_##name, n, pairs)
#define HEIST__VOID_DEFINE(linkage, name, n, pairs)                                                                    \
    HEIST__BODY(static, void, heist__gen_task_##name, n, pairs);                                                       \
    HEIST__BODY(linkage, void, heist__gen_body_##name, n, pairs)                                                       \
    {                                                                                                                  \
        heist_slot *heist__at = heist__frame_entered(heist__w, heist__bottom);                                         \
        heist__gen_task_##name(heist__w, heist__bottom HEIST__USES_##n pairs);                                         \
        heist__frame_left(heist__w, heist__at, #name);                                                                 \
    }                                                                                                                  \
    HEIST__BODY(static, void, heist__gen_task_##name, n, pairs)
#else
#define HEIST__DEFINE(linkage, result, name, n, pairs) HEIST__BODY(linkage, result, heist__gen_body_##name, n, pairs)
#define HEIST__VOID_DEFINE(linkage, name, n, pairs) HEIST__BODY(linkage, void, heist__gen_body_##name, n, pairs)
#endif

/* clang-format off */
#define HEIST__BOTH(result, name, n, pairs) \
    HEIST__DECLARE(static, result, name, n, pairs) HEIST__DEFINE(static, result, name, n, pairs)
#define HEIST__VOID_BOTH(name, n, pairs) \
    HEIST__VOID_DECLARE(static, name, n, pairs) HEIST__VOID_DEFINE(static, name, n, pairs)
/* clang-format on */

#include <heist/detail/lists.h>

/* clang-format off */
#define HEIST_TASK(...) HEIST__ON_LIST(HEIST__TASK_, __VA_ARGS__)
#define HEIST_TASK_DECL(...) HEIST__ON_LIST(HEIST__DECL_, __VA_ARGS__)
#define HEIST_STATIC_TASK_DECL(...) HEIST__ON_LIST(HEIST__STATIC_DECL_, __VA_ARGS__)
#define HEIST_TASK_IMPL(...) HEIST__ON_LIST(HEIST__IMPL_, __VA_ARGS__)
#define HEIST_VOID_TASK(...) HEIST__ON_LIST_AFTER_ONE(HEIST__VOID_TASK_, __VA_ARGS__)
#define HEIST_VOID_TASK_DECL(...) HEIST__ON_LIST_AFTER_ONE(HEIST__VOID_DECL_, __VA_ARGS__)
#define HEIST_STATIC_VOID_TASK_DECL(...) HEIST__ON_LIST_AFTER_ONE(HEIST__STATIC_VOID_DECL_, __VA_ARGS__)
#define HEIST_VOID_TASK_IMPL(...) HEIST__ON_LIST_AFTER_ONE(HEIST__VOID_IMPL_, __VA_ARGS__)
#define HEIST__ON_LIST(macro, ...) \
    HEIST__CAT(macro, HEIST__LIST(__VA_ARGS__))(HEIST__PAIRS(__VA_ARGS__), __VA_ARGS__)
#define HEIST__ON_LIST_AFTER_ONE(macro, ...) \
    HEIST__CAT(macro, HEIST__LIST_AFTER_ONE(__VA_ARGS__))(HEIST__PAIRS_AFTER_ONE(__VA_ARGS__), __VA_ARGS__)
/* clang-format on */

/* ---- using tasks ---- */

/* Whether the macro stands where the hidden arguments are. */
#ifdef __cplusplus
#define HEIST__HAS_WORKER heist__same<__typeof__(heist__bottom), heist_slot *>::value
#define HEIST__NEEDS_WORKER ((void)heist__needs_worker<HEIST__HAS_WORKER>::yes)
#else
#define HEIST__HAS_WORKER _Generic(&heist__bottom, heist_slot * * : 1, default : 0)
#define HEIST__NEEDS_WORKER                                                                                            \
    ((void)sizeof(struct {                                                                                             \
        _Static_assert(HEIST__HAS_WORKER, HEIST__NO_WORKER);                                                           \
        char heist__none;                                                                                              \
    }))
#endif
#define HEIST__NO_WORKER                                                                                               \
    "this function is no task, so it has no worker: write HEIST_WITH_WORKER; first in its block, or make it a task "   \
    "(HEIST_TASK) and run it with HEIST_RUN"
#ifdef __cplusplus
extern "C++" {
template <bool has_worker> struct heist__needs_worker {
    static_assert(has_worker, HEIST__NO_WORKER);
    enum { yes };
};
}
#endif

#define HEIST_WITH_WORKER                                                                                              \
    heist_worker *const heist__w = heist__find_worker();                                                               \
    heist_slot *heist__bottom __attribute__((unused)) = heist__load_relaxed(&heist__w->bottom) /* relaxed: own */

/* In front of what uses the task `name`: the enum that each task has. */
#define HEIST__KNOWN(name) ((void)heist__there_is_no_task_##name)

#define HEIST_CHILD(name) HEIST__CHILD(name)
#define HEIST__CHILD(name) struct heist__gen_child_##name
#define HEIST_CHILDREN(many, name, n) HEIST__CHILD(name) many[(n) > 0 ? (n) : 1]

#define HEIST_SPAWN(...) HEIST__CAT(HEIST__SPAWN_, HEIST__MORE_THAN_2(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__SPAWN_no(child, name)                                                                                   \
    HEIST__CHILD_VARIABLES(child, name)                                                                                \
    heist__bottom = heist__gen_spawn_##name(heist__w, heist__bottom, &heist__gen_record_##child)
#define HEIST__SPAWN_yes(child, name, ...)                                                                             \
    HEIST__CHILD_VARIABLES(child, name)                                                                                \
    heist__bottom = heist__gen_spawn_##name(heist__w, heist__bottom, &heist__gen_record_##child, __VA_ARGS__)
/* The enum comes first, and a join uses it: an `if` around the spawn then ends with the enum, and the join does not
 * compile. */
#define HEIST__CHILD_VARIABLES(child, name)                                                                            \
    enum { heist__an_if_around_the_spawn_use_HEIST_SPAWN_IF_##child };                                                 \
    HEIST__STATIC_ASSERT(HEIST__HAS_WORKER, HEIST__NO_WORKER);                                                         \
    HEIST__STATIC_ASSERT(heist__there_is_no_task_##name == 0, "");                                                     \
    HEIST__CHILD(name) heist__gen_record_##child;                                                                      \
    __typeof__(heist__gen_sync_##name) *const heist__there_is_no_child_##child __attribute__((unused)) =               \
        heist__gen_sync_##name;                                                                                        \
    HEIST__GUARD(child, name)

#define HEIST_SPAWN_IF(condition, ...)                                                                                 \
    HEIST__CAT(HEIST__SPAWN_IF_, HEIST__MORE_THAN_2(__VA_ARGS__))(condition, __VA_ARGS__)
#define HEIST__SPAWN_IF_no(condition, child, name)                                                                     \
    HEIST__CHILD_VARIABLES(child, name)                                                                                \
    heist__bottom = heist__gen_maybe_##name(!!(condition), heist__w, heist__bottom, &heist__gen_record_##child)
#define HEIST__SPAWN_IF_yes(condition, child, name, ...)                                                               \
    HEIST__CHILD_VARIABLES(child, name)                                                                                \
    heist__bottom =                                                                                                    \
        heist__gen_maybe_##name(!!(condition), heist__w, heist__bottom, &heist__gen_record_##child, __VA_ARGS__)

#define HEIST_SYNC(child) HEIST__SYNC(child)
#define HEIST__SYNC(child)                                                                                             \
    ((void)heist__there_is_no_child_##child, (void)heist__an_if_around_the_spawn_use_HEIST_SPAWN_IF_##child,           \
     HEIST__JOINED(child) heist__there_is_no_child_##child(heist__w, &heist__bottom,                                   \
                                                           &heist__gen_record_##child HEIST__JOINED_BY(#child)))

#define HEIST_SPAWN_AT(...) HEIST__CAT(HEIST__SPAWN_AT_, HEIST__MORE_THAN_2(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__SPAWN_AT_no(child, name)                                                                                \
    (HEIST__NEEDS_WORKER, HEIST__KNOWN(name), heist__bottom = heist__gen_spawn_##name(heist__w, heist__bottom, (child)))
#define HEIST__SPAWN_AT_yes(child, name, ...)                                                                          \
    (HEIST__NEEDS_WORKER, HEIST__KNOWN(name),                                                                          \
     heist__bottom = heist__gen_spawn_##name(heist__w, heist__bottom, (child), __VA_ARGS__))
#define HEIST_SYNC_AT(child, name) HEIST__SYNC_AT(child, name, #child)
#define HEIST__SYNC_AT(child, name, text)                                                                              \
    (HEIST__NEEDS_WORKER, HEIST__KNOWN(name),                                                                          \
     heist__gen_sync_##name(heist__w, &heist__bottom, (child)HEIST__JOINED_BY(text)))

#define HEIST_CALL(...) HEIST__CAT(HEIST__CALL_, HEIST__MORE_THAN_1(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__CALL_no(name) (HEIST__NEEDS_WORKER, HEIST__KNOWN(name), heist__gen_body_##name(heist__w, heist__bottom))
#define HEIST__CALL_yes(name, ...)                                                                                     \
    (HEIST__NEEDS_WORKER, HEIST__KNOWN(name), heist__gen_body_##name(heist__w, heist__bottom, __VA_ARGS__))

#define HEIST_RUN(...) HEIST__CAT(HEIST__RUN_, HEIST__MORE_THAN_2(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__RUN_no(pool, name) (HEIST__KNOWN(name), heist__gen_run_##name(pool))
#define HEIST__RUN_yes(pool, name, ...) (HEIST__KNOWN(name), heist__gen_run_##name(pool, __VA_ARGS__))

#define HEIST_DETACH(...) HEIST__CAT(HEIST__DETACH_, HEIST__MORE_THAN_2(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__DETACH_no(scope, name) (HEIST__KNOWN(name), heist__gen_detach_##name(scope))
#define HEIST__DETACH_yes(scope, name, ...) (HEIST__KNOWN(name), heist__gen_detach_##name(scope, __VA_ARGS__))

HEIST_END_DECLS

#endif
