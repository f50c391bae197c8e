/* The state of a thread, read from /proc. */
#include "platform/thread_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int32_t heist__thread_number(void)
{
    return (int32_t)syscall(SYS_gettid);
}

bool heist__thread_wants_cpu(int32_t number)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)number);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return false;
    text[length] = '\0';
    const char *name_ends = strrchr(text, ')'); /* the last one: the thread's name may contain one, too */
    return name_ends && strncmp(name_ends, ") R", 3) == 0;
}
