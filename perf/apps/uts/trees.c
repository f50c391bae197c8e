/* The trees: those of the benchmark's authors with the counts that they published, and small ones for tests. */
#include "apps/uts/grow.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
const struct uts_recipe uts_recipes[] = {
    /* name    kind           shape       depth branching seed probability children   nodes      leaves  depth */
    {"T1",   UTS_GEOMETRIC, UTS_FIXED,  10,      4,  19, 0,        0, {   4130071,    3305118,    10}},
    {"T2",   UTS_GEOMETRIC, UTS_CYCLIC, 16,      6, 502, 0,        0, {   4117769,    2342762,    81}},
    {"T3",   UTS_BINOMIAL,  UTS_LINEAR,  0,   2000,  42, 0.124875, 8, {   4112897,    3599034,  1572}},
    {"T4",   UTS_HYBRID,    UTS_LINEAR, 16,      6,   1, 0.234375, 4, {   4132453,    3108986,   134}},
    {"T5",   UTS_GEOMETRIC, UTS_LINEAR, 20,      4,  34, 0,        0, {   4147582,    2181318,    20}},
    {"T1L",  UTS_GEOMETRIC, UTS_FIXED,  13,      4,  29, 0,        0, { 102181082,   81746377,    13}},
    {"T2L",  UTS_GEOMETRIC, UTS_CYCLIC, 23,      7, 220, 0,        0, {  96793510,   53791152,    67}},
    {"T3L",  UTS_BINOMIAL,  UTS_LINEAR,  0,   2000,   7, 0.200014, 5, { 111345631,   89076904, 17844}},
    {"T1XL", UTS_GEOMETRIC, UTS_FIXED,  15,      4,  29, 0,        0, {1635119272, 1308100063,    15}},
    /* ours, counted by another program too, with another SHA-1 */
    {"T1S",  UTS_GEOMETRIC, UTS_FIXED,   6,      4,   0, 0,        0, {     26417,      21084,     6}},
    {"T2S",  UTS_GEOMETRIC, UTS_CYCLIC,  8,      5,   0, 0,        0, {     16459,       9775,    41}},
    {"T3S",  UTS_BINOMIAL,  UTS_LINEAR,  0,    200,   3, 0.124,    8, {     39137,      34269,   162}},
    {"T4S",  UTS_HYBRID,    UTS_LINEAR, 10,      5,   1, 0.234375, 4, {     16337,      12274,    59}},
    {"T5S",  UTS_GEOMETRIC, UTS_LINEAR, 12,      4,   1, 0,        0, {     23735,      12928,    12}},
    {NULL,   UTS_BINOMIAL,  UTS_LINEAR,  0,      0,   0, 0,        0, {         0,          0,     0}},
};
/* clang-format on */

const struct uts_recipe *uts_recipe_called(const char *name)
{
    for (const struct uts_recipe *r = uts_recipes; r->name; r++)
        if (strcmp(r->name, name) == 0) return r;
    return NULL;
}
