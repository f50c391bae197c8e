/* The runtime's own functions, behind those of this library. HEIST__RUNTIME(GOMP_task)(...) calls one. */
#ifndef HEIST_OPENMP_PRELOAD_RUNTIME_SYMBOLS_H
#define HEIST_OPENMP_PRELOAD_RUNTIME_SYMBOLS_H

#include <heist/detail/atomic.h>

#include "openmp/preload/front_end.h"

typedef enum {
#define NUMBER(name) HEIST__SYMBOL_##name,
    HEIST__WRAPPED(NUMBER) HEIST__WRAPPED_COUNT,
    HEIST__BEFORE_CALLED = HEIST__WRAPPED_COUNT - 1,
    HEIST__CALLED(NUMBER) HEIST__SYMBOL_COUNT
#undef NUMBER
} heist__runtime_symbol;

/* NULL: not found. Written by: heist__runtime_resolve, several times with the same values. Read by: all. relaxed
 * throughout: code, which does not change */
extern HEIST__ATOMIC(void *) heist__runtime_table[HEIST__SYMBOL_COUNT];

/* Finds the runtime, and its functions. Called when the library is loaded, and again when a function is missing: the
 * runtime may come later, by dlopen. */
void heist__runtime_resolve(void);

/* Looks for a function that is missing. Ends the program with a message if there is none. */
void *heist__runtime_missing(heist__runtime_symbol symbol);

/* A function under a name that both runtimes have: of the runtime that the program means. */
void *heist__runtime_of_either(heist__runtime_symbol symbol);

/* The next function of this name behind this library, in any library; NULL: there is none. */
void *heist__next_symbol(const char *name);

/* The file of the runtime that was found, or NULL. */
const char *heist__runtime_file(void);

/* Whether the program's calls of this name, of whichever runtime, go to the runtime that was found. */
bool heist__runtime_serves(const char *name);

/* Whether that runtime has this name, even if another library defines it in front. */
bool heist__runtime_defines(const char *name);

/* Whether an address is in the runtime's file. */
bool heist__runtime_contains(uintptr_t address);

/* Whether the runtime, of whichever version, has the function. */
static inline bool heist__runtime_has(heist__runtime_symbol symbol)
{
    return heist__load_relaxed(&heist__runtime_table[symbol]) != NULL;
}

static inline void *heist__runtime_entry(heist__runtime_symbol symbol)
{
    void *entry = heist__load_relaxed(&heist__runtime_table[symbol]);
    return __builtin_expect(entry != NULL, 1) ? entry : heist__runtime_missing(symbol);
}

#define HEIST__RUNTIME(name) ((__typeof__(&name))(uintptr_t)heist__runtime_entry(HEIST__SYMBOL_##name))

#endif
