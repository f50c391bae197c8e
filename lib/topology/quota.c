/* quota.c: reads /proc/self/cgroup (the groups of this process), /proc/self/mountinfo (the places where they are
 * mounted), and the quotas there. A group's quota holds for all groups below it, so every group on the way up
 * counts. */
#include "topology/quota.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topology/affinity.h"

/* The two versions may be mounted side by side, and either may have the cpu controller. */
enum { V1, V2, VERSIONS };

/* A mount shows this process's group when the mounted group lies above it. A mount that shows another group is the last
 * resort: in some containers the mount point is the container's own group, while /proc has the host's path. */
enum { OTHERS, OURS, SHOWS };

typedef struct {
    const char *root;
    char *group[VERSIONS];           /* the path of this process's group from the hierarchy's top; NULL: no group */
    bool shown[VERSIONS];            /* whether a mount shows this process's group */
    unsigned least[VERSIONS][SHOWS]; /* fewest CPUs so far; 0: no quota */
} quota;

static FILE *open_at(const char *root, const char *path, int *error)
{
    char *whole;
    if (asprintf(&whole, "%s%s", root, path) < 0) {
        *error = -ENOMEM;
        return NULL;
    }
    FILE *file = fopen(whole, "re");
    if (!file && errno == ENOMEM) *error = -ENOMEM;
    free(whole);
    return file;
}

/* Calls `take` for each line, without its newline, until one call returns an error. A missing file has no lines. */
static int each_line(quota *q, const char *path, int (*take)(quota *q, char *line))
{
    int error = 0;
    FILE *file = open_at(q->root, path, &error);
    if (!file) return error;
    char *line = NULL;
    size_t room = 0;
    errno = 0;
    while (!error && getline(&line, &room, file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        error = take(q, line);
        errno = 0;
    }
    if (!error && errno == ENOMEM) error = -ENOMEM;
    free(line);
    fclose(file);
    return error;
}

/* Whether `word` is one of the words between commas. */
static bool lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    }
    return false;
}

/* A line is hierarchy:controllers:path; version 2 is hierarchy 0 with no controllers. */
static int take_group(quota *q, char *line)
{
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path || path[1] != '/') return 0;
    *controllers++ = '\0';
    *path++ = '\0';
    int version = VERSIONS;
    if (strcmp(line, "0") == 0 && !*controllers) version = V2;
    if (lists(controllers, "cpu")) version = V1;
    if (version == VERSIONS || q->group[version]) return 0;
    q->group[version] = strdup(path);
    return q->group[version] ? 0 : -ENOMEM;
}

/* In paths the kernel writes blanks and some other characters as \ and three octal digits. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        bool octal = from[0] == '\\';
        for (int i = 1; octal && i <= 3; i++) octal = from[i] >= '0' && from[i] <= '7';
        if (octal) {
            *to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* Reads one line of numbers or words. Returns whether there was a line. */
static bool read_value(const quota *q, const char *directory, const char *name, char *value, int size, int *error)
{
    char *path;
    if (asprintf(&path, "%s/%s", directory, name) < 0) {
        *error = -ENOMEM;
        return false;
    }
    FILE *file = open_at(q->root, path, error);
    free(path);
    if (!file) return false;
    bool got = fgets(value, size, file) != NULL;
    fclose(file);
    return got;
}

/* Reads digits up to a blank or the end: a minus sign, "max" and other text are no number. */
static const char *number(const char *text, unsigned long long *value)
{
    if (*text < '0' || *text > '9') return NULL;
    char *end;
    *value = strtoull(text, &end, 10);
    return *end == '\0' || *end == ' ' || *end == '\n' ? end : NULL;
}

/* The smaller of two numbers of CPUs, where 0 is no limit. */
static unsigned lesser(unsigned a, unsigned b)
{
    return !a || (b && b < a) ? b : a;
}

static unsigned rounded_up(unsigned long long time, unsigned long long period)
{
    if (!period) return 0;
    unsigned long long cpus = time / period + (time % period != 0);
    return cpus < UINT_MAX ? (unsigned)cpus : UINT_MAX;
}

static int read_group(const quota *q, int version, const char *directory, unsigned *least)
{
    char time_text[64], period_text[64];
    const char *period_at = period_text;
    unsigned long long time, period;
    int error = 0;
    if (version == V2) {
        if (!read_value(q, directory, "cpu.max", time_text, sizeof time_text, &error)) return error;
        period_at = strchr(time_text, ' ');
        period_at = period_at ? period_at + 1 : "100000"; /* the kernel's default */
    } else {
        if (!read_value(q, directory, "cpu.cfs_quota_us", time_text, sizeof time_text, &error)) return error;
        if (!read_value(q, directory, "cpu.cfs_period_us", period_text, sizeof period_text, &error)) return error;
    }
    if (number(time_text, &time) && number(period_at, &period)) *least = lesser(*least, rounded_up(time, period));
    return 0;
}

/* The part of the group's path below the mounted group, or NULL when it is not below. A path with .. leads out of the
 * part that this process may see. */
static const char *below(const char *group, const char *mounted)
{
    size_t length = strcmp(mounted, "/") == 0 ? 0 : strlen(mounted);
    if (strncmp(group, mounted, length) != 0 || (group[length] != '/' && group[length] != '\0')) return NULL;
    return strstr(group + length, "/..") ? NULL : group + length;
}

static int read_upwards(quota *q, int version, const char *mounted, const char *mount_point)
{
    const char *inside = below(q->group[version], mounted);
    if (inside) q->shown[version] = true;
    unsigned *least = &q->least[version][inside ? OURS : OTHERS];
    char *directory;
    if (asprintf(&directory, "%s%s", mount_point, inside ? inside : "") < 0) return -ENOMEM;
    size_t top = strlen(mount_point), length = strlen(directory);
    int error = 0;
    for (;;) {
        while (length > top && directory[length - 1] == '/') length--;
        directory[length] = '\0';
        error = read_group(q, version, directory, least);
        if (error || length == top) break;
        while (length > top && directory[length - 1] != '/') length--;
    }
    free(directory);
    return error;
}

/* A line is: id parent device mounted mount-point options [more] - type source options. */
static int take_mount(quota *q, char *line)
{
    char *mounted = NULL, *mount_point = NULL, *rest = NULL;
    char *separator = strstr(line, " - ");
    if (!separator) return 0;
    *separator = '\0';
    int field = 0;
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest), field++) {
        if (field == 3) mounted = word;
        if (field == 4) mount_point = word;
    }
    char *type = strtok_r(separator + 3, " ", &rest);
    strtok_r(NULL, " ", &rest); /* the source */
    char *options = strtok_r(NULL, " ", &rest);
    if (!mount_point || !type) return 0;

    int version = VERSIONS;
    if (strcmp(type, "cgroup2") == 0) version = V2;
    if (strcmp(type, "cgroup") == 0 && options && lists(options, "cpu")) version = V1;
    if (version == VERSIONS || !q->group[version]) return 0;
    unescape(mounted);
    unescape(mount_point);
    return read_upwards(q, version, mounted, mount_point);
}

int heist__cpu_quota(const char *root, unsigned *cpus)
{
    quota q = {.root = root ? root : ""};
    int error = each_line(&q, "/proc/self/cgroup", take_group);
    if (!error) error = each_line(&q, "/proc/self/mountinfo", take_mount);
    unsigned least = 0;
    for (int version = 0; version < VERSIONS; version++) {
        least = lesser(least, q.least[version][q.shown[version] ? OURS : OTHERS]);
        free(q.group[version]);
    }
    *cpus = error ? 0 : least;
    return error;
}

unsigned heist__default_workers_at(const char *root, bool *sure)
{
    unsigned count, limit = 0;
    heist__cpus allowed;
    bool masked = heist__cpus_read(&allowed) >= 0;
    if (masked) {
        count = heist__cpus_count(&allowed);
        heist__cpus_free(&allowed);
    } else {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        count = online > 0 ? (unsigned)online : 0;
    }
    bool limited = heist__cpu_quota(root, &limit) == 0; /* without memory to read it: no quota */
    if (sure) *sure = masked && limited;
    count = lesser(count, limit);
    return count ? count : 1;
}

unsigned heist__default_workers(bool *sure)
{
    return heist__default_workers_at(NULL, sure);
}
