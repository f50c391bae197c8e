/* The compression function of SHA-1 (FIPS 180-4), which is all that the trees need: every node's message fits one
 * block. */
#ifndef HEIST_PERF_UTS_SHA1_H
#define HEIST_PERF_UTS_SHA1_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The initial state for the first block of a message. */
extern const uint32_t sha1_start[5];

/* Mixes a block of sixteen words into `state`. */
typedef void sha1_function(uint32_t state[5], const uint32_t block[16]);

/* In plain C. */
void sha1_portable(uint32_t state[5], const uint32_t block[16]);

/* The fastest variant for this processor; the same result. Sets `name`, unless NULL, to the name of the variant. */
sha1_function *sha1_fastest(const char **name);

#ifdef __cplusplus
}
#endif

#endif
