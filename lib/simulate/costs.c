/* costs.c: see costs.h. */
#include "simulate/costs.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/one_line.h"

/* A cost by its name: one value, or one for each level. */
typedef struct {
    const char *name;
    size_t offset;
    unsigned values;
} entry;

static const entry entries[] = {
    {"spawn", offsetof(heist__sim_costs, spawn), 1},
    {"join", offsetof(heist__sim_costs, join), 1},
    {"claim", offsetof(heist__sim_costs, claim), 1},
    {"answer", offsetof(heist__sim_costs, answer), 1},
    {"join-stolen", offsetof(heist__sim_costs, join_stolen), 1},
    {"pause", offsetof(heist__sim_costs, pause), 1},
    {"yield", offsetof(heist__sim_costs, yield), 1},
    {"barrier", offsetof(heist__sim_costs, barrier), 1},
    {"sleep", offsetof(heist__sim_costs, sleep), 1},
    {"wake", offsetof(heist__sim_costs, wake), 1},
    {"wake-call", offsetof(heist__sim_costs, wake_call), 1},
    {"look", offsetof(heist__sim_costs, look), HEIST__SIM_LEVELS},
    {"steal", offsetof(heist__sim_costs, steal), HEIST__SIM_LEVELS},
    {"carry", offsetof(heist__sim_costs, carry), HEIST__SIM_LEVELS},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static int64_t *value_of(const heist__sim_costs *c, const entry *e, unsigned i)
{
    return (int64_t *)(void *)((char *)(uintptr_t)c + e->offset) + i;
}

static const entry *entry_called(const char *name)
{
    for (unsigned i = 0; i < ENTRIES; i++) {
        if (strcmp(entries[i].name, name) == 0) return &entries[i];
    }
    return NULL;
}

bool heist__sim_costs_are_free(const heist__sim_costs *c)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < ENTRIES; i++) {
        for (unsigned v = 0; v < entries[i].values; v++) sum |= *value_of(c, &entries[i], v);
    }
    return sum == 0;
}

bool heist__sim_costs_scale(heist__sim_costs *c, const char *name, double factor)
{
    const entry *e = entry_called(name);
    for (unsigned v = 0; e && v < e->values; v++) {
        double ps = (double)*value_of(c, e, v) * factor;
        *value_of(c, e, v) = ps < HEIST__SIM_MOST_NS * 1e3 ? (int64_t)ps : (int64_t)(HEIST__SIM_MOST_NS * 1e3);
    }
    return e != NULL;
}

static int complain(char *error, size_t room, const char *name, unsigned line, const char *what, const char *word)
{
    snprintf(error, room, "%.60s:%u: %s%s%.30s%s", name, line, what, *word ? ": \"" : "", word, *word ? "\"" : "");
    heist__one_line(error);
    return -EINVAL;
}

/* The next word of a line, ended by a zero; "": none. `#` begins a comment. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t\r");
    if (*word == '#') *word = '\0';
    char *end = word + strcspn(word, " \t\r#");
    if (*end == '#') {
        *end = '\0';
        *rest = end;
    } else {
        *rest = *end ? end + 1 : end;
        *end = '\0';
    }
    return word;
}

static bool number_in(const char *word, double most, double *value)
{
    char *end;
    if (!isdigit((unsigned char)*word) && *word != '.') return false;
    *value = strtod(word, &end);
    return *end == '\0' && isfinite(*value) && *value >= 0 && *value <= most;
}

static int read_ratio(heist__sim_costs *c, const char *key, char *rest, const char *name, unsigned line, char *error,
                      size_t room)
{
    const bool smt = strcmp(key, "smt") == 0;
    double value;
    char *word = next_word(&rest);
    if (!number_in(word, smt ? 1 : 65535, &value) || (smt && value < 0.01))
        return complain(error, room, name, line, smt ? "smt is from 0.01 to 1" : "roof is from 0 to 65535", word);
    if (*next_word(&rest)) return complain(error, room, name, line, "more than one value for", key);
    *(smt ? &c->smt : &c->roof) = value;
    return 0;
}

/* One value serves all levels; further levels have the last one given. */
static int read_line(heist__sim_costs *c, char *text, const char *name, unsigned line, char *error, size_t room)
{
    char *key = next_word(&text);
    if (!*key) return 0;
    if (strcmp(key, "smt") == 0 || strcmp(key, "roof") == 0) return read_ratio(c, key, text, name, line, error, room);
    const entry *e = entry_called(key);
    if (!e) return complain(error, room, name, line, "there is no cost called", key);
    double ns = 0;
    unsigned given = 0;
    for (char *word = next_word(&text); *word; word = next_word(&text), given++) {
        if (given == e->values) return complain(error, room, name, line, "too many values for", key);
        if (!number_in(word, HEIST__SIM_MOST_NS, &ns))
            return complain(error, room, name, line, "not nanoseconds from 0 to a day", word);
        *value_of(c, e, given) = (int64_t)(ns * 1e3 + 0.5);
    }
    if (!given) return complain(error, room, name, line, "no value for", key);
    for (; given < e->values; given++) *value_of(c, e, given) = (int64_t)(ns * 1e3 + 0.5);
    return 0;
}

int heist__sim_costs_read(heist__sim_costs *c, const char *text, const char *name, char *error, size_t room)
{
    char *copy = strdup(text), *line = copy;
    int result = 0;
    if (!copy) {
        snprintf(error, room, "%.60s: no memory", name);
        return -ENOMEM;
    }
    for (unsigned number = 1; line && !result; number++) {
        char *next = strchr(line, '\n');
        if (next) *next++ = '\0';
        result = read_line(c, line, name, number, error, room);
        line = next;
    }
    free(copy);
    return result;
}

int heist__sim_costs_write(const heist__sim_costs *c, char *text, size_t room)
{
    size_t at = 0;
#define ADD(...)                                                                                                       \
    do {                                                                                                               \
        int added = snprintf(at < room ? text + at : NULL, at < room ? room - at : 0, __VA_ARGS__);                    \
        if (added > 0) at += (size_t)added;                                                                            \
    } while (0)
    for (unsigned i = 0; i < ENTRIES; i++) {
        ADD("%s", entries[i].name);
        for (unsigned v = 0; v < entries[i].values; v++) ADD(" %.10g", (double)*value_of(c, &entries[i], v) / 1e3);
        ADD("\n");
    }
    ADD("smt %.10g\nroof %.10g\n", c->smt, c->roof);
#undef ADD
    return (int)at;
}
