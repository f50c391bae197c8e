/* The two halves of a program with two runtimes, and how the main program calls them: see part.c, main.c. */
#ifndef HEIST_TEST_OPENMP_PART_H
#define HEIST_TEST_OPENMP_PART_H

/* Where a half calls the other one: nowhere, in a region, in a task. */
enum part_place { PART_FLAT, PART_IN_REGION, PART_IN_TASK };

typedef long part_function(long (*other)(void), enum part_place place);

/* What a half returns that calls no other. */
enum { PART_RESULT = 499500 + 55 + 1225 + 100 + 200 };

part_function part_of_gcc, part_of_clang;

#endif
