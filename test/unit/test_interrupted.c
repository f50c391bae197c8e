/* test_interrupted.c: the deque of fork/join tasks when a thief comes in the middle of what the owner does, or the
 * owner in the middle of a theft: at every single instruction. interrupt.h says how. After each interruption the owner
 * joins what is left, and every child must have run once. */
#include "interrupt.h"
#include "task_deque_support.h"

static instruction_list instructions;

/* Before the interrupted operation: so many children, of which so many were stolen; and a thief may have asked for
 * more, or even have got half of the rest published. */
#define CROWD 6
typedef enum { LEFT_ALONE, ASKED, OFFERED } thief_before;
static uint64_t seen_before;
static bool offered_before;

static void prepare(int count, int stolen, thief_before thief)
{
    heist__task_deque *f = &owner->tasks;
    /* As heist__task_deque_init leaves it, so that every run of an operation takes the same path; only the tags go
     * on. */
    heist__store_relaxed(f->pop_gate, f->slots);
    heist__store_relaxed(f->push_gate, f->end);
    heist__store_relaxed(&f->top, heist__load_relaxed(&f->top) + (UINT64_C(1) << 32));
    heist__store_relaxed(&f->published, ((heist__load_relaxed(&f->published) >> 32) + 1) << 32);
    spawn_many(count);
    for (int i = 0; i < stolen; i++) steal_gives(i);
    seen_before = heist__task_deque_look(f);
    offered_before = thief == OFFERED && heist__task_deque_offer(f, seen_before, 0) == HEIST_STEAL_GOT;
    if (thief == ASKED) {
        heist__store_relaxed(f->pop_gate, HEIST__POP_SHUT);
        heist__store_relaxed(f->push_gate, HEIST__PUSH_SHUT);
    }
}

static bool is_open(int i)
{
    return heist__load_relaxed(&children[i].open);
}

/* Joins the children that are left, from the youngest down or from the eldest up, with or without a thief. */
static void join_the_rest(bool youngest_first, bool robbed)
{
    for (int n = 0; n < 2 * CROWD; n++) {
        int i = youngest_first ? 2 * CROWD - 1 - n : n;
        if (!is_open(i)) continue;
        join(i);
        if (robbed) steal_one();
    }
    nothing_is_left();
}

/* ---- the owner is interrupted by thieves ---- */

static int joined_in_it; /* which child the interrupted join is of */

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
    heist__task_deque_answer(&owner->tasks);
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
/* It looked before the operation began. */
static void slow_thief_takes_one(void)
{
    heist_task *task;
    if (try_steal(seen_before, 0, &task) == HEIST_STEAL_GOT) run_loot(task);
}
/* It even had an offer. */
static void sure_thief_takes_one(void)
{
    heist_task *task;
    if (offered_before && heist__task_deque_take(&owner->tasks, seen_before, &task) == HEIST_STEAL_GOT) run_loot(task);
}
static void slow_thief_then_all(void)
{
    slow_thief_takes_one();
    steal_all();
}
/* Asks and publishes, but takes nothing yet. */
static void thief_only_publishes(void)
{
    heist__task_deque_offer(&owner->tasks, heist__task_deque_look(&owner->tasks), 0);
}
static void thieves_take_and_publish(void)
{
    steal_all();
    thief_only_publishes();
}
static void thieves_take_what_is_public_and_publish_more(void)
{
    thief_only_publishes();
    while ((uint32_t)heist__load_relaxed(&owner->tasks.published) > (uint32_t)heist__task_deque_look(&owner->tasks))
        steal_one();
    thief_only_publishes();
}

static operation *const thefts[] = {
    thief_takes_one,      thief_takes_two,          thief_takes_all,
    slow_thief_takes_one, sure_thief_takes_one,     slow_thief_then_all,
    thief_only_publishes, thieves_take_and_publish, thieves_take_what_is_public_and_publish_more};

/* Interrupts `what` at each of its instructions by each kind of theft. Returns how many interruptions there were. */
static long interrupt_everywhere(operation *what, int stolen, thief_before thief)
{
    long interruptions = 0;
    prepare(CROWD, stolen, thief);
    list_instructions(what, &instructions);
    join_the_rest(true, false);
    for (size_t theft = 0; theft < sizeof thefts / sizeof *thefts; theft++) {
        for (size_t i = 0; i < instructions.count; i++) {
            prepare(CROWD, stolen, thefts[theft] == sure_thief_takes_one ? OFFERED : thief);
            interruptions += interrupted(what, instructions.at[i], thefts[theft]);
            join_the_rest(i % 2, i % 4 < 2);
        }
    }
    return interruptions;
}

static void joins_may_be_interrupted_by_thieves_anywhere(void)
{
    IGNORE_WITHOUT_INTERRUPTS();
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        long interruptions = 0;
        for (int stolen = 0; stolen <= CROWD; stolen++) {
            /* the youngest, the eldest, one in the middle, and the last that was stolen */
            const int which[] = {CROWD - 1, 0, CROWD / 2, stolen ? stolen - 1 : 1};
            for (int j = 0; j < 4; j++) {
                joined_in_it = which[j];
                interruptions += interrupt_everywhere(owner_joins, stolen, (thief_before)((j + stolen) % 3));
            }
        }
        TEST_ASSERT_GREATER_THAN(1000, interruptions);
        end();
    }
}

static void spawns_may_be_interrupted_by_thieves_anywhere(void)
{
    IGNORE_WITHOUT_INTERRUPTS();
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        long interruptions = 0;
        for (int stolen = 0; stolen <= CROWD; stolen += 3) {
            for (thief_before thief = LEFT_ALONE; thief <= OFFERED; thief++)
                interruptions += interrupt_everywhere(owner_spawns, stolen, thief);
        }
        TEST_ASSERT_GREATER_THAN(1000, interruptions);
        end();
    }
}

static void answers_may_be_interrupted_by_thieves_anywhere(void)
{
    IGNORE_WITHOUT_INTERRUPTS();
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        long interruptions = 0;
        for (int stolen = 0; stolen <= CROWD; stolen++)
            interruptions += interrupt_everywhere(owner_answers, stolen, ASKED);
        TEST_ASSERT_GREATER_THAN(500, interruptions);
        end();
    }
}

/* ---- a thief is interrupted by the owner ---- */

/* The owner cannot wait here, for its thief stands still: a join as heist__join_slow does it, but for the waiting. */
static void join_if_it_can(int i)
{
    heist_task *task = &children[i].task;
    heist__task_deque *f = &owner->tasks;
    heist_slot *slot = NULL;
    bool mine = heist__pop(face, bottom, task);
    if (!mine) slot = (heist_slot *)heist__load_acquire(&task->state);
    if (slot >= f->slots && slot < bottom && heist__load_relaxed(slot) == task) {
        if (slot != bottom - 1) {
            mine = heist__task_deque_take_out(f, slot, bottom);
        } else {
            heist__store_release(&face->bottom, slot);
            heist__compiler_barrier();
            mine = heist__load_relaxed(&face->pop_gate) <= slot || heist__task_deque_claim(f, slot);
        }
    }
    if (mine) {
        bottom--;
        run_child(face, bottom, task);
    } else {
        heist__store_release(&face->bottom, bottom);
        if (heist__load_acquire(&task->state) != HEIST__TASK_DONE) return; /* its thief stands still */
        bottom = heist__task_deque_absorb(f, bottom);
    }
    joined(i);
}

static heist_task *loot;
static int stolen_before;

static void theft(void)
{
    heist_task *task;
    if (try_steal(heist__task_deque_look(&owner->tasks), 0, &task) == HEIST_STEAL_GOT) loot = task;
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
    heist__task_deque_answer(&owner->tasks);
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
    prepare(CROWD, stolen_before, LEFT_ALONE);
    loot = NULL;
}

static void finish_theft(bool youngest_first, bool robbed)
{
    if (loot) run_loot(loot);
    join_the_rest(youngest_first, robbed);
}

static void thefts_may_be_interrupted_by_the_owner_anywhere(void)
{
    IGNORE_WITHOUT_INTERRUPTS();
    static operation *const doings[] = {owner_joins_the_youngest,
                                        owner_joins_the_eldest,
                                        owner_joins_all_from_the_youngest,
                                        owner_joins_all_from_the_eldest,
                                        owner_joins_all_and_spawns_others,
                                        owner_joins_stolen_ones_and_spawns_others,
                                        owner_answers_and_takes_back,
                                        another_thief_is_faster,
                                        another_thief_is_faster_and_the_owner_rewinds};
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        long interruptions = 0;
        for (stolen_before = 0; stolen_before < CROWD; stolen_before += 2) {
            prepare_theft();
            list_instructions(theft, &instructions);
            finish_theft(true, false);
            for (size_t d = 0; d < sizeof doings / sizeof *doings; d++) {
                for (size_t i = 0; i < instructions.count; i++) {
                    prepare_theft();
                    interruptions += interrupted(theft, instructions.at[i], doings[d]);
                    finish_theft(i % 2, i % 4 < 2);
                }
            }
        }
        TEST_ASSERT_GREATER_THAN(1000, interruptions);
        end();
    }
}

/* ---- both are interrupted ---- */

static int spawned_before;

static void whole_theft(void)
{
    steal_one();
}
static void owner_joins_if_it_can(void)
{
    join_if_it_can(joined_in_it);
}
static void owner_joins_both_if_it_can(void)
{
    join_if_it_can(1);
    join_if_it_can(0);
}

static void prepare_both(thief_before thief)
{
    prepare(spawned_before, stolen_before, thief);
}

/* Stops a theft at an instruction, and in each instruction of what the owner then does lets it go on. Pairs are drawn,
 * for there are some ten thousand; in a few runs all have had their turn. */
static long intertwine(operation *what, thief_before thief, int draws, uint64_t *chance)
{
    static instruction_list of_owner;
    prepare_both(thief);
    list_instructions(whole_theft, &instructions);
    join_the_rest(true, false);
    prepare_both(thief);
    list_instructions(what, &of_owner);
    join_the_rest(true, false);
    long both = 0;
    for (int n = 0; n < draws; n++) {
        uintptr_t in_theft = instructions.at[draw(chance) % instructions.count];
        uintptr_t in_owner = of_owner.at[draw(chance) % of_owner.count];
        prepare_both(thief);
        both += intertwined(whole_theft, in_theft, what, in_owner);
        join_the_rest(n % 2, n % 4 < 2);
    }
    return both;
}

static void a_theft_and_a_join_may_stop_each_other_anywhere(void)
{
    IGNORE_WITHOUT_INTERRUPTS();
    const struct {
        int spawned, stolen, joined;
        operation *what;
    } cases[] = {
        {1, 0, 0, owner_joins_if_it_can}, /* the last one */
        {2, 0, 1, owner_joins_if_it_can}, /* the youngest */
        {2, 0, 0, owner_joins_if_it_can}, /* the elder */
        {2, 1, 0, owner_joins_if_it_can}, /* a stolen one, with a younger one there */
        {2, 1, 1, owner_joins_if_it_can}, /* the last one, behind a stolen one */
        {1, 1, 0, owner_joins_if_it_can}, /* a stolen one, with nothing there */
        {2, 0, 0, owner_joins_both_if_it_can}, {3, 1, 0, owner_spawns},
    };
    uint64_t chance = test_seed();
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        long both = 0;
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            spawned_before = cases[c].spawned;
            stolen_before = cases[c].stolen;
            joined_in_it = cases[c].joined;
            for (thief_before thief = LEFT_ALONE; thief <= OFFERED; thief++)
                both += intertwine(cases[c].what, thief, test_scale(600), &chance);
        }
        TEST_ASSERT_GREATER_THAN(test_scale(1000), both);
        end();
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(joins_may_be_interrupted_by_thieves_anywhere);
    RUN_TEST(spawns_may_be_interrupted_by_thieves_anywhere);
    RUN_TEST(answers_may_be_interrupted_by_thieves_anywhere);
    RUN_TEST(thefts_may_be_interrupted_by_the_owner_anywhere);
    RUN_TEST(a_theft_and_a_join_may_stop_each_other_anywhere);
    return UNITY_END();
}
