/* observe/json.h: JSON as it is written: objects and arrays are begun and ended, and the commas come by themselves.
 *
 * Usage:
 *     heist__json j = heist__json_to(file);
 *     heist__json_begin(&j, NULL, '{');
 *     heist__json_number(&j, "workers", 2);
 *     heist__json_begin(&j, "notes", '[');
 *     heist__json_string(&j, NULL, "unbound");
 *     heist__json_end(&j);
 *     heist__json_end(&j);
 *
 * A member of an object has a name, an element of an array has NULL. The writer belongs to one thread. Errors of the
 * file are the file's own (ferror). */
#ifndef HEIST_OBSERVE_JSON_H
#define HEIST_OBSERVE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { HEIST__JSON_DEPTH = 16 }; /* objects and arrays within each other */

typedef struct heist__json {
    FILE *out;
    unsigned depth;
    bool inside[HEIST__JSON_DEPTH]; /* something has been written at this depth */
    char end[HEIST__JSON_DEPTH];    /* the bracket that ends this depth */
} heist__json;

heist__json heist__json_to(FILE *out);

/* `bracket` is '{' or '['. Two levels are broken into lines, further ones stay on a line. */
void heist__json_begin(heist__json *j, const char *name, char bracket);
void heist__json_end(heist__json *j);

void heist__json_number(heist__json *j, const char *name, uint64_t value);
/* A number that may have a fraction; not finite: null. The comma of a locale becomes a point. */
void heist__json_real(heist__json *j, const char *name, double value);
void heist__json_bool(heist__json *j, const char *name, bool value);
/* Bytes that are no UTF-8, and control characters, become escapes. NULL becomes null. */
void heist__json_string(heist__json *j, const char *name, const char *text);

#endif
