/* The view as text and as JSON. */
#include <string.h>
#include <sys/utsname.h>

#include <heist/version.h>

#include "observe/json.h"
#include "schedule/inbox.h"
#include "view.h"

/* Workers whose victims are shown without --all. */
enum { SHOWN = 16 };

#if HEIST__INBOX_LIBLFDS
#define INBOX "liblfds 7.1.1"
#else
#define INBOX "built-in"
#endif

static const char *or_none(const char *text)
{
    return *text ? text : "none";
}

void print_ranges(FILE *out, const uint16_t *numbers, unsigned count)
{
    for (unsigned i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && numbers[end] == numbers[end - 1] + 1; end++) {
        }
        fprintf(out, "%s%u", i ? "," : "", numbers[i]);
        if (end > i + 1) fprintf(out, "%s%u", end > i + 2 ? "-" : ",", numbers[end - 1]);
    }
}

static void print_rings(const heist__victims *victims, FILE *out)
{
    for (unsigned ring = 0; ring < victims->ring_count; ring++) {
        unsigned begin = ring ? victims->ring_end[ring - 1] : 0;
        fprintf(out, "%s%s ", ring ? "; " : "", heist__level_word((heist__level)victims->ring_level[ring]));
        print_ranges(out, victims->worker + begin, victims->ring_end[ring] - begin);
    }
}

static void print_victims(const view *v, FILE *out, bool all)
{
    const unsigned shown = all || v->workers <= SHOWN ? v->workers : SHOWN;
    fprintf(out, "victims   strategy %s", heist__strategy_words[v->settings.strategy]);
    if (v->workers == 1) fputs("; a single worker has none", out);
    fputc('\n', out);
    for (unsigned i = 0; i < shown && v->workers > 1; i++) {
        fprintf(out, "  worker %u: ", i);
        print_rings(&v->victims[i], out);
        fputc('\n', out);
    }
    if (shown < v->workers) fprintf(out, "  ... %u more workers; --all shows them\n", v->workers - shown);
}

static void print_limits(const view *v, FILE *out)
{
    if (v->description) {
        fprintf(out, "  limited by the %s\n", limit_words(v->limited_by));
        return;
    }
    fprintf(out, "  limited by the %s; affinity mask: %u of %u CPUs online; CPU quota: ", limit_words(v->limited_by),
            v->masked, v->online);
    if (v->quota)
        fprintf(out, "%u, rounded up\n", v->quota);
    else
        fputs("none\n", out);
}

static void print_binding(const view *v, FILE *out)
{
    const char *word = heist__bind_words[v->settings.bind];
    if (v->settings.bind == HEIST__BIND_NONE)
        fprintf(out, "workers   %u, not bound: the tree shows the places that they are taken to have\n", v->workers);
    else
        fprintf(out, "workers   %u, bound (%s)\n", v->workers, word);
    for (unsigned i = 0; i < v->workers; i++) {
        if (v->bind_errors[i]) fprintf(out, "  worker %u could not be bound: %s\n", i, strerror(-v->bind_errors[i]));
    }
}

static void print_notes(const view *v, FILE *out)
{
    if (!v->notes[0]) return;
    fputs("notes     ", out);
    for (const char *at = v->notes; *at; at++) {
        fputc(*at, out);
        if (*at == '\n') fputs("          ", out);
    }
    fputc('\n', out);
}

void print_text(const view *v, FILE *out, bool all)
{
    const heist__machine *m = &v->machine;
    struct utsname system;
    const bool known = uname(&system) == 0;
    fprintf(out, "machine   %s%s%s: %u CPUs, %u cores, %u NUMA nodes, %u packages\n", v->description ? "\"" : "",
            v->description ? v->description : "this one", v->description ? "\"" : "", m->pu_count, view_cores(v),
            m->node_count, view_packages(v));
    print_tree(v, out);
    print_binding(v, out);
    print_limits(v, out);
    print_victims(v, out, all);
    fprintf(out, "fences    %s: %s\n", v->fenced ? "both sides of a steal" : "the thief's alone", fence_reason(v));
    fprintf(out, "inbox     %s, %zu submissions for each of %u nodes\n", INBOX, v->settings.inbox, m->node_count);
    fprintf(out, "memory    %zu KiB of stack, %zu slots for each worker\n", v->settings.stack_size >> 10,
            v->settings.slots);
    print_notes(v, out);
    fprintf(out, "versions  heist %s, hwloc %s, liblfds %s, %s%s%s\n", HEIST_VERSION_STRING,
            or_none(HWLOC_VERSION_USED), HEIST__INBOX_LIBLFDS ? "7.1.1" : "none",
            known ? system.sysname : "an unknown system", known ? " " : "", known ? system.release : "");
}

static void json_machine(const view *v, heist__json *j)
{
    const heist__machine *m = &v->machine;
    heist__json_begin(j, "machine", '{');
    heist__json_string(j, "description", v->description);
    heist__json_number(j, "cpus", m->pu_count);
    heist__json_number(j, "cores", view_cores(v));
    heist__json_number(j, "nodes", m->node_count);
    heist__json_number(j, "packages", view_packages(v));
    heist__json_begin(j, "cpu", '[');
    for (unsigned i = 0; i < m->pu_count; i++) {
        const heist__pu *pu = &m->pus[i];
        heist__json_begin(j, NULL, '{');
        heist__json_number(j, "cpu", pu->os_cpu);
        heist__json_number(j, "core", pu->core);
        heist__json_number(j, "cache", pu->cache);
        heist__json_number(j, "node", pu->node);
        heist__json_number(j, "package", pu->package);
        heist__json_number(j, "speed_class", pu->efficiency);
        heist__json_end(j);
    }
    heist__json_end(j);
    heist__json_end(j);
}

static void json_victims(const heist__victims *victims, heist__json *j)
{
    heist__json_begin(j, "victims", '[');
    for (unsigned ring = 0; ring < victims->ring_count; ring++) {
        heist__json_begin(j, NULL, '{');
        heist__json_string(j, "level", heist__level_word((heist__level)victims->ring_level[ring]));
        heist__json_begin(j, "workers", '[');
        for (unsigned i = ring ? victims->ring_end[ring - 1] : 0; i < victims->ring_end[ring]; i++)
            heist__json_number(j, NULL, victims->worker[i]);
        heist__json_end(j);
        heist__json_end(j);
    }
    heist__json_end(j);
}

static void json_workers(const view *v, heist__json *j)
{
    heist__json_begin(j, "workers", '[');
    for (unsigned i = 0; i < v->workers; i++) {
        heist__json_begin(j, NULL, '{');
        heist__json_number(j, "cpu", v->machine.pus[v->pu_of[i]].os_cpu);
        heist__json_bool(j, "bound", v->settings.bind != HEIST__BIND_NONE && !v->bind_errors[i] && !v->description);
        json_victims(&v->victims[i], j);
        heist__json_end(j);
    }
    heist__json_end(j);
}

static void json_limits(const view *v, heist__json *j)
{
    heist__json_begin(j, "limits", '{');
    heist__json_string(j, "limited_by", limit_words(v->limited_by));
    heist__json_number(j, "online", v->online);
    heist__json_number(j, "mask", v->masked);
    if (v->quota)
        heist__json_number(j, "quota", v->quota);
    else
        heist__json_string(j, "quota", NULL);
    heist__json_end(j);
}

static void json_settings(const view *v, heist__json *j)
{
    heist__json_begin(j, "settings", '{');
    heist__json_string(j, "bind", heist__bind_words[v->settings.bind]);
    heist__json_string(j, "steal", heist__strategy_words[v->settings.strategy]);
    heist__json_string(j, "fences", v->fenced ? "both" : "thief");
    heist__json_string(j, "fences_because", fence_reason(v));
    heist__json_string(j, "inbox", INBOX);
    heist__json_number(j, "inbox_size", v->settings.inbox);
    heist__json_number(j, "stack", v->settings.stack_size);
    heist__json_number(j, "slots", v->settings.slots);
    heist__json_bool(j, "membarrier", v->membarrier);
    heist__json_bool(j, "futex", v->futex);
    heist__json_end(j);
}

void print_json(const view *v, FILE *out)
{
    heist__json j = heist__json_to(out);
    heist__json_begin(&j, NULL, '{');
    heist__json_string(&j, "heist", HEIST_VERSION_STRING);
    heist__json_string(&j, "hwloc", *HWLOC_VERSION_USED ? HWLOC_VERSION_USED : NULL);
    json_machine(v, &j);
    json_limits(v, &j);
    json_workers(v, &j);
    json_settings(v, &j);
    heist__json_string(&j, "notes", v->notes);
    heist__json_end(&j);
}
