/* memory: its description for heist-perf. */
#include "apps/memory/memory.h"

int memory_size(const char *size, char *error, size_t room)
{
    long bytes;
    return perf_number(size, "bytes:", 16, 1 << 20, &bytes, error, room);
}

static int valid_way(const char *value, char *error, size_t room)
{
    return perf_word(value, MEMORY_WAYS, error, room);
}

static int valid_blocks(const char *value, char *error, size_t room)
{
    long blocks;
    return perf_number(value, "blocks:", 1, 1000000000, &blocks, error, room);
}

static const struct perf_option options[] = {
    {.name = "by",
     .value = "WAY",
     .preset = MEMORY_WAYS,
     .help = "arena, pool or malloc; return and return-malloc: blocks are released by another worker",
     .list = true,
     .valid = valid_way},
    {.name = "blocks",
     .value = "N",
     .preset = "1000000",
     .help = "blocks that all workers together acquire and release",
     .valid = valid_blocks},
    {.name = NULL},
};

const struct perf_workload perf_memory_workload = {
    .name = "memory",
    .summary = "blocks acquired and released by every worker, beside malloc",
    .help = "A size is the bytes of a block. Rows add ns_per_block: one acquire, one release, and a stamp that is\n"
            "written and looked at, on one worker. malloc and return-malloc use malloc and free in the same loops.\n",
    .sizes = "64,1024,4096",
    .quick_sizes = "64",
    .valid_size = memory_size,
    .options = options,
};
