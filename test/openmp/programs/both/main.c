/* Calls two halves, each with a runtime of its own, in turn and within each other. The halves are linked to it, or are
 * given as files to dlopen: main [local|global GCC_HALF CLANG_HALF]. Prints `right`, or what was wrong. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "part.h"

static part_function *of_gcc, *of_clang;

static long flat_of_gcc(void)
{
    return of_gcc(NULL, PART_FLAT);
}

static long flat_of_clang(void)
{
    return of_clang(NULL, PART_FLAT);
}

static part_function *load(const char *file, const char *name, int flags)
{
    void *half = dlopen(file, RTLD_NOW | flags);
    part_function *function = half ? (part_function *)dlsym(half, name) : NULL;
    if (!function) printf("%s\n", dlerror());
    return function;
}

static int wrong;

static void check(const char *what, long got, long wanted)
{
    if (got == wanted) return;
    printf("%s: %ld, not %ld\n", what, got, wanted);
    wrong = 1;
}

int main(int argc, char **argv)
{
#ifdef LINKED
    of_gcc = part_of_gcc, of_clang = part_of_clang;
    (void)argc, (void)argv;
#else
    int flags = argc == 4 && strcmp(argv[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    if (argc != 4 || !(of_gcc = load(argv[2], "part_of_gcc", flags))) return 1;
#endif
    for (int i = 0; i < 2; i++) {
        check("gcc's", of_gcc(NULL, PART_FLAT), PART_RESULT);
#ifndef LINKED
        if (i == 0 && !(of_clang = load(argv[3], "part_of_clang", flags))) return 1;
#endif
        check("clang's", of_clang(NULL, PART_FLAT), PART_RESULT);
        check("clang's in gcc's region", of_gcc(flat_of_clang, PART_IN_REGION), 2 * PART_RESULT);
        check("gcc's in clang's region", of_clang(flat_of_gcc, PART_IN_REGION), 2 * PART_RESULT);
        check("clang's in gcc's task", of_gcc(flat_of_clang, PART_IN_TASK), 2 * PART_RESULT);
        check("gcc's in clang's task", of_clang(flat_of_gcc, PART_IN_TASK), 2 * PART_RESULT);
    }
    if (!wrong) printf("right\n");
    return wrong;
}
