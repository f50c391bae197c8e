/* fixture.h: loads machines that are not here, for tests. A build without hwloc cannot; such tests are then ignored,
 * which Unity reports. The files are looked for in $HEIST_TEST_TOPOLOGIES, then where the build says, then beside this
 * file. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "topology/machine.h"
#include "unity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HEIST_TEST_TOPOLOGIES
#define HEIST_TEST_TOPOLOGIES NULL
#endif

/* The path of a recorded machine; good until the next call. */
static inline const char *fixture(const char *name)
{
    static char path[4096];
    const char *here = __FILE__, *folder = getenv("HEIST_TEST_TOPOLOGIES");
    if (!folder) folder = HEIST_TEST_TOPOLOGIES;
    if (folder) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
    } else {
        snprintf(path, sizeof path, "%.*s%s", (int)(strrchr(here, '/') + 1 - here), here, name);
    }
    return path;
}

/* Ends the test when the machine cannot be had. */
static inline void load_machine(heist__machine *m, const char *description)
{
    char note[HEIST__NOTE];
    int error = heist__machine_load(m, description, note, sizeof note);
    if (error == -ENOTSUP) TEST_IGNORE_MESSAGE("built without hwloc");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, error, note);
    TEST_ASSERT_TRUE(m->synthetic);
    TEST_ASSERT_EQUAL_STRING("", note);
}

#endif
