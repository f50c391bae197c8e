/* Messages for people: a sentence for each error, and the details of the last error in this thread. */
#include "schedule/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <heist/pool.h>

static _Thread_local char last[256];

int heist__fail(int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last, sizeof last, format, arguments);
    va_end(arguments);
    return error;
}

const char *heist_explain(void)
{
    return last;
}

const char *heist_strerror(int error)
{
    switch (error) {
    case 0: return "no error";
    case -EINVAL: return "an argument is not allowed";
    case -ENOMEM: return "there is not enough memory";
    case -EAGAIN: return "the inbox is full, or the system has no more threads to give";
    case -ETIMEDOUT: return "the time was over before the inbox had room, or the future was done";
    case -ESHUTDOWN: return "the pool is closed and takes nothing more";
    case -ECANCELED: return "the pool was shut down before the task began, or a promise was dropped";
    case -EALREADY: return "the result was taken, or the promise was fulfilled, before";
    case -EDEADLK: return "a task cannot wait for itself, nor for the pool or the scope that it belongs to";
    case -ENOENT: return "there is no such file";
    case -ENOTSUP: return "this machine or this build cannot do that";
    case -EPERM: return "the system does not permit that";
    default: return "the system refused";
    }
}
