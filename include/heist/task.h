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
 * A task is a function with two hidden arguments: its worker, and the first free slot of that worker's deque, which thus
 * travels in a register. A child's record is a local variable of its parent, named in the spawn; the deque holds its
 * address. So a child must be joined before the block that spawned it ends, in any order, and once. Builds without
 * optimisation and builds with HEIST_DEBUG=1 watch for that and say which task forgot which child, or joins one a second
 * time, or one that it has not spawned; other builds may then crash, or wait for ever.
 *
 * Declaring
 *   HEIST_TASK(result, name, type, argument, ...) { body }    a task of this file, 0 to 10 arguments
 *   HEIST_VOID_TASK(name, type, argument, ...) { body }       the same without a result
 *   HEIST_TASK_DECL(result, name, ...);                       a task that is defined elsewhere, or further down
 *   HEIST_TASK_IMPL(result, name, ...) { body }               ... and its definition; HEIST_VOID_TASK_DECL, _IMPL likewise
 * Results and arguments are of any type that can be assigned (no arrays; give a function pointer a typedef) and wants no
 * more than malloc's alignment; in C++ it must also be trivially default-constructible and trivially copyable (a std::string,
 * or a struct with initialisers, is passed by pointer).
 *
 * Inside a task
 *   HEIST_SPAWN(child, name, ...);            declares `child` and spawns it
 *   HEIST_SYNC(child)                         joins it: waits, running only what descends from it; gives its result
 *   HEIST_CALL(name, ...)                     calls a task directly
 *   HEIST_CHILD(name) many[n];                children in an array, or anywhere that outlives the join ...
 *   HEIST_SPAWN_AT(&many[i], name, ...);      ... spawned one by one ...
 *   HEIST_SYNC_AT(&many[i], name)             ... and joined
 *
 * From anywhere
 *   HEIST_RUN(pool, name, ...)                runs it on `pool` (NULL: see heist/pool.h), waits, gives its result
 *   HEIST_DETACH(scope, name, ...)            runs it some time, without a result: see heist/scope.h */
#ifndef HEIST_TASK_H
#define HEIST_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <heist/arguments.h>
#include <heist/atomic.h>
#include <heist/export.h>

HEIST_BEGIN_DECLS

typedef struct heist_worker heist_worker;
typedef struct heist_pool heist_pool;
typedef struct heist_scope heist_scope;
typedef struct heist_task heist_task;

/* A place in a worker's deque. Written by: owner. Read by: owner, thieves. */
typedef HEIST__ATOMIC(heist_task *) heist_slot;

/* What every task's record begins with. */
struct heist_task {
    void (*run)(heist_worker *, heist_slot *, heist_task *);
    /* Where the task is: the address of its slot, then who took it, then that it is done (lib/schedule/join.c).
     * Written by: the spawner, then the thief. Read by: the spawner. */
    HEIST__ATOMIC(uintptr_t) state;
};

/* The part of a worker that spawns and joins touch. Not for use by hand. */
struct heist_worker {
    /* First free slot. Written by: owner. Read by: owner, thieves. */
    HEIST__ATOMIC(heist_slot *) bottom;
    /* Children joined without having met a thief. Written by: owner. Read by: anybody. */
    HEIST__ATOMIC(uint64_t) joins_inline;
    char pad[HEIST__LINE - sizeof(void *) - sizeof(uint64_t)];
    /* Slots below it are not taken without care. Written by: thieves (to the top of memory: "a thief is here"), owner.
     * Read by: owner. */
    HEIST__ATOMIC(heist_slot *) pop_gate;
    /* Slots from it on are not filled without care. Written by: thieves and sleepers (to NULL: "look here"), owner.
     * Read by: owner. */
    HEIST__ATOMIC(heist_slot *) push_gate;
};

/* What the fast paths below leave to the library. */
HEIST_API heist_slot *heist__push_slow(heist_worker *w, heist_slot *bottom, heist_task *task);
HEIST_API heist_slot *heist__join_slow(heist_worker *w, heist_slot *bottom, heist_task *task);
HEIST_API void heist__run_root(heist_pool *pool, heist_task *task);
HEIST_API heist_task *heist__loose_new(heist_scope *scope, size_t size);
HEIST_API int heist__loose_push(heist_scope *scope, heist_task *task);
HEIST_API void heist__misplaced(heist_worker *w, heist_slot *bottom);

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

/* What compilers do not do by themselves, and each costs an instruction or a push and a pop in every task: they keep a
 * local's address, and a pointer beside its successor, in registers of their own across calls (ADDRESS, FORGET); they load
 * an atomic before they compare or count (the rest). The accesses are the same. */
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

/* clang keeps whatever lives across any call, be it one that hardly ever happens, in registers which it saves when the
 * function begins: with a plain call of the slow path a leaf, too, saves four. A callee that saves them itself leaves the
 * spawner free, and clang then saves what it must only after the test for a leaf. */
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
static __attribute__((preserve_most, noinline, unused)) void heist__push_aside(heist_worker *w, heist_slot *bottom,
                                                                               heist_task *task)
{
    heist__push_slow(w, bottom, task);
}
/* relaxed: own, and equal to what push_slow gave (no result: clang 14 would restore its register, too) */
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
    heist__store_release(&w->bottom, bottom); /* D1: the record is whole. Pairs with D1 in frames.c. */
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

/* ---- watching for children that nobody joins, or that are joined in vain ---- */

/* A named child under watch: left says, and makes up for, a join that did not happen. */
struct heist__guard {
    heist_worker *worker;
    heist_slot **bottom;
    heist_task *open;     /* NULL once joined */
    const char *function; /* whose child it is, as the compiler calls it */
    const char *child, *task;
};
HEIST_API void heist__guard_leave(struct heist__guard *guard);
/* A body under watch: what lies in the deque when it begins, and, told as its children, what lies above that when it ends. */
HEIST_API heist_slot *heist__frame_entered(heist_worker *w, heist_slot *bottom);
HEIST_API void heist__frame_left(heist_worker *w, heist_slot *bottom, const char *task_name);
/* A join under watch: whether there is anything to join. If not, which is told, the join gives what the record holds: after a
 * first join, its result. */
HEIST_API bool heist__may_join(heist_worker *w, heist_task *task, const char *function, const char *child,
                               const char *task_name);
HEIST_API void heist__joined(heist_task *task);

#if HEIST_DEBUG
#define HEIST__GUARD(child, name)                                                                                      \
    struct heist__guard heist__guard_##child __attribute__((cleanup(heist__guard_leave), unused)) = {                  \
        heist__w, &heist__bottom, &(child).task, __func__, #child, #name};
#define HEIST__JOINED(child) (heist__guard_##child.open = NULL),
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

/* A small task begins on a cache line: where it falls otherwise is chance, and worth a tenth of its time. */
#define HEIST__HOT __attribute__((aligned(64)))

/* gcc splits the test for a leaf off a function and puts it into the callers, so that a leaf costs no call, but not when
 * it sees a single caller. That is what a static task looks like to it: this shows it another. */
#define HEIST__CALLED_ELSEWHERE(function) __asm__("" : : "r"(function))

/* The record, the body's prototype, and the functions around it. `n` is the number of pairs, `pairs` the list in
 * parentheses. */
#define HEIST__TASK_TYPES(result, name, n, pairs)                                                                      \
    struct heist__child_##name {                                                                                       \
        heist_task task;                                                                                               \
        union {                                                                                                        \
            struct {                                                                                                   \
                HEIST__FIELDS_##n pairs                                                                                \
            } in;                                                                                                      \
            HEIST__FIELD(result, out)                                                                                  \
        } of;                                                                                                          \
    };

#define HEIST__VOID_TYPES(name, n, pairs)                                                                              \
    struct heist__child_##name {                                                                                       \
        heist_task task;                                                                                               \
        struct {                                                                                                       \
            struct {                                                                                                   \
                HEIST__FIELDS_##n pairs                                                                                \
            } in;                                                                                                      \
        } of;                                                                                                          \
    };

#define HEIST__SPAWNING(name, n, pairs)                                                                                \
    HEIST__INLINE heist_slot *heist__spawn_##name(heist_worker *heist__w, heist_slot *heist__at,                       \
                                                  struct heist__child_##name *heist__c HEIST__PARAMS_##n pairs)        \
    {                                                                                                                  \
        heist__c->task.run = heist__exec_##name;                                                                       \
        HEIST__STORE_##n pairs return heist__push(heist__w, heist__at, &heist__c->task);                               \
    }                                                                                                                  \
    static inline HEIST__FN int heist__detach_##name(heist_scope *heist__s HEIST__PARAMS_##n pairs)                    \
    {                                                                                                                  \
        struct heist__child_##name *heist__c =                                                                         \
            (struct heist__child_##name *)(void *)heist__loose_new(heist__s, sizeof *heist__c);                        \
        if (!heist__c) return heist__loose_push(heist__s, NULL);                                                       \
        heist__c->task.run = heist__exec_##name;                                                                       \
        HEIST__STORE_##n pairs return heist__loose_push(heist__s, &heist__c->task);                                    \
    }

#define HEIST__DECLARE(linkage, result, name, n, pairs)                                                                \
    HEIST__TASK_TYPES(result, name, n, pairs)                                                                          \
    HEIST__HOT linkage result heist__body_##name(heist_worker *, heist_slot *HEIST__PARAMS_##n pairs);                 \
    static HEIST__FN void heist__exec_##name(heist_worker *heist__w, heist_slot *heist__at, heist_task *heist__t)      \
    {                                                                                                                  \
        struct heist__child_##name *heist__c = (struct heist__child_##name *)(void *)heist__t;                         \
        HEIST__CALLED_ELSEWHERE(heist__body_##name);                                                                   \
        result heist__r = heist__body_##name(heist__w, heist__at HEIST__LOAD_##n pairs);                               \
        heist__c->of.out = heist__r;                                                                                   \
    }                                                                                                                  \
    HEIST__SPAWNING(name, n, pairs)                                                                                    \
    HEIST__INLINE result heist__sync_##name(heist_worker *heist__w, heist_slot **heist__bottom,                        \
                                            struct heist__child_##name *heist__c HEIST__JOINER)                        \
    {                                                                                                                  \
        if (!HEIST__MAY_JOIN(name)) return heist__c->of.out;                                                           \
        if (heist__pop(heist__w, *heist__bottom, &heist__c->task)) {                                                   \
            heist_slot *heist__at = --*heist__bottom;                                                                  \
            result heist__r = heist__body_##name(heist__w, heist__at HEIST__LOAD_##n pairs);                           \
            HEIST__IF_DEBUG(heist__c->of.out = heist__r)                                                               \
            HEIST__IF_DEBUG(heist__joined(&heist__c->task))                                                            \
            return heist__r;                                                                                           \
        }                                                                                                              \
        *heist__bottom = heist__join_slow(heist__w, *heist__bottom, &heist__c->task);                                  \
        HEIST__IF_DEBUG(heist__joined(&heist__c->task))                                                                \
        return heist__c->of.out;                                                                                       \
    }                                                                                                                  \
    static HEIST__FN result heist__run_##name(heist_pool *heist__p HEIST__PARAMS_##n pairs)                            \
    {                                                                                                                  \
        struct heist__child_##name heist__child, *heist__c = &heist__child;                                            \
        heist__c->task.run = heist__exec_##name;                                                                       \
        HEIST__STORE_##n pairs heist__run_root(heist__p, &heist__c->task);                                             \
        return heist__c->of.out;                                                                                       \
    }

#define HEIST__VOID_DECLARE(linkage, name, n, pairs)                                                                   \
    HEIST__VOID_TYPES(name, n, pairs)                                                                                  \
    HEIST__HOT linkage void heist__body_##name(heist_worker *, heist_slot *HEIST__PARAMS_##n pairs);                   \
    static HEIST__FN void heist__exec_##name(heist_worker *heist__w, heist_slot *heist__at, heist_task *heist__t)      \
    {                                                                                                                  \
        struct heist__child_##name *heist__c = (struct heist__child_##name *)(void *)heist__t;                         \
        (void)heist__c;                                                                                                \
        HEIST__CALLED_ELSEWHERE(heist__body_##name);                                                                   \
        heist__body_##name(heist__w, heist__at HEIST__LOAD_##n pairs);                                                 \
    }                                                                                                                  \
    HEIST__SPAWNING(name, n, pairs)                                                                                    \
    HEIST__INLINE void heist__sync_##name(heist_worker *heist__w, heist_slot **heist__bottom,                          \
                                          struct heist__child_##name *heist__c HEIST__JOINER)                          \
    {                                                                                                                  \
        if (!HEIST__MAY_JOIN(name)) return;                                                                            \
        if (heist__pop(heist__w, *heist__bottom, &heist__c->task)) {                                                   \
            heist_slot *heist__at = --*heist__bottom;                                                                  \
            heist__body_##name(heist__w, heist__at HEIST__LOAD_##n pairs);                                             \
        } else {                                                                                                       \
            *heist__bottom = heist__join_slow(heist__w, *heist__bottom, &heist__c->task);                              \
        }                                                                                                              \
        HEIST__IF_DEBUG(heist__joined(&heist__c->task))                                                                \
    }                                                                                                                  \
    static HEIST__FN void heist__run_##name(heist_pool *heist__p HEIST__PARAMS_##n pairs)                              \
    {                                                                                                                  \
        struct heist__child_##name heist__child, *heist__c = &heist__child;                                            \
        heist__c->task.run = heist__exec_##name;                                                                       \
        HEIST__STORE_##n pairs heist__run_root(heist__p, &heist__c->task);                                             \
    }

#define HEIST__BODY(linkage, result, name, n, pairs)                                                                   \
    linkage result name(heist_worker *heist__w __attribute__((unused)),                                                \
                        heist_slot *heist__bottom __attribute__((unused)) HEIST__PARAMS_##n pairs)

#if HEIST_DEBUG
/* The body is a function of its own, so that whoever calls it, its end is seen. */
#define HEIST__DEFINE(linkage, result, name, n, pairs)                                                                 \
    HEIST__BODY(static, result, heist__task_##name, n, pairs);                                                         \
    HEIST__BODY(linkage, result, heist__body_##name, n, pairs)                                                         \
    {                                                                                                                  \
        heist_slot *heist__at = heist__frame_entered(heist__w, heist__bottom);                                         \
        result heist__r = heist__task_##name(heist__w, heist__bottom HEIST__USES_##n pairs);                           \
        heist__frame_left(heist__w, heist__at, #name);                                                                 \
        return heist__r;                                                                                               \
    }                                                                                                                  \
    HEIST__BODY(static, result, heist__task_##name, n, pairs)
#define HEIST__VOID_DEFINE(linkage, name, n, pairs)                                                                    \
    HEIST__BODY(static, void, heist__task_##name, n, pairs);                                                           \
    HEIST__BODY(linkage, void, heist__body_##name, n, pairs)                                                           \
    {                                                                                                                  \
        heist_slot *heist__at = heist__frame_entered(heist__w, heist__bottom);                                         \
        heist__task_##name(heist__w, heist__bottom HEIST__USES_##n pairs);                                             \
        heist__frame_left(heist__w, heist__at, #name);                                                                 \
    }                                                                                                                  \
    HEIST__BODY(static, void, heist__task_##name, n, pairs)
#else
#define HEIST__DEFINE(linkage, result, name, n, pairs) HEIST__BODY(linkage, result, heist__body_##name, n, pairs)
#define HEIST__VOID_DEFINE(linkage, name, n, pairs) HEIST__BODY(linkage, void, heist__body_##name, n, pairs)
#endif

/* clang-format off */
#define HEIST__BOTH(result, name, n, pairs) \
    HEIST__DECLARE(static, result, name, n, pairs) HEIST__DEFINE(static, result, name, n, pairs)
#define HEIST__VOID_BOTH(name, n, pairs) \
    HEIST__VOID_DECLARE(static, name, n, pairs) HEIST__VOID_DEFINE(static, name, n, pairs)
/* clang-format on */

#include <heist/lists.h>

#define HEIST_TASK(...) HEIST__TASK_N(HEIST__PAIRS(__VA_ARGS__), __VA_ARGS__)
#define HEIST_TASK_DECL(...) HEIST__DECL_N(HEIST__PAIRS(__VA_ARGS__), __VA_ARGS__)
#define HEIST_TASK_IMPL(...) HEIST__IMPL_N(HEIST__PAIRS(__VA_ARGS__), __VA_ARGS__)
#define HEIST_VOID_TASK(...) HEIST__VOID_TASK_N(HEIST__PAIRS_AFTER_ONE(__VA_ARGS__), __VA_ARGS__)
#define HEIST_VOID_TASK_DECL(...) HEIST__VOID_DECL_N(HEIST__PAIRS_AFTER_ONE(__VA_ARGS__), __VA_ARGS__)
#define HEIST_VOID_TASK_IMPL(...) HEIST__VOID_IMPL_N(HEIST__PAIRS_AFTER_ONE(__VA_ARGS__), __VA_ARGS__)

/* ---- using tasks ---- */

#define HEIST_CHILD(name) struct heist__child_##name

#define HEIST_SPAWN(...) HEIST__CAT(HEIST__SPAWN_, HEIST__MORE_THAN_2(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__SPAWN_no(child, name)                                                                                   \
    HEIST__CHILD_VARIABLES(child, name) heist__bottom = heist__spawn_##name(heist__w, heist__bottom, &(child))
#define HEIST__SPAWN_yes(child, name, ...)                                                                             \
    HEIST__CHILD_VARIABLES(child, name)                                                                                \
    heist__bottom = heist__spawn_##name(heist__w, heist__bottom, &(child), __VA_ARGS__)
#define HEIST__CHILD_VARIABLES(child, name)                                                                            \
    HEIST_CHILD(name) child;                                                                                           \
    __typeof__(heist__sync_##name) *const heist__sync_of_##child __attribute__((unused)) = heist__sync_##name;         \
    HEIST__GUARD(child, name)

#define HEIST_SYNC(child)                                                                                              \
    (HEIST__JOINED(child) heist__sync_of_##child(heist__w, &heist__bottom, &(child)HEIST__JOINED_BY(#child)))

#define HEIST_SPAWN_AT(...) HEIST__CAT(HEIST__SPAWN_AT_, HEIST__MORE_THAN_2(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__SPAWN_AT_no(child, name) (heist__bottom = heist__spawn_##name(heist__w, heist__bottom, (child)))
#define HEIST__SPAWN_AT_yes(child, name, ...)                                                                          \
    (heist__bottom = heist__spawn_##name(heist__w, heist__bottom, (child), __VA_ARGS__))
#define HEIST_SYNC_AT(child, name) heist__sync_##name(heist__w, &heist__bottom, (child)HEIST__JOINED_BY(#child))

#define HEIST_CALL(...) HEIST__CAT(HEIST__CALL_, HEIST__MORE_THAN_1(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__CALL_no(name) heist__body_##name(heist__w, heist__bottom)
#define HEIST__CALL_yes(name, ...) heist__body_##name(heist__w, heist__bottom, __VA_ARGS__)

#define HEIST_RUN(...) HEIST__CAT(HEIST__RUN_, HEIST__MORE_THAN_2(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__RUN_no(pool, name) heist__run_##name(pool)
#define HEIST__RUN_yes(pool, name, ...) heist__run_##name(pool, __VA_ARGS__)

#define HEIST_DETACH(...) HEIST__CAT(HEIST__DETACH_, HEIST__MORE_THAN_2(__VA_ARGS__))(__VA_ARGS__)
#define HEIST__DETACH_no(scope, name) heist__detach_##name(scope)
#define HEIST__DETACH_yes(scope, name, ...) heist__detach_##name(scope, __VA_ARGS__)

HEIST_END_DECLS

#endif
