/* test_task_deque.c: the deque of fork/join tasks, white-box: steps in a fixed order, and real threads against each
 * other, for what needs caches and store buffers. test_interrupted.c has the same deque with one side stopped at every
 * instruction. */
#include <errno.h>
#include <pthread.h>

#include "task_deque_support.h"

/* ---- steps in a fixed order ---- */

static void thieves_take_the_oldest_first(void)
{
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        spawn_many(5);
        TEST_ASSERT_EQUAL_size_t(5, heist__task_deque_size(&owner->tasks));
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

static void what_is_published_is_taken_without_asking(void)
{
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        spawn_many(2);
        heist__task_deque_publish(&owner->tasks);
        steal_gives(0);
        steal_gives(1);
        TEST_ASSERT_TRUE_MESSAGE(heist__load_relaxed(owner->tasks.pop_gate) != HEIST__POP_SHUT, "a thief asked");
        heist__task_deque_publish(&owner->tasks); /* all is gone: nothing to do */
        spawn(2);                                 /* private */
        spawn(3);
        join(3);
        steal_gives(2);
        for (int i = 2; i >= 0; i--) join(i);
        nothing_is_left();
        end();
    }
}

static void what_is_published_may_be_taken_back(void)
{
    FOR_BOTH_MODES(fenced)
    {
        for (int thefts = 0; thefts <= 3; thefts++) {
            begin(1024, fenced);
            spawn_many(3);
            heist__task_deque_publish(&owner->tasks);
            for (int i = 0; i < thefts; i++) steal_gives(i);
            for (int i = 2; i >= 0; i--) join(i);
            nothing_is_left();
            end();
        }
    }
}

static void an_empty_deque_gives_nothing(void)
{
    FOR_BOTH_MODES(fenced)
    {
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
    FOR_BOTH_MODES(fenced)
    {
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
                    TEST_ASSERT_EQUAL_PTR_MESSAGE(bottom, heist__load_relaxed(&face->bottom), "some are out of sight");
                }
                nothing_is_left();
            }
        }
        end();
    }
}

static void a_thief_leaves_what_is_below_its_floor(void)
{
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        heist_task *task;
        spawn_many(3);
        uint64_t seen = heist__task_deque_look(&owner->tasks);
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_EMPTY, try_steal(seen, 1, &task));
        steal_gives(0);
        seen = heist__task_deque_look(&owner->tasks);
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_EMPTY, try_steal(seen, 2, &task));
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_GOT, try_steal(seen, 1, &task));
        TEST_ASSERT_EQUAL_PTR(&children[1].task, task);
        run_loot(task);
        for (int i = 0; i < 3; i++) join(i);
        nothing_is_left();
        end();
    }
}

/* A thief that looked long ago: whatever the owner did since, with the same number of stolen slots as then, it gets
 * nothing that it should not. */
static void an_old_look_takes_nothing_after_a_renewal(void)
{
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        heist_task *task;
        spawn_many(3);
        uint64_t seen = heist__task_deque_look(&owner->tasks);
        heist__task_deque_renew(&owner->tasks);
        TEST_ASSERT_EQUAL_INT(HEIST_STEAL_LOST, try_steal(seen, 0, &task));
        steal_gives(0);
        for (int i = 2; i >= 0; i--) join(i);
        nothing_is_left();
        end();
    }
}

static void an_old_look_takes_nothing_after_a_rewind(void)
{
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        heist_task *task;
        spawn_many(2);
        uint64_t seen = heist__task_deque_look(&owner->tasks); /* nothing stolen, child 0 in slot 0 */
        steal_gives(0);
        uint64_t later = heist__task_deque_look(&owner->tasks); /* one stolen, child 1 in slot 1 */
        join(0);                                                /* child 1 moves to slot 0 */
        spawn(2);                                               /* and another one to slot 1 */
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
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        heist_task *task;
        spawn_many(4);
        steal_gives(0); /* half of the rest is public now */
        uint64_t seen = heist__task_deque_look(&owner->tasks);
        for (int i = 3; i >= 1; i--) join(i);       /* all taken back ... */
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
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        uint64_t tag = heist__task_deque_look(&owner->tasks) >> 32;
        for (int round = test_scale(20000); round > 0; round--) {
            spawn(0);
            spawn(1);
            TEST_ASSERT_EQUAL_INT(2, steal_all());
            join(round % 2);
            uint64_t after_one = heist__task_deque_look(&owner->tasks) >> 32;
            TEST_ASSERT_GREATER_THAN_UINT64(tag, after_one);
            join(1 - round % 2);
            tag = heist__task_deque_look(&owner->tasks) >> 32;
            TEST_ASSERT_GREATER_THAN_UINT64(after_one, tag);
        }
        nothing_is_left();
        end();
    }
}

/* The tag is half of the word; what it does at its end must not touch the number. */
static void the_tag_may_wrap(void)
{
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        heist__store_relaxed(&owner->tasks.top, UINT64_C(0xfffffffe) << 32);
        heist__store_relaxed(&owner->tasks.published, UINT64_C(0xfffffffe) << 32);
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
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        int slots = (int)(owner->tasks.end - owner->tasks.slots);
        TEST_ASSERT_EQUAL_INT(1024, slots);
        for (int fifo = 0; fifo < 2; fifo++) {
            spawn_many(3000);
            for (int i = 0; i < 3000; i++)
                TEST_ASSERT_EQUAL_INT(i >= slots - 1, heist__load_relaxed(&children[i].times));
            for (int i = 0; i < 3000; i++) join(fifo ? i : 2999 - i); /* the last ones first, or when nothing is left */
            nothing_is_left();
        }
        TEST_ASSERT_EQUAL_UINT64(2 * (3000 - 1023), heist__load_relaxed(&owner->counters.spawns_called));
        end();
    }
}

static void a_full_deque_may_be_robbed(void)
{
    FOR_BOTH_MODES(fenced)
    {
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
    heist__task_deque f;
    memset(&f, 0, sizeof f);
    TEST_ASSERT_EQUAL_INT(-ENOMEM, heist__task_deque_init(&f, 10, false));
    heist__task_deque_destroy(&f); /* does no harm */
}

static void trimming_gives_memory_back_and_the_deque_goes_on(void)
{
    begin(1 << 20, false);
    for (int round = 0; round < 3; round++) {
        spawn_many(MOST);
        for (int i = MOST - 1; i >= 0; i--) join(i);
        heist__task_deque_trim(&owner->tasks);
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
    heist__store_seq_cst(&seen_in_task, heist__task_deque_look(&heist__worker_of(w)->tasks));
}

static void a_thief_that_looked_during_a_stolen_task_takes_nothing_after_it(void)
{
    FOR_BOTH_MODES(fenced)
    {
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

/* ---- real threads ---- */

#define THIEVES 3

static HEIST__ATOMIC(int) thieves_stop;
static HEIST__ATOMIC(long) stolen_by_threads;
static pthread_t thieves[THIEVES];

static void *thief_main(void *argument)
{
    (void)argument;
    while (!heist__load_acquire(&thieves_stop)) {
        if (steal_one() == HEIST_STEAL_GOT)
            heist__add_relaxed(&stolen_by_threads, 1);
        else
            sched_yield(); /* there may be fewer cores than thieves */
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

/* Whether there is another round. More than planned where no thief has had a CPU yet. */
static bool goes_on(int rounds_left)
{
    if (first_failure[0]) return false;
    return rounds_left > 0 ||
           (rounds_left > -30000000 && heist__load_relaxed(&stolen_by_threads) == 0); /* relaxed: a hint */
}

static void all_went_well(void)
{
    if (first_failure[0]) TEST_FAIL_MESSAGE(first_failure);
    nothing_is_left();
}

/* Two elements and two thieves: the least with which a missing fence shows, since one element is settled by a CAS. */
static void two_children_are_each_taken_once(void)
{
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        first_failure[0] = '\0';
        let_thieves_in(2);
        for (int round = test_scale(300000); goes_on(round); round--) {
            spawn(0);
            spawn(1);
            if (round % 64 == 0) give_way();
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
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        first_failure[0] = '\0';
        int open[32], opened = 0, idle[32], idles = 32;
        for (int i = 0; i < 32; i++) idle[i] = i;
        uint64_t chance = 11;
        let_thieves_in(THIEVES);
        for (int step = test_scale(600000); goes_on(step); step--) {
            uint32_t drawn = draw(&chance);
            int spawns = step / 64 % 3 == 0 ? 3 : 5; /* of eight: the crowd swells and shrinks */
            if (step % 512 == 0) give_way();
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
        TEST_ASSERT_GREATER_THAN(0, heist__load_relaxed(&stolen_by_threads)); /* how many is the system's affair */
        end();
    }
}

/* Every round ends with all stolen or joined, so top is rewound to the start again and again. */
static void rewinding_over_and_over_loses_nothing(void)
{
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        first_failure[0] = '\0';
        let_thieves_in(2);
        uint64_t chance = 1;
        for (int round = test_scale(40000); round > 0 && !first_failure[0]; round--) {
            int count = 1 + (int)(draw(&chance) % 4);
            spawn_many(count);
            if (round % 4 == 0) give_way(); /* let them take some */
            for (int i = 0; i < count; i++) join_under_steal(round % 2 ? i : count - 1 - i);
        }
        send_thieves_away(2);
        all_went_well();
        end();
    }
}

static void a_full_deque_under_steal_runs_each_child_once(void)
{
    FOR_BOTH_MODES(fenced)
    {
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
    FOR_BOTH_MODES(fenced)
    {
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

static bool push_gate_is_shut(void)
{
    return heist__load_relaxed(owner->tasks.push_gate) == HEIST__PUSH_SHUT;
}

/* A thief that found nothing need not ask: the next push is public. */
static void a_push_that_was_wanted_is_public(void)
{
    FOR_BOTH_MODES(fenced)
    {
        begin(1024, fenced);
        spawn(0); /* opens the gate */
        join(0);
        TEST_ASSERT_TRUE(heist__task_deque_want_next(&owner->tasks, HEIST__WANT_NS));
        TEST_ASSERT_TRUE(push_gate_is_shut());
        spawn(0);
        TEST_ASSERT_FALSE(push_gate_is_shut());
        TEST_ASSERT_EQUAL_UINT32(1, (uint32_t)heist__load_relaxed(&owner->tasks.published));
        steal_gives(0);
        TEST_ASSERT_TRUE_MESSAGE(heist__load_relaxed(owner->tasks.pop_gate) != HEIST__POP_SHUT, "a thief asked");
        join(0);
        nothing_is_left();
        end();
    }
}

/* 64 thieves that find nothing, every hundred nanoseconds one of them, around an owner that spawns and joins all the
 * time: in a millisecond the owner's gate is shut 500 times, for which it pays some 60 ns each. So its spawns cost 3%
 * more. */
static void many_hungry_thieves_cost_the_owner_little(void)
{
    unsigned shut = 0;
    begin(1024, false);
    spawn(0);
    join(0);
    for (int64_t now = 1000000; now < 2000000; now += 100) {
        shut += heist__task_deque_want_next(&owner->tasks, now);
        TEST_ASSERT_FALSE(heist__task_deque_want_next(&owner->tasks, now)); /* one of them is enough */
        spawn(0);
        join(0);
    }
    TEST_ASSERT_LESS_OR_EQUAL(1000000 / HEIST__WANT_NS + 1, shut);
    TEST_ASSERT_GREATER_THAN(1000000 / HEIST__WANT_NS / 2, shut);
    nothing_is_left();
    end();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_push_that_was_wanted_is_public);
    RUN_TEST(many_hungry_thieves_cost_the_owner_little);
    RUN_TEST(thieves_take_the_oldest_first);
    RUN_TEST(what_is_published_is_taken_without_asking);
    RUN_TEST(what_is_published_may_be_taken_back);
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
    RUN_TEST(a_thief_that_looked_during_a_stolen_task_takes_nothing_after_it);
    RUN_TEST(two_children_are_each_taken_once);
    RUN_TEST(children_joined_in_any_order_under_steal_are_each_taken_once);
    RUN_TEST(rewinding_over_and_over_loses_nothing);
    RUN_TEST(a_full_deque_under_steal_runs_each_child_once);
    RUN_TEST(an_owner_in_a_long_task_is_robbed_of_everything);
    return UNITY_END();
}
