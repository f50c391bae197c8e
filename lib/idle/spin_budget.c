/* spin_budget.c: see spin_budget.h. */
#include "idle/spin_budget.h"

static int64_t within(int64_t ns)
{
    if (ns < HEIST__SPIN_LEAST_NS) return HEIST__SPIN_LEAST_NS;
    return ns > HEIST__SPIN_MOST_NS ? HEIST__SPIN_MOST_NS : ns;
}

void heist__spin_begin(heist__spin_budget *b, int64_t now)
{
    if (b->ns == 0) b->ns = HEIST__SPIN_FIRST_NS;
    b->began = b->seen = now;
    b->until = now + b->ns;
    b->rounds = 0;
    b->disturbed = false;
}

void heist__spin_woken(heist__spin_budget *b, int64_t now)
{
    b->seen = now;
    b->until = now + HEIST__SPIN_LEAST_NS;
    b->rounds = 0;
}

bool heist__spin_on(heist__spin_budget *b, int64_t now)
{
    if (now - b->seen > HEIST__SPIN_DISTURBED_NS) b->disturbed = true;
    b->seen = now;
    return !b->disturbed && now < b->until && ++b->rounds < HEIST__SPIN_ROUNDS_MOST;
}

void heist__spin_end(heist__spin_budget *b, int64_t now)
{
    const int64_t wanted = (now - b->began) * 2;
    if (b->disturbed) {
        b->ns = HEIST__SPIN_LEAST_NS;
    } else if (wanted > HEIST__SPIN_MOST_NS) {
        b->ns = within(b->ns / 2); /* no budget would have covered this wait */
    } else if (wanted > b->ns) {
        b->ns = within(wanted);
    } else {
        b->ns = within(b->ns - (b->ns - wanted) / 8); /* one short wait among longer ones changes little */
    }
}
