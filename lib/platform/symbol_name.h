/* platform/symbol_name.h: the name of a function by its address, also of a static one, and also in a signal handler. */
#ifndef HEIST_PLATFORM_SYMBOL_NAME_H
#define HEIST_PLATFORM_SYMBOL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the name of the function that `address` lies in, from the symbol table of the file that it was loaded from. A
 * suffix that the compiler made (".part.0") is left out. False: the file has no such symbol, or cannot be read.
 * Allocates nothing, takes no lock, and calls only functions that a signal handler may call. */
bool heist__symbol_name(uintptr_t address, char *name, size_t size);

#endif
