/* schedule/scope_core.h: the detached side of a scope. A scope that only spawns and joins children never has one. */
#ifndef HEIST_SCHEDULE_SCOPE_CORE_H
#define HEIST_SCHEDULE_SCOPE_CORE_H

#include <heist/heist.h>

#include "schedule/job.h"

/* Any thread: the detached side of a scope that has begun. The first caller makes it. NULL: no memory. */
heist__scope_core *heist__scope_core_make(heist_scope *scope);

/* Any thread: the detached side; NULL: no task has been detached into the scope. */
static inline heist__scope_core *heist__scope_core_of(heist_scope *scope)
{
    return heist__load_acquire(&scope->core); /* U1: pairs with the CAS in heist__scope_core_make */
}

/* The thread that ends the scope, when no task of the scope is left: frees the detached side, if there is one. */
void heist__scope_core_free(heist_scope *scope);

#endif
