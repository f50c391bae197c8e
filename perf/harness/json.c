/* A little JSON; see json.h. */
#include "harness/json.h"

#include <string.h>

void perf_json_string(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(to, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(to, "\\u%04x", *c);
        else
            fputc(*c, to);
    }
    fputc('"', to);
}

/* Returns the end of the string that begins at `at`; NULL if the string does not end. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at == '"' ? at + 1 : NULL;
}

/* Returns the end of the value that begins at `at`: the next comma outside of brackets and strings. NULL if there is
 * none. */
static const char *skip_value(const char *at)
{
    int depth = 0;
    const char *begin = at;
    while (*at && (depth > 0 || *at != ',')) {
        if (*at == '"') {
            at = skip_string(at);
            if (!at) return NULL;
            continue;
        }
        depth += *at == '[' || *at == '{';
        depth -= *at == ']' || *at == '}';
        if (depth < 0) return NULL;
        at++;
    }
    return at > begin && depth == 0 ? at : NULL;
}

bool perf_json_member(const char **at, struct perf_member *member)
{
    const char *name = *at;
    if (*name != '"') return false;
    const char *colon = skip_string(name);
    if (!colon || *colon != ':') return false;
    const char *end = skip_value(colon + 1);
    if (!end) return false;
    *member = (struct perf_member){name + 1, colon + 1, (size_t)(colon - name) - 2, (size_t)(end - colon) - 1};
    *at = *end == ',' && end[1] ? end + 1 : end;
    return true;
}

bool perf_json_members_valid(const char *text)
{
    struct perf_member member;
    while (*text && perf_json_member(&text, &member)) {
    }
    return *text == '\0';
}
