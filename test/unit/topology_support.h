/* topology_support.h: shared by the tests of machines: this machine, and the mask of this thread. */
#ifndef TOPOLOGY_SUPPORT_H
#define TOPOLOGY_SUPPORT_H

#include "../topologies/fixture.h"
#include "topology/affinity.h"
#include "unity.h"

static heist__machine machine;
static heist__cpus mask_before;
static char note[HEIST__NOTE];

static inline void load_here(void)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist__machine_load(&machine, NULL, note, sizeof note), note);
    TEST_ASSERT_FALSE(machine.synthetic);
}

static inline bool same_mask(const heist__cpus *a, const heist__cpus *b)
{
    unsigned room = heist__cpus_room(a) > heist__cpus_room(b) ? heist__cpus_room(a) : heist__cpus_room(b);
    for (unsigned cpu = 0; cpu < room; cpu++) {
        if (heist__cpus_has(a, cpu) != heist__cpus_has(b, cpu)) return false;
    }
    return true;
}

static inline bool mask_is(const heist__cpus *expected)
{
    heist__cpus now;
    TEST_ASSERT_EQUAL_INT(0, heist__cpus_read(&now));
    bool same = same_mask(expected, &now);
    heist__cpus_free(&now);
    return same;
}

#endif
