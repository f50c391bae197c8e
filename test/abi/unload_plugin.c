/* A plugin with heist's static library inside, which is unloaded with it: unlike the shared library, it does not stay.
 * See unload.c. */
#include <heist/heist.h>
#include <heist/memory.h>

int use_objects(void);

int use_objects(void)
{
    heist_object_options options = {.object_size = 40};
    heist_object_pool *pool = heist_object_pool_new(&options);
    void *object = heist_object_acquire(pool);
    return object && heist_object_release(pool, object) == 0 ? heist_object_pool_free(pool) : -1;
}
