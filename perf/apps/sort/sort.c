/* The serial parts of the sort, its input and its check. */
#include "apps/sort/sort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- merging ---- */

/* The loops below choose without branching: which run has the lesser key is a toss-up, and a branch on it is wrong
 * half the time. They go from both ends at once, which is two chains that do not wait for each other. */
struct ends {
    const uint64_t *a, *b;   /* next from the front */
    const uint64_t *az, *bz; /* behind the next from the back */
    uint64_t *to, *to_z;
};

static inline void merge_step_front(struct ends *e)
{
    uint64_t a = *e->a, b = *e->b;
    size_t from_b = b < a;
    *e->to++ = from_b ? b : a;
    e->b += from_b;
    e->a += from_b ^ 1;
}

static inline void merge_step_back(struct ends *e)
{
    uint64_t a = e->az[-1], b = e->bz[-1];
    size_t from_b = b >= a;
    *--e->to_z = from_b ? b : a;
    e->bz -= from_b;
    e->az -= from_b ^ 1;
}

void sort_merge_serially(const struct sort_merge *m)
{
    struct ends e = {m->a, m->b, m->a + m->a_count, m->b + m->b_count, m->to, m->to + sort_merge_size(m)};
    /* As many steps from each end as cannot use up either run: of two halves, all. */
    size_t sure = m->b_count - m->a_count <= 1 ? m->a_count : 0;
    do {
        for (; sure > 0; sure--) {
            merge_step_front(&e);
            merge_step_back(&e);
        }
        size_t a_left = (size_t)(e.az - e.a), b_left = (size_t)(e.bz - e.b);
        sure = (a_left < b_left ? a_left : b_left) / 2;
    } while (sure > 0);
    while (e.a < e.az && e.b < e.bz) merge_step_front(&e);
    while (e.a < e.az) *e.to++ = *e.a++;
    while (e.b < e.bz) *e.to++ = *e.b++;
}

/* Returns how many of the first `count` keys of the result are from a. The least number that fits: equal keys of b come
 * before those of a, which makes no difference here. */
static size_t share_of_a(const struct sort_merge *m, size_t count)
{
    size_t least = count > m->b_count ? count - m->b_count : 0;
    size_t most = count < m->a_count ? count : m->a_count;
    while (least < most) {
        size_t share = least + (most - least) / 2;
        if (m->a[share] < m->b[count - share - 1])
            least = share + 1;
        else
            most = share;
    }
    return least;
}

void sort_merge_cut(const struct sort_merge *m, struct sort_merge *lower, struct sort_merge *upper)
{
    size_t count = sort_merge_size(m) / 2, from_a = share_of_a(m, count), from_b = count - from_a;
    *lower = (struct sort_merge){m->a, m->b, from_a, from_b, m->to};
    *upper = (struct sort_merge){m->a + from_a, m->b + from_b, m->a_count - from_a, m->b_count - from_b, m->to + count};
}

/* ---- sorting ---- */

/* Puts two keys in order, without a branch. */
#define IN_ORDER(i, j)                                                                                                 \
    do {                                                                                                               \
        uint64_t less = k[j] < k[i] ? k[j] : k[i], more = k[j] < k[i] ? k[i] : k[j];                                   \
        k[i] = less;                                                                                                   \
        k[j] = more;                                                                                                   \
    } while (0)

/* Up to eight keys, by the shortest network for eight. Written out, so that the keys stay in registers. */
static void sort_few(const uint64_t *keys, size_t n, uint64_t *to)
{
    uint64_t k[8];
    for (size_t i = 0; i < 8; i++) k[i] = i < n ? keys[i] : UINT64_MAX;
    /* clang-format off */
    IN_ORDER(0, 2); IN_ORDER(1, 3); IN_ORDER(4, 6); IN_ORDER(5, 7);
    IN_ORDER(0, 4); IN_ORDER(1, 5); IN_ORDER(2, 6); IN_ORDER(3, 7);
    IN_ORDER(0, 1); IN_ORDER(2, 3); IN_ORDER(4, 5); IN_ORDER(6, 7);
    IN_ORDER(2, 4); IN_ORDER(3, 5);
    IN_ORDER(1, 4); IN_ORDER(3, 6);
    IN_ORDER(1, 2); IN_ORDER(3, 4); IN_ORDER(5, 6);
    /* clang-format on */
    for (size_t i = 0; i < n; i++) to[i] = k[i];
}

void sort_serially(uint64_t *keys, uint64_t *spare, size_t n, bool into_spare)
{
    if (n <= 8) {
        sort_few(keys, n, into_spare ? spare : keys);
        return;
    }
    sort_serially(keys, spare, n / 2, !into_spare);
    sort_serially(keys + n / 2, spare + n / 2, n - n / 2, !into_spare);
    struct sort_merge m = sort_merge_halves(into_spare ? keys : spare, n, into_spare ? spare : keys);
    sort_merge_serially(&m);
}

/* ---- the problem ---- */

/* Spawns of a merge, and of a sort, of s and of s + 1 keys. Halving either gives sizes of one such pair again. */
struct spawns {
    uint64_t merge[2], sort[2];
};

static struct spawns spawns_of(size_t s, size_t cutoff)
{
    struct spawns of = {{0, 0}, {0, 0}};
    if (s + 1 <= cutoff) return of;
    struct spawns half = spawns_of(s / 2, cutoff);
    for (size_t more = 0; more < 2; more++) {
        size_t n = s + more, low = n / 2 - s / 2, high = n - n / 2 - s / 2;
        if (n <= cutoff) continue;
        of.merge[more] = 1 + half.merge[low] + half.merge[high];
        of.sort[more] = 1 + half.sort[low] + half.sort[high] + of.merge[more];
    }
    return of;
}

/* Spreads every bit of x over the word (the finisher of splitmix64). */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The inputs. Each shows another extreme to the merges and to the cuts that divide them. */
static uint64_t random_key(size_t i, size_t n)
{
    (void)n;
    return mixed((i + 1) * 0x9e3779b97f4a7c15u);
}
static uint64_t ascending_key(size_t i, size_t n)
{
    (void)n;
    return i;
}
static uint64_t descending_key(size_t i, size_t n)
{
    return n - i;
}
static uint64_t equal_key(size_t i, size_t n)
{
    (void)i, (void)n;
    return UINT64_MAX;
}
static uint64_t one_of_few_keys(size_t i, size_t n)
{
    return random_key(i, n) % 4;
}

static const struct {
    const char *name;
    uint64_t (*key)(size_t i, size_t n);
} inputs[] = {
    {"random", random_key}, {"ascending", ascending_key}, {"descending", descending_key},
    {"equal", equal_key},   {"few", one_of_few_keys},
};

bool sort_make_input(const char *name, uint64_t *keys, size_t n)
{
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
        if (strcmp(inputs[k].name, name) != 0) continue;
        for (size_t i = 0; i < n; i++) keys[i] = inputs[k].key(i, n);
        return true;
    }
    return false;
}

uint64_t sort_fingerprint(const uint64_t *keys, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += mixed(keys[i] + 0x9e3779b97f4a7c15u);
    return sum;
}

void sort_verify(const uint64_t *keys, size_t n, uint64_t fingerprint, char *says, size_t room)
{
    for (size_t i = 1; i < n; i++) {
        if (keys[i] >= keys[i - 1]) continue;
        snprintf(says, room, "key %zu is less than the one before it", i);
        return;
    }
    bool same = sort_fingerprint(keys, n) == fingerprint;
    snprintf(says, room, "%s", same ? "ok" : "sorted, but not the keys of the input");
}

static int read_numbers(const struct perf_input *input, struct sort_job *job, char *error, size_t room)
{
    long n, cutoff;
    int result = perf_number(input->size, "number of keys", 0, SORT_MOST, &n, error, room);
    if (!result) result = perf_number(perf_setting(input, "cutoff"), "cut-off", 1, SORT_MOST, &cutoff, error, room);
    if (result) return result;
    job->n = (size_t)n;
    job->cutoff = (size_t)cutoff;
    job->tasks = spawns_of(job->n, job->cutoff).sort[0];
    return 0;
}

int sort_prepare(const struct perf_input *input, struct sort_job *job, char *error, size_t room)
{
    int result = read_numbers(input, job, error, room);
    if (result) return result;
    job->input = calloc(job->n + 1, sizeof *job->input); /* one more: 0 is also a number of keys */
    job->keys = calloc(job->n + 1, sizeof *job->keys);
    job->spare = calloc(job->n + 1, sizeof *job->spare);
    if (!job->input || !job->keys || !job->spare) {
        snprintf(error, room, "no memory for three times %zu keys", job->n);
        result = -ENOMEM;
    } else if (!sort_make_input(perf_setting(input, "input"), job->input, job->n)) {
        snprintf(error, room, "there is no input '%s'", perf_setting(input, "input"));
        result = -EINVAL;
    }
    if (result) {
        sort_discard(job);
    } else {
        job->fingerprint = sort_fingerprint(job->input, job->n);
    }
    return result;
}

void sort_reset(void *state)
{
    struct sort_job *job = state;
    memcpy(job->keys, job->input, job->n * sizeof *job->keys);
    /* The last run left the result of this run here: without this, a merge that did not wait would go unnoticed. */
    memset(job->spare, 0, job->n * sizeof *job->spare);
}

void sort_check(void *state, struct perf_outcome *outcome)
{
    struct sort_job *job = state;
    outcome->tasks = job->tasks;
    sort_verify(job->keys, job->n, job->fingerprint, outcome->check, sizeof outcome->check);
}

void sort_discard(void *state)
{
    struct sort_job *job = state;
    free(job->input);
    free(job->keys);
    free(job->spare);
}
