/* Reads a size: "1000", or "1000x800x600" for m, n and k; and the padding of the leading dimensions. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "apps/gemm/work.h"

#define MOST 1000000L /* of m, n and k: two such sides are beyond most memories */

int gemm_size_parse(const char *size, size_t *m, size_t *n, size_t *k, char *error, size_t room)
{
    char text[64];
    long sides[3];
    int count = 0;
    if (strlen(size) >= sizeof text) {
        snprintf(error, room, "size is too long to be one");
        return -EINVAL;
    }
    strcpy(text, size);
    for (char *from = text, *x; from; from = x) {
        x = strchr(from, 'x');
        if (x) *x++ = '\0';
        if (count == 3) {
            snprintf(error, room, "size '%s' has more than three sides: N or MxNxK", size);
            return -EINVAL;
        }
        if (perf_number(from, "side", 1, MOST, &sides[count++], error, room) < 0) {
            snprintf(error, room, "size '%s' is neither N nor MxNxK, whole numbers from 1 to %ld", size, MOST);
            return -EINVAL;
        }
    }
    if (count == 2) {
        snprintf(error, room, "size '%s' has two sides: N or MxNxK", size);
        return -EINVAL;
    }
    *m = (size_t)sides[0];
    *n = (size_t)sides[count == 3 ? 1 : 0];
    *k = (size_t)sides[count == 3 ? 2 : 0];
    return 0;
}

int gemm_ld_extra_parse(const char *text, size_t *extra, char *error, size_t room)
{
    long number = 0;
    int result = text ? perf_number(text, "number of entries", 0, MOST, &number, error, room) : 0;
    *extra = (size_t)number;
    return result;
}
