/* platform/one_line.h: makes text from outside fit to print in a message. */
#ifndef HEIST_PLATFORM_ONE_LINE_H
#define HEIST_PLATFORM_ONE_LINE_H

#include <ctype.h>

/* Replaces control characters, so that the text is one line without commands to a terminal. */
static inline void heist__one_line(char *text)
{
    for (; *text; text++) {
        if (iscntrl((unsigned char)*text)) *text = '?';
    }
}

#endif
