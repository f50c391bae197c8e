/* Random numbers that a seed repeats. */
#include "soak.h"

chance chance_from(uint64_t seed, uint64_t stream)
{
    chance c = {seed ^ (stream + 1) * UINT64_C(0xd1342543de82ef95)};
    chance_draw(&c);
    return c;
}

uint64_t chance_draw(chance *c)
{
    uint64_t z = c->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t chance_below(chance *c, uint32_t n)
{
    return n ? (uint32_t)((chance_draw(c) >> 32) * n >> 32) : 0;
}

bool chance_one_in(chance *c, uint32_t n)
{
    return chance_below(c, n) == 0;
}
