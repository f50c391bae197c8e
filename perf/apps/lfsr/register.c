/* Packed states and walks. The loops are written once, with the step as an argument that is known when they are
 * inlined.
 *
 * Why a marker looks as it does: let c(t) be what has left the highest cell at time t. Cell 0 is then -P0*c(t), cell 1
 * is -P0*c(t-1) - P1*c(t), and so on, so low cells 0 ... 0 1 say that c was 0 for some time and something definite
 * before. A 1 and zeros do not overlap with themselves, so markers do not crowd, and the sequence c shows them as well
 * as the states do: that is what streams read. For c obeys the recurrence of P, cells consecutive values of it are as
 * good as a state, and both have the same cycles. */
#include "apps/lfsr/register.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A walk checks for an interruption after so many steps. */
#define PATIENCE (UINT64_C(1) << 16)

/* ---- steps ---- */

typedef uint64_t step_function(const struct lfsr_register *r, uint64_t s);

ALWAYS_INLINE uint64_t step_bits(const struct lfsr_register *r, uint64_t s)
{
    return s << 1 ^ (r->feedback[1] & -(s >> r->top));
}

ALWAYS_INLINE uint64_t step_digits(const struct lfsr_register *r, uint64_t s)
{
    uint64_t sum = (s << r->width & r->mask) + r->feedback[s >> r->top]; /* each cell below 2p, which fits */
    uint64_t above = ((sum + r->bias) & r->carry) >> (r->width - 1);     /* 1 in each cell that is p or more */
    return sum - above * r->field;
}

uint64_t lfsr_step(const struct lfsr_register *r, uint64_t packed)
{
    return r->field == 2 ? step_bits(r, packed) : step_digits(r, packed);
}

uint64_t lfsr_pack(const struct lfsr_register *r, uint64_t number)
{
    if (r->field == 2) return number;
    uint64_t packed = 0;
    for (unsigned at = 0; number; at += r->width, number /= r->field) packed |= number % r->field << at;
    return packed;
}

uint64_t lfsr_number(const struct lfsr_register *r, uint64_t packed)
{
    if (r->field == 2) return packed;
    uint64_t number = 0;
    for (unsigned cell = r->cells; cell-- > 0;)
        number = number * r->field + (packed >> cell * r->width & ((UINT64_C(1) << r->width) - 1));
    return number;
}

/* The packed state with the next number. Not for the last one. */
static uint64_t successor(const struct lfsr_register *r, uint64_t s)
{
    s++;
    if (r->field == 2) return s;
    uint64_t size = UINT64_C(1) << r->width;
    for (unsigned at = 0; (s >> at & (size - 1)) == r->field; at += r->width) s += (size - r->field) << at;
    return s;
}

/* ---- making one ---- */

static void make_cells(struct lfsr_register *r, const struct lfsr_polynomial *polynomial)
{
    r->top = (r->cells - 1) * r->width;
    r->mask = r->cells * r->width == 64 ? ~UINT64_C(0) : (UINT64_C(1) << r->cells * r->width) - 1;
    r->marker_mask = (UINT64_C(1) << r->marker_cells * r->width) - 1;
    r->marker = UINT64_C(1) << (r->marker_cells - 1) * r->width;
    for (unsigned c = 0; c < r->field; c++)
        for (unsigned i = 0; i < r->cells; i++)
            r->feedback[c] |= (uint64_t)((r->field - c) * polynomial->coefficients[i] % r->field) << i * r->width;
    if (r->field == 2) r->feedback[1] |= UINT64_C(1) << r->cells; /* takes away the bit that was shifted out */
    for (unsigned i = 0; i < r->cells && r->field > 2; i++) {
        r->carry |= UINT64_C(1) << (i * r->width + r->width - 1);
        r->bias |= ((UINT64_C(1) << (r->width - 1)) - r->field) << i * r->width;
    }
}

/* The bits of the sequence that follow a window of it, the latest lowest. */
static uint64_t bits_after(const struct lfsr_polynomial *polynomial, uint64_t window, unsigned count)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t bit = 0;
        for (unsigned age = 0; age < polynomial->cells;
             age++) /* P(x) = x^n + ...: the oldest of n has P's constant term */
            bit ^= window >> age & polynomial->coefficients[polynomial->cells - 1 - age];
        window = window << 1 | bit;
        bits = bits << 1 | bit;
    }
    return bits;
}

static void make_stream(struct lfsr_register *r, const struct lfsr_polynomial *polynomial)
{
    r->stride = 64 - (r->marker_cells - 1); /* so that a marker that ends in a word's new bits lies within the word */
    for (unsigned byte = 0; byte < (r->cells + 7) / 8; byte++)
        for (unsigned value = 0; value < 256; value++)
            r->following[byte][value] = bits_after(polynomial, (uint64_t)value << 8 * byte & r->mask, r->stride);
    /* Runs of zeros: with all of length a known, those of length a + b follow from one shift by b <= a. */
    unsigned length = 1;
    for (unsigned i = 0; i < LFSR_FOLDS; i++) {
        unsigned missing = r->marker_cells - 1 > length ? r->marker_cells - 1 - length : 0;
        r->folds[i] = missing < length ? missing : length;
        length += r->folds[i];
    }
}

int lfsr_register_make(struct lfsr_register *r, const struct lfsr_polynomial *polynomial, enum lfsr_walk walk,
                       char *error, size_t room)
{
    memset(r, 0, sizeof *r);
    r->field = polynomial->field;
    r->cells = polynomial->cells;
    r->walk = walk;
    r->width = 1;
    if (r->field > 2)
        while (1u << (r->width - 1) < r->field) r->width++;
    r->states = lfsr_states(r->field, r->cells);
    if (r->states == 0 || r->cells * r->width > 64) {
        snprintf(error, room, "%u cells over GF(%u) have too many states", r->cells, r->field);
        return -EINVAL;
    }
    if (walk == LFSR_STREAM && r->field != 2) {
        snprintf(error, room, "streams are for GF(2) only, not for GF(%u)", r->field);
        return -EINVAL;
    }
    /* So the markers are about as many as the states between two of them: both the tasks and the serial part stay
     * small. */
    r->marker_cells = r->cells < 2 ? 1 : r->cells / 2;
    r->spacing = lfsr_states(r->field, r->marker_cells);
    r->markers = lfsr_states(r->field, r->cells - r->marker_cells);
    make_cells(r, polynomial);
    if (walk == LFSR_STREAM) make_stream(r, polynomial);
    return 0;
}

/* ---- segments ---- */

/* The packed state of a marker. */
static uint64_t marker_state(const struct lfsr_register *r, uint64_t number)
{
    return lfsr_pack(r, number * r->spacing) | r->marker;
}

ALWAYS_INLINE struct lfsr_segment walk_steps(const struct lfsr_register *r, uint64_t marker, step_function *step)
{
    uint64_t s = marker_state(r, marker), length = 0;
    const uint64_t mask = r->marker_mask, end = r->marker;
    do {
        s = step(r, s);
        length++;
    } while ((s & mask) != end);
    return (struct lfsr_segment){lfsr_number(r, s) / r->spacing, length};
}

/* A marker's window is the bits of its state; the lower end of a word is a window. `bytes` of one has the window. */
ALWAYS_INLINE struct lfsr_segment walk_stream(const struct lfsr_register *r, uint64_t marker, unsigned bytes)
{
    uint64_t word = marker_state(r, marker), length = 0;
    const unsigned stride = r->stride, run = r->marker_cells - 1;
    const uint64_t fresh = ~UINT64_C(0) >> (64 - stride);
    for (;;) {
        uint64_t before = word, window = word & r->mask, bits = 0;
        for (unsigned byte = 0; byte < bytes; byte++, window >>= 8) bits ^= r->following[byte][window & 255];
        word = (run ? word << stride : 0) | bits;
        uint64_t zeros = run ? ~word : ~UINT64_C(0);
        for (unsigned i = 0; i < LFSR_FOLDS; i++) zeros &= zeros >> r->folds[i];
        uint64_t found = zeros & word >> run & fresh;
        length += stride;
        if (!found) continue;
        unsigned later = 63 - (unsigned)__builtin_clzll(found); /* bits after the first of them */
        wide both = (wide)before << stride | bits;
        return (struct lfsr_segment){((uint64_t)(both >> later) & r->mask) >> r->marker_cells, length - later};
    }
}

static struct lfsr_segment walk(const struct lfsr_register *r, uint64_t marker)
{
    if (r->walk == LFSR_STEPS)
        return r->field == 2 ? walk_steps(r, marker, step_bits) : walk_steps(r, marker, step_digits);
    switch ((r->cells + 7) / 8) {
    case 1: return walk_stream(r, marker, 1);
    case 2: return walk_stream(r, marker, 2);
    case 3: return walk_stream(r, marker, 3);
    case 4: return walk_stream(r, marker, 4);
    default: return walk_stream(r, marker, 5);
    }
}

uint64_t lfsr_segments(const struct lfsr_register *r, uint64_t from, uint64_t to, struct lfsr_segment *segments,
                       const volatile bool *interrupted)
{
    /* Marker m is state m * spacing + spacing / p. */
    uint64_t offset = r->spacing / r->field, steps = 0;
    uint64_t first = from <= offset ? 0 : (from - offset + r->spacing - 1) / r->spacing;
    uint64_t end = to <= offset ? 0 : (to - offset + r->spacing - 1) / r->spacing;
    for (uint64_t m = first; m < end && !lfsr_stop(interrupted); m++) {
        segments[m] = walk(r, m);
        steps += segments[m].length;
    }
    return steps;
}

/* ---- leaders ---- */

/* The length of the cycle that s leads, or 0 if it does not. *steps is increased. */
ALWAYS_INLINE uint64_t led_by(const struct lfsr_register *r, uint64_t leader, bool markers, uint64_t *steps,
                              const volatile bool *interrupted, step_function *step)
{
    const uint64_t mask = markers ? r->marker_mask : 0, end = markers ? r->marker : 1; /* 0 & s is never 1 */
    uint64_t s = leader, length = 0;
    do {
        uint64_t until = length + PATIENCE;
        do {
            if ((s & mask) == end) break;
            s = step(r, s);
            length++;
        } while (s > leader && length < until);
    } while (s > leader && (s & mask) != end && !lfsr_stop(interrupted));
    *steps += length;
    return s == leader && (s & mask) != end ? length : 0;
}

uint64_t lfsr_leaders(const struct lfsr_register *r, uint64_t from, uint64_t to, bool markers,
                      struct lfsr_cycles *cycles, uint64_t *asked, const volatile bool *interrupted)
{
    uint64_t steps = 0, s = lfsr_pack(r, from);
    uint64_t low = (UINT64_C(1) << r->width) - 1;
    for (uint64_t number = from; number < to; number++) {
        if (s & low) { /* otherwise s/x, where the walk comes from, is less, or s is 0 */
            uint64_t length = r->field == 2 ? led_by(r, s, markers, &steps, interrupted, step_bits)
                                            : led_by(r, s, markers, &steps, interrupted, step_digits);
            if (lfsr_stop(interrupted)) return steps;
            if (length) lfsr_cycles_add(cycles, length, 1);
        }
        (*asked)++;
        if (number + 1 < to) s = successor(r, s);
    }
    return steps;
}
