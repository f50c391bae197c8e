/* The control groups' files. An input is a picture of a system: "=PATH" begins a file, the lines below are its content.
 * The library is linked with an fopen that reads the picture, so that nothing of the real system is read. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "topology/quota.h"

enum { MOST_FILES = 40 };

static struct file {
    const char *path, *content;
    size_t size;
} files[MOST_FILES];
static size_t file_count, opened;
static bool pictured; /* the library reads; before and after, others get the real files */

struct reading {
    const struct file *file;
    size_t at;
};

static ssize_t read_some(void *cookie, char *to, size_t room)
{
    struct reading *r = cookie;
    size_t left = r->file->size - r->at, n = room < left ? room : left;
    memcpy(to, r->file->content + r->at, n);
    r->at += n;
    return (ssize_t)n;
}

static int close_it(void *cookie)
{
    free(cookie);
    opened--;
    return 0;
}

FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
    if (!pictured || *mode != 'r') return __real_fopen(path, mode); /* an engine that writes a finding */
    for (size_t i = 0; i < file_count; i++) {
        if (strcmp(files[i].path, path) != 0) continue;
        struct reading *r = malloc(sizeof *r);
        if (!r) break;
        *r = (struct reading){.file = &files[i]};
        FILE *file = fopencookie(r, mode, (cookie_io_functions_t){.read = read_some, .close = close_it});
        if (!file) free(r);
        opened += file != NULL;
        return file;
    }
    errno = ENOENT;
    return NULL;
}

/* The same under the name that it has with large files. */
FILE *__wrap_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode)
{
    return __wrap_fopen(path, mode);
}

/* A line in memory of exactly its size, so that a sanitizer sees a step beyond its end. glibc has two names for it. */
static ssize_t fitted(char **line, size_t *room, ssize_t length)
{
    char *exact = length >= 0 ? realloc(*line, (size_t)length + 1) : NULL;
    if (exact) {
        *line = exact;
        *room = (size_t)length + 1;
    }
    return length;
}

ssize_t __real_getline(char **line, size_t *room, FILE *file);
ssize_t __wrap_getline(char **line, size_t *room, FILE *file);
ssize_t __wrap_getline(char **line, size_t *room, FILE *file)
{
    return fitted(line, room, __real_getline(line, room, file));
}

ssize_t __real___getdelim(char **line, size_t *room, int end, FILE *file);
ssize_t __wrap___getdelim(char **line, size_t *room, int end, FILE *file);
ssize_t __wrap___getdelim(char **line, size_t *room, int end, FILE *file)
{
    return fitted(line, room, __real___getdelim(line, room, end, file));
}

static void take_file(char *begin, char *end)
{
    char *line = memchr(begin, '\n', (size_t)(end - begin));
    char *content = line ? line + 1 : end;
    if (line) *line = '\0';
    if (file_count < MOST_FILES) files[file_count++] = (struct file){begin, content, (size_t)(end - content)};
}

static void take_files(char *text, size_t size)
{
    char *end = text + size, *begin = NULL;
    file_count = 0;
    for (char *at = text; at < end;) {
        if (*at == '=') {
            if (begin) take_file(begin, at);
            begin = at + 1;
        }
        char *line = memchr(at, '\n', (size_t)(end - at));
        at = line ? line + 1 : end;
    }
    if (begin) take_file(begin, end);
}

/* The same twice, never more workers than that, and no file is left open. */
static void check(void)
{
    unsigned cpus = 12345, again = 54321;
    int error = heist__cpu_quota("", &cpus);
    if (error) fuzz_fail("error %d", error);
    heist__cpu_quota("", &again);
    if (cpus != again) fuzz_fail("%u CPUs, then %u", cpus, again);
    unsigned workers = heist__default_workers_at("", NULL);
    if (!workers || (cpus && workers > cpus)) fuzz_fail("%u workers on %u CPUs", workers, cpus);
    if (opened) fuzz_fail("%zu files are still open", opened);
}

/* A name that the input begins with, and how the kernel writes it in a list of mounts. */
static void mount_name(const uint8_t *data, size_t size, char name[32], char written[128])
{
    size_t length = 0;
    char *to = written;
    for (size_t i = 0; i < size && length < 31; i++) {
        char c = (char)data[i];
        if (!c || c == '/') continue;
        name[length++] = c;
        to += sprintf(to, strchr(" \t\n\\", c) ? "\\%03o" : "%c", (unsigned)c);
    }
    name[length] = '\0';
    *to = '\0';
}

/* A quota of so many CPUs for the group that the process is in, whatever else the picture shows and whatever the mount
 * point is called, is never exceeded. */
static void check_with_quota(const uint8_t *data, size_t size, unsigned expected)
{
    static const char cgroup[] = "0::/heist/of/ours\n";
    char name[32], written[128], mounts[200], path[80], quota[40];
    mount_name(data, size, name, written);
    int mounts_length = snprintf(mounts, sizeof mounts, "1 1 0:1 / /+%s rw - cgroup2 cgroup2 rw\n", written);
    int quota_length = snprintf(quota, sizeof quota, "%u00000 100000\n", expected);
    snprintf(path, sizeof path, "/+%s/heist/cpu.max", name);
    /* Those of the picture come after, and the first of a name counts. */
    size_t room = file_count < MOST_FILES - 3 ? file_count : MOST_FILES - 3;
    memmove(files + 3, files, room * sizeof *files);
    files[0] = (struct file){"/proc/self/cgroup", cgroup, sizeof cgroup - 1};
    files[1] = (struct file){"/proc/self/mountinfo", mounts, (size_t)mounts_length};
    files[2] = (struct file){path, quota, (size_t)quota_length};
    file_count = room + 3;
    unsigned cpus = 0;
    heist__cpu_quota("", &cpus);
    if (!cpus || cpus > expected) fuzz_fail("%u CPUs where the quota is %u, in %s", cpus, expected, mounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    take_files(text, size);
    pictured = true;
    check();
    check_with_quota(data, size, 3);
    pictured = false;
    free(text);
    return 0;
}
