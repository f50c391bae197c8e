/* Finds the OpenMP runtime behind this library. dlsym(RTLD_NEXT) looks from the object of its caller on, which it knows by the
 * return address: no call of it here may become a jump. One that a plugin brought along with RTLD_LOCAL is not in
 * that order; it is asked for by its name. */
#include "openmp/real.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *heist__real_table[HEIST__REAL_COUNT];

static const char *const names[HEIST__REAL_COUNT] = {
#define NAME(name) [HEIST__NO_##name] = #name,
    HEIST__WRAPPED(NAME) HEIST__CALLED(NAME)
#undef NAME
};

/* The number of an entry whose name is a macro. */
#define KEY(name) PASTED(name)
#define PASTED(name) HEIST__NO_##name

static void *find(void *plugin, const char *name)
{
    void *volatile entry = dlsym(RTLD_NEXT, name); /* volatile: so that the call returns to this object */
    if (!entry && plugin) entry = dlsym(plugin, name);
    return entry;
}

void heist__real_resolve(void)
{
    static const char *const files[] = {HEIST__RUNTIME_FILES};
    void *plugin = NULL;
    for (size_t i = 0; !plugin && i < sizeof files / sizeof *files; i++)
        plugin = dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD);
    for (int i = 0; i < HEIST__REAL_COUNT; i++) {
        if (!heist__real_table[i]) heist__real_table[i] = find(plugin, names[i]);
    }
    /* `plugin` is not closed: what was found must stay. */
}

void *heist__real_missing(heist__real_number number)
{
    heist__real_resolve();
    if (!heist__real_table[number]) {
        fprintf(stderr, "heist-omp: the program called %s, which no " HEIST__RUNTIME " here has\n", names[number]);
        _exit(127);
    }
    return heist__real_table[number];
}

const char *heist__real_file(void)
{
    Dl_info info;
    void *known = heist__real_table[KEY(HEIST__RUNTIME_KEY)];
    return known && dladdr(known, &info) ? info.dli_fname : NULL;
}

bool heist__real_serves(const char *name)
{
    Dl_info info;
    const char *file = heist__real_file();
    void *volatile entry = dlsym(RTLD_NEXT, name);
    return file && entry && dladdr(entry, &info) && info.dli_fname == file;
}
