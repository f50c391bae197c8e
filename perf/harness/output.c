/* Destination of the results; see output.h. The file is written beside its place and renamed: a reader sees the old
 * file or the whole new one, even if this program is killed. */
#include "harness/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/command.h"

/* The kernel's limit on links. */
#define MOST_LINKS 40

static int refuse(const struct perf_output *output, int error)
{
    perf_complain("cannot write %s: %s", output->name ? output->name : "the results", strerror(error));
    return -1;
}

/* Makes the temporary file. mkstemp restricts it to its owner; ours gets the mode of any new file. */
static int make_temporary(struct perf_output *output)
{
    mode_t mask = umask(0);
    umask(mask);
    snprintf(output->temporary, strlen(output->path) + 8, "%s.XXXXXX", output->path);
    int descriptor = mkostemp(output->temporary, O_CLOEXEC);
    if (descriptor >= 0 && fchmod(descriptor, 0666 & ~mask)) errno = 0; /* failure is harmless */
    return descriptor;
}

/* The target of a link whose target does not exist yet: the file appears there, and the link stays. NULL and errno if
 * the link cannot be resolved. */
static char *follow(const char *name)
{
    char *path = strdup(name);
    for (int links = 0; path; links++) {
        char target[PATH_MAX];
        ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0) return path; /* no link, or nothing there: this is the place */
        if (links == MOST_LINKS) errno = ELOOP;
        target[length] = '\0';
        const char *slash = target[0] == '/' ? NULL : strrchr(path, '/');
        int before = slash ? (int)(slash - path) + 1 : 0;
        char *next = NULL;
        if (links == MOST_LINKS || asprintf(&next, "%.*s%s", before, path, target) < 0) next = NULL;
        free(path);
        path = next;
    }
    return NULL;
}

int perf_output_try(struct perf_output *output, const char *name)
{
    struct stat status;
    *output = (struct perf_output){.name = name};
    if (!name) return 0;
    if (!*name) {
        perf_complain("--out wants the name of a file");
        return -1;
    }
    bool there = stat(name, &status) == 0;
    /* A pipe of the shell, /dev/fd/63, has only this name. */
    output->path = !there ? follow(name) : S_ISREG(status.st_mode) ? realpath(name, NULL) : strdup(name);
    if (!output->path) return refuse(output, errno);
    if (there && S_ISDIR(status.st_mode)) return refuse(output, EISDIR);
    if (there && access(name, W_OK)) return refuse(output, errno);
    if (there && !S_ISREG(status.st_mode)) return 0;
    output->temporary = perf_allocate(strlen(output->path) + 8, 1);
    int descriptor = make_temporary(output);
    if (descriptor < 0) return refuse(output, errno);
    close(descriptor);
    unlink(output->temporary);
    return 0;
}

FILE *perf_output_open(struct perf_output *output)
{
    if (!output->name) return stdout;
    FILE *file = NULL;
    if (output->temporary) {
        int descriptor = make_temporary(output);
        if (descriptor >= 0) file = fdopen(descriptor, "w");
    } else {
        file = fopen(output->path, "we");
    }
    if (!file) refuse(output, errno);
    return file;
}

int perf_output_close(struct perf_output *output, FILE *file)
{
    bool bad = fflush(file) != 0 || ferror(file);
    int error = errno;
    if (file != stdout && fclose(file) && !bad) {
        bad = true;
        error = errno;
    }
    if (!bad && output->temporary && rename(output->temporary, output->path)) {
        bad = true;
        error = errno;
    }
    if (!bad) return 0;
    if (output->temporary) unlink(output->temporary);
    return refuse(output, error ? error : EIO);
}
