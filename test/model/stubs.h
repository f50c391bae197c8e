/* What the scheduler's files call and the model has no use for. Included by the harness that models all of the scheduler. */
#ifndef HEIST_MODEL_STUBS_H
#define HEIST_MODEL_STUBS_H

#include "schedule/victim.h"
#include "schedule/worker.h"
#include "topology/place.h"
#include "topology/quota.h"

int heist__fail(int error, const char *format, ...)
{
    (void)format;
    return error;
}

/* Victims in the order of their numbers: which one first is policy, and does not matter here. */
void heist__search_begin(heist__search *s, const heist__victims *victims, const heist__strategy_state *state,
                         heist__random *random, heist__load *load, const void *context)
{
    (void)state;
    (void)random;
    (void)load;
    (void)context;
    memset(s, 0, sizeof *s);
    s->victims = victims;
}

bool heist__search_next(heist__search *s, unsigned *victim, unsigned *level)
{
    if (s->tried >= s->victims->count) return false;
    *victim = s->victims->worker[s->tried++];
    *level = 0;
    return true;
}

void heist__strategy_report(heist__strategy_state *state, bool success)
{
    (void)state;
    (void)success;
}

#define NOTHING(type, name, parameters, result)                                                                        \
    type name parameters                                                                                               \
    {                                                                                                                  \
        return result;                                                                                                 \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOTHING(int, heist__bind_thread, (const heist__machine *m, heist__bind how, unsigned pu), 0)
NOTHING(int, heist__prefer_node, (void *p, size_t n, const heist__machine *m, unsigned pu), 0)
NOTHING(void, heist__place, (const heist__machine *m, heist__bind how, unsigned workers, unsigned *pu_of), )
NOTHING(int, heist__machine_load, (heist__machine * m, const char *text, char *note, size_t size), 0)
NOTHING(void, heist__machine_free, (heist__machine * m), )
NOTHING(int, heist__settings_read, (heist__settings * s, const heist_options *options), 0)
NOTHING(void, heist__settings_free, (heist__settings * s), )
NOTHING(unsigned, heist__default_workers, (bool *sure), 1)
NOTHING(void, heist__strategy_init, (heist__strategy_state * state, heist__strategy chosen), )
NOTHING(int, heist__victims_init,
        (heist__victims * v, const heist__machine *m, const unsigned *pu_of, unsigned workers, unsigned thief,
         void *(*alloc)(size_t size)),
        0)
NOTHING(void, heist__victims_free, (heist__victims * v, void (*release)(void *)), )
NOTHING(void, heist__registry_hook_fork, (void), )
NOTHING(void, heist__registry_add, (heist_pool * pool), )
NOTHING(bool, heist__registry_claim, (heist_pool * pool), true)
NOTHING(void, heist__registry_remove, (heist_pool * pool), )
NOTHING(void, heist__run_plain, (heist_worker * w, heist_slot *bottom, heist_task *task), )
NOTHING(bool, heist__stats_wanted, (void), false)
NOTHING(void, heist__stats_print, (heist_pool * pool), )

#endif
