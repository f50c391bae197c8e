/* The message with which the library ends a program. */
#ifndef HEIST_OPENMP_PRELOAD_MESSAGE_H
#define HEIST_OPENMP_PRELOAD_MESSAGE_H

/* Ends the program with a message: going on would compute something else. */
_Noreturn void heist__omp_fatal(const char *why);

#endif
