/* A little JSON: writes strings, and iterates over the members that a problem adds to its rows. */
#ifndef HEIST_PERF_JSON_H
#define HEIST_PERF_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* With its quotes. */
void perf_json_string(FILE *to, const char *text);

/* One "name":value of a list of members; pointers into the list. */
struct perf_member {
    const char *name, *value;
    size_t name_length, value_length;
};

/* Takes the member at *at and advances past it and its comma. False at the end, or if the text is not a list of
 * members. */
bool perf_json_member(const char **at, struct perf_member *member);

/* Whether `text` is a list of members, or empty. */
bool perf_json_members_valid(const char *text);

#endif
