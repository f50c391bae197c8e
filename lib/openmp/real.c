/* Finds the OpenMP runtime behind this library. dlsym(RTLD_NEXT) looks from the object of its caller on, which it knows by the
 * return address: no call of it here may become a jump. One that a plugin brought along with RTLD_LOCAL is not in
 * that order; it is asked for by its name. */
#include "openmp/real.h"

#include <dlfcn.h>
#include <link.h>
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

/* Where the runtime is. Written by: heist__real_resolve. */
static uintptr_t lowest, highest;

/* Whether the object is the runtime; then, where it is. */
static int measure(struct dl_phdr_info *object, size_t size, void *known)
{
    (void)size;
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t begins = object->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD) continue;
        if (begins < low) low = begins;
        if (begins + part->p_memsz > high) high = begins + part->p_memsz;
    }
    if ((uintptr_t)known < low || (uintptr_t)known >= high) return 0;
    lowest = low;
    highest = high;
    return 1;
}

bool heist__real_contains(uintptr_t address)
{
    return address >= lowest && address < highest;
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
    if (!highest) dl_iterate_phdr(measure, heist__real_table[KEY(HEIST__RUNTIME_KEY)]);
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

static bool is_of_runtime(void *entry)
{
    Dl_info info;
    const char *file = heist__real_file();
    return file && entry && dladdr(entry, &info) && info.dli_fname == file;
}

bool heist__real_serves(const char *name)
{
    void *volatile entry = dlsym(RTLD_NEXT, name);
    return is_of_runtime(entry);
}

bool heist__real_defines(const char *name)
{
    const char *file = heist__real_file();
    void *handle = file ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (!handle) return false;
    bool defines = is_of_runtime(dlsym(handle, name));
    dlclose(handle);
    return defines;
}
