/* Finds the OpenMP runtime behind this library. dlsym(RTLD_NEXT) looks from the object of its caller on, and knows
 * the caller by the return address: so no call of it here may become a jump. A runtime that a plugin brought along
 * with RTLD_LOCAL is not in that order; it is asked for by its name. */
#include "openmp/preload/runtime_symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

HEIST__ATOMIC(void *) heist__runtime_table[HEIST__SYMBOL_COUNT];

static const char *const names[HEIST__SYMBOL_COUNT] = {
#define NAME(name) [HEIST__SYMBOL_##name] = #name,
    HEIST__WRAPPED(NAME) HEIST__CALLED(NAME)
#undef NAME
};

/* The number of a symbol whose name is a macro. */
#define KEY(name) PASTED(name)
#define PASTED(name) HEIST__SYMBOL_##name

void *heist__next_symbol(const char *name)
{
    void *volatile entry = dlsym(RTLD_NEXT, name); /* volatile: so that the call returns to this object */
    return entry;
}

/* Where the runtime is. `highest` is 0 until both are known. Written by: heist__runtime_resolve. Read by: all. */
static HEIST__ATOMIC(uintptr_t) lowest, highest;

/* Whether the object has the known address. Then it is the runtime, and its bounds are noted. */
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
    heist__store_relaxed(&lowest, low);   /* relaxed: published below */
    heist__store_release(&highest, high); /* N4: both bounds. Pairs with N4 in heist__runtime_contains. */
    return 1;
}

bool heist__runtime_contains(uintptr_t address)
{
    /* N4: the lower bound after the upper one. relaxed: ordered by that */
    return address < heist__load_acquire(&highest) && address >= heist__load_relaxed(&lowest);
}

/* A plugin's runtime; NULL: there is none. It is not closed, so that its functions stay. */
static void *find_plugin(void)
{
    static const char *const files[] = {HEIST__RUNTIME_FILES};
    void *plugin = NULL;
    for (size_t i = 0; !plugin && i < sizeof files / sizeof *files; i++)
        plugin = dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD);
    return plugin;
}

void heist__runtime_resolve(void)
{
    void *plugin = find_plugin();
    /* Without the key, the next function of a name that both runtimes have is the other runtime's. */
    bool in_order = heist__next_symbol(names[KEY(HEIST__RUNTIME_KEY)]) != NULL;
    for (int i = 0; i < HEIST__SYMBOL_COUNT; i++) {
        if (heist__runtime_has((heist__runtime_symbol)i)) continue;
        void *entry = in_order ? heist__next_symbol(names[i]) : NULL;
        if (!entry && plugin) entry = dlsym(plugin, names[i]);
        if (entry) heist__store_relaxed(&heist__runtime_table[i], entry); /* relaxed: see the header */
    }
    void *known = heist__load_relaxed(&heist__runtime_table[KEY(HEIST__RUNTIME_KEY)]); /* relaxed: see the header */
    if (!heist__load_relaxed(&highest)) dl_iterate_phdr(measure, known); /* relaxed: at worst measured twice */
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

/* A function for programs without a runtime: they ask by weak references whether there is OpenMP, find this library,
 * and set values that no code will use. NULL: the call cannot be ignored. */
static void *stand_in(heist__runtime_symbol symbol)
{
    switch (symbol) {
    case HEIST__SYMBOL_omp_set_num_threads:
    case HEIST__SYMBOL_omp_set_dynamic:
    case HEIST__SYMBOL_omp_set_nested:
    case HEIST__SYMBOL_omp_set_max_active_levels:
    case HEIST__SYMBOL_omp_set_default_device: return (void *)(uintptr_t)ignore;
    case HEIST__SYMBOL_omp_set_schedule: return (void *)(uintptr_t)ignore_schedule;
    case HEIST__SYMBOL_omp_set_lock:
    case HEIST__SYMBOL_omp_set_lock_:
    case HEIST__SYMBOL_omp_unset_lock:
    case HEIST__SYMBOL_omp_unset_lock_: return (void *)(uintptr_t)ignore_lock;
    case HEIST__SYMBOL_omp_test_lock:
    case HEIST__SYMBOL_omp_test_lock_: return (void *)(uintptr_t)have_lock;
    case HEIST__SYMBOL_omp_in_final:
    case HEIST__SYMBOL_omp_in_explicit_task: return (void *)(uintptr_t)answer_no;
    default: return NULL;
    }
}

/* A function that stands in is not kept: a runtime may still come. */
void *heist__runtime_missing(heist__runtime_symbol symbol)
{
    heist__runtime_resolve();
    void *entry = heist__load_relaxed(&heist__runtime_table[symbol]); /* relaxed: see the header */
    /* The other runtime's function, or that of the library in front of the other runtime. */
    if (!entry) entry = heist__next_symbol(names[symbol]);
    if (!entry) entry = stand_in(symbol);
    if (!entry) {
        fprintf(stderr, "heist-omp: the program called %s, which no " HEIST__RUNTIME_NAME " here has\n", names[symbol]);
        _exit(127);
    }
    return entry;
}

void *heist__runtime_of_either(heist__runtime_symbol symbol)
{
    /* The other runtime's. Written by: threads that look for one, with the same value. relaxed: code does not change */
    static HEIST__ATOMIC(void *) others[HEIST__SYMBOL_COUNT];
    void *entry = heist__load_relaxed(&heist__runtime_table[symbol]); /* relaxed: see the header */
    if (__builtin_expect(!entry, 0)) entry = heist__load_relaxed(&others[symbol]);
    if (__builtin_expect(!entry, 0)) {
        heist__runtime_resolve();
        entry = heist__load_relaxed(&heist__runtime_table[symbol]); /* relaxed: see the header */
        if (!entry) entry = heist__next_symbol(names[symbol]);
        if (entry) heist__store_relaxed(&others[symbol], entry);
    }
    return entry ? entry : heist__runtime_missing(symbol);
}

const char *heist__runtime_file(void)
{
    Dl_info info;
    void *known = heist__load_relaxed(&heist__runtime_table[KEY(HEIST__RUNTIME_KEY)]); /* relaxed: see the header */
    return known && dladdr(known, &info) ? info.dli_fname : NULL;
}

static bool is_of_runtime(void *entry)
{
    Dl_info info;
    const char *file = heist__runtime_file();
    return file && entry && dladdr(entry, &info) && info.dli_fname == file;
}

bool heist__runtime_serves(const char *name)
{
    return is_of_runtime(heist__next_symbol(name));
}

bool heist__runtime_defines(const char *name)
{
    const char *file = heist__runtime_file();
    void *handle = file ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (!handle) return false;
    bool defines = is_of_runtime(dlsym(handle, name));
    dlclose(handle);
    return defines;
}
