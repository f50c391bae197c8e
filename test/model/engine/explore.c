/* Which step next. Exhaustive: depth first over all steps that the bounds allow, cut where a state has been before with
 * no more of the bounds used. Random: runs from a seed, without bounds. Replay: the steps of a run that is given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "world.h"

static uint64_t transitions, schedules, ends, longest;
static snapshot first;

/* ---- the steps of a state ---- */

enum { MOST_STEPS = THREADS * (MESSAGES + 2) };

static unsigned steps_of_thread(int t, step *out)
{
    unsigned n = 0;
    uint8_t choices[64];
    bool memory = now.threads[t].next.kind >= OP_LOAD && now.threads[t].next.kind <= OP_CAS;
    bool preempts = now.running >= 0 && now.running != t;
    if (preempts && limits.preemptions >= 0 && now.preempted >= limits.preemptions) return 0;
    unsigned count = thread_choices(t, choices);
    for (unsigned i = 0; i < count; i++)
        out[n++] = (step){(uint8_t)t, choices[i], 0, memory && choices[i] > 0, preempts};
    return n;
}

static unsigned steps_now(step *out)
{
    unsigned n = 0;
    for (int t = 0; t < thread_count; t++) {
        if (now.threads[t].interrupted_by) out[n++] = (step){(uint8_t)t, 0, 1, 0, 0};
    }
    int begin = now.running >= 0 ? now.running : 0;
    for (int i = 0; i < thread_count; i++) {
        int t = (begin + i) % thread_count;
        if (thread_enabled(t)) n += steps_of_thread(t, out + n);
    }
    return n;
}

static void perform(const step *s)
{
    if (s->interrupt) {
        thread_interrupt(s->thread);
    } else {
        now.preempted = (uint16_t)(now.preempted + s->is_preemption);
        if (limits.stale >= 0) now.stale = (uint16_t)(now.stale + s->is_stale);
        now.running = (int8_t)s->thread;
        thread_step(s->thread, s->choice);
    }
    if (!failure[0]) state_normalise();
}

static void look_at_end(void)
{
    unsigned blocked = 0;
    for (int t = 0; t < thread_count; t++) {
        if (!now.threads[t].done) blocked |= 1u << t;
    }
    ends++;
    model_end(blocked);
}

/* ---- a run as text ---- */

/* A digit for the thread; before it ~ for a membarrier that reaches it; after it a letter for a choice but the
 * first. */
static void print_run(const step *run, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (run[i].interrupt) putchar('~');
        putchar('0' + run[i].thread);
        if (run[i].choice) putchar('a' + run[i].choice);
    }
    putchar('\n');
}

static size_t parse_run(const char *text, step *out, size_t room)
{
    size_t n = 0;
    while (*text && n < room) {
        step s = {0};
        if (*text == '~') {
            s.interrupt = 1;
            text++;
        }
        s.thread = (uint8_t)(*text++ - '0');
        if (*text >= 'a' && *text <= 'z') s.choice = (uint8_t)(*text++ - 'a');
        out[n++] = s;
    }
    return n;
}

static void report(const step *run, size_t length)
{
    char why[sizeof failure];
    snprintf(why, sizeof why, "%s", failure);
    failure[0] = 0;
    state_restore(&first);
    table_begin();
    for (size_t i = 0; i < length; i++) {
        step s = run[i];
        bool memory =
            !s.interrupt && now.threads[s.thread].next.kind >= OP_LOAD && now.threads[s.thread].next.kind <= OP_CAS;
        s.is_stale = memory && s.choice > 0;
        table_step(&s, (int)i + 1);
        perform(&s);
        table_result(&s);
    }
    printf("failed: %s\nreplay: ", why);
    print_run(run, length);
    snprintf(failure, sizeof failure, "%s", why);
}

/* ---- exhaustive ---- */

static uint64_t *keys;
static uint16_t *used; /* fewest preemptions with which the state was reached, + 1 */
static uint64_t key_mask, key_count;

static void keys_grow(void)
{
    uint64_t *old_keys = keys, old_room = keys ? key_mask + 1 : 0;
    uint16_t *old_used = used;
    uint64_t room = old_room ? old_room * 4 : 1 << 16;
    keys = calloc(room, sizeof *keys);
    used = calloc(room, sizeof *used);
    if (!keys || !used) abort();
    key_mask = room - 1;
    for (uint64_t i = 0; i < old_room; i++) {
        if (!old_keys[i]) continue;
        uint64_t at = old_keys[i] & key_mask;
        while (keys[at]) at = (at + 1) & key_mask;
        keys[at] = old_keys[i];
        used[at] = old_used[i];
    }
    free(old_keys);
    free(old_used);
}

/* False: has been here before, with as much of the bounds left. */
static bool is_new(uint64_t key, uint16_t preempted)
{
    if (2 * key_count >= key_mask) keys_grow();
    uint64_t at = key & key_mask;
    for (; keys[at]; at = (at + 1) & key_mask) {
        if (keys[at] != key) continue;
        if (used[at] <= preempted) return false;
        used[at] = preempted;
        return true;
    }
    keys[at] = key;
    used[at] = preempted;
    key_count++;
    return true;
}

typedef struct {
    snapshot here;
    step steps[MOST_STEPS];
    unsigned count, next;
} level;

enum { DEEPEST = 20000 };
static level *levels[DEEPEST];
static size_t depth;

/* ---- alone ---- */

/* A thread that has taken so many steps of its own will not end. */
enum { ALONE_STEPS = 400 };
static step alone_run[ALONE_STEPS];
static unsigned alone_length; /* of the run that failed */

/* The next step of thread t if all others stand still: loads return what is newest, guesses come out as `guess`, and a
 * membarrier reaches those that stand still. */
static step alone_step(int t, bool guess)
{
    for (int u = 0; u < thread_count; u++) {
        if (now.threads[u].interrupted_by) return (step){.thread = (uint8_t)u, .interrupt = 1};
    }
    const op *o = &now.threads[t].next;
    return (step){.thread = (uint8_t)t, .choice = o->kind == OP_CHOOSE && guess ? (uint8_t)(o->value - 1) : 0};
}

/* Runs thread t alone from the state `from`, to which the world returns. */
static void run_alone(int t, bool guess, const snapshot *from)
{
    static snapshot here;
    uint64_t seen = 0;
    unsigned n = 0, remember = 1;
    while (!failure[0] && !abandoned && now.threads[t].must_end && !now.threads[t].done) {
        step s = alone_step(t, guess);
        model_check(s.interrupt || thread_enabled(t), "thread %d waits where it may wait for nobody", t);
        if (failure[0]) break;
        alone_run[n++] = s;
        perform(&s);
        state_save(&here);
        uint64_t hash = state_hash(&here);
        model_check(hash != seen && n < ALONE_STEPS, "all others stand still, and thread %d goes round for ever", t);
        if (n == remember) {
            seen = hash;
            remember *= 2;
        }
    }
    if (failure[0]) {
        alone_length = n;
        return;
    }
    abandoned = false;
    state_restore(from);
}

/* Whether every thread that must can end alone. */
static void check_alone(const snapshot *from)
{
    for (int t = 0; t < thread_count && !failure[0]; t++) {
        if (!now.threads[t].must_end || now.threads[t].done) continue;
        run_alone(t, false, from);
        if (!failure[0]) run_alone(t, true, from);
    }
}

/* Takes the state that the run has come to, if there is more to see in it. */
static bool enter(void)
{
    static snapshot spare;
    if (abandoned) {
        abandoned = false;
        return false;
    }
    if (!failure[0]) model_always();
    if (failure[0]) return false;
    state_save(&spare);
    if (!is_new(state_hash(&spare), now.preempted)) return false;
    if (depth == DEEPEST) {
        fprintf(stderr, "a run of more than %d steps\n", DEEPEST);
        exit(3);
    }
    if (!levels[depth]) levels[depth] = calloc(1, sizeof(level));
    level *l = levels[depth];
    snapshot swap = l->here;
    l->here = spare;
    spare = swap;
    check_alone(&l->here);
    if (failure[0]) return false;
    l->count = steps_now(l->steps);
    l->next = 0;
    if (l->count == 0) {
        bool stuck = true; /* or the bounds alone hold it here */
        for (int t = 0; t < thread_count; t++) stuck &= !thread_enabled(t);
        if (stuck) look_at_end();
        return false;
    }
    depth++;
    if (depth > longest) longest = depth;
    return true;
}

static bool explore(uint64_t most_states)
{
    bool here = enter(); /* whether the world is in the state of the top level */
    while (depth && !failure[0] && key_count <= most_states) {
        level *l = levels[depth - 1];
        if (l->next == l->count) {
            depth--;
            here = false;
            continue;
        }
        if (!here) state_restore(&l->here);
        const step *s = &l->steps[l->next++];
        transitions++;
        perform(s);
        here = enter();
        if (!here) schedules++;
    }
    if (failure[0]) {
        step *run = calloc(depth + ALONE_STEPS, sizeof *run);
        for (size_t i = 0; i < depth; i++) run[i] = levels[i]->steps[levels[i]->next - 1];
        memcpy(run + depth, alone_run, alone_length * sizeof *run);
        report(run, depth + alone_length);
        free(run);
    }
    return key_count <= most_states;
}

/* ---- random ---- */

static uint64_t random_state;

static unsigned below(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)((random_state >> 33) % n);
}

/* Mostly goes on with the thread that runs and mostly reads what is newest: that is where long runs come from. */
static unsigned pick(const step *steps, unsigned count, unsigned restless, unsigned stale)
{
    for (int tries = 0; tries < 8; tries++) {
        unsigned i = below(count);
        if (steps[i].is_stale && below(16) >= stale) continue;
        if (now.running >= 0 && steps[i].thread != now.running && below(16) >= restless) continue;
        return i;
    }
    return below(count);
}

static void random_runs(uint64_t runs, uint64_t seed, size_t longest_run)
{
    step *run = calloc(longest_run, sizeof *run), steps[MOST_STEPS];
    for (uint64_t n = 0; n < runs && !failure[0]; n++) {
        random_state = (seed + n + 1) * UINT64_C(0x9e3779b97f4a7c15);
        unsigned restless = 1 + below(8), stale = below(8);
        state_restore(&first);
        size_t length = 0;
        for (;;) {
            unsigned count = steps_now(steps);
            if (count == 0 || length == longest_run) {
                if (count == 0) look_at_end();
                break;
            }
            unsigned i = pick(steps, count, restless, stale);
            run[length++] = steps[i];
            perform(&steps[i]);
            transitions++;
            if (abandoned) {
                abandoned = false;
                break;
            }
            if (!failure[0]) model_always();
            if (failure[0]) break;
        }
        if (length > longest) longest = length;
        schedules++;
        if (failure[0]) {
            printf("seed %llu\n", (unsigned long long)(seed + n));
            report(run, length);
        }
    }
    free(run);
}

/* ---- the program ---- */

static char scenario[512];

static const char *word_of_scenario(const char *name)
{
    size_t length = strlen(name);
    for (const char *p = scenario; *p;) {
        if (!strncmp(p, name, length) && (p[length] == '=' || p[length] == ' ' || !p[length])) return p + length;
        p = strchr(p, ' ');
        if (!p) break;
        p++;
    }
    return NULL;
}

long model_number(const char *name, long otherwise)
{
    const char *value = word_of_scenario(name);
    if (!value) return otherwise;
    return *value == '=' ? strtol(value + 1, NULL, 0) : 1;
}

const char *model_text(const char *name, const char *otherwise)
{
    const char *value = word_of_scenario(name);
    if (!value || *value != '=') return otherwise;
    size_t length = strcspn(value + 1, " ");
    char *copy = calloc(1, length + 1);
    return copy ? memcpy(copy, value + 1, length) : otherwise;
}

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [option...] [word of the scenario...]\n"
            "  --preemptions N  switches away from a thread that could go on, per run (default: any number)\n"
            "  --stale N        loads that return, and stores that slip behind, another's store, per run (any number)\n"
            "  --window N       how far back a load may look (%d)\n"
            "  --split          a membarrier reaches each thread at a time of its own\n"
            "  --late-sc        a seq_cst store may come late in the order of such accesses; counts as stale\n"
            "  --states N       give up after so many states\n"
            "  --random N       N random runs in place of all runs; --seed N\n"
            "  --replay RUN     shows one run, as printed by a failure\n",
            program, MESSAGES);
    exit(2);
}

int main(int argc, char **argv)
{
    uint64_t most_states = 100000000, runs = 0, seed = 1;
    const char *replay = NULL;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(a, "--split")) {
            limits.split_barriers = true;
            continue;
        }
        if (!strcmp(a, "--late-sc")) {
            limits.late_sc = true;
            continue;
        }
        if (strncmp(a, "--", 2)) {
            size_t n = strlen(scenario);
            snprintf(scenario + n, sizeof scenario - n, "%s%s", n ? " " : "", a);
            continue;
        }
        if (!v) usage(argv[0]);
        if (!strcmp(a, "--preemptions"))
            limits.preemptions = atoi(v);
        else if (!strcmp(a, "--stale"))
            limits.stale = atoi(v);
        else if (!strcmp(a, "--window"))
            limits.window = atoi(v);
        else if (!strcmp(a, "--states"))
            most_states = strtoull(v, NULL, 0);
        else if (!strcmp(a, "--random"))
            runs = strtoull(v, NULL, 0);
        else if (!strcmp(a, "--seed"))
            seed = strtoull(v, NULL, 0);
        else if (!strcmp(a, "--replay"))
            replay = v;
        else
            usage(argv[0]);
        i++;
    }
    clock_t began = clock();
    model_setup();
    memcpy(arena_first, arena, sizeof arena);
    threads_start();
    state_normalise();
    state_save(&first);
    bool whole = true;
    if (replay) {
        step *run = calloc(strlen(replay) + 1, sizeof *run);
        size_t length = parse_run(replay, run, strlen(replay) + 1);
        for (size_t i = 0; i < length && !failure[0]; i++) {
            perform(&run[i]);
            if (!failure[0]) model_always();
        }
        step steps[MOST_STEPS];
        if (!failure[0] && steps_now(steps) == 0) look_at_end();
        report(run, length);
        free(run);
    } else if (runs) {
        random_runs(runs, seed, 2000);
    } else {
        whole = explore(most_states);
    }
    printf("%s: %s: %s: states %llu, steps %llu, schedules %llu, ends %llu, longest %llu, cut %llu, seconds %.2f\n",
           model_harness_name, scenario,
           failure[0] ? "FAILED"
           : whole    ? "ok"
                      : "GAVE UP",
           (unsigned long long)key_count, (unsigned long long)transitions, (unsigned long long)schedules,
           (unsigned long long)ends, (unsigned long long)longest, (unsigned long long)forgotten,
           (double)(clock() - began) / CLOCKS_PER_SEC);
    return failure[0] ? 1 : whole ? 0 : 2;
}
