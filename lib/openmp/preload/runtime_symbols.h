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

/* A program has called a name that both runtimes have. NULL: it means this library's runtime. Else the function that
 * the call would have reached: of the other runtime, or of the library in front of that. */
void *heist__runtime_meant_otherwise(heist__runtime_symbol symbol, const void *caller);

/* The next function of this name behind this library, in any library; NULL: there is none. */
void *heist__next_symbol(const char *name);

/* The file of the runtime that was found, or NULL. */
const char *heist__runtime_file(void);

/* Whether the program's calls of this name, of whichever runtime, go to the runtime that was found, as far as libraries
 * behind this one are concerned; and with those in front. */
bool heist__runtime_serves(const char *name);
bool heist__runtime_is_called_by(const char *name);

/* Whether that runtime has this name, even if another library defines it in front. */
bool heist__runtime_defines(const char *name);

/* Whether this library itself has a function of this name. */
bool heist__library_has(const char *name);

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

/* The same, but never NULL: the next function in the order of symbols, so that each library of heist's is passed. */
void *heist__runtime_in_turn(heist__runtime_symbol symbol, const void *caller);

/* For the first line of a wrapper with such a name: passes the call on if it means the other runtime. */
#define HEIST__IF_MEANT_OTHERWISE(name, arguments)                                                                     \
    void *otherwise = heist__runtime_meant_otherwise(HEIST__SYMBOL_##name, __builtin_return_address(0));               \
    if (__builtin_expect(otherwise != NULL, 0)) return ((__typeof__(&name))(uintptr_t)otherwise)arguments
/* The same for a function that returns nothing. */
#define HEIST__IF_MEANT_OTHERWISE_VOID(name, arguments)                                                                \
    void *otherwise = heist__runtime_meant_otherwise(HEIST__SYMBOL_##name, __builtin_return_address(0));               \
    if (__builtin_expect(otherwise != NULL, 0)) {                                                                      \
        ((__typeof__(&name))(uintptr_t)otherwise) arguments;                                                           \
        return;                                                                                                        \
    }                                                                                                                  \
    (void)otherwise

#define HEIST__RUNTIME(name) ((__typeof__(&name))(uintptr_t)heist__runtime_entry(HEIST__SYMBOL_##name))

#endif
