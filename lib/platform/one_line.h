/* platform/one_line.h: what others wrote, fit to be told to a person. */
#ifndef HEIST_PLATFORM_ONE_LINE_H
#define HEIST_PLATFORM_ONE_LINE_H

#include <ctype.h>

/* Makes it one line with nothing in it that a terminal would obey. */
static inline void heist__one_line(char *text)
{
    for (; *text; text++) {
        if (iscntrl((unsigned char)*text)) *text = '?';
    }
}

#endif
