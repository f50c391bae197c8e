/* heist-perf-gomp: becomes heist-perf-openmp with libheist-gomp.so before libgomp, so that the same file is measured
 * with both. It looks for the library in the build directory and in the installed place, relative to its own path. It
 * passes the name in LD_PRELOAD and the directory in LD_LIBRARY_PATH, because a space ends a path in LD_PRELOAD. If the
 * library is missing, the program says so. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libheist-gomp.so"

static const char *const places[] = {"../lib/openmp", "../" PERF_LIBDIR};

static void preload_from(const char *own_folder)
{
    char folder[2 * PATH_MAX], file[2 * PATH_MAX + sizeof LIBRARY + 1];
    const char *before = getenv("LD_LIBRARY_PATH");
    if (!before) before = "";
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(folder, sizeof folder, "%s/%s", own_folder, places[i]);
        snprintf(file, sizeof file, "%s/%s", folder, LIBRARY);
        if (access(file, R_OK) != 0) continue;
        char path[sizeof folder + 1 + strlen(before)];
        snprintf(path, sizeof path, "%s%s%s", folder, *before ? ":" : "", before);
        setenv("LD_LIBRARY_PATH", path, 1);
        setenv("LD_PRELOAD", LIBRARY, 1);
        return;
    }
}

int main(int argc, char **argv)
{
    char own[PATH_MAX], program[PATH_MAX + 32];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (argc < 1 || length < 0) return 2;
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    preload_from(own);
    snprintf(program, sizeof program, "%s/heist-perf-openmp", own);
    execv(program, argv);
    fprintf(stderr, "heist-perf-gomp: heist-perf-openmp is not beside it\n");
    return 2;
}
