/* unload LIBHEIST_SO: a plugin's host. Opens the library, closes it while a pool has a running task and a sleeping
 * worker, and goes on. The library's code must stay: its threads run there.
 *
 * unload PLUGIN_SO plugin: the same for unload_plugin.c, which goes. A thread that has used it ends after that, and
 * must not be sent to code that is gone. */
#include <dlfcn.h>
#include <pthread.h>
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

static void *use_and_unload(void *handle)
{
    int use_objects(void);
    FIND(handle, use_objects);
    const bool used = use_objects_found.function && use_objects_found.function() == 0;
    dlclose(handle);
    return used ? handle : NULL;
}

static int unload_plugin(void *handle, const char *path)
{
    pthread_t thread;
    void *used;
    if (pthread_create(&thread, NULL, use_and_unload, handle) != 0 || pthread_join(thread, &used) != 0) return 6;
    if (!used) return 7;
    return dlopen(path, RTLD_NOW | RTLD_NOLOAD) ? 8 : 0; /* it must have gone, else nothing was shown */
}

int main(int argc, char **argv)
{
    void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!handle) {
        fprintf(stderr, "unload: %s\n", argc > 1 ? dlerror() : "no library named");
        return 2;
    }
    if (argc > 2) return unload_plugin(handle, argv[1]);
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
