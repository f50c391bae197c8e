/* Shared by the fuzz targets; see fuzz.h. */
#include "fuzz.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A refused allocation is NULL, as it is without sanitizers, and one that would fill the machine is refused. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=1024:detect_stack_use_after_return=1";
}

static FILE *own_out, *own_err; /* where the streams go; NULL: not captured */

static pthread_mutex_t failing = PTHREAD_MUTEX_INITIALIZER;

void fuzz_fail(const char *format, ...)
{
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(
        &failing); /* for ever: a second thread that fails must not end the process before the input is saved */
    dprintf(STDERR_FILENO, "fuzz: %s\n", text); /* not the stream: it may be captured */
    abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) fuzz_fail("no memory for the input");
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

void fuzz_unfold(char *part)
{
    for (; *part; part++) {
        if (*part == '\r') *part = '\n';
    }
}

bool fuzz_field(char **rest, char **name, char **value)
{
    if (!**rest) return false;
    *name = *rest;
    size_t length = strcspn(*rest, "\n");
    *rest += length;
    if (**rest) *(*rest)++ = '\0';
    *value = *name + strcspn(*name, "=");
    if (**value) *(*value)++ = '\0';
    return true;
}

uint64_t fuzz_number(const char *text)
{
    return strtoull(text, NULL, 0);
}

/* ---- listening ---- */

static char *out_text, *err_text;
static size_t out_size, err_size;

void fuzz_listen(void)
{
    free(out_text);
    free(err_text);
    out_text = err_text = NULL;
    fflush(stdout);
    own_out = stdout;
    own_err = stderr;
    stdout = open_memstream(&out_text, &out_size);
    stderr = open_memstream(&err_text, &err_size);
    if (!stdout || !stderr) fuzz_fail("no memory to listen");
}

fuzz_words fuzz_heard(void)
{
    fclose(stdout);
    fclose(stderr);
    stdout = own_out;
    stderr = own_err;
    return (fuzz_words){out_text, err_text};
}

__attribute__((destructor)) static void forget_words(void)
{
    free(out_text);
    free(err_text);
    out_text = err_text = NULL;
}

size_t fuzz_lines(const char *text)
{
    size_t lines = 0;
    for (const char *at = text; *at; at++) {
        if (*at != '\n' && iscntrl((unsigned char)*at)) fuzz_fail("a control character is told: %s", text);
    }
    for (const char *at = text; *at; lines++) {
        at += strcspn(at, "\n");
        if (*at) at++;
    }
    return lines;
}

/* ---- the directory ---- */

static char scratch[200];
static pid_t scratch_owner;

/* Its files; the targets make no directories in it. Returns how many there were. */
static size_t each_file(void (*use)(const char *name))
{
    size_t count = 0;
    DIR *directory = opendir(scratch);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        count++;
        if (use) use(entry->d_name);
    }
    if (directory) closedir(directory);
    return count;
}

static void remove_file(const char *name)
{
    char path[sizeof scratch + 300];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    unlink(path);
}

static void remove_scratch(void)
{
    if (getpid() != scratch_owner) return;
    each_file(remove_file);
    rmdir(scratch);
}

const char *fuzz_scratch(void)
{
    if (scratch_owner) return scratch;
    const char *place = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%.150s/heist-fuzz.XXXXXX", place && *place == '/' ? place : "/tmp");
    if (!mkdtemp(scratch) || chdir(scratch)) fuzz_fail("no directory to work in: %s", strerror(errno));
    scratch_owner = getpid();
    atexit(remove_scratch);
    return scratch;
}

bool fuzz_scratch_is_empty(void)
{
    return each_file(NULL) == 0;
}
