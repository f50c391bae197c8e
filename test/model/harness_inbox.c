/* The submission queue, with room for two.
 *
 *   threads=   what each thread does, separated by commas: p puts its next item, t takes,
 *              b takes up to two, e asks whether it looks empty
 *   full=      so many items are in it, and taken, before: the positions begin there
 *   alone      each thread gets on though all others stand still
 *
 * No item may be had twice, or without its contents, or be lost. A thread that takes nothing, or is told that it looks
 * empty, must not have an item of its own in the queue: that is the promise of inbox.h, for what happened before. */
#include "schedule/inbox.h"

const char model_harness_name[] = "inbox";

enum { ITEMS = 8, CAPACITY = 2 };

typedef struct {
    _Alignas(8) int value; /* a word of its own */
} record;

static heist__inbox *inbox;
static record *records;
static struct {
    uint8_t used, put[ITEMS], had[ITEMS], owner[ITEMS];
} * seen;

static void take(void *item)
{
    record *r = model_late_value(item);
    if (r < records || r >= records + ITEMS) {
        model_check(false, "thread %d got %p, which nobody put", model_self(), item);
        return;
    }
    long i = r - records;
    model_check(!seen->had[i], "item %ld was had twice", i);
    model_check(r->value == (int)i + 1, "item %ld came without its contents", i);
    seen->had[i] = 1;
}

/* Whether item i lies in the queue, ready to be taken. */
static bool is_inside(int i)
{
    for (uint64_t s = 0; s < CAPACITY; s++) {
        const heist__inbox_slot *slot = &inbox->slots[s];
        bool filled = (MODEL_PEEK(&slot->sequence) - 1 - s) % CAPACITY == 0 && MODEL_PEEK(&slot->sequence) != s;
        if (filled && MODEL_PEEK(&slot->content) == (void *)&records[i]) return true;
    }
    return false;
}

static void check_own(const char *what)
{
    for (int i = 0; i < seen->used; i++) {
        if (seen->put[i] && seen->owner[i] == model_self() && !seen->had[i])
            model_check(!is_inside(i), "%s, but item %d was put before", what, i);
    }
}

static void run(void *script)
{
    model_must_end(model_number("alone", 0));
    for (const char *p = script; *p && *p != ','; p++) {
        if (*p == 'p') {
            int i = seen->used++;
            seen->owner[i] = (uint8_t)model_self();
            records[i].value = i + 1;
            if (heist__inbox_put(inbox, &(heist__parcel){.content = &records[i]})) {
                seen->put[i] = 1;
            } else {
                seen->had[i] = 1; /* full: not in it */
            }
        } else if (*p == 't' || *p == 'b') {
            heist__parcel got[2];
            size_t asked = *p == 't' ? 1 : 2, count = heist__inbox_take(inbox, got, asked);
            for (size_t i = 0; i < count; i++) take(got[i].content);
            if (count < asked) check_own("too few were taken");
        } else if (heist__inbox_looks_empty(inbox)) {
            check_own("it looks empty");
        }
    }
}

void model_setup(void)
{
    inbox = model_alloc(sizeof *inbox);
    heist__inbox_init(inbox, CAPACITY);
    model_unwatch(inbox->slots, CAPACITY * sizeof *inbox->slots);
    records = model_payload(ITEMS * sizeof *records);
    seen = model_alloc(sizeof *seen);
    for (long i = model_number("full", 0); i > 0; i--) {
        uint64_t position = MODEL_PEEK(&inbox->tail);
        heist__inbox_slot *slot = &inbox->slots[position % CAPACITY];
        heist__store_relaxed(&slot->sequence, position + CAPACITY);
        heist__store_relaxed(&inbox->tail, position + 1);
    }
    model_name(&inbox->tail, 8, 8, false, "tail");
    model_name(&inbox->head, 8, 8, false, "head");
    for (int i = 0; i < CAPACITY; i++) {
        model_name(&inbox->slots[i].sequence, 8, 8, false, "sequence%d", i);
        model_name(&inbox->slots[i].content, 8, 8, false, "content%d", i);
        model_late(&inbox->slots[i].content, sizeof inbox->slots[i].content);
        model_ignore(&inbox->slots[i].function, sizeof inbox->slots[i].function); /* never changes here, as the next */
        model_ignore(&inbox->slots[i].scope, sizeof inbox->slots[i].scope);
    }
    model_name(records, ITEMS * sizeof *records, sizeof *records, false, "record");
    for (const char *p = model_text("threads", "p,t"); *p; p++) {
        model_thread(run, (void *)(uintptr_t)p);
        while (*p && *p != ',') p++;
        if (!*p) break;
    }
}

void model_always(void)
{
}

void model_end(unsigned blocked)
{
    model_check(!blocked, "threads %x wait for ever", blocked);
    for (int i = 0; i < seen->used; i++) model_check(seen->had[i] || is_inside(i), "item %d was lost", i);
}
