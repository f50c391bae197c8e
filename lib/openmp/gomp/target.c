/* Devices. A target construct with depend or nowait is a task, which libgomp would put among its own. Here the thread
 * waits for the construct's predecessors, and then has libgomp do it at once: right with a device and without, but not
 * overlapped. */
#include "openmp/core/depend.h"
#include "openmp/gomp/clauses.h"
#include "openmp/preload/runtime_symbols.h"

static void wait_for(heist__omp_slot *self, void **depend)
{
    heist__depend_clauses clauses = heist__gomp_clauses(depend);
    heist__omp_depend_wait(self, &clauses);
}

/* Waits for the construct's predecessors. Returns the flags for libgomp. */
static unsigned settle(unsigned flags, void ***depend)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) return flags;
    if (*depend) wait_for(self, *depend);
    *depend = NULL;
    return flags & ~(unsigned)HEIST__GOMP_TARGET_NOWAIT;
}

/* libgomp would create a task of its own for omp_target_memcpy_async and its like, too. */
static void wait_for_depobjs(heist__omp_slot *self, int count, heist__omp_depobj *depobjs)
{
    for (int i = 0; i < count; i++) {
        void *depend[] = {NULL, (void *)1, NULL, NULL, NULL, &depobjs[i]}; /* one depobj, see clauses.c */
        wait_for(self, depend);
    }
}

int omp_target_memcpy_async(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset,
                            int to_device, int from_device, int depobj_count, heist__omp_depobj *depobjs)
{
    HEIST__IF_MEANT_OTHERWISE(omp_target_memcpy_async, (to, from, length, to_offset, from_offset, to_device,
                                                        from_device, depobj_count, depobjs));
    HEIST__SELF_OR_RUNTIME(self, omp_target_memcpy_async,
                           (to, from, length, to_offset, from_offset, to_device, from_device, depobj_count, depobjs));
    wait_for_depobjs(self, depobj_count, depobjs);
    return HEIST__RUNTIME(omp_target_memcpy)(to, from, length, to_offset, from_offset, to_device, from_device);
}

int omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int dimensions, const size_t *volume,
                                 const size_t *to_offsets, const size_t *from_offsets, const size_t *to_sizes,
                                 const size_t *from_sizes, int to_device, int from_device, int depobj_count,
                                 heist__omp_depobj *depobjs)
{
    HEIST__IF_MEANT_OTHERWISE(omp_target_memcpy_rect_async,
                              (to, from, element, dimensions, volume, to_offsets, from_offsets, to_sizes, from_sizes,
                               to_device, from_device, depobj_count, depobjs));
    HEIST__SELF_OR_RUNTIME(self, omp_target_memcpy_rect_async,
                           (to, from, element, dimensions, volume, to_offsets, from_offsets, to_sizes, from_sizes,
                            to_device, from_device, depobj_count, depobjs));
    wait_for_depobjs(self, depobj_count, depobjs);
    return HEIST__RUNTIME(omp_target_memcpy_rect)(to, from, element, dimensions, volume, to_offsets, from_offsets,
                                                  to_sizes, from_sizes, to_device, from_device);
}

void *omp_target_memset_async(void *to, int value, size_t length, int device, int depobj_count,
                              heist__omp_depobj *depobjs)
{
    HEIST__IF_MEANT_OTHERWISE(omp_target_memset_async, (to, value, length, device, depobj_count, depobjs));
    HEIST__SELF_OR_RUNTIME(self, omp_target_memset_async, (to, value, length, device, depobj_count, depobjs));
    wait_for_depobjs(self, depobj_count, depobjs);
    return HEIST__RUNTIME(omp_target_memset)(to, value, length, device);
}

/* Without a device libgomp calls the region's function here, and takes it to be in no region: it runs the function's
 * tasks at once, and they end before the mapped data goes. So the slot is hidden meanwhile. */
void GOMP_target(int device, void (*fn)(void *), const void *unused, size_t maps, void **addresses, size_t *sizes,
                 unsigned char *kinds)
{
    heist__omp_slot *outer = heist__omp_self;
    heist__omp_self = NULL;
    HEIST__RUNTIME(GOMP_target)(device, fn, unused, maps, addresses, sizes, kinds);
    heist__omp_self = outer;
}

void GOMP_target_ext(int device, void (*fn)(void *), size_t maps, void **addresses, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **arguments)
{
    flags = settle(flags, &depend);
    heist__omp_slot *outer /* hidden, as above */ = heist__omp_self;
    heist__omp_self = NULL;
    HEIST__RUNTIME(GOMP_target_ext)(device, fn, maps, addresses, sizes, kinds, flags, depend, arguments);
    heist__omp_self = outer;
}

void GOMP_target_update_ext(int device, size_t maps, void **addresses, size_t *sizes, unsigned short *kinds,
                            unsigned flags, void **depend)
{
    flags = settle(flags, &depend);
    HEIST__RUNTIME(GOMP_target_update_ext)(device, maps, addresses, sizes, kinds, flags, depend);
}

void GOMP_target_enter_exit_data(int device, size_t maps, void **addresses, size_t *sizes, unsigned short *kinds,
                                 unsigned flags, void **depend)
{
    flags = settle(flags, &depend);
    HEIST__RUNTIME(GOMP_target_enter_exit_data)(device, maps, addresses, sizes, kinds, flags, depend);
}
