/* HEIST_* variables, as a pool and the statistics read them. An input is lines of NAME=VALUE. The expected meaning of
 * each is computed here a second time, character by character, and a refused value must have been reported. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "idle/backoff.h"
#include "schedule/options.h"
#include "schedule/pool.h"
#include "schedule/stats.h"

enum { MOST_WORDS = 8 };

/* A variable takes numbers, or words, or anything. */
static const struct variable {
    const char *name;
    uint64_t least, most;
    const char *words[MOST_WORDS];
} variables[] = {
    {.name = "HEIST_WORKERS", .least = 1, .most = 4096},
    {.name = "HEIST_SPIN", .least = 1, .most = 1000000},
    {.name = "HEIST_STACK",
#ifdef __aarch64__
     .least = 128 << 10,
#else
     .least = 64 << 10,
#endif
     .most = UINT64_C(1) << 40},
    {.name = "HEIST_SEED", .least = 1, .most = UINT64_MAX},
    {.name = "HEIST_INBOX", .least = 2, .most = 1 << 24},
    {.name = "HEIST_SLOTS", .least = 1024, .most = (uint64_t)UINT32_MAX - 2},
    {.name = "HEIST_STRESS", .least = 1, .most = UINT64_MAX},
    {.name = "HEIST_WATCH", .least = 1, .most = 1000000000},
    {.name = "HEIST_BIND", .words = {"none", "core", "compact", "spread", "numa"}},
    {.name = "HEIST_STEAL", .words = {"near", "random", "most-loaded", "least-loaded", "power-of-two", "adaptive"}},
    {.name = "HEIST_AMOUNT", .words = {"one", "half"}},
    {.name = "HEIST_FENCES", .words = {"thief", "both"}},
    {.name = "HEIST_STRICT", .words = {"1", "0"}},
    {.name = "HEIST_STATS", .words = {"1", "0"}},
    {.name = "HEIST_TOPOLOGY"},
};
enum { VARIABLES = sizeof variables / sizeof *variables };

static unsigned digit(char c)
{
    if (c >= '0' && c <= '9') return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f') return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return (unsigned)(c - 'A') + 10;
    return 99;
}

/* The expected value of a number; 0: it is refused. */
static uint64_t number_in(const char *text, uint64_t least, uint64_t most)
{
    unsigned base = 10;
    uint64_t value = 0;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && digit(text[2]) < 16) {
        base = 16;
        text += 2;
    }
    if (digit(*text) >= base) return 0;
    for (; digit(*text) < base; text++) {
        if (value > (UINT64_MAX - digit(*text)) / base) return 0;
        value = value * base + digit(*text);
    }
    const char *units = "kKmMgG", *unit = *text ? strchr(units, *text) : NULL;
    if (unit) {
        for (long i = 0; i <= (unit - units) / 2; i++) {
            if (value > UINT64_MAX / 1024) return 0;
            value *= 1024;
        }
        text++;
    }
    return *text == '\0' && value >= least && value <= most ? value : 0;
}

static unsigned word_in(const char *text, const char *const words[])
{
    for (unsigned i = 0; i < MOST_WORDS && words[i]; i++) {
        if (strcmp(text, words[i]) == 0) return i + 1;
    }
    return 0;
}

/* The meaning of the variable's value: a number, or the place of a word, counted from 1; 0: nothing. */
static uint64_t meaning(const char *name)
{
    const char *text = getenv(name);
    for (size_t i = 0; text && i < VARIABLES; i++) {
        if (strcmp(variables[i].name, name) != 0) continue;
        return variables[i].most ? number_in(text, variables[i].least, variables[i].most)
                                 : word_in(text, variables[i].words);
    }
    return 0;
}

static void same(const char *name, uint64_t got, uint64_t otherwise)
{
    uint64_t meant = meaning(name), expected = meant ? meant : otherwise;
    if (got == expected) return;
    fuzz_fail("%s=%s became %llu, not %llu", name, getenv(name), (unsigned long long)got, (unsigned long long)expected);
}

/* Whether a line is about the variable. */
static bool has_line(const char *said, const char *name)
{
    char begin[40];
    int length = snprintf(begin, sizeof begin, "heist: %s=", name);
    for (; said; said = strchr(said, '\n')) {
        if (*said == '\n') said++;
        if (strncmp(said, begin, (size_t)length) == 0) return true;
    }
    return false;
}

/* HEIST_STATS may be the name of a file: it has a dot or a slash. */
static bool names_a_file(const char *name)
{
    const char *text = getenv(name);
    return strcmp(name, "HEIST_STATS") == 0 && text && strpbrk(text, "./");
}

/* A variable that is set and refused is reported, in a line of its own; any other is not mentioned. */
static void check_words(const char *said)
{
    size_t expected = 0;
    for (size_t i = 0; i < VARIABLES; i++) {
        const char *name = variables[i].name, *text = getenv(name);
        bool anything = !variables[i].most && !variables[i].words[0];
        bool refused = text && *text && !anything && !meaning(name) && !names_a_file(name);
        bool told = has_line(said, name);
        if (told != refused) fuzz_fail("%s=%s: %s", name, text ? text : "", told ? "told" : "not told");
        expected += refused;
    }
    if (fuzz_lines(said) != expected) fuzz_fail("%zu lines for %zu mistakes: %s", fuzz_lines(said), expected, said);
}

static void check_settings(const heist__settings *s)
{
    same("HEIST_WORKERS", s->workers, 0);
    same("HEIST_STRESS", s->stress, 0);
    same("HEIST_SPIN", s->spin, s->stress ? HEIST__STRESS_SPIN : HEIST__SPIN_ROUNDS);
    same("HEIST_SEED", s->seed, s->seed);
    same("HEIST_STACK", s->stack_size, s->stack_size);
    same("HEIST_INBOX", s->inbox, 1024);
    same("HEIST_SLOTS", s->slots, (size_t)1 << 24);
    same("HEIST_WATCH", s->watch, 0);
    same("HEIST_BIND", (uint64_t)s->bind + 1, HEIST__BIND_NONE + 1);
    same("HEIST_STEAL", (uint64_t)s->strategy + 1, HEIST__STEAL_NEAR + 1);
    same("HEIST_AMOUNT", (uint64_t)s->amount, HEIST_AMOUNT_ONE);
    if (!s->stress) same("HEIST_FENCES", (uint64_t)s->fences, HEIST_FENCES_DEFAULT);
    if (s->stress && s->fences != HEIST_FENCES_BOTH) fuzz_fail("stress without fences");
    if (s->strict != (meaning("HEIST_STRICT") == 1)) fuzz_fail("strict is %d", s->strict);
    const char *topology = getenv("HEIST_TOPOLOGY");
    if (topology && !*topology) topology = NULL;
    if (!topology != !s->topology || (topology && strcmp(topology, s->topology) != 0)) fuzz_fail("another topology");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text, *name, *value;
    for (size_t i = 0; i < VARIABLES; i++) unsetenv(variables[i].name);
    while (fuzz_field(&rest, &name, &value)) {
        fuzz_unfold(value);
        for (size_t i = 0; i < VARIABLES; i++) {
            if (strcmp(variables[i].name, name) == 0) setenv(name, value, 1);
        }
    }
    heist__settings settings;
    fuzz_listen();
    int error = heist__settings_read(&settings, NULL);
    bool stats = heist__stats_wanted();
    fuzz_words heard = fuzz_heard();
    if (error) fuzz_fail("the environment made an error: %d", error);
    if (stats != (meaning("HEIST_STATS") == 1 || names_a_file("HEIST_STATS"))) fuzz_fail("statistics are %d", stats);
    check_settings(&settings);
    check_words(heard.err);
    heist__settings_free(&settings);
    free(text);
    return 0;
}
