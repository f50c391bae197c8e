/* loop_support.h: shared by the tests of loops: the schedules by name, places to mark, a count of mistakes. */
#ifndef LOOP_SUPPORT_H
#define LOOP_SUPPORT_H

#include <stdatomic.h>

#include "support.h"

/* Bodies run outside Unity's thread, so they count and the test asserts. */
static atomic_int wrong;
#define CHECK(good) ((good) ? (void)0 : (void)atomic_fetch_add(&wrong, 1))

static const heist_schedule all_schedules[] = {HEIST_SCHEDULE_DEFAULT, HEIST_SCHEDULE_STATIC, HEIST_SCHEDULE_SHARED,
                                               HEIST_SCHEDULE_STEAL,   HEIST_SCHEDULE_HYBRID, HEIST_SCHEDULE_AUTO};
#define SCHEDULES 6

static inline const char *schedule_word(heist_schedule schedule)
{
    static const char *const words[SCHEDULES] = {"default", "static", "shared", "steal", "hybrid", "auto"};
    return words[schedule];
}

#define FOR_ALL_SCHEDULES(schedule)                                                                                    \
    for (const heist_schedule *schedule = all_schedules; schedule < all_schedules + SCHEDULES; schedule++)

static inline heist_pool *loop_pool(unsigned workers)
{
    return pool_of(workers, HEIST_FENCES_DEFAULT);
}

/* A mark for each of so many places; each must be made once. */
typedef struct {
    atomic_uchar *made;
    uint64_t places;
} marks;

static inline marks marks_new(uint64_t places)
{
    marks m = {calloc(places + 1, sizeof *m.made), places};
    TEST_ASSERT_NOT_NULL(m.made);
    return m;
}

static inline void mark(marks *m, uint64_t place)
{
    if (place >= m->places) {
        CHECK(false); /* there is no such place */
    } else {
        atomic_fetch_add_explicit(&m->made[place], 1, memory_order_relaxed);
    }
}

/* Whether each was made once; frees them. */
static inline bool marks_end(marks *m)
{
    bool good = true;
    for (uint64_t i = 0; i < m->places; i++) good = good && atomic_load(&m->made[i]) == 1;
    free(m->made);
    return good;
}

#endif
