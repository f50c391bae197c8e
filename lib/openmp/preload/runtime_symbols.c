/* Finds the OpenMP runtime behind this library. dlsym(RTLD_NEXT) looks from the object of its caller on, and knows
 * the caller by the return address: so no call of it here may become a jump. A runtime that a plugin brought along
 * with RTLD_LOCAL is not in that order; it is asked for by its name.
 *
 * A process may have both runtimes. Then every name that both have must come from the object that has the runtime's
 * key entry, for this library's own use. And a program's call of such a name must go to the runtime that the call
 * would reach without heist: the first in the order; without one, the runtime of the object that calls. */
#include "openmp/preload/runtime_symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* A name that both runtimes have, in each version, and that no library of heist's has. */
#define ANY_OF_BOTH "omp_get_thread_num"

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

/* The address at which the object begins that has the entry; NULL: no object has it. */
static const void *object_of(void *entry)
{
    Dl_info info;
    return entry && dladdr(entry, &info) ? info.dli_fbase : NULL;
}

/* The object of an entry, to be asked for its names; NULL: there is none. */
static void *open_object_of(void *entry)
{
    Dl_info info;
    return entry && dladdr(entry, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* Whether the object of the entry has the name itself. */
static bool object_has(void *entry, const char *name)
{
    void *handle = open_object_of(entry);
    if (!handle) return false;
    bool has = object_of(dlsym(handle, name)) == object_of(entry);
    dlclose(handle);
    return has;
}

/* Whether an object that is a runtime, or seems to be, is the other one, or libomp under libgomp's name. */
static bool is_foreign(void *entry)
{
    return object_has(entry, HEIST__FOREIGN_KEY) &&
           (HEIST__NEVER_BOTH || !object_has(entry, names[KEY(HEIST__RUNTIME_KEY)]));
}

static bool both_have(const char *name)
{
    return strncmp(name, "omp_", 4) == 0;
}

/* Where names are looked for. */
typedef struct places {
    void *runtime; /* the runtime in the order of symbols, or NULL: it is not there, or is not this library's */
    bool in_order; /* some object behind this library has the key */
    void *plugin;  /* the runtime by its file's name, or NULL */
} places;

static places find_places(void)
{
    places p = {.plugin = find_plugin()};
    void *key = heist__next_symbol(names[KEY(HEIST__RUNTIME_KEY)]);
    p.in_order = key != NULL;
    if (key && !is_foreign(key)) p.runtime = open_object_of(key); /* not closed, as the plugin is not */
    return p;
}

/* A name that both runtimes have: of the runtime's object. Any other: the next one, which may be that of a tool in
 * front of the runtime, but not that of a runtime which this library does not serve. */
static void *find_in(const places *p, const char *name)
{
    if (!p->in_order) return p->plugin ? dlsym(p->plugin, name) : NULL;
    void *next = heist__next_symbol(name);
    if (!p->runtime) return next;
    void *own = dlsym(p->runtime, name);
    if (!next || (own && both_have(name))) return own;
    return object_of(next) != object_of(own) && is_foreign(next) ? own : next;
}

/* To which runtime the program's calls go by names that both have. */
enum { BY_CALLER, TO_THIS, TO_OTHER };
static HEIST__ATOMIC(uint32_t) calls_go; /* relaxed throughout: each thread would find the same */

static void find_where_calls_go(void)
{
    void *first = heist__next_symbol(ANY_OF_BOTH);
    if (!first) return; /* in no order: known by the caller */
    void *key = heist__load_relaxed(&heist__runtime_table[KEY(HEIST__RUNTIME_KEY)]); /* relaxed: see the header */
    bool other = object_of(first) != object_of(key) && is_foreign(first);
    if (!key && !other) return; /* the runtime may still come */
    heist__store_relaxed(&calls_go, other ? TO_OTHER : TO_THIS);
}

void heist__runtime_resolve(void)
{
    places p = find_places();
    for (int i = 0; i < HEIST__SYMBOL_COUNT; i++) {
        if (heist__runtime_has((heist__runtime_symbol)i)) continue;
        void *entry = find_in(&p, names[i]);
        if (entry) heist__store_relaxed(&heist__runtime_table[i], entry); /* relaxed: see the header */
    }
    void *known = heist__load_relaxed(&heist__runtime_table[KEY(HEIST__RUNTIME_KEY)]); /* relaxed: see the header */
    if (!heist__load_relaxed(&highest)) dl_iterate_phdr(measure, known); /* relaxed: at worst measured twice */
    find_where_calls_go();
}

/* ---- calls by names that both runtimes have ---- */

/* The function behind this library, in the library in front of the other runtime, or in that runtime itself. NULL:
 * there is none in the order. */
static void *others_function(heist__runtime_symbol symbol)
{
    /* Written by: threads that look for one, with the same value. relaxed: code does not change */
    static HEIST__ATOMIC(void *) others[HEIST__SYMBOL_COUNT];
    void *entry = heist__load_relaxed(&others[symbol]);
    if (entry) return entry;
    entry = heist__next_symbol(names[symbol]);
    if (entry) heist__store_relaxed(&others[symbol], entry);
    return entry;
}

/* What is known of callers, by the page of their code: the page, and whether it means the other runtime. Written by:
 * threads that ask for the first time. relaxed: a word says all by itself. */
enum { PAGE_BITS = 12, KNOWN_CALLERS = 256, MEANS_THIS = 1, MEANS_OTHER = 2 };
static HEIST__ATOMIC(uintptr_t) known_callers[KNOWN_CALLERS]; /* page << 2 | MEANS_... */

/* Asks the object at `caller` which runtime is among its own libraries. 0: none, or not yet. The last call of a task's
 * body may be a jump: then the caller seems to be the library that runs the task. If heist's other library comes behind
 * this one, that is what its address means; if it comes in front, it has passed the call on. */
static uintptr_t ask_object(void *handle, void *caller)
{
    void *its = handle ? dlsym(handle, ANY_OF_BOTH) : NULL;
    if (!its && object_of(caller) == object_of(heist__next_symbol(HEIST__OTHER_KEY))) return MEANS_OTHER;
    if (!heist__runtime_has(KEY(HEIST__RUNTIME_KEY))) heist__runtime_resolve();
    void *key = heist__load_relaxed(&heist__runtime_table[KEY(HEIST__RUNTIME_KEY)]); /* relaxed: see the header */
    if (!its) return 0;
    return object_of(its) == object_of(key) ? MEANS_THIS : MEANS_OTHER;
}

static void *meant_by_caller(heist__runtime_symbol symbol, uintptr_t caller)
{
    uintptr_t page = caller >> PAGE_BITS, known = heist__load_relaxed(&known_callers[page % KNOWN_CALLERS]);
    if (known == (page << 2 | MEANS_THIS)) return NULL;
    if (known == (page << 2 | MEANS_OTHER) && others_function(symbol)) return others_function(symbol);
    void *handle = open_object_of((void *)caller);
    uintptr_t means = ask_object(handle, (void *)caller);
    if (means) heist__store_relaxed(&known_callers[page % KNOWN_CALLERS], page << 2 | means);
    void *function = NULL;
    if (means == MEANS_OTHER) {
        function = others_function(symbol);
        if (!function) function = dlsym(handle, names[symbol]);
    }
    if (handle) dlclose(handle);
    return function;
}

void *heist__runtime_meant_otherwise(heist__runtime_symbol symbol, const void *caller)
{
    uint32_t go = heist__load_relaxed(&calls_go);
    if (__builtin_expect(go == TO_THIS, 1)) return NULL;
    return go == TO_OTHER ? others_function(symbol) : meant_by_caller(symbol, (uintptr_t)caller);
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

void *heist__runtime_in_turn(heist__runtime_symbol symbol, const void *caller)
{
    bool ordered = heist__load_relaxed(&calls_go) != BY_CALLER;
    void *entry = ordered ? others_function(symbol) : meant_by_caller(symbol, (uintptr_t)caller);
    return __builtin_expect(entry != NULL, 1) ? entry : heist__runtime_entry(symbol);
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

bool heist__runtime_is_called_by(const char *name)
{
    void *volatile entry = dlsym(RTLD_DEFAULT, name);
    return is_of_runtime(entry);
}

bool heist__runtime_defines(const char *name)
{
    /* relaxed: see the header */
    return object_has(heist__load_relaxed(&heist__runtime_table[KEY(HEIST__RUNTIME_KEY)]), name);
}

bool heist__library_has(const char *name)
{
    return object_has((void *)heist__runtime_table, name);
}
