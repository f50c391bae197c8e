/* Finds the OpenMP runtime behind this library. dlsym(RTLD_NEXT) looks from the object of its caller on, which it knows by the
 * return address: no call of it here may become a jump. One that a plugin brought along with RTLD_LOCAL is not in
 * that order; it is asked for by its name. */
#include "openmp/real.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <heist/atomic.h>

void *heist__real_table[HEIST__REAL_COUNT];

static const char *const names[HEIST__REAL_COUNT] = {
#define NAME(name) [HEIST__NO_##name] = #name,
    HEIST__WRAPPED(NAME) HEIST__CALLED(NAME)
#undef NAME
};

/* The number of an entry whose name is a macro. */
#define KEY(name) PASTED(name)
#define PASTED(name) HEIST__NO_##name

void *heist__real_next(const char *name)
{
    void *volatile entry = dlsym(RTLD_NEXT, name); /* volatile: so that the call returns to this object */
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

/* The runtime, of a plugin: NULL, there is none. It is not closed: what is found there must stay. */
static void *find_plugin(void)
{
    static const char *const files[] = {HEIST__RUNTIME_FILES};
    void *plugin = NULL;
    for (size_t i = 0; !plugin && i < sizeof files / sizeof *files; i++)
        plugin = dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD);
    return plugin;
}

void heist__real_resolve(void)
{
    void *plugin = find_plugin();
    /* Without the key, what comes next of the names that both runtimes have is the other runtime's. */
    bool in_order = heist__real_next(names[KEY(HEIST__RUNTIME_KEY)]) != NULL;
    for (int i = 0; i < HEIST__REAL_COUNT; i++) {
        if (!heist__real_table[i] && in_order) heist__real_table[i] = heist__real_next(names[i]);
        if (!heist__real_table[i] && plugin) heist__real_table[i] = dlsym(plugin, names[i]);
    }
    if (!highest) dl_iterate_phdr(measure, heist__real_table[KEY(HEIST__RUNTIME_KEY)]);
}

/* ---- without a runtime ---- */

static void ignore(int value)
{
    (void)value;
}

static void ignore_schedule(int kind, int chunk)
{
    (void)kind;
    (void)chunk;
}

static int answer_no(void)
{
    return 0;
}

static void ignore_lock(void *lock)
{
    (void)lock;
}

static int have_lock(void *lock)
{
    (void)lock;
    return 1;
}

/* Programs ask by weak references whether there is OpenMP, find this library, and set what nobody will use. NULL: it cannot
 * be ignored. */
static void *stand_in(heist__real_number number)
{
    switch (number) {
    case HEIST__NO_omp_set_num_threads:
    case HEIST__NO_omp_set_dynamic:
    case HEIST__NO_omp_set_nested:
    case HEIST__NO_omp_set_max_active_levels:
    case HEIST__NO_omp_set_default_device: return (void *)(uintptr_t)ignore;
    case HEIST__NO_omp_set_schedule: return (void *)(uintptr_t)ignore_schedule;
    case HEIST__NO_omp_set_lock:
    case HEIST__NO_omp_set_lock_:
    case HEIST__NO_omp_unset_lock:
    case HEIST__NO_omp_unset_lock_: return (void *)(uintptr_t)ignore_lock;
    case HEIST__NO_omp_test_lock:
    case HEIST__NO_omp_test_lock_: return (void *)(uintptr_t)have_lock;
    case HEIST__NO_omp_in_final:
    case HEIST__NO_omp_in_explicit_task: return (void *)(uintptr_t)answer_no;
    default: return NULL;
    }
}

/* What stands in is not kept: a runtime may still come. */
void *heist__real_missing(heist__real_number number)
{
    heist__real_resolve();
    void *entry = heist__real_table[number];
    if (!entry) entry = heist__real_next(names[number]); /* the other runtime's, or the library's in front of that */
    if (!entry) entry = stand_in(number);
    if (!entry) {
        fprintf(stderr, "heist-omp: the program called %s, which no " HEIST__RUNTIME " here has\n", names[number]);
        _exit(127);
    }
    return entry;
}

void *heist__real_of_either(heist__real_number number)
{
    /* Of the other runtime. Written by: whoever looks for it, the same. relaxed: code, which does not change */
    static HEIST__ATOMIC(void *) others[HEIST__REAL_COUNT];
    void *entry = heist__real_table[number];
    if (__builtin_expect(!entry, 0)) entry = heist__load_relaxed(&others[number]);
    if (__builtin_expect(!entry, 0)) {
        heist__real_resolve();
        entry = heist__real_table[number] ? heist__real_table[number] : heist__real_next(names[number]);
        if (entry) heist__store_relaxed(&others[number], entry);
    }
    return entry ? entry : heist__real_missing(number);
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
    return is_of_runtime(heist__real_next(name));
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
