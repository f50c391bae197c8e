/* Histories and views: what an atomic access may see and what it leaves behind. world.h has the rules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

const volatile void *location_address[LOCATIONS];
uint8_t location_size[LOCATIONS];
int8_t location_writer[LOCATIONS];
int location_count;
uint64_t forgotten;

enum { TABLE = 4096, MOST_RANGES = 256, ANYBODY = -1, IGNORED = -2, IS_LATE = -3 };
static int16_t table[TABLE]; /* location + 1, by address */

static struct {
    uintptr_t from, to;
    int writer; /* or one of these */
} ranges[MOST_RANGES];
static int range_count;

static struct {
    const volatile void *address;
    bool ignored;
} known[TABLE]; /* of ranges, what was asked last */

static int range_writer(const volatile void *p);

static unsigned slot_of(const volatile void *p)
{
    return (unsigned)((uintptr_t)p >> 2) * 2654435761u >> 20;
}

static void add_range(const volatile void *base, size_t size, int writer)
{
    if (range_count == MOST_RANGES) abort();
    ranges[range_count].from = (uintptr_t)base;
    ranges[range_count].to = (uintptr_t)base + size;
    ranges[range_count++].writer = writer;
    memset(known, 0, sizeof known);
    for (int l = 0; l < location_count; l++) location_writer[l] = (int8_t)range_writer(location_address[l]);
}

void model_ignore(const volatile void *base, size_t size)
{
    add_range(base, size, IGNORED);
}

void model_single_writer(const volatile void *base, size_t size, int writer)
{
    add_range(base, size, writer);
}

void model_late(const volatile void *base, size_t size)
{
    add_range(base, size, IS_LATE);
}

static int range_writer(const volatile void *p)
{
    for (int i = range_count; i-- > 0;) { /* the last word counts */
        if (ranges[i].writer != IS_LATE && (uintptr_t)p >= ranges[i].from && (uintptr_t)p < ranges[i].to)
            return ranges[i].writer;
    }
    return ANYBODY;
}

bool location_is_late(int l)
{
    uintptr_t p = (uintptr_t)location_address[l];
    for (int i = 0; i < range_count; i++) {
        if (ranges[i].writer == IS_LATE && p >= ranges[i].from && p < ranges[i].to) return true;
    }
    return false;
}

/* Asked at every access, so what was found is kept. */
bool location_ignored(const volatile void *p)
{
    unsigned i = slot_of(p);
    if (known[i].address != p) {
        known[i].address = p;
        known[i].ignored = range_writer(p) == IGNORED;
    }
    return known[i].ignored;
}

/* Locations are numbered as they are met, for good: the same address has the same number in every state. */
int location_of(const volatile void *p, size_t size, bool make)
{
    unsigned i = slot_of(p);
    for (; table[i]; i = (i + 1) % TABLE) {
        if (location_address[table[i] - 1] == p) return table[i] - 1;
    }
    if (!make) return -1;
    if (location_count == LOCATIONS) {
        fprintf(stderr, "more than %d atomic locations\n", LOCATIONS);
        exit(3);
    }
    table[i] = (int16_t)(location_count + 1);
    location_address[location_count] = p;
    location_size[location_count] = (uint8_t)size;
    location_writer[location_count] = (int8_t)range_writer(p);
    return location_count++;
}

/* ---- views ---- */

static void view_join(view *a, const view *b)
{
    int n = CLOCKS + location_count;
    for (int i = 0; i < n; i++) a->at[i] = a->at[i] > b->at[i] ? a->at[i] : b->at[i];
}

static void view_join_locations(view *a, const view *b)
{
    int n = CLOCKS + location_count;
    for (int i = CLOCKS; i < n; i++) a->at[i] = a->at[i] > b->at[i] ? a->at[i] : b->at[i];
}

static void raise(view *v, int l, int to)
{
    if (v->at[CLOCKS + l] < to) v->at[CLOCKS + l] = (uint8_t)to;
}

static bool acquires(uint8_t order)
{
    return order == MODEL_ACQUIRE || order == MODEL_ACQ_REL || order == MODEL_SEQ_CST;
}

static bool releases(uint8_t order)
{
    return order == MODEL_RELEASE || order == MODEL_ACQ_REL || order == MODEL_SEQ_CST;
}

/* Applies to every view there is. */
static void for_each_view(void (*change)(view *, int l, int n), int l, int n)
{
    for (int x = 0; x < location_count; x++) {
        for (int i = 0; i < now.count[x]; i++) change(&now.history[x][i].gives, l, n);
    }
    for (int t = 0; t < thread_count; t++) {
        change(&now.threads[t].cur, l, n);
        change(&now.threads[t].acq, l, n);
        change(&now.threads[t].rel, l, n);
        change(&now.threads[t].later, l, n);
    }
    change(&now.sc, l, n);
}

static void shift_down(view *v, int l, int n)
{
    uint8_t *at = &v->at[CLOCKS + l];
    *at = (uint8_t)(*at > n ? *at - n : 0);
}

static void shift_up_from(view *v, int l, int n)
{
    uint8_t *at = &v->at[CLOCKS + l];
    if (*at >= n) ++*at;
}

void drop_oldest(int l, int n)
{
    now.count[l] = (uint8_t)(now.count[l] - n);
    memmove(now.history[l], now.history[l] + n, now.count[l] * sizeof(message));
    now.history[l][0].rmw = 0;
    for_each_view(shift_down, l, n);
}

void location_begin(int l)
{
    if (now.count[l]) return;
    uint64_t value = 0;
    memcpy(&value, (const void *)location_address[l], location_size[l]);
    now.count[l] = 1;
    memset(&now.history[l][0], 0, sizeof(message));
    now.history[l][0].value = value;
}

uint64_t newest_value(int l)
{
    return now.history[l][now.count[l] - 1].value;
}

/* Makes room at `at`; those from there on move up by one. */
static int insert(int l, int at)
{
    if (now.count[l] == MESSAGES) {
        forgotten++;
        drop_oldest(l, 1);
        at = at > 0 ? at - 1 : 0;
    }
    memmove(&now.history[l][at + 1], &now.history[l][at], (size_t)(now.count[l] - at) * sizeof(message));
    if (at < now.count[l]) {
        now.count[l]++;
        for_each_view(shift_up_from, l, at);
    } else {
        now.count[l]++;
    }
    memset(&now.history[l][at], 0, sizeof(message));
    return at;
}

/* What thread t gives away with a store of this order. */
static void given_by(int t, int l, int at, bool release, view *out)
{
    *out = release ? now.threads[t].cur : now.threads[t].rel;
    raise(out, l, at);
}

/* What thread t does next to plain memory is not covered by what it has given away. */
static void clock_given(int t)
{
    now.threads[t].clock_given = 1;
}

uint8_t clock_of_access(int t)
{
    thread *h = &now.threads[t];
    if (h->clock_given) {
        h->clock_given = 0;
        if (h->cur.at[t] == 254) abort(); /* state_normalise keeps them small */
        h->acq.at[t] = ++h->cur.at[t];
    }
    return h->cur.at[t];
}

/* Loads of l that are open, and not ordered before this store, may have returned it. */
static void overtake(int t, int l, uint64_t value)
{
    for (int u = 0; u < thread_count; u++) {
        late_load *open = &now.threads[u].late;
        if (u == t || open->state != 1 || open->location != l || now.threads[t].cur.at[u] >= open->clock) continue;
        open->state = 2;
        open->value = value;
    }
}

static void put(int t, int l, int at, uint64_t value, bool release, const view *also)
{
    thread *h = &now.threads[t];
    overtake(t, l, value);
    bool newest = at == now.count[l];
    if (newest && !also && h->cur.at[CLOCKS + l] == at - 1 && now.history[l][at - 1].value == value) {
        view same; /* the very same store again: one will do */
        given_by(t, l, at - 1, release, &same);
        if (!memcmp(same.at, now.history[l][at - 1].gives.at, CLOCKS + (size_t)location_count)) return;
    }
    at = insert(l, at);
    message *m = &now.history[l][at];
    m->value = value;
    raise(&h->cur, l, at);
    raise(&h->acq, l, at);
    given_by(t, l, at, release, &m->gives);
    if (also) {
        m->rmw = 1;
        view_join(&m->gives, also); /* it carries on the release sequence */
    }
    if (release) clock_given(t);
}

void store_latest(int t, int l, uint64_t value, bool release, bool rmw)
{
    view before = now.history[l][now.count[l] - 1].gives;
    put(t, l, now.count[l], value, release, rmw ? &before : NULL);
}

void take_over(int t, const view *given)
{
    view_join(&now.threads[t].acq, given);
    view_join(&now.threads[t].cur, given);
}

/* ---- the order of seq_cst ---- */

/* Before thread t's next seq_cst step: its own stores that were late, and those that it has seen, are in the order now;
 * so is any to location l, if it is about to store there (l < 0: none). */
static void settle_order(int t, int l)
{
    if (!limits.late_sc) return;
    for (int u = 0; u < thread_count; u++) {
        view *later = &now.threads[u].later;
        for (int x = 0; x < location_count; x++) {
            uint8_t *at = &later->at[CLOCKS + x];
            if (!*at || (u != t && x != l && now.threads[t].cur.at[CLOCKS + x] < *at)) continue;
            raise(&now.sc, x, *at);
            *at = 0;
        }
    }
}

void order_settled(int t)
{
    for (int x = 0; x < location_count; x++) raise(&now.sc, x, now.threads[t].later.at[CLOCKS + x]);
    memset(&now.threads[t].later, 0, sizeof(view));
}

/* ---- fences ---- */

void fence_acquire(int t)
{
    view_join(&now.threads[t].cur, &now.threads[t].acq);
}

void fence_release(int t)
{
    now.threads[t].rel = now.threads[t].cur;
    clock_given(t);
}

void fence_seq_cst(int t)
{
    thread *h = &now.threads[t];
    fence_acquire(t);
    settle_order(t, -1);
    view_join_locations(&h->cur, &now.sc); /* no clocks: two fences alone make no happens-before */
    view_join_locations(&now.sc, &h->cur);
    h->rel = h->acq = h->cur;
    clock_given(t);
}

/* ---- the steps ---- */

int oldest_allowed(int t, int l, uint8_t order)
{
    int lo = now.threads[t].cur.at[CLOCKS + l];
    if (order == MODEL_SEQ_CST && now.sc.at[CLOCKS + l] > lo)
        lo = now.sc.at[CLOCKS + l]; /* its own late ones it has seen */
    return lo;
}

/* Whether thread t's read-modify-write may take message i. */
static bool rmw_allowed(const op *o, int l, int i)
{
    if (o->kind == OP_CAS && now.history[l][i].value != o->expected) return true; /* it fails: a mere load */
    return i == now.count[l] - 1 || !now.history[l][i + 1].rmw;
}

static bool may_be_later(const op *o, int most)
{
    return limits.late_sc && most > 0 && o->order == MODEL_SEQ_CST && o->kind != OP_LOAD;
}

unsigned memory_choices(int t, uint8_t *out)
{
    const op *o = &now.threads[t].next;
    int l = o->location, lo = oldest_allowed(t, l, o->order), newest = now.count[l] - 1;
    unsigned n = 0;
    int most = limits.stale >= 0 && now.stale >= limits.stale ? 0 : limits.window;
    if (o->kind == OP_STORE) {
        for (int back = 0; newest + 1 - back > lo && back <= most; back++) {
            int at = newest + 1 - back;
            if (back > 0 && (location_writer[l] >= 0 || now.history[l][at].rmw)) continue;
            out[n++] = (uint8_t)back;
        }
        if (may_be_later(o, most)) out[n++] = LATER;
        return n;
    }
    for (int back = 0; newest - back >= lo && back <= most; back++) {
        if (o->kind != OP_LOAD && !rmw_allowed(o, l, newest - back)) continue;
        out[n++] = (uint8_t)back;
    }
    if (may_be_later(o, most) && (o->kind != OP_CAS || newest_value(l) == o->expected)) out[n++] = LATER;
    bool may_be_late = most > 0 && o->kind == OP_LOAD && o->order == MODEL_RELAXED && !now.threads[t].late.state;
    if (may_be_late && location_writer[l] != t && location_is_late(l)) out[n++] = LATE;
    return n;
}

/* ---- late loads ---- */

static char token;
bool abandoned;

static void begin_late(int t, int l)
{
    thread *h = &now.threads[t];
    h->late = (late_load){.location = (uint16_t)l, .state = 1, .clock = clock_of_access(t)};
    h->result = (uint64_t)(uintptr_t)&token;
}

void *model_late_value(void *value)
{
    if (value != &token) return value;
    late_load *open = &now.threads[self].late;
    if (open->state != 2) {
        abandoned = true; /* it met no store: the same as a load in time */
        thread_stop();
    }
    open->state = 0;
    open->clock = 0;
    return (void *)(uintptr_t)open->value;
}

static uint64_t cut(uint64_t value, uint8_t size)
{
    return size == 4 ? (uint32_t)value : size == 1 ? (uint8_t)value : value;
}

static void see(int t, int l, int i, uint8_t order)
{
    thread *h = &now.threads[t];
    raise(&h->cur, l, i);
    view_join(&h->acq, &now.history[l][i].gives);
    raise(&h->acq, l, i);
    if (acquires(order)) view_join(&h->cur, &now.history[l][i].gives);
}

void memory_step(int t, int back)
{
    thread *h = &now.threads[t];
    op o = h->next;
    bool later = back == LATER;
    int l = o.location, i = now.count[l] - 1 - (later ? 0 : back);
    h->ok = 1;
    if (back == LATE) {
        begin_late(t, l);
        return;
    }
    if (o.order == MODEL_SEQ_CST) settle_order(t, o.kind == OP_LOAD ? -1 : l);
    if (o.kind == OP_STORE) {
        put(t, l, i + 1, cut(o.value, o.size), releases(o.order), NULL);
        if (o.order == MODEL_SEQ_CST) raise(later ? &h->later : &now.sc, l, h->cur.at[CLOCKS + l]);
        return;
    }
    h->result = now.history[l][i].value;
    see(t, l, i, o.order);
    if (o.kind == OP_LOAD) return;
    if (o.kind == OP_CAS && h->result != o.expected) {
        h->ok = 0;
        return;
    }
    view before = now.history[l][i].gives;
    put(t, l, i + 1, cut(o.kind == OP_ADD ? h->result + o.value : o.value, o.size), releases(o.order), &before);
    if (o.order == MODEL_SEQ_CST) raise(later ? &h->later : &now.sc, l, h->cur.at[CLOCKS + l]);
}

uint64_t model_peek(const volatile void *p, size_t size)
{
    int l = location_of(p, size, true);
    location_begin(l);
    return newest_value(l);
}
