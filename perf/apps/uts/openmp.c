/* uts with OpenMP tasks. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "apps/uts/uts.h"

static struct uts_search search;
static int workers;

static struct uts_counts search_below(const struct uts_tree *tree, const struct uts_node *node)
{
    unsigned count = uts_children(tree, node);
    struct uts_counts found = uts_alone(node, count);
    if (count == 0) return found;
    struct uts_counts below[count];
    for (unsigned i = 0; i < count; i++) {
#pragma omp task shared(below) firstprivate(tree, node, i)
        {
            struct uts_node child;
            uts_child(tree, node, i, &child);
            below[i] = search_below(tree, &child);
        }
    }
#pragma omp taskwait
    for (unsigned i = 0; i < count; i++) uts_add(&found, &below[i]);
    return found;
}

static void search_all(void *nothing)
{
    (void)nothing;
    struct uts_node root;
    uts_root(&search.tree, &root);
    omp_set_dynamic(0); /* settings belong to the thread that starts the team */
    omp_set_num_threads(workers);
#pragma omp parallel
#pragma omp single
    search.counts = search_below(&search.tree, &root);
}

/* The threads that OpenMP starts have deep stacks as well. libomp has a function for it; libgomp uses the default of
 * the process. */
static int deepen_stacks(void)
{
#ifdef PERF_LIBOMP
    kmp_set_stacksize_s(UTS_STACK);
    return 0;
#else
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error) return -error;
    error = pthread_attr_setstacksize(&attributes, UTS_STACK);
    if (!error) error = pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    return -error;
#endif
}

static int prepare(const struct perf_input *input, void **state, char *error, size_t room)
{
    *state = &search;
    workers = (int)input->workers;
    int bad = deepen_stacks();
    if (bad) {
        snprintf(error, room, "no deep stacks: %s", strerror(-bad));
        return bad;
    }
    return uts_prepare(input, true, &search, error, room);
}

static void run(void *state)
{
    deep_thread_call(search.thread, search_all, state);
}

const struct perf_implementation PERF_OPENMP(uts) = {"uts", PERF_OPENMP_RUNTIME, prepare,    NULL,
                                                     run,   uts_check,           uts_discard};
