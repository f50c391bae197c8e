/* heist_reduce and heist_reduce2. */
#include <errno.h>

#include "loop/loop.h"

/* From this size on, results for all workers would not fit into the address space. */
#define TOO_LARGE ((size_t)1 << 48)

static int reduce(heist_pool *pool, heist__loop *l, const char *caller, bool has_body,
                  const heist_loop_options *options)
{
    const heist_monoid *m = l->monoid;
    if (!has_body || !l->result) return heist__fail(-EINVAL, "%s: no body, or no place for the result", caller);
    if (!m || m->size == 0 || !m->identity || !m->combine)
        return heist__fail(-EINVAL, "%s: the monoid needs a size, an identity and a function that combines", caller);
    if (m->size >= TOO_LARGE) return heist__fail(-ENOMEM, "%s: results of %zu bytes", caller, m->size);
    return heist__loop_begin(pool, l, caller, options);
}

int heist_reduce(heist_pool *pool, heist_range range, const heist_monoid *monoid, heist_reduce_body *body,
                 void *context, void *result, const heist_loop_options *options)
{
    heist__loop l = {
        .domain = {.rows = range}, .body = {.reduce1 = body}, .context = context, .monoid = monoid, .result = result};
    return reduce(pool, &l, "heist_reduce", body, options);
}

int heist_reduce2(heist_pool *pool, heist_range rows, heist_range columns, const heist_monoid *monoid,
                  heist_reduce2_body *body, void *context, void *result, const heist_loop_options *options)
{
    heist__loop l = {.domain = {.rows = rows, .columns = columns},
                     .body = {.reduce2 = body},
                     .context = context,
                     .monoid = monoid,
                     .result = result};
    return reduce(pool, &l, "heist_reduce2", body, options);
}
