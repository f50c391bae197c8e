/* placing.c: see placing.h. */
#include "storage/placing.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "memory/poison.h"
#include "topology/place.h"

int heist__place_near(void *worker, void *memory, size_t bytes)
{
    const heist__worker *w = worker;
    if (!w || w->pool->settings.bind == HEIST__BIND_NONE || w->bind_error) return 0;
    const int error = heist__prefer_node(memory, bytes, &w->pool->machine, w->pu);
    return error == -ENOTSUP ? 0 : error; /* another machine's topology: there is no node to prefer */
}

/* HEIST_CHECK is read once: beginning an arena must not cost a look at the environment. */
static bool wanted(void)
{
    static HEIST__ATOMIC(int) known;          /* 0: not yet, 1: no, 2: yes. Written and read by: any thread. */
    int answer = heist__load_relaxed(&known); /* relaxed: every thread comes to the same answer */
    if (!answer) {
        answer = heist__check_wanted() ? 2 : 1;
        heist__store_relaxed(&known, answer); /* relaxed: as above */
    }
    return answer == 2;
}

bool heist__checks_memory(bool asked)
{
    return asked || wanted() || heist__watched();
}
