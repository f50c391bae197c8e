/* Files that are written whole or not at all: see safe_file.h. */
#include "platform/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names that are tried for the temporary file. */
enum { NAMES = 100 };

static void forget(heist__safe_file *f)
{
    free(f->path);
    free(f->temporary);
    *f = (heist__safe_file){0};
}

/* A file that nobody else has: made anew, not through a link. */
static int make_temporary(heist__safe_file *f)
{
    for (int i = 0; i < NAMES; i++) {
        if (asprintf(&f->temporary, "%s.%ld.%d", f->path, (long)getpid(), i) < 0) {
            f->temporary = NULL;
            return -ENOMEM;
        }
        int file = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file >= 0) return file;
        const int error = -errno;
        free(f->temporary);
        f->temporary = NULL;
        if (error != -EEXIST) return error;
    }
    return -EEXIST;
}

int heist__safe_file_open(heist__safe_file *f, const char *path)
{
    struct stat before;
    *f = (heist__safe_file){0};
    if (lstat(path, &before) == 0 && !S_ISREG(before.st_mode)) return -EEXIST;
    f->path = strdup(path);
    const int file = f->path ? make_temporary(f) : -ENOMEM;
    if (file < 0) {
        forget(f);
        return file;
    }
    f->out = fdopen(file, "w");
    if (f->out) return 0;
    close(file);
    unlink(f->temporary);
    forget(f);
    return -ENOMEM;
}

int heist__safe_file_close(heist__safe_file *f)
{
    int error = ferror(f->out) ? -EIO : 0;
    if (fclose(f->out) != 0) error = -errno;
    if (!error && rename(f->temporary, f->path) != 0) error = -errno;
    if (error) unlink(f->temporary);
    forget(f);
    return error;
}
