/* platform/rights.h: whether the program may trust its environment variables. */
#ifndef HEIST_PLATFORM_RIGHTS_H
#define HEIST_PLATFORM_RIGHTS_H

#include <stdbool.h>
#include <sys/auxv.h>

/* True for a program with rights that its caller does not have: setuid, setgid, file capabilities, a change of security
 * label. Then the caller's environment must not decide which files are loaded or opened, or what is printed.
 * secure_getenv uses the same word of the kernel. A library that reads the environment by itself must not be called at
 * all. */
static inline bool heist__has_other_rights(void)
{
    return getauxval(AT_SECURE) != 0;
}

#endif
