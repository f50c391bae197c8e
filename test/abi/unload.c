/* unload LIBHEIST_SO: a plugin's host. Opens the library, closes it while a pool has a running task and a sleeping
 * worker, and goes on. The library's code must stay: its threads run there. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <heist/heist.h>

static atomic_int begun, may_end, ended;

static void task(void *unused)
{
    (void)unused;
    atomic_store(&begun, 1);
    while (!atomic_load(&may_end)) usleep(1000);
    atomic_store(&ended, 1);
}

/* A function pointer out of a data pointer, which ISO C does not convert. */
#define FIND(handle, name)                                                                                             \
    union {                                                                                                            \
        void *data;                                                                                                    \
        __typeof__(name) *function;                                                                                    \
    } name##_found = {dlsym(handle, #name)}

int main(int argc, char **argv)
{
    void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!handle) {
        fprintf(stderr, "unload: %s\n", argc > 1 ? dlerror() : "no library named");
        return 2;
    }
    FIND(handle, heist_pool_new);
    FIND(handle, heist_submit);
    FIND(handle, heist_pool_free);
    heist_options options = {.size = sizeof options, .workers = 2};
    heist_pool *pool = heist_pool_new_found.function(&options);
    if (!pool || heist_submit_found.function(pool, task, NULL, -1) != 0) return 3;
    while (!atomic_load(&begun)) usleep(1000);
    dlclose(handle);
    void *again = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD);
    if (!again) {
        fprintf(stderr, "unload: the library is gone, its threads are not\n");
        _exit(4); /* exit() might run into them */
    }
    atomic_store(&may_end, 1); /* back into the library */
    if (heist_pool_free_found.function(pool) != 0) return 5;
    return !atomic_load(&ended);
}
