/* Names for addresses, and the table of a failed run: a column for each thread, a line for each step. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

enum { MOST_NAMES = 256, COLUMN = 40 };

static struct {
    const char *base;
    size_t size, piece;
    bool tagged;
    char name[40];
} names[MOST_NAMES];
static int name_count;

void model_name(const volatile void *base, size_t size, size_t piece, bool tagged, const char *format, ...)
{
    if (name_count == MOST_NAMES) return;
    names[name_count].base = (const char *)base;
    names[name_count].size = size;
    names[name_count].piece = piece;
    names[name_count].tagged = tagged;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(names[name_count++].name, sizeof names[0].name, format, arguments);
    va_end(arguments);
}

/* The innermost name that covers p, or -1. */
static int find_name(const char *p)
{
    int found = -1;
    for (int i = 0; i < name_count; i++) {
        if (p >= names[i].base && p < names[i].base + names[i].size && (found < 0 || names[i].size < names[found].size))
            found = i;
    }
    return found;
}

const char *name_of(const volatile void *address, size_t unused)
{
    (void)unused;
    static char text[8][64];
    static int next;
    char *out = text[next = (next + 1) % 8];
    const char *p = (const char *)address;
    int i = find_name(p);
    if (i >= 0) {
        size_t offset = (size_t)(p - names[i].base), piece = names[i].piece;
        size_t rest = piece ? offset % piece : offset;
        int n = snprintf(out, 64, "%s", names[i].name);
        if (piece && piece < names[i].size) n += snprintf(out + n, 64 - (size_t)n, "[%zu]", offset / piece);
        if (rest) snprintf(out + n, 64 - (size_t)n, "+%zu", rest);
        return out;
    }
    block *b = in_arena(p) ? block_at(p) : NULL;
    if (b) {
        snprintf(out, 64, "block%d+%zu", (int)(b - now.blocks), (size_t)(p - arena) - b->start);
    } else {
        snprintf(out, 64, "%p", (const void *)p);
    }
    return out;
}

static const char *value_text(const volatile void *where, uint64_t value)
{
    static char text[8][64];
    static int next;
    char *out = text[next = (next + 1) % 8];
    int i = find_name((const char *)where);
    const char *p = (const char *)(uintptr_t)value;
    if (i >= 0 && names[i].tagged) {
        snprintf(out, 64, "%u#%u", (unsigned)value, (unsigned)(value >> 32));
    } else if (value == UINT64_MAX) {
        snprintf(out, 64, "-1");
    } else if (value > 65535 && (in_arena(p) || find_name(p) >= 0)) {
        snprintf(out, 64, "&%s", name_of(p, 0));
    } else if (value > (UINT64_C(1) << 63)) {
        snprintf(out, 64, "-%llu", (unsigned long long)-value);
    } else {
        snprintf(out, 64, value > 65535 ? "0x%llx" : "%llu", (unsigned long long)value);
    }
    return out;
}

static const char *const order_names[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
static const char *const kind_names[] = {
    "-",     "load",       "store",           "exchange",   "add",           "cas",
    "fence", "membarrier", "membarrier ends", "futex wait", "futex returns", "futex wake",
    "lock",  "try lock",   "unlock",          "join",       "choose"};
static char line_text[160], line_place[64];

void table_begin(void)
{
    printf("%4s ", "step");
    for (int t = 0; t < thread_count; t++) printf(" %-*s", COLUMN, (char[]){'T', (char)('0' + t), 0});
    printf(" where\n");
}

void table_step(const step *s, int number)
{
    const op *o = &now.threads[s->thread].next;
    printf("%4d ", number);
    line_place[0] = 0;
    if (s->interrupt) {
        snprintf(line_text, sizeof line_text, "(membarrier: fence)");
        return;
    }
    const char *slash = strrchr(o->file, '/');
    if (o->line) snprintf(line_place, sizeof line_place, "%s:%d", slash ? slash + 1 : o->file, o->line);
    int n = snprintf(line_text, sizeof line_text, "%s", kind_names[o->kind]);
    bool memory = o->kind >= OP_LOAD && o->kind <= OP_CAS;
    if (memory || o->kind == OP_FUTEX_WAIT || o->kind == OP_FUTEX_WAKE || o->kind == OP_LOCK || o->kind == OP_TRYLOCK ||
        o->kind == OP_UNLOCK)
        n += snprintf(line_text + n, sizeof line_text - (size_t)n, " %s", name_of(location_address[o->location], 0));
    if (memory) n += snprintf(line_text + n, sizeof line_text - (size_t)n, " %s", order_names[o->order]);
    if (o->kind == OP_STORE)
        n += snprintf(line_text + n, sizeof line_text - (size_t)n, " := %s",
                      value_text(location_address[o->location], o->value));
    if (memory && o->kind != OP_STORE && s->choice != LATE && now.count[o->location]) {
        int back = s->choice == LATER ? 0 : s->choice;
        uint64_t was = now.history[o->location][now.count[o->location] - 1 - back].value;
        n += snprintf(line_text + n, sizeof line_text - (size_t)n, " = %s",
                      value_text(location_address[o->location], was));
        if (o->kind == OP_CAS && was != o->expected) {
            n += snprintf(line_text + n, sizeof line_text - (size_t)n, ": fails");
        } else if (o->kind != OP_LOAD) {
            uint64_t next = o->kind == OP_ADD ? was + o->value : o->value;
            if (o->size == 4) next = (uint32_t)next;
            n += snprintf(line_text + n, sizeof line_text - (size_t)n, " => %s",
                          value_text(location_address[o->location], next));
        }
    }
    if (s->choice == LATE && memory)
        snprintf(line_text + n, sizeof line_text - (size_t)n, " returns later");
    else if (s->choice == LATER && memory)
        snprintf(line_text + n, sizeof line_text - (size_t)n, " (in order later)");
    else if (s->is_stale)
        snprintf(line_text + n, sizeof line_text - (size_t)n, " (%d old)", s->choice);
    if (o->kind == OP_CHOOSE) snprintf(line_text + n, sizeof line_text - (size_t)n, " %d", s->choice);
}

void table_result(const step *s)
{
    const thread *h = &now.threads[s->thread];
    size_t n = strlen(line_text);
    if (h->done && !s->interrupt) snprintf(line_text + n, sizeof line_text - n, "; ends");
    for (int t = 0; t < s->thread; t++) printf(" %-*s", COLUMN, "");
    printf(" %-*s", COLUMN, line_text);
    for (int t = s->thread + 1; t < thread_count; t++) printf(" %-*s", COLUMN, "");
    printf(" %s\n", line_place);
}
