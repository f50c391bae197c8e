/* The runtime in front of which this library stands. The core is compiled once for each; this is the one place that
 * knows which. An entries.h declares the runtime's entries, and has macros with the other facts that the core needs. */
#ifndef HEIST_OPENMP_PRELOAD_FRONT_END_H
#define HEIST_OPENMP_PRELOAD_FRONT_END_H

#ifdef HEIST__OMP_LLVM
#include "openmp/kmp/entries.h"
#else
#include "openmp/gomp/entries.h"
#endif

#endif
