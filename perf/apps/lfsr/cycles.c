/* A short sorted table from length to count. */
#include "apps/lfsr/cycles.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void lfsr_cycles_add(struct lfsr_cycles *cycles, uint64_t length, uint64_t count)
{
    size_t i = cycles->lengths;
    while (i > 0 && cycles->of[i - 1].length > length) i--;
    if (i > 0 && cycles->of[i - 1].length == length) {
        cycles->of[i - 1].count += count;
        return;
    }
    if (cycles->lengths == LFSR_MOST_LENGTHS) {
        cycles->overflow = true;
        return;
    }
    memmove(&cycles->of[i + 1], &cycles->of[i], (cycles->lengths - i) * sizeof cycles->of[0]);
    cycles->of[i].length = length;
    cycles->of[i].count = count;
    cycles->lengths++;
}

void lfsr_cycles_merge(struct lfsr_cycles *into, const struct lfsr_cycles *from)
{
    for (size_t i = 0; i < from->lengths; i++) lfsr_cycles_add(into, from->of[i].length, from->of[i].count);
    into->overflow |= from->overflow;
}

bool lfsr_cycles_equal(const struct lfsr_cycles *a, const struct lfsr_cycles *b)
{
    if (a->lengths != b->lengths || a->overflow || b->overflow) return false;
    for (size_t i = 0; i < a->lengths; i++)
        if (a->of[i].length != b->of[i].length || a->of[i].count != b->of[i].count) return false;
    return true;
}

uint64_t lfsr_cycles_states(const struct lfsr_cycles *cycles)
{
    uint64_t states = 0;
    for (size_t i = 0; i < cycles->lengths; i++) states += cycles->of[i].length * cycles->of[i].count;
    return states;
}

void lfsr_cycles_text(const struct lfsr_cycles *cycles, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < cycles->lengths; i++) {
        char one[64];
        size_t size = (size_t)snprintf(one, sizeof one, "%s%" PRIu64 "x%" PRIu64, i ? ", " : "", cycles->of[i].count,
                                       cycles->of[i].length);
        if (used + size + sizeof " ..." > room) {
            if (used + sizeof " ..." <= room) memcpy(text + used, " ...", sizeof " ...");
            return;
        }
        memcpy(text + used, one, size + 1);
        used += size;
    }
}

size_t lfsr_cycles_json(const struct lfsr_cycles *cycles, char *text, size_t room)
{
    size_t used = (size_t)snprintf(text, room, "[");
    for (size_t i = 0; i < cycles->lengths; i++)
        used +=
            (size_t)snprintf(used < room ? text + used : NULL, used < room ? room - used : 0,
                             "%s[%" PRIu64 ",%" PRIu64 "]", i ? "," : "", cycles->of[i].count, cycles->of[i].length);
    used += (size_t)snprintf(used < room ? text + used : NULL, used < room ? room - used : 0, "]");
    return used;
}
