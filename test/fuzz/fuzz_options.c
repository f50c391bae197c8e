/* The options of a pool: a struct of any size with any contents. An input is lines of field=number; name and topology
 * are texts, tail is a byte behind the known struct. The struct lies in memory of exactly the size that it claims, so
 * that a sanitizer detects a read beyond it. Which structs must be refused is decided here a second time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "schedule/pool.h"

enum { LARGEST = 5000 };

/* The contents of the input. */
static struct {
    union {
        heist_options options;
        char bytes[LARGEST];
    } u;
    bool make_pool;
} said;

static void take_field(const char *name, char *value)
{
    heist_options *o = &said.u.options;
    uint64_t n = fuzz_number(value);
    if (strcmp(name, "size") == 0) o->size = (size_t)n;
    if (strcmp(name, "workers") == 0) o->workers = (unsigned)n;
    if (strcmp(name, "bind") == 0) o->bind = (heist_bind)n;
    if (strcmp(name, "strategy") == 0) o->strategy = (heist_strategy)n;
    if (strcmp(name, "amount") == 0) o->amount = (heist_amount)n;
    if (strcmp(name, "spin") == 0) o->spin = (unsigned)n;
    if (strcmp(name, "stack_size") == 0) o->stack_size = (size_t)n;
    if (strcmp(name, "seed") == 0) o->seed = n;
    if (strcmp(name, "name") == 0) o->name = value;
    if (strcmp(name, "fences") == 0) o->fences = (heist_fences)n;
    if (strcmp(name, "topology") == 0) o->topology = value;
    if (strcmp(name, "inbox") == 0) o->inbox = (size_t)n;
    if (strcmp(name, "slots") == 0) o->slots = (size_t)n;
    if (strcmp(name, "strict") == 0) o->strict = n & 1;
    if (strcmp(name, "watch") == 0) o->watch = n;
    if (strcmp(name, "tail") == 0 && n >= sizeof *o && n < LARGEST) said.u.bytes[n] = 1;
    if (strcmp(name, "pool") == 0) said.make_pool = n & 1;
}

static size_t claimed(void)
{
    size_t size = said.u.options.size;
    return size ? size : sizeof(heist_options);
}

static bool cut(size_t field, size_t size)
{
    return claimed() > field && claimed() < field + size;
}

static bool size_is_good(void)
{
    if (claimed() < offsetof(heist_options, bind) || claimed() >= 4096) return false;
    if (cut(offsetof(heist_options, name), sizeof(char *))) return false;
    if (cut(offsetof(heist_options, topology), sizeof(char *))) return false;
    for (size_t i = sizeof(heist_options); i < claimed(); i++) {
        if (said.u.bytes[i]) return false;
    }
    return true;
}

static bool within(size_t value, size_t least, size_t most)
{
    return value == 0 || (value >= least && value <= most);
}

static bool fields_are_good(const heist_options *o)
{
#ifdef __aarch64__
    const size_t least_stack = 128 << 10;
#else
    const size_t least_stack = 64 << 10;
#endif
    return o->workers <= 4096 && (unsigned)o->bind <= HEIST_BIND_NODE &&
           (unsigned)o->strategy <= HEIST_STRATEGY_ADAPTIVE && (unsigned)o->amount <= HEIST_AMOUNT_HALF &&
           (unsigned)o->fences <= HEIST_FENCES_BOTH && o->spin <= 1000000 &&
           within(o->stack_size, least_stack, (size_t)1 << 40) && within(o->inbox, 2, 1 << 24) &&
           within(o->slots, 1024, (size_t)UINT32_MAX - 2) && o->watch <= 1000000000 &&
           (!o->topology || o->bind <= HEIST_BIND_NONE);
}

/* The struct as the library must see it: fields beyond its size are zero. */
static heist_options seen_options(void)
{
    heist_options seen;
    memset(&seen, 0, sizeof seen);
    memcpy(&seen, &said.u.options, claimed() < sizeof seen ? claimed() : sizeof seen);
    return seen;
}

static void count_run(void *counter)
{
    ++*(int *)counter;
}

/* Makes a pool with the options, if they are small enough: the pool must run its tasks, or be refused with a reason. */
static void try_pool(const heist_options *given)
{
    const heist_options seen = seen_options();
    bool small = seen.workers <= 4 && seen.spin <= 1000 && seen.stack_size <= 1 << 20 && seen.inbox <= 1 << 16;
    if (!said.make_pool || !small || (seen.topology && strlen(seen.topology) > 40)) return;
    fuzz_listen();
    heist_pool *pool = heist_pool_new(given);
    int ran = 0, error = pool ? heist_run(pool, count_run, &ran) : 0;
    unsigned workers = heist_pool_workers(pool);
    if (pool && heist_pool_free(pool)) fuzz_fail("it cannot be freed");
    fuzz_heard();
    if (pool && (error || ran != 1)) fuzz_fail("error %d, run %d times", error, ran);
    if (pool && seen.workers && workers > seen.workers) fuzz_fail("%u workers, %u asked for", workers, seen.workers);
    if (!pool && (!errno || !*heist_explain())) fuzz_fail("no pool, errno %d, \"%s\"", errno, heist_explain());
}

static void try_options(const heist_options *given)
{
    heist__settings settings;
    bool good = size_is_good();
    heist_options seen;
    if (good) {
        seen = seen_options();
        good = fields_are_good(&seen);
    }
    int error = heist__settings_read(&settings, given);
    if (error != (good ? 0 : -EINVAL)) fuzz_fail("error %d: %s", error, heist_explain());
    if (error) {
        if (!*heist_explain()) fuzz_fail("no sentence");
        errno = 0;
        if (heist_pool_new(given) || errno != EINVAL) fuzz_fail("a pool nevertheless");
        return;
    }
    if (settings.workers != seen.workers || (seen.seed && settings.seed != seen.seed)) fuzz_fail("other settings");
    if (seen.name && *seen.name && strncmp(settings.name, seen.name, sizeof settings.name - 1) != 0)
        fuzz_fail("another name");
    heist__settings_free(&settings);
    try_pool(given);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text, *name, *value;
    fuzz_scratch();
    memset(&said, 0, sizeof said);
    while (fuzz_field(&rest, &name, &value)) take_field(name, value);
    /* An impossible size must be refused by the size alone. */
    size_t room = claimed() < LARGEST ? claimed() : sizeof(size_t);
    if (room < sizeof(size_t)) room = sizeof(size_t);
    void *given = malloc(room);
    if (!given) fuzz_fail("no memory");
    memcpy(given, said.u.bytes, room);
    try_options(given);
    free(given);
    free(text);
    return 0;
}
