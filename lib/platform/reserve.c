/* reserve.c: see reserve.h. Linux does not count a mapping that cannot be written to. MAP_NORESERVE asks the same for
 * the writable part, where the system allows that. */
#include "platform/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static size_t page_size(void)
{
    long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 4096;
}

/* A size that no address space holds becomes SIZE_MAX less a page. */
static size_t whole_pages(size_t bytes)
{
    size_t page = page_size();
    return bytes > SIZE_MAX - page ? SIZE_MAX - page + 1 : (bytes + page - 1) / page * page;
}

static void *reserve(size_t bytes, int flag)
{
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | flag, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

int heist__reserve_make(heist__reserve *r, size_t bytes, size_t usable)
{
    *r = (heist__reserve){.bytes = whole_pages(bytes), .usable = whole_pages(usable)};
    if (r->usable > r->bytes) r->usable = r->bytes;
    r->start = reserve(r->bytes, MAP_NORESERVE);
    if (!r->start) return -ENOMEM;
    if (mprotect(r->start, r->usable, PROT_READ | PROT_WRITE) != 0) {
        heist__reserve_free(r);
        return -ENOMEM;
    }
    madvise(r->start, r->bytes, MADV_NOHUGEPAGE); /* little of the memory is used; a refusal costs memory only */
    return 0;
}

bool heist__reserve_grow(heist__reserve *r)
{
    size_t step = r->usable < r->bytes - r->usable ? r->usable : r->bytes - r->usable;
    for (; !r->refused && step > 0; step = step / 2 / page_size() * page_size()) {
        if (mprotect(r->start + r->usable, step, PROT_READ | PROT_WRITE) != 0) continue;
        r->usable += step;
        return true;
    }
    r->refused = true;
    return false;
}

void heist__reserve_trim(heist__reserve *r, size_t kept)
{
    kept = whole_pages(kept);
    if (r->usable > kept) madvise(r->start + kept, r->usable - kept, MADV_DONTNEED);
    r->refused = false;
}

void heist__reserve_free(heist__reserve *r)
{
    if (r->start) munmap(r->start, r->bytes);
    r->start = NULL;
}

bool heist__could_reserve(size_t bytes)
{
    bytes = whole_pages(bytes);
    void *p = reserve(bytes, MAP_NORESERVE);
    if (p) munmap(p, bytes);
    return p;
}

static bool could_write(size_t bytes, int flag)
{
    bytes = whole_pages(bytes);
    void *p = reserve(bytes, flag);
    if (!p) return false;
    munlock(p, bytes); /* in a program that locks all its memory every page would be filled otherwise */
    bool could = mprotect(p, bytes, PROT_READ | PROT_WRITE) == 0;
    munmap(p, bytes);
    return could;
}

bool heist__could_commit(size_t bytes)
{
    return could_write(bytes, MAP_NORESERVE);
}

bool heist__could_map_whole(size_t bytes)
{
    return could_write(bytes, 0);
}

bool heist__commitment_counts(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return true;
    int file = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
    char mode = '0';
    if (file >= 0) {
        if (read(file, &mode, 1) != 1) mode = '0';
        close(file);
    }
    return mode == '2';
}
