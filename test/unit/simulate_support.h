/* simulate_support.h: shared by the simulator's tests. */
#ifndef SIMULATE_SUPPORT_H
#define SIMULATE_SUPPORT_H

#include <stdio.h>
#include <string.h>

#include "simulate/engine.h"
#include "unity.h"

static char error[300];

static heist__sim_settings with(unsigned workers, heist__strategy strategy)
{
    return (heist__sim_settings){
        .workers = workers, .strategy = strategy, .seed = 1, .bind = HEIST__BIND_CORE, .most_events = 100000000};
}

/* Simulates; the caller frees the result. */
static inline heist__sim_result simulated(const char *program, const char *machine, const heist__sim_settings *settings)
{
    heist__sim_machine m;
    heist__sim_program p;
    heist__sim_result r;
    error[0] = '\0';
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist__sim_machine_make(&m, machine, NULL, error, sizeof error), error);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist__sim_program_make(&p, program, error, sizeof error), error);
    int result = heist__sim_run(&r, &m, &p, settings, error, sizeof error);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, result, error);
    heist__sim_program_free(&p);
    heist__sim_machine_free(&m);
    return r;
}

#endif
