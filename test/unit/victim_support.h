/* victim_support.h: shared by the tests of victims: machines that are not here, and a thief on each. */
#ifndef VICTIM_SUPPORT_H
#define VICTIM_SUPPORT_H

#include "../topologies/fixture.h"
#include "schedule/victim.h"
#include "unity.h"

#define WORKERS_MOST 256

static heist__machine machine;
static heist__victims victims;
static heist__random random_state;
static unsigned pu_of[WORKERS_MOST];

static inline void order_for(unsigned thief)
{
    heist__victims_free(&victims, NULL);
    TEST_ASSERT_EQUAL_INT(0, heist__victims_init(&victims, &machine, pu_of, machine.pu_count, thief, NULL));
}

/* `workers` workers on one core each, all equally far: a machine made by hand, so that it needs no hwloc. */
static inline void build_plain(unsigned workers)
{
    TEST_ASSERT_LESS_OR_EQUAL_UINT(WORKERS_MOST, workers);
    machine.pus = calloc(workers, sizeof *machine.pus);
    TEST_ASSERT_NOT_NULL(machine.pus);
    machine.pu_count = workers;
    machine.node_count = 1;
    for (unsigned i = 0; i < workers; i++) {
        machine.pus[i] = (heist__pu){.os_cpu = i, .core = i, .cache = i};
        pu_of[i] = i;
    }
    order_for(0);
}

#endif
