/* test_frames.c: the deque of fork/join tasks, white-box. The owner is the library's own spawn and join on a worker that this
 * file puts together; thieves are threads of the test, or the test itself at a chosen moment.
 *
 * Three kinds of tests. Steps in a fixed order. Real threads against each other, for what needs caches and store buffers.
 * And interruptions: an operation runs one machine instruction at a time, and after the first, the second, the third ...
 * instruction the other side does its work in between, so that a window of one instruction is found every time. That last
 * kind needs the trap flag of x86 and is ignored elsewhere. */
#include "deque/frames.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "platform/barrier.h"
#include "platform/futex.h"
#include "schedule/join.h"
#include "schedule/worker.h"
#include "support.h"

/* ---- a worker without a thread ---- */

#define LEVELS 64
#define MOST 4096 /* children */

/* A child; `times` says how often it ran since it was spawned. */
typedef struct {
    heist_task task; /* first */
    HEIST__ATOMIC(int) times;
    HEIST__ATOMIC(int) open; /* spawned and not joined: may be run */
    int place;               /* owner's: in the list of open ones */
} child;

static heist_pool *pool;
static heist__worker *owner;
static heist_worker *face;
static heist_slot *bottom; /* the register of the owner's frame */
static child children[MOST];
static HEIST__ATOMIC(int) dead_ones; /* children that were run, or taken, after their join */

static heist__worker *worker_made(unsigned index, size_t slots, bool fenced)
{
    heist__worker *w = aligned_alloc(_Alignof(heist__worker), sizeof *w);
    TEST_ASSERT_NOT_NULL(w);
    memset(w, 0, sizeof *w);
    w->pool = pool;
    w->index = index;
    w->levels = calloc(LEVELS, sizeof *w->levels);
    TEST_ASSERT_NOT_NULL(w->levels);
    heist__random_seed(&w->random, 1, index);
    TEST_ASSERT_EQUAL_INT(0, heist__frames_init(&w->frames, slots, fenced));
    return w;
}

static void worker_unmade(heist__worker *w)
{
    heist__frames_destroy(&w->frames);
    free(w->levels);
    free(w);
}

static void begin(size_t slots, bool fenced)
{
    pool = aligned_alloc(_Alignof(heist_pool), sizeof *pool);
    TEST_ASSERT_NOT_NULL(pool);
    memset(pool, 0, sizeof *pool); /* nobody sleeps, so nobody is woken */
    pool->settings.spin = 16;
    pool->idle.fenced = fenced;
    pool->count = 1;
    pool->workers = &owner;
    owner = worker_made(0, slots, fenced);
    face = &owner->frames.face;
    bottom = owner->frames.slots;
    memset(children, 0, sizeof children);
    heist__store_relaxed(&dead_ones, 0);
}

static void end(void)
{
    worker_unmade(owner);
    free(pool);
    owner = NULL;
}

void setUp(void)
{
    watchdog(PATIENCE_S);
    TEST_ASSERT_TRUE_MESSAGE(heist__barrier_available(), "this kernel has no membarrier: half of these tests mean nothing");
}

void tearDown(void)
{
    if (owner) end();
}

#define FOR_BOTH_MODES(fenced) for (int fenced = 0; fenced < 2; fenced++)

static void run_child(heist_worker *w, heist_slot *at, heist_task *task)
{
    (void)w;
    (void)at;
    child *c = (child *)(void *)task;
    if (!heist__load_seq_cst(&c->open)) heist__add_seq_cst(&dead_ones, 1);
    heist__add_seq_cst(&c->times, 1);
}

/* ---- the owner's side ---- */

static void spawn(int i)
{
    child *c = &children[i];
    c->task.run = run_child;
    heist__store_seq_cst(&c->times, 0);
    heist__store_seq_cst(&c->open, 1);
    bottom = heist__push(face, bottom, &c->task);
}

static void spawn_many(int count)
{
    for (int i = 0; i < count; i++) spawn(i);
}

static void joined(int i)
{
    child *c = &children[i];
    heist__store_seq_cst(&c->open, 0);
    if (heist__load_seq_cst(&c->times) != 1) {
        char what[80];
        snprintf(what, sizeof what, "child %d had run %d times when it was joined", i, heist__load_seq_cst(&c->times));
        TEST_FAIL_MESSAGE(what);
    }
}

/* As HEIST_SYNC does it. */
static void join(int i)
{
    heist_task *task = &children[i].task;
    if (heist__pop(face, bottom, task)) {
        bottom--;
        run_child(face, bottom, task);
    } else {
        bottom = heist__join_slow(face, bottom, task);
    }
    joined(i);
}

static void nothing_is_left(void)
{
    TEST_ASSERT_EQUAL_PTR(owner->frames.slots, bottom);
    TEST_ASSERT_EQUAL_PTR(bottom, heist__load_relaxed(&face->bottom));
    TEST_ASSERT_EQUAL_size_t(0, heist__frames_size(&owner->frames));
    TEST_ASSERT_EQUAL_UINT32(0, (uint32_t)heist__load_relaxed(&owner->frames.top));
    TEST_ASSERT_EQUAL_INT(0, heist__load_seq_cst(&dead_ones));
}

/* ---- the thief's side ---- */

/* Runs a stolen child and says so, as heist__run_stolen does without the thief's own deque. */
static void run_loot(heist_task *task)
{
    run_child(NULL, NULL, task);
    heist__store_release(&task->state, HEIST__TASK_DONE);
    heist__add_seq_cst(&owner->children_done, 1);
    if (heist__load_seq_cst(&owner->join_asleep)) heist__futex_wake(&owner->children_done, 1);
}

static heist_steal try_steal(uint64_t seen, uint32_t floor, heist_task **task)
{
    heist_steal outcome = heist__frames_offer(&owner->frames, seen, floor);
    return outcome == HEIST_STEAL_GOT ? heist__frames_take(&owner->frames, seen, task) : outcome;
}

static heist_steal steal_one(void)
{
    heist_task *task;
    heist_steal outcome = try_steal(heist__frames_look(&owner->frames), 0, &task);
    if (outcome == HEIST_STEAL_GOT) run_loot(task);
    return outcome;
}

static void steal_gives(int i)
{
    TEST_ASSERT_EQUAL_INT(0, heist__load_seq_cst(&children[i].times));
    TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, steal_one());
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, heist__load_seq_cst(&children[i].times), "another child was stolen");
}

static int steal_all(void)
{
    int taken = 0;
    while (steal_one() == HEIST_STEAL_GOT) taken++;
    return taken;
}

/* ---- steps in a fixed order ---- */

static void thieves_take_the_oldest_first(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        spawn_many(5);
        TEST_ASSERT_EQUAL_size_t(5, heist__frames_size(&owner->frames));
        steal_gives(0);
        steal_gives(1);
        join(4);
        steal_gives(2);
        steal_gives(3);
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_EMPTY, steal_one());
        for (int i = 3; i >= 0; i--) join(i);
        nothing_is_left();
        end();
    }
}

static void an_empty_deque_gives_nothing(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_EMPTY, steal_one());
        spawn(0);
        join(0);
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_EMPTY, steal_one());
        spawn(0);
        steal_gives(0);
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_EMPTY, steal_one());
        join(0);
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_EMPTY, steal_one());
        nothing_is_left();
        end();
    }
}

/* Every order of four joins, with every number of thefts before each of them. */
static void any_order_of_joins_meets_any_number_of_thefts(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        for (int order = 0; order < 24; order++) {
            for (int thefts = 0; thefts < 5 * 5 * 5 * 5; thefts++) {
                int open[4] = {0, 1, 2, 3}, left = 4, chance = order, before = thefts;
                spawn_many(4);
                while (left > 0) {
                    for (int n = before % 5; n > 0; n--) steal_one();
                    before /= 5;
                    int at = chance % left, i = open[at];
                    chance /= left;
                    open[at] = open[--left];
                    join(i);
                }
                nothing_is_left();
            }
        }
        end();
    }
}

static void a_thief_leaves_what_is_below_its_floor(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        heist_task *task;
        spawn_many(3);
        uint64_t seen = heist__frames_look(&owner->frames);
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_EMPTY, try_steal(seen, 1, &task));
        steal_gives(0);
        seen = heist__frames_look(&owner->frames);
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_EMPTY, try_steal(seen, 2, &task));
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, try_steal(seen, 1, &task));
        TEST_ASSERT_EQUAL_PTR(&children[1].task, task);
        run_loot(task);
        for (int i = 0; i < 3; i++) join(i);
        nothing_is_left();
        end();
    }
}

/* A thief that looked long ago: whatever the owner did since, with the same number of stolen slots as then, it gets nothing
 * that it should not. */
static void an_old_look_takes_nothing_after_a_renewal(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        heist_task *task;
        spawn_many(3);
        uint64_t seen = heist__frames_look(&owner->frames);
        heist__frames_renew(&owner->frames);
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_LOST, try_steal(seen, 0, &task));
        steal_gives(0);
        for (int i = 2; i >= 0; i--) join(i);
        nothing_is_left();
        end();
    }
}

static void an_old_look_takes_nothing_after_a_rewind(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        heist_task *task;
        spawn_many(2);
        uint64_t seen = heist__frames_look(&owner->frames); /* nothing stolen, child 0 in slot 0 */
        steal_gives(0);
        uint64_t later = heist__frames_look(&owner->frames); /* one stolen, child 1 in slot 1 */
        join(0);                                             /* child 1 moves to slot 0 */
        spawn(2);                                            /* and another one to slot 1 */
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_LOST, try_steal(seen, 0, &task));
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_LOST, try_steal(later, 0, &task));
        steal_gives(1);
        join(2);
        join(1);
        nothing_is_left();
        end();
    }
}

static void an_old_look_takes_nothing_that_the_owner_took_back(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        heist_task *task;
        spawn_many(4);
        steal_gives(0); /* half of the rest is public now */
        uint64_t seen = heist__frames_look(&owner->frames);
        for (int i = 3; i >= 1; i--) join(i); /* all taken back ... */
        for (int i = 1; i <= 3; i++) spawn(i + 10); /* ... and others in their slots */
        heist_steal outcome = try_steal(seen, 0, &task);
        if (outcome == HEIST_STEAL_GOT) { /* then the right one, for the slot's number alone does not say */
            TEST_ASSERT_EQUAL_PTR(&children[11].task, task);
            run_loot(task);
        }
        for (int i = 3; i >= 1; i--) join(i + 10);
        join(0);
        nothing_is_left();
        end();
    }
}

static void every_rewind_changes_the_tag(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        uint64_t tag = heist__frames_look(&owner->frames) >> 32;
        for (int round = test_scale(20000); round > 0; round--) {
            spawn(0);
            spawn(1);
            TEST_ASSERT_EQUAL_INT(2, steal_all());
            join(round % 2);
            uint64_t after_one = heist__frames_look(&owner->frames) >> 32;
            TEST_ASSERT_GREATER_THAN_UINT64(tag, after_one);
            join(1 - round % 2);
            tag = heist__frames_look(&owner->frames) >> 32;
            TEST_ASSERT_GREATER_THAN_UINT64(after_one, tag);
        }
        nothing_is_left();
        end();
    }
}

/* The tag is half of the word; what it does at its end must not touch the number. */
static void the_tag_may_wrap(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        heist__store_relaxed(&owner->frames.top, UINT64_C(0xfffffffe) << 32);
        heist__store_relaxed(&owner->frames.published, UINT64_C(0xfffffffe) << 32);
        for (int round = 0; round < 10; round++) {
            spawn_many(4);
            steal_gives(0);
            steal_gives(1);
            join(1);
            join(3);
            join(0);
            join(2);
            nothing_is_left();
        }
        end();
    }
}

static void without_a_slot_a_spawn_is_a_call(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        int slots = (int)(owner->frames.end - owner->frames.slots);
        TEST_ASSERT_EQUAL_INT(1024, slots);
        for (int fifo = 0; fifo < 2; fifo++) {
            spawn_many(3000);
            for (int i = 0; i < 3000; i++) TEST_ASSERT_EQUAL_INT(i >= slots - 1, heist__load_relaxed(&children[i].times));
            for (int i = 0; i < 3000; i++) join(fifo ? i : 2999 - i); /* the last ones first, or when nothing is left */
            nothing_is_left();
        }
        TEST_ASSERT_EQUAL_UINT64(2 * (3000 - 1023), heist__load_relaxed(&owner->counters.spawns_called));
        end();
    }
}

static void a_full_deque_may_be_robbed(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        uint64_t chance = 3;
        for (int round = test_scale(20); round > 0; round--) {
            for (int i = 0; i < 2000; i++) {
                spawn(i);
                if (draw(&chance) % 3 == 0) steal_one();
            }
            for (int i = 0; i < 2000; i++) join((i * 7 + round) % 2000);
            nothing_is_left();
        }
        end();
    }
}

static void less_than_the_least_room_is_an_error(void)
{
    heist__frames f;
    memset(&f, 0, sizeof f);
    TEST_ASSERT_EQUAL_INT(-ENOMEM, heist__frames_init(&f, 10, false));
    heist__frames_destroy(&f); /* does no harm */
}

static void trimming_gives_memory_back_and_the_deque_goes_on(void)
{
    begin(1 << 20, false);
    for (int round = 0; round < 3; round++) {
        spawn_many(MOST);
        for (int i = MOST - 1; i >= 0; i--) join(i);
        heist__frames_trim(&owner->frames);
        nothing_is_left();
    }
    end();
}

/* ---- the end of a stolen task shuts its leapfroggers out ---- */

static HEIST__ATOMIC(uint64_t) seen_in_task;

static void looks_at_its_workers_deque(heist_worker *w, heist_slot *at, heist_task *task)
{
    (void)at;
    (void)task;
    heist__store_seq_cst(&seen_in_task, heist__frames_look(&heist__worker_of(w)->frames));
}

static void who_looked_during_a_stolen_task_takes_nothing_after_it(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        heist__worker *home = worker_made(1, 1024, fenced);
        child stolen = {.task = {.run = looks_at_its_workers_deque}};
        heist__run_stolen(owner, &(heist__stolen){.task = &stolen.task, .home = home});
        TEST_ASSERT_EQUAL_UINT64(HEIST__TASK_DONE, heist__load_relaxed(&stolen.task.state));
        TEST_ASSERT_EQUAL_UINT32(1, heist__load_relaxed(&home->children_done));
        spawn_many(2); /* the thief's next work, which does not descend from the stolen task */
        heist_task *task;
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_LOST, try_steal(heist__load_seq_cst(&seen_in_task), 0, &task));
        join(1);
        join(0);
        nothing_is_left();
        worker_unmade(home);
        end();
    }
}

/* ---- interruptions ---- */

#if defined(__x86_64__) && !SANITIZED
#define CAN_STEP 1
#else
#define CAN_STEP 0
#endif

/* Where an operation can be interrupted: the addresses of its instructions, each once. */
#define MOST_INSTRUCTIONS 4096
static uintptr_t instructions[MOST_INSTRUCTIONS];
static size_t instruction_count;

#if CAN_STEP
#define TRAP_FLAG 0x100
#define BREAKPOINT 0xcc

extern char __executable_start[], etext[]; /* by the linker: the program's own code */

static void (*volatile intruder)(void);
static volatile bool stepping;
static unsigned char *volatile breakpoint; /* where the byte below was replaced */
static volatile unsigned char replaced;

static void note_instruction(uintptr_t at)
{
    if (at < (uintptr_t)__executable_start || at >= (uintptr_t)etext) return;
    for (size_t i = 0; i < instruction_count; i++) {
        if (instructions[i] == at) return;
    }
    if (instruction_count < MOST_INSTRUCTIONS) instructions[instruction_count++] = at;
}

/* After each instruction, with the trap flag; or at the breakpoint, which is then gone. */
static void trapped(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    if (stepping) {
        note_instruction((uintptr_t)registers[REG_RIP]);
        return;
    }
    registers[REG_EFL] &= ~TRAP_FLAG;
    if (!breakpoint) return;
    *breakpoint = replaced;
    registers[REG_RIP] = (greg_t)(uintptr_t)breakpoint;
    breakpoint = NULL;
    intruder();
}

static void handle_traps(void)
{
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGTRAP, &action, NULL);
}

/* Does `what` step by step and lists its instructions. */
static __attribute__((noinline)) void list_instructions(void (*what)(void))
{
    instruction_count = 0;
    stepping = true;
    /* The red zone below the stack pointer may be in use: keep away from it. */
    __asm__ volatile("leaq -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
    what();
    stepping = false; /* the next trap takes the flag away */
}

/* Does `what`, and `intrusion` in front of the instruction at `at`. False: it did not come there. */
static __attribute__((noinline)) bool interrupted(void (*what)(void), uintptr_t at, void (*intrusion)(void))
{
    unsigned char *byte = (unsigned char *)at;
    intruder = intrusion;
    replaced = *byte;
    breakpoint = byte;
    *(volatile unsigned char *)byte = BREAKPOINT;
    what();
    bool reached = !breakpoint;
    *(volatile unsigned char *)byte = replaced;
    breakpoint = NULL;
    return reached;
}

static bool was_there;

static void be_there(void)
{
    was_there = true;
}

static __attribute__((noinline)) void little(void)
{
    __asm__ volatile("nop; nop; nop; nop");
}

/* Emulators and valgrind may have no trap flag, and a system may forbid to change a program. */
static bool steps_work(void)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)__executable_start & ~(page - 1);
    handle_traps();
    list_instructions(little);
    if (instruction_count < 4) return false;
    if (mprotect((void *)start, (uintptr_t)etext - start, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    for (size_t i = 0; i < instruction_count; i++) {
        was_there = false;
        if (interrupted(little, instructions[i], be_there) && was_there) return true;
    }
    return false;
}
#else
static void list_instructions(void (*what)(void))
{
    (void)what;
}
static bool interrupted(void (*what)(void), uintptr_t at, void (*intrusion)(void))
{
    (void)what;
    (void)at;
    (void)intrusion;
    return false;
}
static bool steps_work(void)
{
    return false;
}
#endif

/* Before the interrupted operation: children 0 to 5, of which so many were stolen; and a thief may have asked for more, or
 * even have got half of the rest published. */
#define CROWD 6
typedef enum { LEFT_ALONE, ASKED, OFFERED } thief_before;
static int stolen_before, joined_in_it; /* joined_in_it: which child the interrupted join is of */
static uint64_t seen_before;
static bool offered_before;

static void prepare(int stolen, thief_before thief)
{
    heist__frames *f = &owner->frames;
    /* As heist__frames_init leaves it, so that every run of an operation takes the same path; only the tags go on. */
    heist__store_relaxed(f->pop_gate, f->slots);
    heist__store_relaxed(f->push_gate, f->end);
    heist__store_relaxed(&f->top, heist__load_relaxed(&f->top) + (UINT64_C(1) << 32));
    heist__store_relaxed(&f->published, ((heist__load_relaxed(&f->published) >> 32) + 1) << 32);
    spawn_many(CROWD);
    for (int i = 0; i < stolen; i++) steal_gives(i);
    seen_before = heist__frames_look(f);
    offered_before = thief == OFFERED && heist__frames_offer(f, seen_before, 0) == HEIST_STEAL_GOT;
    if (thief == ASKED) {
        heist__store_relaxed(f->pop_gate, HEIST__POP_SHUT);
        heist__store_relaxed(f->push_gate, HEIST__PUSH_SHUT);
    }
}

static bool is_open(int i)
{
    return heist__load_relaxed(&children[i].open);
}

/* Joins whoever is left, from the youngest down or from the eldest up, with a thief about, or without. */
static void join_the_rest(int last, bool youngest_first, bool robbed)
{
    for (int n = 0; n <= last; n++) {
        int i = youngest_first ? last - n : n;
        if (!is_open(i)) continue;
        join(i);
        if (robbed) steal_one();
    }
    nothing_is_left();
}

static void owner_joins(void)
{
    join(joined_in_it);
}
static void owner_spawns(void)
{
    spawn(CROWD);
}
static void owner_answers(void)
{
    heist__frames_answer(&owner->frames);
}

static void thief_takes_one(void)
{
    steal_one();
}
static void thief_takes_two(void)
{
    steal_one();
    steal_one();
}
static void thief_takes_all(void)
{
    steal_all();
}
static void slow_thief_takes_one(void) /* it looked before the operation began */
{
    heist_task *task;
    if (try_steal(seen_before, 0, &task) == HEIST_STEAL_GOT) run_loot(task);
}
/* It even had an offer. */
static void sure_thief_takes_one(void)
{
    heist_task *task;
    if (offered_before && heist__frames_take(&owner->frames, seen_before, &task) == HEIST_STEAL_GOT) run_loot(task);
}
static void slow_thief_then_all(void)
{
    slow_thief_takes_one();
    steal_all();
}
/* Asks and publishes, but takes nothing yet. */
static void thief_only_publishes(void)
{
    heist__frames_offer(&owner->frames, heist__frames_look(&owner->frames), 0);
}
static void thieves_take_and_publish(void)
{
    steal_all();
    thief_only_publishes();
}
static void two_thieves_publish_and_one_takes(void)
{
    thief_only_publishes();
    while ((uint32_t)heist__load_relaxed(&owner->frames.published) > (uint32_t)heist__frames_look(&owner->frames)) steal_one();
    thief_only_publishes();
}

static void (*const thefts[])(void) = {thief_takes_one,      thief_takes_two,          thief_takes_all,
                                       slow_thief_takes_one, slow_thief_then_all,      sure_thief_takes_one, thief_only_publishes,
                                       thieves_take_and_publish, two_thieves_publish_and_one_takes};
#define THEFTS (sizeof thefts / sizeof *thefts)

/* Interrupts `operation` at each of its instructions by each kind of theft. Children up to `last` may be open afterwards.
 * Returns how many interruptions there were. */
static long interrupt_everywhere(void (*operation)(void), int stolen, thief_before thief, int last)
{
    long interruptions = 0;
    prepare(stolen, thief);
    list_instructions(operation);
    join_the_rest(last, true, false);
    for (size_t theft = 0; theft < THEFTS; theft++) {
        for (size_t i = 0; i < instruction_count; i++) {
            prepare(stolen, thefts[theft] == sure_thief_takes_one ? OFFERED : thief);
            interruptions += interrupted(operation, instructions[i], thefts[theft]);
            join_the_rest(last, i % 2, i % 4 < 2);
        }
    }
    return interruptions;
}

#define IGNORE_WITHOUT_STEPS() \
    if (!steps_work()) TEST_IGNORE_MESSAGE("this machine cannot run a program step by step")

static void joins_may_be_interrupted_by_thieves_anywhere(void)
{
    IGNORE_WITHOUT_STEPS();
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        long interruptions = 0;
        for (int stolen = 0; stolen <= CROWD; stolen++) {
            /* the youngest, the eldest, one in the middle, and the last that was stolen */
            const int which[] = {CROWD - 1, 0, CROWD / 2, stolen ? stolen - 1 : 1};
            for (int j = 0; j < 4; j++) {
                joined_in_it = which[j];
                interruptions += interrupt_everywhere(owner_joins, stolen, (thief_before)(j % 3), CROWD - 1);
            }
        }
        TEST_ASSERT_GREATER_THAN(1000, interruptions);
        end();
    }
}

static void spawns_may_be_interrupted_by_thieves_anywhere(void)
{
    IGNORE_WITHOUT_STEPS();
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        long interruptions = 0;
        for (int stolen = 0; stolen <= CROWD; stolen += 3) {
            interruptions += interrupt_everywhere(owner_spawns, stolen, ASKED, CROWD);
            interruptions += interrupt_everywhere(owner_spawns, stolen, LEFT_ALONE, CROWD);
        }
        TEST_ASSERT_GREATER_THAN(1000, interruptions);
        end();
    }
}

static void answers_may_be_interrupted_by_thieves_anywhere(void)
{
    IGNORE_WITHOUT_STEPS();
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        long interruptions = 0;
        for (int stolen = 0; stolen <= CROWD; stolen++)
            interruptions += interrupt_everywhere(owner_answers, stolen, ASKED, CROWD - 1);
        TEST_ASSERT_GREATER_THAN(1000, interruptions);
        end();
    }
}

/* The other way round: a theft is interrupted by the owner. The owner cannot wait here, for its thief stands still: what it
 * cannot have at once it leaves. */

/* A join as heist__join_slow does it, up to where that waits. */
static void join_if_it_can(int i)
{
    heist_task *task = &children[i].task;
    heist__frames *f = &owner->frames;
    if (heist__pop(face, bottom, task)) {
        bottom--;
        run_child(face, bottom, task);
        joined(i);
        return;
    }
    heist_slot *slot = (heist_slot *)heist__load_acquire(&task->state);
    bool mine = false;
    if (slot >= f->slots && slot < bottom && heist__load_relaxed(slot) == task) {
        if (slot == bottom - 1) {
            heist__store_release(&face->bottom, slot);
            heist__compiler_barrier();
            mine = heist__load_relaxed(&face->pop_gate) <= slot || heist__frames_claim(f, slot);
            if (!mine) heist__store_release(&face->bottom, bottom);
        } else {
            mine = heist__frames_take_out(f, slot, bottom);
        }
    }
    if (mine) {
        bottom--;
        run_child(face, bottom, task);
        joined(i);
        return;
    }
    heist__store_release(&face->bottom, bottom);
    if (heist__load_acquire(&task->state) != HEIST__TASK_DONE) return; /* in the hands of the interrupted thief */
    bottom = heist__frames_absorb(f, bottom);
    joined(i);
}

static heist_task *loot;

static void theft(void)
{
    heist_task *task;
    if (try_steal(heist__frames_look(&owner->frames), 0, &task) == HEIST_STEAL_GOT) loot = task;
}

static void owner_joins_the_youngest(void)
{
    join_if_it_can(CROWD - 1);
}
static void owner_joins_the_eldest(void)
{
    join_if_it_can(0);
}
static void owner_joins_all_from_the_youngest(void)
{
    for (int i = CROWD - 1; i >= 0; i--) join_if_it_can(i);
}
static void owner_joins_all_from_the_eldest(void)
{
    for (int i = 0; i < CROWD; i++) join_if_it_can(i);
}
static void owner_joins_all_and_spawns_others(void)
{
    owner_joins_all_from_the_youngest();
    for (int i = CROWD; i < 2 * CROWD; i++) spawn(i);
}
static void owner_joins_stolen_ones_and_spawns_others(void)
{
    for (int i = 0; i < stolen_before; i++) join_if_it_can(i);
    for (int i = CROWD; i < CROWD + 2; i++) spawn(i);
}
static void owner_answers_and_takes_back(void)
{
    heist__frames_answer(&owner->frames);
    owner_joins_the_youngest();
}
static void another_thief_is_faster(void)
{
    steal_one();
    steal_one();
}
static void another_thief_is_faster_and_the_owner_rewinds(void)
{
    steal_all();
    owner_joins_all_from_the_youngest();
    for (int i = CROWD; i < 2 * CROWD; i++) spawn(i);
}

static void prepare_theft(void)
{
    prepare(stolen_before, LEFT_ALONE);
    loot = NULL;
}

static void finish_theft(bool youngest_first, bool robbed)
{
    if (loot) run_loot(loot);
    join_the_rest(2 * CROWD - 1, youngest_first, robbed);
}

static void thefts_may_be_interrupted_by_the_owner_anywhere(void)
{
    IGNORE_WITHOUT_STEPS();
    static void (*const doings[])(void) = {owner_joins_the_youngest,
                                           owner_joins_the_eldest,
                                           owner_joins_all_from_the_youngest,
                                           owner_joins_all_from_the_eldest,
                                           owner_joins_all_and_spawns_others,
                                           owner_joins_stolen_ones_and_spawns_others,
                                           owner_answers_and_takes_back,
                                           another_thief_is_faster,
                                           another_thief_is_faster_and_the_owner_rewinds};
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        long interruptions = 0;
        for (stolen_before = 0; stolen_before < CROWD; stolen_before += 2) {
            prepare_theft();
            list_instructions(theft);
            finish_theft(true, false);
            for (size_t d = 0; d < sizeof doings / sizeof *doings; d++) {
                for (size_t i = 0; i < instruction_count; i++) {
                    prepare_theft();
                    interruptions += interrupted(theft, instructions[i], doings[d]);
                    finish_theft(i % 2, i % 4 < 2);
                }
            }
        }
        TEST_ASSERT_GREATER_THAN(1000, interruptions);
        end();
    }
}

/* ---- real threads ---- */

#define THIEVES 3

static HEIST__ATOMIC(int) thieves_stop;
static HEIST__ATOMIC(long) stolen_by_threads;
static pthread_t thieves[THIEVES];

static void *thief_main(void *argument)
{
    (void)argument;
    while (!heist__load_acquire(&thieves_stop)) {
        if (steal_one() == HEIST_STEAL_GOT) heist__add_relaxed(&stolen_by_threads, 1);
        else sched_yield(); /* there may be fewer cores than thieves */
    }
    return NULL;
}

static void let_thieves_in(int count)
{
    heist__store_seq_cst(&thieves_stop, 0);
    heist__store_seq_cst(&stolen_by_threads, 0);
    for (int i = 0; i < count; i++) TEST_ASSERT_EQUAL_INT(0, pthread_create(&thieves[i], NULL, thief_main, NULL));
}

static void send_thieves_away(int count)
{
    heist__store_release(&thieves_stop, 1);
    for (int i = 0; i < count; i++) pthread_join(thieves[i], NULL);
}

/* A failed join leaves the thieves behind: only the first failure counts, and it is told after they are gone. */
static char first_failure[80];

static void join_under_steal(int i)
{
    heist_task *task = &children[i].task;
    if (heist__pop(face, bottom, task)) {
        bottom--;
        run_child(face, bottom, task);
    } else {
        bottom = heist__join_slow(face, bottom, task);
    }
    heist__store_seq_cst(&children[i].open, 0);
    int times = heist__load_seq_cst(&children[i].times);
    if (times != 1 && !first_failure[0])
        snprintf(first_failure, sizeof first_failure, "child %d had run %d times when it was joined", i, times);
}

static void all_went_well(void)
{
    if (first_failure[0]) TEST_FAIL_MESSAGE(first_failure);
    nothing_is_left();
}

/* Two elements and two thieves: the least with which a missing fence shows, since one element is settled by a CAS. */
static void two_children_are_each_taken_once(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        first_failure[0] = '\0';
        let_thieves_in(2);
        for (int round = test_scale(300000); round > 0 && !first_failure[0]; round--) {
            spawn(0);
            spawn(1);
            if (round % 64 == 0) sched_yield();
            join_under_steal(1);
            join_under_steal(0);
        }
        send_thieves_away(2);
        all_went_well();
        TEST_ASSERT_GREATER_THAN(0, heist__load_relaxed(&stolen_by_threads));
        end();
    }
}

static void children_joined_in_any_order_under_steal_are_each_taken_once(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        first_failure[0] = '\0';
        int open[32], opened = 0, idle[32], idles = 32;
        for (int i = 0; i < 32; i++) idle[i] = i;
        uint64_t chance = 11;
        let_thieves_in(THIEVES);
        for (int step = test_scale(600000); step > 0 && !first_failure[0]; step--) {
            uint32_t drawn = draw(&chance);
            int spawns = step / 64 % 3 == 0 ? 3 : 5; /* of eight: the crowd swells and shrinks */
            if (step % 512 == 0) sched_yield();
            if (idles > 0 && (opened == 0 || (int)(drawn % 8) < spawns)) {
                int i = idle[--idles];
                open[opened++] = i;
                spawn(i);
            } else {
                int at = drawn % 3 == 0 ? opened - 1 : drawn % 3 == 1 ? 0 : (int)(drawn / 8 % (uint32_t)opened);
                int i = open[at];
                memmove(&open[at], &open[at + 1], (size_t)(--opened - at) * sizeof *open);
                idle[idles++] = i;
                join_under_steal(i);
            }
        }
        while (opened > 0) join_under_steal(open[--opened]);
        send_thieves_away(THIEVES);
        all_went_well();
        TEST_ASSERT_GREATER_THAN(100, heist__load_relaxed(&stolen_by_threads));
        end();
    }
}

/* Every round ends with all stolen or joined, so top is rewound to the start again and again. */
static void rewinding_over_and_over_loses_nothing(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        first_failure[0] = '\0';
        let_thieves_in(2);
        uint64_t chance = 1;
        for (int round = test_scale(40000); round > 0 && !first_failure[0]; round--) {
            int count = 1 + (int)(draw(&chance) % 4);
            spawn_many(count);
            if (round % 4 == 0) sched_yield(); /* let them take some */
            for (int i = 0; i < count; i++) join_under_steal(round % 2 ? i : count - 1 - i);
        }
        send_thieves_away(2);
        all_went_well();
        end();
    }
}

static void a_full_deque_under_steal_runs_each_child_once(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        first_failure[0] = '\0';
        let_thieves_in(2);
        for (int round = test_scale(100); round > 0; round--) {
            spawn_many(2500);
            for (int i = 0; i < 2500; i++) join_under_steal(round % 2 ? i : 2499 - i);
        }
        send_thieves_away(2);
        all_went_well();
        end();
    }
}

/* The owner does not touch its deque any more: everything must go all the same. */
static void an_owner_in_a_long_task_is_robbed_of_everything(void)
{
    FOR_BOTH_MODES (fenced) {
        begin(1024, fenced);
        let_thieves_in(THIEVES);
        for (int round = test_scale(50); round > 0; round--) {
            spawn_many(100);
            for (int i = 0; i < 100; i++) {
                while (!heist__load_acquire(&children[i].times)) sched_yield(); /* the watchdog ends it if not */
            }
            for (int i = 0; i < 100; i++) join(round % 2 ? i : 99 - i);
        }
        send_thieves_away(THIEVES);
        nothing_is_left();
        TEST_ASSERT_EQUAL_UINT64(heist__load_relaxed(&owner->counters.joins_stolen),
                                 (uint64_t)heist__load_relaxed(&stolen_by_threads));
        end();
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(thieves_take_the_oldest_first);
    RUN_TEST(an_empty_deque_gives_nothing);
    RUN_TEST(any_order_of_joins_meets_any_number_of_thefts);
    RUN_TEST(a_thief_leaves_what_is_below_its_floor);
    RUN_TEST(an_old_look_takes_nothing_after_a_renewal);
    RUN_TEST(an_old_look_takes_nothing_after_a_rewind);
    RUN_TEST(an_old_look_takes_nothing_that_the_owner_took_back);
    RUN_TEST(every_rewind_changes_the_tag);
    RUN_TEST(the_tag_may_wrap);
    RUN_TEST(without_a_slot_a_spawn_is_a_call);
    RUN_TEST(a_full_deque_may_be_robbed);
    RUN_TEST(less_than_the_least_room_is_an_error);
    RUN_TEST(trimming_gives_memory_back_and_the_deque_goes_on);
    RUN_TEST(who_looked_during_a_stolen_task_takes_nothing_after_it);
    RUN_TEST(joins_may_be_interrupted_by_thieves_anywhere);
    RUN_TEST(spawns_may_be_interrupted_by_thieves_anywhere);
    RUN_TEST(answers_may_be_interrupted_by_thieves_anywhere);
    RUN_TEST(thefts_may_be_interrupted_by_the_owner_anywhere);
    RUN_TEST(two_children_are_each_taken_once);
    RUN_TEST(children_joined_in_any_order_under_steal_are_each_taken_once);
    RUN_TEST(rewinding_over_and_over_loses_nothing);
    RUN_TEST(a_full_deque_under_steal_runs_each_child_once);
    RUN_TEST(an_owner_in_a_long_task_is_robbed_of_everything);
    return UNITY_END();
}
