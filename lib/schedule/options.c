/* Options: from the caller, else from the environment, else the defaults. The caller's mistakes are errors. Mistakes in
 * the environment are reported on stderr and ignored, since the program cannot do anything about them. */
#include "schedule/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "idle/backoff.h"
#include "platform/one_line.h"
#include "platform/words.h"
#include "schedule/error.h"

#ifdef __aarch64__
#define LEAST_STACK ((size_t)128 << 10) /* glibc's minimum there */
#else
#define LEAST_STACK ((size_t)64 << 10)
#endif
#define MOST_STACK ((size_t)1 << 40)
#define MOST_INBOX ((size_t)1 << 24)
#define MOST_SLOTS ((size_t)UINT32_MAX - 2)
#define MOST_SPIN 1000000u
#define MOST_WATCH UINT64_C(1000000000)
#define DEFAULT_SLOTS ((size_t)1 << 24)
#define DEFAULT_INBOX 1024
#define DEFAULT_SEED UINT64_C(0x6865697374)

/* ---- the environment ---- */

static const char *from_environment(const char *variable)
{
    const char *text = secure_getenv(variable);
    return text && *text ? text : NULL;
}

void heist__passed_over(const char *variable, const char *text, const char *wanted)
{
    char shown[100];
    snprintf(shown, sizeof shown, "%s", text);
    heist__one_line(shown);
    const char *more = strlen(text) >= sizeof shown ? "..." : "";
    fprintf(stderr, "heist: %s=%s%s is not %s; ignored\n", variable, shown, more, wanted);
}

/* The variable's number in [least, most], which may end with K, M or G; 0 if the variable has none. */
static uint64_t number_from(const char *variable, uint64_t least, uint64_t most)
{
    const char *text = from_environment(variable);
    if (!text) return 0;
    char *end;
    errno = 0;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X'); /* no octal: 010 is ten */
    unsigned long long value = strtoull(text, &end, hex ? 16 : 10);
    unsigned shift = *end == 'K' || *end == 'k'   ? 10
                     : *end == 'M' || *end == 'm' ? 20
                     : *end == 'G' || *end == 'g' ? 30
                                                  : 0;
    if (shift) end++;
    bool readable = *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && value <= UINT64_MAX >> shift;
    value <<= shift;
    if (readable && value >= least && value <= most) return value;
    char wanted[96];
    snprintf(wanted, sizeof wanted, "a number from %llu to %llu, K, M or G allowed", (unsigned long long)least,
             (unsigned long long)most);
    heist__passed_over(variable, text, wanted);
    return 0;
}

/* The place, counted from 1, of the variable's word in a list (platform/words.h); 0 if the variable has none of
 * them. */
static unsigned word_from(const char *variable, const char *const words[])
{
    const char *text = from_environment(variable);
    if (!text) return 0;
    int index = heist__word_index(words, text);
    if (index >= 0) return (unsigned)index + 1;
    char wanted[160] = "one of";
    for (unsigned i = 0; words[i]; i++) {
        size_t used = strlen(wanted);
        snprintf(wanted + used, sizeof wanted - used, " %s", words[i]);
    }
    heist__passed_over(variable, text, wanted);
    return 0;
}

static const char *const amount_words[] = {"one", "half", NULL};
static const char *const fence_words[] = {"thief", "both", NULL};
static const char *const switch_words[] = {"1", "0", NULL};

static void fill_from_environment(heist_options *o)
{
    if (!o->workers) o->workers = (unsigned)number_from("HEIST_WORKERS", 1, HEIST_MAX_WORKERS);
    if (!o->bind) o->bind = (heist_bind)word_from("HEIST_BIND", heist__bind_words);
    if (!o->strategy) o->strategy = (heist_strategy)word_from("HEIST_STEAL", heist__strategy_words);
    if (!o->amount) o->amount = (heist_amount)word_from("HEIST_AMOUNT", amount_words);
    if (!o->spin) o->spin = (unsigned)number_from("HEIST_SPIN", 1, MOST_SPIN);
    if (!o->stack_size) o->stack_size = (size_t)number_from("HEIST_STACK", LEAST_STACK, MOST_STACK);
    if (!o->seed) o->seed = number_from("HEIST_SEED", 1, UINT64_MAX);
    if (!o->fences) o->fences = (heist_fences)word_from("HEIST_FENCES", fence_words);
    if (!o->topology) o->topology = from_environment("HEIST_TOPOLOGY");
    if (!o->inbox) o->inbox = (size_t)number_from("HEIST_INBOX", 2, MOST_INBOX);
    if (!o->slots) o->slots = (size_t)number_from("HEIST_SLOTS", 1024, MOST_SLOTS);
    if (!o->strict) o->strict = word_from("HEIST_STRICT", switch_words) == 1;
    if (!o->watch) o->watch = number_from("HEIST_WATCH", 1, MOST_WATCH);
}

/* ---- the caller ---- */

#define CHECK(good, ...)                                                                                               \
    if (!(good)) return heist__fail(-EINVAL, __VA_ARGS__)

static int check(const heist_options *o)
{
    CHECK(o->workers <= HEIST_MAX_WORKERS, "workers is %u; the most is %d", o->workers, HEIST_MAX_WORKERS);
    CHECK((unsigned)o->bind <= HEIST_BIND_NODE, "bind is %d, which means nothing", (int)o->bind);
    CHECK((unsigned)o->strategy <= HEIST_STRATEGY_ADAPTIVE, "strategy is %d, which means nothing", (int)o->strategy);
    CHECK((unsigned)o->amount <= HEIST_AMOUNT_HALF, "amount is %d, which means nothing", (int)o->amount);
    CHECK((unsigned)o->fences <= HEIST_FENCES_BOTH, "fences is %d, which means nothing", (int)o->fences);
    CHECK(o->spin <= MOST_SPIN, "spin is %u; the most is %u", o->spin, MOST_SPIN);
    CHECK(!o->stack_size || (o->stack_size >= LEAST_STACK && o->stack_size <= MOST_STACK),
          "stack_size is %zu; it can be from %zu to %zu", o->stack_size, LEAST_STACK, MOST_STACK);
    CHECK(!o->inbox || (o->inbox >= 2 && o->inbox <= MOST_INBOX), "inbox is %zu; it can be from 2 to %zu", o->inbox,
          MOST_INBOX);
    CHECK(!o->slots || (o->slots >= 1024 && o->slots <= MOST_SLOTS), "slots is %zu; it can be from 1024 to %zu",
          o->slots, MOST_SLOTS);
    CHECK(o->watch <= MOST_WATCH, "watch is %llu; the most is %llu", (unsigned long long)o->watch,
          (unsigned long long)MOST_WATCH);
    CHECK(!o->topology || o->bind <= HEIST_BIND_NONE, "workers cannot be bound to a machine that is only described");
    return 0;
}

/* Copies the caller's struct. It may be shorter than ours, or longer if the rest of it is zero. A size that ends within
 * a pointer is that of no version. */
static int copy_options(heist_options *o, const heist_options *from)
{
    *o = (heist_options)HEIST_OPTIONS_INIT;
    if (!from) return 0;
    size_t size = from->size ? from->size : sizeof *from;
    bool possible = size >= offsetof(heist_options, bind) && size < 4096 &&
                    !HEIST__ENDS_WITHIN(size, heist_options, name) &&
                    !HEIST__ENDS_WITHIN(size, heist_options, topology);
    CHECK(possible, "size is %zu; it must be sizeof(heist_options)", size);
    for (size_t i = sizeof *o; i < size; i++) {
        CHECK(((const char *)from)[i] == 0, "the options have fields that this version of heist does not know");
    }
    memcpy(o, from, size < sizeof *o ? size : sizeof *o);
    o->size = sizeof *o;
    return check(o);
}

/* Half of the machine's memory: the kernel refuses a thread whose stack might not fit into all of it. */
static size_t most_by_default(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t half = pages > 0 && page > 0 ? (size_t)pages / 2 * (size_t)page : (size_t)1 << 30;
    return half < MOST_STACK ? half : MOST_STACK;
}

/* Eight times the main thread's stack: frames of tasks are larger than those of the serial program, and waiting adds to
 * them; address space is cheap. */
static size_t default_stack(void)
{
    struct rlimit limit;
    size_t main_stack = (size_t)8 << 20, most = most_by_default();
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur > main_stack) main_stack = limit.rlim_cur;
    return main_stack > most / 8 ? most & ~(size_t)4095 : main_stack * 8; /* RLIM_INFINITY is above any limit */
}

void heist__stack_by_default(heist__settings *s)
{
    s->stack_by_default = true;
    s->stack_by_variable = false;
    s->stack_size = default_stack();
}

/* Idle workers of a stressed pool look for work, whether they share CPUs or not: they are to be thieves. */
static void stress_spin(heist__settings *s)
{
    s->learns_to_spin = false;
    s->spin = s->waiting_spin = s->sharing_spin = HEIST__STRESS_SPIN;
}

bool heist__check_wanted(void)
{
    return word_from("HEIST_CHECK", switch_words) == 1;
}

int heist__settings_read(heist__settings *s, const heist_options *options)
{
    heist_options o;
    int error = copy_options(&o, options);
    if (error) return error;
    memset(s, 0, sizeof *s);
    s->topology_by_caller = o.topology;
    s->stack_by_variable = !o.stack_size;
    fill_from_environment(&o);
    if (o.topology) {
        s->topology = strdup(o.topology);
        if (!s->topology) return heist__fail(-ENOMEM, "no memory for the options");
    }
    s->workers = o.workers;
    s->bind = o.bind ? (heist__bind)(o.bind - 1) : HEIST__BIND_NONE;
    s->strategy = o.strategy ? (heist__strategy)(o.strategy - 1) : HEIST__STEAL_NEAR;
    s->amount = o.amount ? o.amount : HEIST_AMOUNT_ONE;
    s->spin = o.spin ? o.spin : HEIST__SPIN_ROUNDS;
    s->learns_to_spin = !o.spin;
    s->waiting_spin = s->sharing_spin = o.spin;
    s->stack_size = o.stack_size;
    if (!s->stack_size) heist__stack_by_default(s);
    s->seed = o.seed ? o.seed : DEFAULT_SEED;
    snprintf(s->name, sizeof s->name, "%s", o.name && *o.name ? o.name : "heist");
    s->fences = o.fences;
    s->inbox = o.inbox ? o.inbox : DEFAULT_INBOX;
    s->slots = o.slots ? o.slots : DEFAULT_SLOTS;
    s->strict = o.strict;
    s->watch = o.watch;
    s->check = heist__check_wanted();
    s->stress = number_from("HEIST_STRESS", 1, UINT64_MAX);
    if (s->check || s->stress) s->fences = HEIST_FENCES_BOTH; /* then every spawn and join comes to the library */
    if (s->stress && !o.spin) stress_spin(s);
    return 0;
}

void heist__settings_free(heist__settings *s)
{
    free(s->topology);
    s->topology = NULL;
}
