/* The runtime's own entry points, behind ours. HEIST__REAL(GOMP_task)(...) calls it. */
#ifndef HEIST_OPENMP_REAL_H
#define HEIST_OPENMP_REAL_H

#include "openmp/front.h"

typedef enum {
#define NUMBER(name) HEIST__NO_##name,
    HEIST__WRAPPED(NUMBER) HEIST__WRAPPED_COUNT,
    HEIST__BEFORE_CALLED = HEIST__WRAPPED_COUNT - 1,
    HEIST__CALLED(NUMBER) HEIST__REAL_COUNT
#undef NUMBER
} heist__real_number;

/* Written by: heist__real_resolve, before other threads call the runtime, or again with the same values. Read by: all. */
extern void *heist__real_table[HEIST__REAL_COUNT];

/* Finds the runtime, and its entries. Called when the library is loaded, and again when an entry is missing: the runtime
 * may come later, by dlopen. */
void heist__real_resolve(void);

/* Looks for an entry that is missing; ends the program with a message if it cannot be had. */
void *heist__real_missing(heist__real_number number);

/* An entry under a name that both runtimes have: of whichever the program means. */
void *heist__real_of_either(heist__real_number number);

/* What comes of this name behind this library, of whichever library, or NULL. */
void *heist__real_next(const char *name);

/* The file of the runtime that was found, or NULL. */
const char *heist__real_file(void);

/* Whether the program's calls of this name, of whichever runtime, go to the runtime that was found. */
bool heist__real_serves(const char *name);

/* Whether that runtime has this name, whoever stands in front of it. */
bool heist__real_defines(const char *name);

/* Whether an address is in the runtime's file. */
bool heist__real_contains(uintptr_t address);

/* Whether the runtime, of whichever version, has the entry. */
static inline bool heist__real_has(heist__real_number number)
{
    return heist__real_table[number] != NULL;
}

static inline void *heist__real_entry(heist__real_number number)
{
    void *entry = heist__real_table[number];
    return __builtin_expect(entry != NULL, 1) ? entry : heist__real_missing(number);
}

#define HEIST__REAL(name) ((__typeof__(&name))(uintptr_t)heist__real_entry(HEIST__NO_##name))

#endif
