/* The ring deque: one owner and its thieves, from a ring of 2.
 *
 *   script=     what the owner does: p pushes the next element, o pops
 *   thieves=    how many; tries= steals of each; half: they steal half at a time
 *   at=         the index of the first element; -1 is next to the wrap-around
 *   alone       each thread gets on though all others stand still
 *
 * Each element points to a record that the owner has written just before, so that a thief that gets it without R1 races
 * with that. Every element must be had once, by somebody, or still be there. */
#include "deque/ring_deque.h"

const char model_harness_name[] = "ring";

enum { ELEMENTS = 8 };

typedef struct {
    _Alignas(8) int value; /* a word of its own: that is how finely accesses are watched */
} record;

static heist_deque *deque;
static record *records; /* watched */
static struct {
    uint8_t pushed, had[ELEMENTS];
} * seen;
static const char *script;
static long tries, half;

static void take(void *element)
{
    record *r = model_late_value(element);
    if (r < records || r >= records + ELEMENTS) {
        model_check(false, "thread %d got %p, which nobody pushed", model_self(), element);
        return;
    }
    long i = r - records;
    model_check(i < seen->pushed, "element %ld was had before it was pushed", i);
    model_check(!seen->had[i], "element %ld was had twice", i);
    model_check(r->value == (int)i + 1, "element %ld came without its contents", i);
    seen->had[i] = 1;
}

static void owner(void *unused)
{
    (void)unused;
    model_must_end(model_number("alone", 0));
    for (const char *p = script; *p; p++) {
        if (*p == 'p') {
            record *r = &records[seen->pushed];
            r->value = seen->pushed + 1;
            seen->pushed++;
            heist_deque_push(deque, r);
        } else {
            void *element;
            if (heist_deque_pop(deque, &element) == HEIST_STEAL_GOT) take(element);
        }
    }
}

static void thief(void *unused)
{
    (void)unused;
    model_must_end(model_number("alone", 0));
    for (long i = 0; i < tries; i++) {
        void *elements[4];
        size_t n = 0;
        if (half) {
            n = heist_deque_steal_half(deque, elements, 4);
        } else if (heist_deque_steal(deque, elements) == HEIST_STEAL_GOT) {
            n = 1;
        }
        for (size_t k = 0; k < n; k++) take(elements[k]);
    }
}

void model_setup(void)
{
    script = model_text("script", "ppoo");
    tries = model_number("tries", 1);
    half = model_number("half", 0);
    deque = heist__deque_new_at(2, (uint64_t)model_number("at", 0));
    model_unwatch(deque, sizeof *deque); /* it outlives the run; its rings do not */
    model_name(&deque->top, 8, 8, false, "top");
    model_name(&deque->bottom, 8, 8, false, "bottom");
    model_name(&deque->ring, 8, 8, false, "ring");
    model_name(&deque->side, 4, 4, false, "side");
    model_name(&deque->readers[0], sizeof(heist__readers), 0, false, "readers0");
    model_name(&deque->readers[1], sizeof(heist__readers), 0, false, "readers1");
    model_single_writer(&deque->bottom, 8, 0);
    model_single_writer(&deque->ring, 8, 0);
    model_single_writer(&deque->side, 4, 0);
    heist__ring *first = MODEL_PEEK(&deque->ring); /* the others will lie behind it */
    model_single_writer(first, 4096, 0);
    model_late(first, 4096);
    records = model_payload(ELEMENTS * sizeof *records);
    model_name(records, ELEMENTS * sizeof *records, sizeof *records, false, "element");
    seen = model_alloc(sizeof *seen);
    model_thread(owner, NULL);
    for (long i = model_number("thieves", 1); i > 0; i--) model_thread(thief, NULL);
}

void model_always(void)
{
}

void model_end(unsigned blocked)
{
    model_check(!blocked, "threads %x wait for ever", blocked);
    uint64_t top = MODEL_PEEK(&deque->top), bottom = MODEL_PEEK(&deque->bottom);
    heist__ring *ring = MODEL_PEEK(&deque->ring);
    for (uint64_t i = top; i != bottom; i++) take(MODEL_PEEK(&ring->slots[i & ring->mask]));
    for (int i = 0; i < seen->pushed; i++) model_check(seen->had[i], "element %d was lost", i);
}
