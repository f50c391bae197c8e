/* The harness functions that problems use: reading settings and numbers. Part of every program. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/app.h"

const char *perf_setting(const struct perf_input *input, const char *name)
{
    for (const char *const *s = input->settings; s && s[0]; s += 2)
        if (strcmp(s[0], name) == 0) return s[1];
    return NULL;
}

int perf_number(const char *text, const char *what, long least, long most, long *number, char *error, size_t room)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    /* strtol would accept blanks and signs */
    if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && value >= least && value <= most) {
        *number = value;
        return 0;
    }
    snprintf(error, room, "%s '%s' is not a whole number from %ld to %ld", what, text, least, most);
    return -EINVAL;
}

int perf_fits(double bytes, const char *what, char *error, size_t room)
{
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (bytes <= 0.8 * memory) return 0; /* the system needs some memory, too */
    snprintf(error, room, "%s needs %.0f GiB, this machine has %.0f", what, bytes / 1073741824.0,
             memory / 1073741824.0);
    return -EINVAL;
}

int perf_word(const char *text, const char *words, char *error, size_t room)
{
    size_t length = strlen(text);
    for (const char *at = words; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (length && strncmp(at, text, length) == 0 && (at[length] == ',' || at[length] == '\0')) return 0;
    snprintf(error, room, "'%s' is none of %s", text, words);
    return -EINVAL;
}

void perf_expect(struct perf_outcome *outcome, const char *what, long got, long expected)
{
    if (got == expected)
        snprintf(outcome->check, sizeof outcome->check, "ok");
    else
        snprintf(outcome->check, sizeof outcome->check, "%s: %ld, not %ld", what, got, expected);
}
