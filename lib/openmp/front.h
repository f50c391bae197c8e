/* The runtime in front of which this library stands: the core is compiled once for each. */
#ifndef HEIST_OPENMP_FRONT_H
#define HEIST_OPENMP_FRONT_H

#ifdef HEIST__OMP_LLVM
#include "openmp/kmp/entries.h"
#else
#include "openmp/entries.h"
#endif

#endif
