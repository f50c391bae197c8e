/* The number of cycles of each length: the answer that every algorithm and every runtime must give. */
#ifndef HEIST_PERF_LFSR_CYCLES_H
#define HEIST_PERF_LFSR_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lengths are least common multiples of the orders of a few factors: there are never many. */
#define LFSR_MOST_LENGTHS 200

/* All zero is the empty one. */
struct lfsr_cycles {
    size_t lengths; /* how many different ones, in ascending order */
    bool overflow;  /* there were more than there is room for */
    struct {
        uint64_t length, count;
    } of[LFSR_MOST_LENGTHS];
};

void lfsr_cycles_add(struct lfsr_cycles *cycles, uint64_t length, uint64_t count);
void lfsr_cycles_merge(struct lfsr_cycles *into, const struct lfsr_cycles *from);
bool lfsr_cycles_equal(const struct lfsr_cycles *a, const struct lfsr_cycles *b);

/* The states on all of them together. */
uint64_t lfsr_cycles_states(const struct lfsr_cycles *cycles);

/* "1x1, 315x13": count x length, and "..." where the room ends. */
void lfsr_cycles_text(const struct lfsr_cycles *cycles, char *text, size_t room);

/* "[[1,1],[315,13]]". Returns the result of snprintf: a value not below `room` means that it did not fit. */
size_t lfsr_cycles_json(const struct lfsr_cycles *cycles, char *text, size_t room);

#ifdef __cplusplus
}
#endif

#endif
