/* facts COMMAND: prints what heist makes of the machine and the environment, for the scripts beside this file.
 *   rights           the effective user, and whether the system calls the program secure
 *   pool             workers and notes of a pool without options that has run a task
 *   machine          PUs, nodes and the note of the machine as the library sees it
 *   describe TEXT    what becomes of a pool whose topology is TEXT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <heist/heist.h>

#include "topology/machine.h"

static int print_rights(void)
{
    return printf("user %u secure %lu\n", (unsigned)geteuid(), getauxval(AT_SECURE)) < 0;
}

static void set(void *ran)
{
    *(int *)ran = 1;
}

static int print_pool(const heist_options *options)
{
    heist_pool *pool = heist_pool_new(options);
    if (!pool) {
        printf("no pool: %s: %s\n", strerror(errno), heist_explain());
        return 1;
    }
    int ran = 0;
    int error = heist_run(pool, set, &ran);
    printf("workers %u ran %d\n%s\n", heist_pool_workers(pool), ran, heist_pool_notes(pool));
    return heist_pool_free(pool) != 0 || error;
}

static int print_machine(void)
{
    heist__machine m;
    char note[HEIST__NOTE];
    int error = heist__machine_load(&m, NULL, note, sizeof note);
    printf("error %d pus %u nodes %u synthetic %d\n%s\n", error, m.pu_count, m.node_count, m.synthetic, note);
    heist__machine_free(&m);
    return error != 0;
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "rights") == 0) return print_rights();
    if (strcmp(command, "pool") == 0) return print_pool(NULL);
    if (strcmp(command, "machine") == 0) return print_machine();
    if (strcmp(command, "describe") == 0 && argc > 2)
        return print_pool(&(heist_options){.size = sizeof(heist_options), .topology = argv[2]});
    fprintf(stderr, "usage: facts rights | pool | machine | describe TEXT\n");
    return 2;
}
