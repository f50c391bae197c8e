/* A writer of JSON: see json.h. */
#include "observe/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

heist__json heist__json_to(FILE *out)
{
    return (heist__json){.out = out};
}

/* The length of the UTF-8 sequence at `at`, or 0 if there is none. Overlong forms and surrogates count as none. */
static unsigned utf8_length(const unsigned char *at)
{
    unsigned length = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : (at[0] & 0xf0) == 0xe0 ? 3 : 0;
    if (at[0] >= 0xf0 && at[0] <= 0xf4) length = 4;
    for (unsigned i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
    }
    if (at[0] == 0xe0 && at[1] < 0xa0) return 0;
    if (at[0] == 0xed && at[1] > 0x9f) return 0;
    if (at[0] == 0xf0 && at[1] < 0x90) return 0;
    if (at[0] == 0xf4 && at[1] > 0x8f) return 0;
    return length;
}

static void quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        unsigned length = utf8_length(at);
        if (length == 0 || *at < 0x20 || *at == 0x7f) {
            fprintf(out, "\\u%04x", *at++);
        } else {
            if (*at == '"' || *at == '\\') fputc('\\', out);
            for (; length > 0; length--) fputc(*at++, out);
        }
    }
    fputc('"', out);
}

/* What stands before a value: a comma, a line or a blank, and the name. */
static void lead(heist__json *j, const char *name)
{
    if (j->depth > 0) {
        bool *inside = &j->inside[j->depth - 1];
        if (*inside) fputc(',', j->out);
        if (j->depth <= 2)
            fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
        else if (*inside)
            fputc(' ', j->out);
        *inside = true;
    }
    if (!name) return;
    quoted(j->out, name);
    fputs(": ", j->out);
}

void heist__json_begin(heist__json *j, const char *name, char bracket)
{
    lead(j, name);
    fputc(bracket, j->out);
    if (j->depth == HEIST__JSON_DEPTH) return; /* no code nests that deep */
    j->inside[j->depth] = false;
    j->end[j->depth++] = bracket == '{' ? '}' : ']';
}

void heist__json_end(heist__json *j)
{
    if (j->depth == 0) return;
    j->depth--;
    if (j->depth < 2 && j->inside[j->depth]) fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
    fputc(j->end[j->depth], j->out);
    if (j->depth == 0) fputc('\n', j->out);
}

void heist__json_number(heist__json *j, const char *name, uint64_t value)
{
    lead(j, name);
    fprintf(j->out, "%" PRIu64, value);
}

void heist__json_real(heist__json *j, const char *name, double value)
{
    lead(j, name);
    char text[64];
    if (isfinite(value))
        snprintf(text, sizeof text, "%.6g", value);
    else
        snprintf(text, sizeof text, "null");
    for (char *comma = strchr(text, ','); comma; comma = strchr(comma, ',')) *comma = '.';
    fputs(text, j->out);
}

void heist__json_bool(heist__json *j, const char *name, bool value)
{
    lead(j, name);
    fputs(value ? "true" : "false", j->out);
}

void heist__json_string(heist__json *j, const char *name, const char *text)
{
    lead(j, name);
    if (text)
        quoted(j->out, text);
    else
        fputs("null", j->out);
}
