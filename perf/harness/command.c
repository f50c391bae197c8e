/* Reads the command line. Every error is found here, before anything runs: one line on stderr, exit 2. */
#include "harness/command.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <heist/version.h>

#include "harness/machine.h"

#define USUAL_RUNS 7
#define QUICK_RUNS 2
#define USUAL_LIMIT 300
#define SENSIBLE_WORKERS_PER_CPU 32

/* The words of the command line, not yet interpreted. */
struct words {
    const char *workload;
    const char *size, *workers, *against, *runs, *format, *out, *limit;
    bool quick, help;
    struct {
        const char *name, *value;
    } others[PERF_MOST_OPTIONS];
    size_t other_count;
};

enum perf_reading perf_complain(const char *format, ...)
{
    char line[6000]; /* a path may be long */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = '?'; /* stays one line for any input */
    fprintf(stderr, "heist-perf: %s\n", line);
    return PERF_BAD;
}

void perf_give_up(const char *why)
{
    perf_complain("%s", why);
    exit(2);
}

/* Every allocated block. */
static struct block {
    struct block *before;
    max_align_t memory[];
} * blocks;

void perf_release(void)
{
    while (blocks) {
        struct block *before = blocks->before;
        free(blocks);
        blocks = before;
    }
}

void *perf_allocate(size_t count, size_t size)
{
    struct block *block =
        size && count > (SIZE_MAX - sizeof *block) / size ? NULL : calloc(1, sizeof *block + count * size);
    if (!block) perf_give_up("no memory");
    static bool registered;
    if (!registered) registered = atexit(perf_release) == 0;
    block->before = blocks;
    blocks = block;
    return block->memory;
}

char *perf_copy(const char *text, size_t length)
{
    char *copy = perf_allocate(length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

const struct perf_workload *perf_find_workload(const char *name)
{
    for (const struct perf_workload *const *w = perf_workloads; *w; w++)
        if (strcmp((*w)->name, name) == 0) return *w;
    return NULL;
}

int perf_runtime_place(const char *name)
{
    for (int i = 0; perf_runtimes[i].name; i++)
        if (strcmp(perf_runtimes[i].name, name) == 0) return i;
    return -1;
}

const struct perf_offer *perf_find_offer(const struct perf_workload *workload, const char *runtime)
{
    for (const struct perf_offer *o = perf_offers; o->workload; o++)
        if (strcmp(o->workload, workload->name) == 0 && strcmp(o->runtime, runtime) == 0) return o;
    return NULL;
}

bool perf_option_matters(const struct perf_option *option, const char *runtime, const char *size)
{
    if (option->matters && !option->matters(size)) return false;
    if (!option->only) return true;
    size_t length = strlen(runtime);
    for (const char *at = option->only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, runtime, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    return false;
}

/* ---- words ---- */

static const char **plain_option(struct words *words, const char *name)
{
    const struct {
        const char *name;
        const char **value;
    } known[] = {{"size", &words->size},  {"workers", &words->workers}, {"against", &words->against},
                 {"runs", &words->runs},  {"format", &words->format},   {"out", &words->out},
                 {"limit", &words->limit}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) return known[i].value;
    return NULL;
}

static bool is_option_of(const char *workload, const char *name)
{
    const struct perf_workload *w = workload ? perf_find_workload(workload) : NULL;
    for (const struct perf_option *o = w ? w->options : NULL; o && o->name; o++)
        if (strcmp(o->name, name) == 0) return true;
    return false;
}

/* Takes `--name value` or `--name=value` at argv[*at]. */
static enum perf_reading read_option(struct words *words, char **argv, int *at)
{
    char *name = argv[*at] + 2, *value = strchr(name, '=');
    if (value) *value++ = '\0';
    const char **plain = plain_option(words, name);
    bool other = !plain && is_option_of(words->workload, name);
    if (!plain && !other) {
        if (strcmp(name, "version") == 0 || strcmp(name, "list") == 0) return perf_complain("--%s stands alone", name);
        if (words->workload && perf_find_workload(words->workload))
            return perf_complain("%s has no option --%s; see heist-perf %s --help", words->workload, name,
                                 words->workload);
        return perf_complain("there is no option --%s; see heist-perf --help", name);
    }
    if (!value) value = argv[*at + 1] ? argv[++*at] : NULL;
    if (!value) return perf_complain("--%s wants a value", name);
    if (plain) {
        if (*plain) return perf_complain("--%s is given twice", name);
        *plain = value;
        return PERF_GO_ON;
    }
    for (size_t i = 0; i < words->other_count; i++)
        if (strcmp(words->others[i].name, name) == 0) return perf_complain("--%s is given twice", name);
    words->others[words->other_count].name = name;
    words->others[words->other_count++].value = value;
    return PERF_GO_ON;
}

static enum perf_reading read_words(struct words *words, int argc, char **argv)
{
    /* Finds the workload first, at any position: it determines the options. */
    for (int i = 1; i < argc && !words->workload; i++) {
        const char *before = argv[i - 1];
        bool is_value =
            i > 1 && strncmp(before, "--", 2) == 0 && !strchr(before, '=') && plain_option(words, before + 2) != NULL;
        if (argv[i][0] != '-' && !is_value) words->workload = argv[i];
    }
    bool seen = false;
    for (int i = 1; i < argc; i++) {
        enum perf_reading reading = PERF_GO_ON;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            words->help = true;
        } else if (strcmp(argv[i], "--quick") == 0) {
            words->quick = true;
        } else if (strncmp(argv[i], "--", 2) == 0 && argv[i][2]) {
            reading = read_option(words, argv, &i);
        } else if (argv[i][0] == '-') {
            reading = perf_complain("there is no option %s; see heist-perf --help", argv[i]);
        } else if (seen) {
            reading = perf_complain("one workload at a time: %s, or %s?", words->workload, argv[i]);
        } else {
            seen = true;
        }
        if (reading != PERF_GO_ON) return reading;
    }
    return PERF_GO_ON;
}

/* ---- lists ---- */

/* Splits at commas. A repeated item is left out. */
static enum perf_reading split(const char *what, const char *text, struct perf_list *list)
{
    size_t most = 1;
    for (const char *c = text; *c; c++) most += *c == ',';
    list->items = perf_allocate(most, sizeof *list->items);
    list->count = 0;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (length == 0) return perf_complain("%s: there is nothing between two commas, or nothing at all", what);
        if (length > 250) return perf_complain("%s: '%.20s...' is too long", what, at);
        char *item = perf_copy(at, length);
        bool known = false;
        for (size_t i = 0; i < list->count; i++) known = known || strcmp(list->items[i], item) == 0;
        if (!known) list->items[list->count++] = item;
        at += length;
        if (*at == '\0') return PERF_GO_ON;
    }
}

/* ---- meaning of the words ---- */

static enum perf_reading read_sizes(struct perf_job *job, const char *text)
{
    char error[300] = "";
    if (split("--size", text, &job->sizes) != PERF_GO_ON) return PERF_BAD;
    for (size_t i = 0; i < job->sizes.count; i++) {
        if (job->workload->valid_size && job->workload->valid_size(job->sizes.items[i], error, sizeof error))
            return perf_complain("%s: %s", job->workload->name, error);
    }
    return PERF_GO_ON;
}

static enum perf_reading read_values(struct perf_job *job, const struct words *words)
{
    char error[300] = "";
    const struct perf_option *options = job->workload->options;
    for (size_t i = 0; options && options[i].name; i++) {
        const char *text = options[i].preset;
        for (size_t k = 0; k < words->other_count; k++)
            if (strcmp(words->others[k].name, options[i].name) == 0) text = words->others[k].value;
        if (options[i].list) {
            char what[64];
            snprintf(what, sizeof what, "--%s", options[i].name);
            if (split(what, text, &job->values[i]) != PERF_GO_ON) return PERF_BAD;
        } else {
            if (strlen(text) > 2000) return perf_complain("--%s: '%.20s...' is too long", options[i].name, text);
            job->values[i].items = perf_allocate(1, sizeof(char *));
            job->values[i].items[0] = perf_copy(text, strlen(text));
            job->values[i].count = 1;
        }
        for (size_t k = 0; options[i].valid && k < job->values[i].count; k++)
            if (options[i].valid(job->values[i].items[k], error, sizeof error))
                return perf_complain("--%s: %s", options[i].name, error);
    }
    return PERF_GO_ON;
}

/* 1, 2, 4 ... and the default size of a pool. */
static void usual_workers(char *text, size_t room, long most)
{
    size_t used = 0;
    for (long n = 1; n < most && used + 24 < room; n *= 2)
        used += (size_t)snprintf(text + used, room - used, "%ld,", n);
    snprintf(text + used, room - used, "%ld", most);
}

static enum perf_reading read_workers(struct perf_job *job, const char *given, long usual)
{
    char error[300], text[256];
    long cpus = sysconf(_SC_NPROCESSORS_ONLN), number;
    long most = (cpus > 2 ? cpus : 2) * SENSIBLE_WORKERS_PER_CPU;
    if (most > 4096) most = 4096;
    usual_workers(text, sizeof text, usual);
    if (!given) given = job->workload->workers ? job->workload->workers : text;
    if (split("--workers", given, &job->workers) != PERF_GO_ON) return PERF_BAD;
    size_t enough = 0, all = job->workers.count;
    for (size_t i = 0; i < all; i++) {
        if (perf_number(job->workers.items[i], "--workers", 1, most, &number, error, sizeof error))
            return perf_complain("%s (more than %d for each CPU make no sense)", error, SENSIBLE_WORKERS_PER_CPU);
        if (number >= (long)job->workload->least_workers) job->workers.items[enough++] = job->workers.items[i];
    }
    job->workers.count = enough;
    if (enough == 0)
        return perf_complain("%s wants at least %u workers", job->workload->name, job->workload->least_workers);
    if (enough < all)
        perf_complain("%s wants at least %u workers: what is less is left out", job->workload->name,
                      job->workload->least_workers);
    return PERF_GO_ON;
}

/* The runtimes of this build that have a program for one of the jobs, for messages. */
static const char *built(const struct perf_command *command, char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; perf_runtimes[i].name; i++) {
        bool has = false;
        for (size_t k = 0; k < command->job_count; k++)
            has = has || perf_find_offer(command->jobs[k].workload, perf_runtimes[i].name);
        if (has && used < room)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", perf_runtimes[i].name);
    }
    return text;
}

static enum perf_reading read_runtimes(struct perf_command *command, const char *text)
{
    struct perf_list list;
    char names[200] = "";
    command->runtimes[perf_runtime_place("heist")] = true;
    if (!text) { /* a runtime that the user did not name may be absent */
        command->runtimes[perf_runtime_place("serial")] = true;
        return PERF_GO_ON;
    }
    if (split("--against", text, &list) != PERF_GO_ON) return PERF_BAD;
    for (size_t i = 0; i < list.count; i++) {
        const char *name = list.items[i];
        if (strcmp(name, "none") == 0 && list.count == 1) break;
        if (strcmp(name, "none") == 0) return perf_complain("--against: none stands alone");
        if (strcmp(name, "all") == 0) {
            for (int k = 0; perf_runtimes[k].name; k++) command->runtimes[k] = true;
            continue;
        }
        int place = perf_runtime_place(name);
        if (place < 0) return perf_complain("--against: there is no runtime '%s'", name);
        if (perf_runtimes[place].missing)
            return perf_complain("--against: %s is not in this build: %s", name, perf_runtimes[place].missing);
        bool offered = false;
        for (size_t k = 0; k < command->job_count; k++)
            offered = offered || perf_find_offer(command->jobs[k].workload, name);
        if (!offered)
            return perf_complain("--against: %s has no program for %s; there is %s", command->jobs[0].workload->name,
                                 name, built(command, names, sizeof names));
        command->runtimes[place] = true;
    }
    return PERF_GO_ON;
}

/* The sizes of the command line, or else the defaults. */
static const char *sizes_of(const struct perf_job *job, const struct words *words, const char *contest)
{
    const struct perf_workload *w = job->workload;
    const char *settings[2 * PERF_MOST_OPTIONS + 1] = {NULL};
    const char *usual = words->quick ? w->quick_sizes : contest ? contest : w->sizes;
    for (size_t i = 0; w->options && w->options[i].name; i++) {
        settings[2 * i] = w->options[i].name;
        settings[2 * i + 1] = job->values[i].items[0];
    }
    if (words->size) return words->size;
    const char *sizes = w->sizes_for ? w->sizes_for(&(struct perf_input){usual, 1, settings}) : NULL;
    return sizes ? sizes : usual;
}

/* The jobs: one, or all of `peers`. */
static enum perf_reading read_jobs(struct perf_command *command, const struct words *words)
{
    bool peers = strcmp(words->workload, "peers") == 0;
    size_t most = peers ? 0 : 1;
    while (peers && perf_contests[most].workload) most++;
    if (most == 0) return perf_complain("peers: this build has no other runtime to compare with");
    command->jobs = perf_allocate(most, sizeof *command->jobs);
    if (peers && words->size) return perf_complain("peers has no --size: each of its workloads has its own");
    for (size_t i = 0; i < most; i++) {
        struct perf_job *job = &command->jobs[command->job_count++];
        job->workload = perf_find_workload(peers ? perf_contests[i].workload : words->workload);
        if (read_values(job, words) != PERF_GO_ON ||
            read_sizes(job, sizes_of(job, words, peers ? perf_contests[i].sizes : NULL)) != PERF_GO_ON ||
            read_workers(job, words->workers, command->usual_workers) != PERF_GO_ON)
            return PERF_BAD;
    }
    return read_runtimes(command, words->against || !peers ? words->against : "all");
}

static enum perf_reading read_numbers(struct perf_command *command, const struct words *words)
{
    char error[300];
    command->runs = words->quick ? QUICK_RUNS : USUAL_RUNS;
    command->limit = USUAL_LIMIT;
    if (words->runs && perf_number(words->runs, "--runs", 1, 999, &command->runs, error, sizeof error))
        return perf_complain("%s", error);
    if (words->limit && perf_number(words->limit, "--limit", 1, 1000000, &command->limit, error, sizeof error))
        return perf_complain("%s", error);
    return PERF_GO_ON;
}

static enum perf_reading read_format(struct perf_command *command, const char *text)
{
    static const char *const names[] = {"table", "csv", "json"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            command->format = (enum perf_format)i;
            return PERF_GO_ON;
        }
    }
    return perf_complain("--format: there is no '%s'; there is table, csv, json", text);
}

static enum perf_reading answer_help(const struct words *words)
{
    if (!words->workload)
        perf_help();
    else if (strcmp(words->workload, "peers") == 0)
        perf_help_peers();
    else
        perf_help_workload(perf_find_workload(words->workload));
    return PERF_ANSWERED;
}

static enum perf_reading answer_list(void)
{
    for (const struct perf_workload *const *w = perf_workloads; *w; w++) puts((*w)->name);
    puts("peers");
    return PERF_ANSWERED;
}

enum perf_reading perf_read_command(struct perf_command *command, int argc, char **argv)
{
    struct words words = {0};
    memset(command, 0, sizeof *command);
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("heist-perf " HEIST_VERSION_STRING);
        return PERF_ANSWERED;
    }
    if (argc == 2 && strcmp(argv[1], "--list") == 0) return answer_list();
    if (read_words(&words, argc, argv) != PERF_GO_ON) return PERF_BAD;
    bool known = words.workload && (perf_find_workload(words.workload) || strcmp(words.workload, "peers") == 0);
    if (words.workload && !known)
        return perf_complain("there is no workload '%s'; heist-perf --help lists them", words.workload);
    if (words.help) return answer_help(&words);
    if (!words.workload) return perf_complain("name a workload; heist-perf --help lists them");
    command->usual_workers = perf_usual_workers();
    command->out = words.out;
    if (read_numbers(command, &words) != PERF_GO_ON ||
        read_format(command, words.format ? words.format : "table") != PERF_GO_ON)
        return PERF_BAD;
    return read_jobs(command, &words);
}
