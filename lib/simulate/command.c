/* command.c: the arguments of heist-sim. */
#include "simulate/command.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <heist/version.h>

#include "platform/one_line.h"

static const char usage[] =
    "usage: heist-sim [OPTION...] PROGRAM | FILE.dag\n"
    "       heist-sim --preset basic|nested|adaptive|granularity [OPTION...]\n"
    "       heist-sim --list | --help | --version\n"
    "\n"
    "Runs a program on a described machine, in virtual time, with the policies of the heist runtime.\n"
    "The status is 2 for a bad command line or file, and 1 if the simulation failed.\n"
    "\n"
    "  --machine TEXT    a name of --list, hwloc's synthetic text, an XML file, or \"N x TEXT\" (default: laptop)\n"
    "  --like NAME       the machine of --list that the costs are taken from\n"
    "  --costs FILE      costs in nanoseconds that replace those of the machine\n"
    "  --workers LIST    numbers of workers, each simulated (default: 1, 2, 4 ... up to one for each CPU)\n"
    "  --strategy NAME   near (default), random, most-loaded, least-loaded, power-of-two, adaptive; all: each\n"
    "  --amount one|half how many jobs a thief takes (default: one)\n"
    "  --bind NAME       where workers are: core (default), compact, spread, numa\n"
    "  --seed N          of the random choices (default: 1)\n"
    "  --runs K          simulations with the seeds N, N+1 ..., of which the means are shown (default: 1)\n"
    "  --cold            the other workers are asleep at the beginning\n"
    "  --what-if TEXT    also with COST*FACTOR, span*FACTOR (an estimate) or machine=TEXT; may be repeated\n"
    "  --limits          the grain below which the efficiency falls under 90% and 50%\n"
    "  --per-worker      tasks, steals and time of each worker\n"
    "  --timeline FILE   what ran where, for Perfetto or chrome://tracing\n"
    "  --most-events N   give up after so many events\n"
    "  --format NAME     table, csv or json\n"
    "  --quiet           no line of progress\n";

static void list(void)
{
    const char *name, *help;
    puts("Programs:");
    for (size_t i = 0; (name = heist__sim_program_name(i, &help)); i++) printf("  %-11s %s\n", name, help);
    puts("\nMachines:");
    for (const heist__sim_preset_machine *m = heist__sim_machines; m->name; m++)
        printf("  %-11s %s\n              %s\n", m->name, m->description, m->source);
}

static heist__sim_reading refuse(char *error, size_t room, const char *what, const char *word)
{
    snprintf(error, room, "%s: \"%.60s\"", what, word);
    heist__one_line(error);
    return HEIST__SIM_BAD;
}

static bool word_in(const char *const *words, const char *text, unsigned *number)
{
    for (*number = 0; words[*number]; ++*number) {
        if (strcmp(words[*number], text) == 0) return true;
    }
    return false;
}

static bool whole(const char *text, unsigned long long most, unsigned long long *value)
{
    char *end;
    if (!isdigit((unsigned char)*text)) return false;
    *value = strtoull(text, &end, 10);
    return *end == '\0' && *value <= most && strlen(text) < 20;
}

/* "1,2,4" */
static bool read_workers(heist__sim_command *c, const char *text)
{
    for (c->counts = 0; *text; c->counts++) {
        char part[8];
        const size_t length = strcspn(text, ",");
        unsigned long long value;
        if (c->counts == HEIST__SIM_COUNTS || length == 0 || length >= sizeof part) return false;
        memcpy(part, text, length);
        part[length] = '\0';
        if (!whole(part, HEIST__DESCRIBED_MAX, &value) || value == 0) return false;
        c->workers[c->counts] = (unsigned)value;
        text += length;
        if (*text == ',' && !*++text) return false;
    }
    return c->counts > 0;
}

/* An option with a value. False: the value is wrong. */
static bool take_value(heist__sim_command *c, const char *name, const char *value)
{
    static const char *const formats[] = {"table", "csv", "json", NULL};
    static const char *const amounts[] = {"one", "half", NULL};
    unsigned word;
    unsigned long long number;
    if (strcmp(name, "--machine") == 0) return c->machine = value, *value != '\0';
    if (strcmp(name, "--like") == 0) return c->like = value, *value != '\0';
    if (strcmp(name, "--costs") == 0) return c->costs = value, *value != '\0';
    if (strcmp(name, "--timeline") == 0) return c->timeline = value, *value != '\0';
    if (strcmp(name, "--workers") == 0) return read_workers(c, value);
    if (strcmp(name, "--strategy") == 0) {
        c->all_strategies = strcmp(value, "all") == 0;
        if (c->all_strategies) return true;
        if (!word_in(heist__strategy_words, value, &word)) return false;
        c->settings.strategy = (heist__strategy)word;
        return true;
    }
    if (strcmp(name, "--amount") == 0) {
        if (!word_in(amounts, value, &word)) return false;
        c->settings.half = word == 1;
        return true;
    }
    if (strcmp(name, "--bind") == 0) {
        if (!word_in(heist__bind_words, value, &word)) return false;
        c->settings.bind = (heist__bind)word;
        return true;
    }
    if (strcmp(name, "--format") == 0) {
        if (!word_in(formats, value, &word)) return false;
        c->format = (heist__sim_format)word;
        return true;
    }
    if (strcmp(name, "--seed") == 0) return whole(value, UINT64_MAX, &number) && (c->settings.seed = number, true);
    if (strcmp(name, "--most-events") == 0)
        return whole(value, UINT64_MAX, &number) && number > 0 && (c->settings.most_events = number, true);
    if (strcmp(name, "--runs") == 0)
        return whole(value, 10000, &number) && number > 0 && (c->runs = (unsigned)number, true);
    if (strcmp(name, "--what-if") == 0) {
        if (c->what_ifs == HEIST__SIM_WHAT_IFS || !*value) return false;
        c->what_if[c->what_ifs++] = value;
        return true;
    }
    static const char *const presets[] = {"basic", "nested", "adaptive", "granularity", NULL};
    c->preset = value; /* --preset */
    return word_in(presets, value, &word);
}

static bool wants_value(const char *name)
{
    static const char *const names[] = {"--machine", "--like",   "--costs",    "--workers",     "--strategy",
                                        "--amount",  "--bind",   "--seed",     "--runs",        "--what-if",
                                        "--format",  "--preset", "--timeline", "--most-events", NULL};
    unsigned word;
    return word_in(names, name, &word);
}

static bool take_switch(heist__sim_command *c, const char *name)
{
    bool *on = strcmp(name, "--cold") == 0         ? &c->settings.cold
               : strcmp(name, "--limits") == 0     ? &c->limits
               : strcmp(name, "--per-worker") == 0 ? &c->per_worker
               : strcmp(name, "--quiet") == 0      ? &c->quiet
                                                   : NULL;
    if (on) *on = true;
    return on != NULL;
}

static bool printed(const char *name)
{
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return fputs(usage, stdout), true;
    if (strcmp(name, "--version") == 0) return puts("heist-sim " HEIST_VERSION_STRING), true;
    if (strcmp(name, "--list") == 0) return list(), true;
    return false;
}

static heist__sim_reading check(const heist__sim_command *c, char *error, size_t room)
{
    if (!c->program == !c->preset) {
        snprintf(error, room, "%s", c->program ? "a preset has its own program" : "no program; try --help");
        return HEIST__SIM_BAD;
    }
    if (c->preset && (c->limits || c->what_ifs || c->all_strategies || c->timeline || c->runs > 1 || c->counts > 1))
        return refuse(error, room,
                      "a preset has one strategy and one number of workers, and no --runs, --what-if, --limits or "
                      "--timeline",
                      c->preset);
    if (c->limits && !heist__sim_program_has_grain(c->program))
        return refuse(error, room, "--limits is for programs with a grain, not for", c->program);
    if (c->format != HEIST__SIM_TABLE && (c->limits || c->per_worker || c->preset))
        return refuse(error, room, "--limits, --per-worker and presets are shown as tables alone, not as",
                      c->format == HEIST__SIM_CSV ? "csv" : "json");
    return HEIST__SIM_GO_ON;
}

heist__sim_reading heist__sim_command_read(heist__sim_command *c, int count, char **arguments, char *error, size_t room)
{
    *c = (heist__sim_command){.machine = "laptop", .runs = 1, .settings = {.seed = 1, .bind = HEIST__BIND_CORE}};
    for (int i = 1; i < count; i++) {
        char *name = arguments[i];
        if (name[0] != '-' || !name[1]) {
            if (c->program) return refuse(error, room, "more than one program", name);
            c->program = name;
            continue;
        }
        if (printed(name)) return HEIST__SIM_OVER;
        if (take_switch(c, name)) continue;
        char option[24];
        const size_t length = strcspn(name, "=");
        snprintf(option, sizeof option, "%.*s", (int)(length < sizeof option ? length : 0), name);
        if (!wants_value(option)) return refuse(error, room, "unknown option", name);
        const char *value = name[length] ? name + length + 1 : i + 1 < count ? arguments[++i] : NULL;
        if (!value) return refuse(error, room, "a value is missing behind", name);
        if (!take_value(c, option, value)) {
            snprintf(error, room, "%s cannot be \"%.60s\"", option, value);
            heist__one_line(error);
            return HEIST__SIM_BAD;
        }
    }
    return check(c, error, room);
}
