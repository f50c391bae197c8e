/* What the scheduler's files call and the model has no use for. Included by the harness that models all of the
 * scheduler. */
#ifndef HEIST_MODEL_STUBS_H
#define HEIST_MODEL_STUBS_H

#include "platform/thread_state.h"
#include "schedule/default_pool.h"
#include "schedule/fork.h"
#include "schedule/pool.h"
#include "schedule/overflow.h"
#include "schedule/registry.h"
#include "schedule/run.h"
#include "schedule/stats.h"
#include "schedule/victim.h"
#include "schedule/watch.h"
#include "schedule/worker_memory.h"
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
NOTHING(void, heist__place, (const heist__machine *m, heist__bind how, unsigned workers, unsigned *pu_of), )
NOTHING(int, heist__machine_load, (heist__machine * m, const char *text, char *note, size_t size), 0)
NOTHING(void, heist__machine_free, (heist__machine * m), )
NOTHING(int, heist__settings_read, (heist__settings * s, const heist_options *options), 0)
NOTHING(void, heist__settings_free, (heist__settings * s), )
NOTHING(unsigned, heist__default_workers, (bool *sure), 1)
NOTHING(void, heist__fit_memory, (heist_pool * pool), )
NOTHING(heist__worker *, heist__worker_new, (heist_pool * pool, unsigned index, const unsigned *pu_of), NULL)
NOTHING(void, heist__worker_free, (heist__worker * w), )
NOTHING(void, heist__worker_keep_stack_small, (heist__worker * w), )
NOTHING(void, heist__worker_keep_stack_near, (heist__worker * w), )
NOTHING(bool, heist__worker_guest_stack, (heist__worker * w), true)
NOTHING(void, heist__worker_give_memory_back, (heist__worker * w), )
NOTHING(void, heist__default_forget, (heist_pool * pool), )
NOTHING(heist_pool *, heist__pool_resolve, (heist_pool * pool), pool)
NOTHING(void, heist__fork_hook, (void), )
NOTHING(void, heist__overflow_install, (void), )
NOTHING(void *, heist__overflow_stack, (void), NULL)
NOTHING(void, heist__registry_add, (heist_pool * pool), )
NOTHING(bool, heist__registry_claim, (heist_pool * pool), true)
NOTHING(void, heist__registry_remove, (heist_pool * pool), )
NOTHING(bool, heist__stats_wanted, (void), false)
NOTHING(void, heist__stats_print, (heist_pool * pool), )
NOTHING(int32_t, heist__thread_number, (void), 0)
NOTHING(void, heist__watch_start, (heist_pool * pool), )
NOTHING(void, heist__watch_stop, (heist_pool * pool), )

#endif
