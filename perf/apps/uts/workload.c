/* uts: the trees by name. */
#include <errno.h>
#include <stdio.h>

#include "apps/uts/uts.h"

static int valid_size(const char *size, char *error, size_t room)
{
    if (uts_recipe_called(size)) return 0;
    int used = snprintf(error, room, "there is no tree '%s'; there are", size);
    for (const struct uts_recipe *r = uts_recipes; r->name && used > 0 && (size_t)used < room; r++)
        used += snprintf(error + used, room - (size_t)used, " %s", r->name);
    return -EINVAL;
}

const struct perf_workload perf_uts_workload = {
    .name = "uts",
    .summary = "Unbalanced Tree Search: a tree that grows while it is counted, a task for each node",
    .help = "Each node is the SHA-1 of its parent and its number; the number of its children is drawn from that. Every "
            "node "
            "is\n"
            "a task, there is no cut-off, and the size below a node is not known in advance. Nodes, leaves and depth "
            "must be\n"
            "exactly the published ones.\n"
            "A size is a tree:\n"
            "  T1    geometric, fixed branching       4 million nodes, depth 10\n"
            "  T2    geometric, cyclic                4 million nodes, depth 81\n"
            "  T3    binomial                         4 million nodes, depth 1572\n"
            "  T4    geometric above binomial         4 million nodes, depth 134\n"
            "  T5    geometric, linearly decreasing   4 million nodes, depth 20\n"
            "  T1L, T2L, T3L                          102, 97 and 111 million nodes; T3L is 17844 deep\n"
            "  T1XL                                   1635 million nodes\n"
            "  T1S to T5S                             the five kinds with 16 to 39 thousand nodes\n",
    .sizes = "T1,T2,T3,T4,T5",
    .quick_sizes = "T1S,T2S,T3S,T4S,T5S",
    .valid_size = valid_size,
    .options = NULL,
};
