/* programs.c: the programs that are generated, and the reading of their descriptions. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/one_line.h"
#include "simulate/generators.h"

#define PS(ns) ((int64_t)((ns)*1e3 + 0.5))

/* A number from 0 to less than 1 that follows from `seed`. */
double heist__sim_drawn(uint64_t seed)
{
    return (double)(heist__random_mix(seed) >> 11) / 9007199254740992.0;
}

static int64_t between(uint64_t seed, double least, double most)
{
    return PS(least + heist__sim_drawn(seed) * (most - least));
}

/* ---- fib: every call a task; one child is spawned, the other called ---- */

static heist__sim_kind fib_step(void *state, heist__sim_task *t, uint32_t step, const heist__sim_place *place,
                                heist__sim_step *out)
{
    (void)place;
    const int64_t *grain = state;
    out->ps = *grain;
    out->child.word[0] = t->word[0] - step; /* n - 1 in step 1, n - 2 in step 2 */
    if (step == 0) return HEIST__SIM_WORK;
    if (t->word[0] < 2) return HEIST__SIM_END;
    static const heist__sim_kind steps[] = {HEIST__SIM_WORK, HEIST__SIM_SPAWN, HEIST__SIM_CALL, HEIST__SIM_JOIN,
                                            HEIST__SIM_END};
    return steps[step];
}

static int only_grain(heist__sim_program *p, double ns)
{
    int64_t *grain = malloc(sizeof *grain);
    if (!grain) return -ENOMEM;
    *grain = PS(ns);
    p->state = grain;
    p->free = free;
    return 0;
}

static int make_fib(heist__sim_program *p, const double *v)
{
    p->step = fib_step;
    p->root.word[0] = (uint64_t)v[0];
    return only_grain(p, v[1]);
}

/* ---- tree: complete, k-ary; the last child is called, the others are spawned. word 1: children for each node ---- */

static heist__sim_kind tree_step(void *state, heist__sim_task *t, uint32_t step, const heist__sim_place *place,
                                 heist__sim_step *out)
{
    (void)place;
    const uint64_t height = t->word[0], k = t->word[1];
    out->ps = *(const int64_t *)state;
    if (step == 0) return HEIST__SIM_WORK;
    if (height == 0 || step > k) return HEIST__SIM_END; /* the end joins all */
    out->child = (heist__sim_task){{height - 1, k, 0}};
    return step < k ? HEIST__SIM_SPAWN : HEIST__SIM_CALL;
}

static int make_tree(heist__sim_program *p, const double *v)
{
    p->step = tree_step;
    p->root = (heist__sim_task){{(uint64_t)v[1], (uint64_t)v[0], 0}};
    return only_grain(p, v[2]);
}

/* ---- nqueens: every placement a task. word 0: columns and left diagonals, 1: right diagonals and n, 2: what is free
 * in this row ---- */

static heist__sim_kind nqueens_step(void *state, heist__sim_task *t, uint32_t step, const heist__sim_place *place,
                                    heist__sim_step *out)
{
    (void)place;
    const uint32_t columns = (uint32_t)t->word[0], left = (uint32_t)(t->word[0] >> 32);
    const uint32_t right = (uint32_t)t->word[1], n = (uint32_t)(t->word[1] >> 32), all = (1u << n) - 1;
    out->ps = *(const int64_t *)state;
    if (step == 0) {
        t->word[2] = all & ~(columns | left | right);
        return HEIST__SIM_WORK;
    }
    if (columns == all || t->word[2] == 0) return HEIST__SIM_END;
    const uint32_t bit = (uint32_t)t->word[2] & (0 - (uint32_t)t->word[2]);
    t->word[2] ^= bit;
    out->child.word[0] = (columns | bit) | (uint64_t)((left | bit) << 1 & all) << 32;
    out->child.word[1] = ((right | bit) >> 1) | (uint64_t)n << 32;
    return HEIST__SIM_SPAWN;
}

static int make_nqueens(heist__sim_program *p, const double *v)
{
    p->step = nqueens_step;
    p->root.word[1] = (uint64_t)v[0] << 32;
    return only_grain(p, v[1]);
}

/* ---- batches: a range of equal batches, halved until one is left. word 0: batches ---- */

static heist__sim_kind batch_step(void *state, heist__sim_task *t, uint32_t step, const heist__sim_place *place,
                                  heist__sim_step *out)
{
    (void)place;
    out->ps = *(const int64_t *)state;
    if (step >= 3) return HEIST__SIM_END;
    if (t->word[0] == 1) return step == 0 ? HEIST__SIM_WORK : HEIST__SIM_END;
    out->child.word[0] = step == 0 ? t->word[0] / 2 : t->word[0] - t->word[0] / 2;
    return step == 0 ? HEIST__SIM_SPAWN : step == 1 ? HEIST__SIM_CALL : HEIST__SIM_JOIN;
}

static int make_lfsr(heist__sim_program *p, const double *v)
{
    const double states = ldexp(1, (int)v[0]);
    p->step = batch_step;
    p->root.word[0] = (uint64_t)ceil(states / v[1]);
    return only_grain(p, v[1] * v[2]);
}

static int make_gemm(heist__sim_program *p, const double *v)
{
    const double across = ceil(v[0] / v[1]);
    p->step = batch_step;
    p->root.word[0] = (uint64_t)(across * across);
    p->memory = v[3];
    return only_grain(p, 2 * v[0] * v[0] * v[0] / (across * across) / v[2]); /* flops of a tile by flops a ns */
}

/* ---- tasks from outside: word 0: picoseconds, 1: seed, 2: whether it may have children ---- */

typedef struct {
    double chance, least, most;
} spawning;

static heist__sim_kind plain_step(void *state, heist__sim_task *t, uint32_t step, const heist__sim_place *place,
                                  heist__sim_step *out)
{
    (void)state;
    (void)place;
    out->ps = (int64_t)t->word[0];
    return step == 0 ? HEIST__SIM_WORK : HEIST__SIM_END;
}

/* Half of the work, then with some probability one to three children, then the other half. */
static heist__sim_kind spawning_step(void *state, heist__sim_task *t, uint32_t step, const heist__sim_place *place,
                                     heist__sim_step *out)
{
    (void)place;
    const spawning *s = state;
    const uint64_t seed = t->word[1];
    uint32_t children = heist__sim_drawn(seed) < s->chance ? 1 + (uint32_t)(heist__sim_drawn(seed + 1) * 3) : 0;
    out->ps = (int64_t)(t->word[0] / 2);
    if (step == 0 || step == children + 1) return HEIST__SIM_WORK;
    if (step > children) return HEIST__SIM_END;
    const uint64_t own = heist__random_mix(seed + 2 + step);
    out->child = (heist__sim_task){{(uint64_t)between(own, s->least, s->most), own + 1, 0}};
    return HEIST__SIM_JOB;
}

static int arrivals_of(heist__sim_program *p, size_t count)
{
    p->arrivals = calloc(count, sizeof *p->arrivals);
    p->arrival_count = count;
    return p->arrivals ? 0 : -ENOMEM;
}

/* `first` of the tasks are on worker 0, the others anywhere. */
static int make_arrivals(heist__sim_program *p, size_t count, size_t first, double least, double most, double every,
                         uint64_t seed)
{
    int error = arrivals_of(p, count);
    for (size_t i = 0; !error && i < count; i++) {
        const uint64_t own = heist__random_mix(seed + i);
        p->arrivals[i] = (heist__sim_arrival){PS(every * (double)i),
                                              i < first ? 0 : HEIST__SIM_ANYWHERE,
                                              {{(uint64_t)between(own, least, most), own, 0}}};
    }
    return error;
}

static int make_tasks(heist__sim_program *p, const double *v)
{
    p->step = plain_step;
    return make_arrivals(p, (size_t)v[0], 0, v[1], v[2] > v[1] ? v[2] : v[1], 0, (uint64_t)v[3]);
}

static int make_imbalanced(heist__sim_program *p, const double *v)
{
    p->step = plain_step;
    return make_arrivals(p, (size_t)v[0], (size_t)v[1], v[2], v[3] > v[2] ? v[3] : v[2], 0, (uint64_t)v[4]);
}

static int make_spawning(heist__sim_program *p, const double *v)
{
    spawning *s = malloc(sizeof *s);
    if (!s) return -ENOMEM;
    *s = (spawning){v[1], 0.3e9, 1.0e9};
    p->state = s;
    p->free = free;
    p->step = spawning_step;
    return make_arrivals(p, (size_t)v[0], 0, 1e9, 3e9, v[2], (uint64_t)v[3]);
}

/* ---- the descriptions ---- */

static const char *const loop_shapes[] = {"constant", "random", "triangular", "heavy", NULL};
static const char *const loop_schedules[] = {"static", "steal", "shared", "hybrid", NULL};

/* An option: a number, or one of some words (then the value is the word's number). */
typedef struct {
    const char *key;
    double usual, least, most;
    const char *const *words;
} option;

enum { OPTIONS = 6 };

typedef struct {
    const char *name, *help;
    int (*make)(heist__sim_program *p, const double *v);
    option options[OPTIONS];
} recipe;

#define DAY HEIST__SIM_MOST_NS

static const recipe recipes[] = {
    {"fib",
     "n, grain: fib(n), every call a task of `grain`",
     make_fib,
     {{"n", 30, 0, 45, NULL}, {"grain", 10, 0, DAY, NULL}}},
    {"tree",
     "k, h, grain: a complete k-ary tree of height h",
     make_tree,
     {{"k", 2, 1, 1000, NULL}, {"h", 16, 0, 40, NULL}, {"grain", 100, 0, DAY, NULL}}},
    {"nqueens",
     "n, grain: every placement a task",
     make_nqueens,
     {{"n", 10, 1, 16, NULL}, {"grain", 50, 0, DAY, NULL}}},
    {"uts",
     "tree, grain: a tree of the benchmark UTS: T1 to T5, T1L to T3L, T1S to T5S",
     heist__sim_make_uts,
     {{"tree", 0, 0, 0, heist__sim_uts_words}, {"grain", 100, 0, DAY, NULL}}},
    {"loop",
     "n, grain, shape, schedule, batch, seed: constant, random, triangular or heavy iterations, under static, steal, "
     "shared or hybrid",
     heist__sim_make_loop,
     {{"n", 1e6, 1, 1e8, NULL},
      {"grain", 100, 0, DAY, NULL},
      {"shape", 0, 0, 0, loop_shapes},
      {"schedule", 1, 0, 0, loop_schedules},
      {"batch", 0, 0, 1e8, NULL},
      {"seed", 1, 0, 9e15, NULL}}},
    {"gemm",
     "n, tile, gflops, memory: tiles of C = A*B + C",
     make_gemm,
     {{"n", 1000, 1, 1e5, NULL},
      {"tile", 100, 1, 1e5, NULL},
      {"gflops", 3.5, 0.001, 1e6, NULL},
      {"memory", 0.1, 0, 1, NULL}}},
    {"lfsr",
     "bits, batch, grain: 2^bits states in batches, `grain` a state",
     make_lfsr,
     {{"bits", 20, 1, 40, NULL}, {"batch", 1024, 1, 1e9, NULL}, {"grain", 1, 0, DAY, NULL}}},
    {"tasks",
     "n, least, most, seed: independent tasks on workers that are drawn",
     make_tasks,
     {{"n", 10, 1, 2e7, NULL},
      {"least", 0.5e9, 0, DAY, NULL},
      {"most", 2e9, 0, DAY, NULL},
      {"seed", 1, 0, 9e15, NULL}}},
    {"spawning",
     "n, chance, every, seed: tasks of 1 to 3 s that may spawn one to three of 0.3 to 1 s",
     make_spawning,
     {{"n", 5, 1, 2e7, NULL},
      {"chance", 0.3, 0, 0.49, NULL},
      {"every", 0.5e9, 0, DAY, NULL},
      {"seed", 1, 0, 9e15, NULL}}},
    {"imbalanced",
     "n, first, least, most, seed: independent tasks, `first` of them on worker 0",
     make_imbalanced,
     {{"n", 15, 1, 2e7, NULL},
      {"first", 12, 0, 2e7, NULL},
      {"least", 1e9, 0, DAY, NULL},
      {"most", 2e9, 0, DAY, NULL},
      {"seed", 1, 0, 9e15, NULL}}},
};
enum { RECIPES = sizeof recipes / sizeof *recipes };

const char *heist__sim_program_name(size_t i, const char **help)
{
    if (i >= RECIPES) return NULL;
    *help = recipes[i].help;
    return recipes[i].name;
}

static int refuse(char *error, size_t room, const char *what, const char *word)
{
    snprintf(error, room, "%s: \"%.40s\"", what, word);
    heist__one_line(error);
    return -EINVAL;
}

bool heist__sim_number(const char *text, double *value)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}};
    char *end;
    if (!isdigit((unsigned char)*text) && *text != '.') return false;
    *value = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].unit) != 0) continue;
        *value *= units[i].factor;
        return isfinite(*value);
    }
    return false;
}

static int read_value(const option *o, const char *text, double *value, char *error, size_t room)
{
    for (unsigned i = 0; o->words && o->words[i]; i++) {
        *value = i;
        if (strcmp(o->words[i], text) == 0) return 0;
    }
    if (!o->words && heist__sim_number(text, value) && *value >= o->least && *value <= o->most) return 0;
    snprintf(error, room, "%s is from %.10g to %.10g, not \"%.40s\"", o->key, o->least, o->most, text);
    if (o->words) {
        char words[120] = "";
        for (unsigned i = 0; o->words[i]; i++) {
            const size_t length = strlen(words);
            snprintf(words + length, sizeof words - length, "%s%s", i ? ", " : "", o->words[i]);
        }
        snprintf(error, room, "%s is one of %s; not \"%.40s\"", o->key, words, text);
    }
    heist__one_line(error);
    return -EINVAL;
}

/* "key=value,key=value" */
static int read_options(const recipe *r, char *text, double *values, char *error, size_t room)
{
    for (char *next; text && *text; text = next) {
        next = strchr(text, ',');
        if (next) *next++ = '\0';
        char *value = strchr(text, '=');
        if (!value) return refuse(error, room, "an option of a program is key=value, not", text);
        *value++ = '\0';
        unsigned i = 0;
        while (i < OPTIONS && r->options[i].key && strcmp(r->options[i].key, text) != 0) i++;
        if (i == OPTIONS || !r->options[i].key) {
            snprintf(error, room, "%s has no option \"%.40s\"; it has %.120s", r->name, text, r->help);
            heist__one_line(error);
            return -EINVAL;
        }
        int result = read_value(&r->options[i], value, &values[i], error, room);
        if (result) return result;
    }
    return 0;
}

static const recipe *recipe_called(const char *name, size_t length)
{
    for (const recipe *r = recipes; r < recipes + RECIPES; r++) {
        if (strlen(r->name) == length && memcmp(r->name, name, length) == 0) return r;
    }
    return NULL;
}

bool heist__sim_program_has_grain(const char *text)
{
    const recipe *r = recipe_called(text, strcspn(text, ":"));
    for (unsigned i = 0; r && i < OPTIONS && r->options[i].key; i++) {
        if (strcmp(r->options[i].key, "grain") == 0) return true;
    }
    return false;
}

static int make(heist__sim_program *p, char *text, char *error, size_t room)
{
    char *options = strchr(text, ':');
    double values[OPTIONS];
    if (options) *options++ = '\0';
    const recipe *r = recipe_called(text, strlen(text));
    if (!r) return refuse(error, room, "--list has no program called", text);
    for (unsigned i = 0; i < OPTIONS; i++) values[i] = r->options[i].usual;
    int result = read_options(r, options, values, error, room);
    if (result) return result;
    result = r->make(p, values);
    if (result) snprintf(error, room, "no memory for the program");
    return result;
}

int heist__sim_program_make(heist__sim_program *p, const char *text, char *error, size_t room)
{
    *p = (heist__sim_program){0};
    char *copy = strdup(text);
    int result = copy ? make(p, copy, error, room) : -ENOMEM;
    if (!copy) snprintf(error, room, "no memory for the program");
    free(copy);
    snprintf(p->name, sizeof p->name, "%.63s", text);
    heist__one_line(p->name);
    if (result) heist__sim_program_free(p);
    return result;
}

void heist__sim_program_free(heist__sim_program *p)
{
    if (p->free && p->state) p->free(p->state);
    free(p->arrivals);
    p->state = NULL;
    p->arrivals = NULL;
    p->arrival_count = 0;
}
