/* heist-info: this machine, or another one, as heist sees it. See heist-info(1). */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <heist/version.h>

#include "view.h"

enum { STATUS_COSTS = 1, STATUS_USAGE = 2 };

typedef struct {
    const char *topology, *system;
    bool check, json, all;
} request;

static const char usage[] =
    "usage: heist-info [--topology X] [--json] [--all] [--system DIR]\n"
    "       heist-info --check [--json] [--system DIR]\n"
    "       heist-info --help | --version\n"
    "\n"
    "Prints this machine as heist sees it: the topology as a tree, workers and their places, what limits their "
    "number,\n"
    "the order of victims, the fence mode and its reason, the inbox, versions. The HEIST_ variables count, as they do\n"
    "for programs.\n"
    "\n"
    "  --topology X  another machine: hwloc's synthetic description (\"pack:2 [numa] core:8 pu:2\"), or a file of "
    "lstopo\n"
    "  --check       print what costs speed on this machine, with remedies; status 1 if there is anything\n"
    "  --all         the victims of every worker, not of the first 16\n"
    "  --system DIR  read /proc and /sys below DIR\n"
    "  --json        print JSON\n"
    "  -h, --help    print this text\n"
    "  --version     print the version of heist\n";

_Noreturn static void refuse(const char *format, const char *what)
{
    fputs("heist-info: ", stderr);
    fprintf(stderr, format, what);
    fputs("; see heist-info --help\n", stderr);
    exit(STATUS_USAGE);
}

/* Whether the argument is the option; *value is then its value, after = or in the next argument. */
static bool has_value(const char *option, char **arguments, int *at, const char **value)
{
    const char *argument = arguments[*at];
    const size_t length = strlen(option);
    if (strncmp(argument, option, length) != 0) return false;
    if (argument[length] == '=') {
        *value = argument + length + 1;
    } else if (argument[length] == '\0') {
        *value = arguments[*at + 1];
        if (*value) ++*at;
    } else {
        return false;
    }
    if (!*value || !**value) refuse("%s needs a value", option);
    return true;
}

static void read_arguments(request *r, char **arguments)
{
    for (int i = 1; arguments[i]; i++) {
        const char *argument = arguments[i];
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            fputs(usage, stdout);
            exit(0);
        }
        if (strcmp(argument, "--version") == 0) {
            puts("heist-info " HEIST_VERSION_STRING);
            exit(0);
        }
        if (strcmp(argument, "--check") == 0) {
            r->check = true;
        } else if (strcmp(argument, "--json") == 0) {
            r->json = true;
        } else if (strcmp(argument, "--all") == 0) {
            r->all = true;
        } else if (!has_value("--topology", arguments, &i, &r->topology) &&
                   !has_value("--system", arguments, &i, &r->system)) {
            refuse(argument[0] == '-' ? "unknown option %s" : "unexpected argument %s", argument);
        }
    }
    struct stat system;
    if (r->system && (stat(r->system, &system) != 0 || !S_ISDIR(system.st_mode)))
        refuse("--system: %s is no directory", r->system);
    if (r->check && r->topology) refuse("%s is about this machine, and not with --topology", "--check");
}

int main(int count, char **arguments)
{
    (void)count;
    request r = {0};
    char why[512];
    view v;
    unsigned found = 0;
    read_arguments(&r, arguments);
    if (r.check) unsetenv("HEIST_TOPOLOGY");
    if (view_read(&v, r.topology, r.system ? r.system : "", why, sizeof why) < 0) {
        fprintf(stderr, "heist-info: %s\n", why);
        view_free(&v);
        return STATUS_USAGE;
    }
    if (r.check)
        found = print_checks(&v, stdout, r.json);
    else if (r.json)
        print_json(&v, stdout);
    else
        print_text(&v, stdout, r.all);
    view_free(&v);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("heist-info: the output could not be written\n", stderr);
        return STATUS_USAGE;
    }
    return found ? STATUS_COSTS : 0;
}
