/* Changes of heist-perf's command line from one input to the next. Changes of bytes alone rarely give another command
 * that gets as far: half of the changes are made here, by lines, items of lists and numbers, with the names that the
 * program itself has. libFuzzer calls it, and replay.c; AFL++ keeps to bytes and the dictionary. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "harness/registry.h"

/* libFuzzer's own function, which changes bytes; absent in other programs. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { MOST_BYTES = 4096 };

static uint32_t state;

static size_t below(size_t n)
{
    state = state * 1664525u + 1013904223u;
    return n ? (state >> 8) % n : 0;
}

typedef struct {
    size_t at, size;
} part;

static char text[MOST_BYTES + 1];
static size_t length;

/* Puts `size` bytes in the place of a part, if there is room. */
static void put(part p, const char *bytes, size_t size)
{
    if (length - p.size + size > MOST_BYTES) return;
    memmove(text + p.at + size, text + p.at + p.size, length - p.at - p.size);
    memcpy(text + p.at, bytes, size);
    length += size - p.size;
}

static bool ends(char c, const char *separators)
{
    return c == '\0' || strchr(separators, c);
}

/* The part between separators around a place that is drawn. */
static part around(const char *separators)
{
    size_t at = below(length), end = at;
    text[length] = '\0';
    while (at > 0 && !ends(text[at - 1], separators)) at--;
    while (end < length && !ends(text[end], separators)) end++;
    return (part){at, end - at};
}

/* An item of a value; of an option or the workload only now and then. */
static part item(void)
{
    part p = {0, 0};
    for (int tries = 0; tries < 4; tries++) {
        p = around(",x=\n");
        size_t line = p.at;
        while (line > 0 && text[line - 1] != '\n') line--;
        if (line > 0 && text[line] != '-') break;
    }
    return p;
}

/* A number next to this one, its double, or a boundary value. */
static size_t another_number(unsigned long long number, char *to, size_t room)
{
    static const unsigned long long odd[] = {0,    1,       2,          40,         41,        255,        1000,
                                             4097, 1000001, 2147483648, 4294967296, INT64_MAX, UINT64_MAX, 1u << 20};
    switch (below(5)) {
    case 0: number--; break;
    case 1: number *= 2; break;
    case 2: number = odd[below(sizeof odd / sizeof *odd)]; break;
    default: number++; break;
    }
    return (size_t)snprintf(to, room, "%llu", number);
}

static void change_item(void)
{
    char number[32];
    part p = item();
    if (p.size == 0 || p.size > 20) return;
    put(p, number, another_number(strtoull(text + p.at, NULL, 10), number, sizeof number));
}

/* One item becomes several that differ. */
static void lengthen_list(void)
{
    char list[1024];
    size_t used = 0, count = 1 + below(24);
    part p = item();
    unsigned long long number = p.size && p.size < 8 ? strtoull(text + p.at, NULL, 10) : 1;
    char between = ",,,x"[below(4)];
    for (size_t i = 0; i <= count; i++) {
        if (i) list[used++] = between;
        used += (size_t)snprintf(list + used, sizeof list - used, "%llu", number + i);
    }
    put(p, list, used);
}

/* Repeats one of its characters, to any length or to one near a limit. */
static void lengthen_item(void)
{
    static const size_t limits[] = {8, 16, 32, 40, 64, 128, 250, 256};
    char many[300];
    part p = item();
    size_t wanted = below(2) ? 1 + below(64) : limits[below(sizeof limits / sizeof *limits)] + below(4);
    if (p.size == 0 || p.size >= wanted) return;
    size_t at = p.at + below(p.size);
    memset(many, text[at], wanted - p.size);
    put((part){at, 0}, many, wanted - p.size);
}

static void another_workload(void)
{
    size_t count = 0;
    while (perf_workloads[count]) count++;
    const char *name = perf_workloads[below(count)]->name;
    put((part){0, strcspn(text, "\n")}, name, strlen(name));
}

/* One of the workload's own options with its usual value, in front of the others. */
static void add_option(void)
{
    char option[200];
    size_t first = strcspn(text, "\n"), count = 0;
    for (const struct perf_workload *const *w = perf_workloads; *w; w++) {
        if (!(*w)->options || strlen((*w)->name) != first || strncmp((*w)->name, text, first) != 0) continue;
        while ((*w)->options[count].name) count++;
        const struct perf_option *o = &(*w)->options[below(count)];
        int size = snprintf(option, sizeof option, "\n--%s\n%s", o->name, o->preset);
        put((part){first, 0}, option, (size_t)size);
        return;
    }
}

/* Lines from anywhere to anywhere. */
static void copy_lines(void)
{
    char lines[300];
    part from = around("\n"), to = around("\n");
    size_t size = from.size + 1;
    while (below(2) && from.at + size < length) size += strcspn(text + from.at + size, "\n") + 1;
    if (from.at + size > length) size = length - from.at;
    if (size == 0 || size > sizeof lines) return;
    memcpy(lines, text + from.at, size);
    for (size_t times = 1 + (below(4) ? 0 : below(20)); times > 0; times--) put((part){to.at, 0}, lines, size);
}

static void drop_line(void)
{
    part p = around("\n");
    if (p.at + p.size < length) p.size++;
    put(p, "", 0);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static void (*const changes[])(void) = {change_item,      change_item, lengthen_list, lengthen_list, lengthen_item,
                                            another_workload, add_option,  copy_lines,    drop_line};
    state = seed;
    if (LLVMFuzzerMutate && below(2)) return LLVMFuzzerMutate(data, size, most);
    length = size < MOST_BYTES ? size : MOST_BYTES;
    memcpy(text, data, length);
    for (size_t i = 1 + below(3); i > 0; i--) {
        text[length] = '\0';
        changes[below(sizeof changes / sizeof *changes)]();
    }
    if (length > most) length = most;
    memcpy(data, text, length);
    return length;
}
