/* async/wait.h: waiting for a future. */
#ifndef HEIST_ASYNC_WAIT_H
#define HEIST_ASYNC_WAIT_H

#include "async/future.h"

/* Waits until `f`, of which the caller has a handle, is done, or until `when`. `last_use`: the caller drops the handle
 * when the future is done. Returns 0; or -ETIMEDOUT, -EDEADLK or -ECANCELED, explained, and the future is not done. */
int heist__future_wait(heist_future *f, int64_t when, bool last_use);

#endif
