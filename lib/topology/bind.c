/* bind.c: the half of place.h that calls the system. mbind is called by its number, so that no libnuma is needed. */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "topology/affinity.h"
#include "topology/place.h"

/* Constants of the kernel's interface; not every system has <linux/mempolicy.h>. */
#define POLICY_PREFERRED 1
#define MOVE_PAGES 2u
#define NODES_MAX 1024u /* the kernel's own limit */

/* The CPUs to bind to: all CPUs of the PU's node, or the PU's own. */
static int wanted_cpus(const heist__machine *m, heist__bind how, unsigned pu, heist__cpus *cpus)
{
    unsigned last = m->pus[pu].os_cpu;
    for (unsigned i = 0; how == HEIST__BIND_NODE && i < m->pu_count; i++) {
        if (m->pus[i].node == m->pus[pu].node && m->pus[i].os_cpu > last) last = m->pus[i].os_cpu;
    }
    int error = heist__cpus_new(cpus, last);
    if (error) return error;
    CPU_SET_S(m->pus[pu].os_cpu, cpus->size, cpus->set);
    for (unsigned i = 0; how == HEIST__BIND_NODE && i < m->pu_count; i++) {
        if (m->pus[i].node == m->pus[pu].node) CPU_SET_S(m->pus[i].os_cpu, cpus->size, cpus->set);
    }
    return 0;
}

int heist__bind_thread(const heist__machine *m, heist__bind how, unsigned pu)
{
    if (how == HEIST__BIND_NONE) return 0;
    if (m->synthetic) return -ENOTSUP;
    if (pu >= m->pu_count) return -EINVAL;
    heist__cpus cpus;
    int error = wanted_cpus(m, how, pu, &cpus);
    if (error) return error;
    if (sched_setaffinity(0, cpus.size, cpus.set)) error = -errno;
    heist__cpus_free(&cpus);
    return error;
}

int heist__prefer_node(void *p, size_t n, const heist__machine *m, unsigned pu)
{
    if (m->synthetic) return -ENOTSUP;
    if (pu >= m->pu_count) return -EINVAL;
    unsigned node = m->pus[pu].os_node;
    if (m->node_count < 2 || node == HEIST__NO_NODE) return 0;
    if (node >= NODES_MAX) return -EINVAL;

    /* Only whole pages: a page that lies partly outside holds other memory, too. */
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t skip = (page - (uintptr_t)p % page) % page;
    if (n < skip || n - skip < page) return 0;
    size_t length = (n - skip) / page * page;

    enum { BITS = sizeof(unsigned long) * CHAR_BIT };
    unsigned long nodes[NODES_MAX / BITS] = {0};
    nodes[node / BITS] |= 1ul << node % BITS;
    /* The kernel reads one bit less than the number it is given. */
    long result = syscall(SYS_mbind, (char *)p + skip, length, POLICY_PREFERRED, nodes, NODES_MAX + 1ul, MOVE_PAGES);
    return result ? -errno : 0;
}
