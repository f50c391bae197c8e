/* quiet_fork.h: fork() beside a pool in a program with a sanitizer. A thread that is awake at the moment of the fork
 * may be in the sanitizer's own allocator or list of threads, whose locks then stay shut in the child for ever: a
 * worker that makes room before it looks for work, or a thread that has just been started. So the test waits until
 * all other threads sleep. */
#ifndef QUIET_FORK_H
#define QUIET_FORK_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

/* True: all threads of the process but this one sleep. */
static inline bool others_sleep(void)
{
    DIR *threads = opendir("/proc/self/task");
    if (!threads) return true;
    bool asleep = true;
    for (struct dirent *entry; asleep && (entry = readdir(threads));) {
        char path[300], state = 'S';
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == gettid()) continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
        FILE *stat = fopen(path, "r");
        if (!stat) continue; /* it has ended */
        if (fscanf(stat, "%*d %*[^)]) %c", &state) == 1) asleep = state == 'S';
        fclose(stat);
    }
    closedir(threads);
    return asleep;
}

/* A standby worker takes short naps: only many looks in a row show that the threads sleep for good. */
static inline pid_t fork_quietly(void)
{
    for (int looks = 0, quiet = 0; SANITIZED && quiet < 20 && looks < 5000; looks++) {
        quiet = others_sleep() ? quiet + 1 : 0;
        usleep(1000);
    }
    return fork();
}

#endif
