/* platform/safe_file.h: a file that is written whole, or not at all, and never through a link: the text goes to a new
 * file beside it, which takes its name at the end. In a directory that others may write to, no file of theirs is opened
 * or changed.
 *
 * Usage:
 *     heist__safe_file f;
 *     int error = heist__safe_file_open(&f, "stats.json");
 *     if (!error) {
 *         fprintf(f.out, ...);
 *         error = heist__safe_file_close(&f);
 *     } */
#ifndef HEIST_PLATFORM_SAFE_FILE_H
#define HEIST_PLATFORM_SAFE_FILE_H

#include <stdio.h>

typedef struct heist__safe_file {
    FILE *out;
    char *path, *temporary;
} heist__safe_file;

/* Returns 0, or a negative errno; -EEXIST: there is something of that name that is no regular file. */
int heist__safe_file_open(heist__safe_file *f, const char *path);

/* Gives the file its name. Returns 0, or a negative errno; then nothing is left behind. */
int heist__safe_file_close(heist__safe_file *f);

#endif
