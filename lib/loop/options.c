/* The options of a loop, checked. */
#include <errno.h>
#include <string.h>

#include "loop/loop.h"

/* Reads a struct of an earlier or later version: fields that it lacks become zero, fields that this version does not
 * know must be zero. */
static bool read_sized(void *to, size_t known, const void *from, size_t size)
{
    if (size == 0) size = known;
    if (size < sizeof(size_t) || size >= 4096) return false;
    for (size_t i = known; i < size; i++) {
        if (((const char *)from)[i]) return false;
    }
    memset(to, 0, known);
    memcpy(to, from, size < known ? size : known);
    return true;
}

int heist__loop_options_read(heist_loop_options *o, const heist_loop_options *from, const char *caller)
{
    memset(o, 0, sizeof *o);
    if (!from) return 0;
    if (HEIST__ENDS_WITHIN(from->size, heist_loop_options, report) || !read_sized(o, sizeof *o, from, from->size))
        return heist__fail(-EINVAL, "%s: size is %zu; it must be sizeof(heist_loop_options)", caller, from->size);
    if ((int)o->schedule < HEIST_SCHEDULE_DEFAULT || o->schedule > HEIST_SCHEDULE_AUTO)
        return heist__fail(-EINVAL, "%s: there is no schedule %d", caller, (int)o->schedule);
    if (o->report && o->report->size && o->report->size != sizeof *o->report)
        return heist__fail(-EINVAL, "%s: the report's size is %zu; it must be sizeof(heist_loop_report)", caller,
                           o->report->size);
    return 0;
}
