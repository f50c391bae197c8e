/* heist_for and heist_for2. */
#include <errno.h>

#include "loop/loop.h"

int heist_for(heist_pool *pool, heist_range range, heist_for_body *body, void *context,
              const heist_loop_options *options)
{
    if (!body) return heist__fail(-EINVAL, "heist_for: no body");
    heist__loop l = {.domain = {.rows = range}, .body = {.for1 = body}, .context = context};
    return heist__loop_begin(pool, &l, "heist_for", options);
}

int heist_for2(heist_pool *pool, heist_range rows, heist_range columns, heist_for2_body *body, void *context,
               const heist_loop_options *options)
{
    if (!body) return heist__fail(-EINVAL, "heist_for2: no body");
    heist__loop l = {.domain = {.rows = rows, .columns = columns}, .body = {.for2 = body}, .context = context};
    return heist__loop_begin(pool, &l, "heist_for2", options);
}
