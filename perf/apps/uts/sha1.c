/* SHA-1's compression function: in plain C, and with the SHA instructions of x86-64 and AArch64 where the processor has
 * them. */
#include "apps/uts/sha1.h"

#include <stddef.h>

const uint32_t sha1_start[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

/* ---- plain C ---- */

static inline uint32_t rotate(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

/* The four kinds of rounds. */
static inline uint32_t choose(uint32_t b, uint32_t c, uint32_t d)
{
    return (b & c) | (~b & d);
}
static inline uint32_t parity(uint32_t b, uint32_t c, uint32_t d)
{
    return b ^ c ^ d;
}
static inline uint32_t majority(uint32_t b, uint32_t c, uint32_t d)
{
    return (b & c) | (d & (b | c));
}

/* Word t of the schedule, kept in a ring of sixteen. */
static inline uint32_t next_word(uint32_t w[16], unsigned t)
{
    if (t < 16) return w[t];
    uint32_t x = w[(t + 13) % 16] ^ w[(t + 8) % 16] ^ w[(t + 2) % 16] ^ w[t % 16];
    return w[t % 16] = rotate(x, 1);
}

#define ROUNDS(from, to, kind, constant)                                                                               \
    for (unsigned t = from; t < to; t++) {                                                                             \
        uint32_t x = rotate(a, 5) + kind(b, c, d) + e + (constant) + next_word(w, t);                                  \
        e = d;                                                                                                         \
        d = c;                                                                                                         \
        c = rotate(b, 30);                                                                                             \
        b = a;                                                                                                         \
        a = x;                                                                                                         \
    }

void sha1_portable(uint32_t state[5], const uint32_t block[16])
{
    uint32_t w[16], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (unsigned i = 0; i < 16; i++) w[i] = block[i];
    ROUNDS(0, 20, choose, 0x5a827999)
    ROUNDS(20, 40, parity, 0x6ed9eba1)
    ROUNDS(40, 60, majority, 0x8f1bbcdc)
    ROUNDS(60, 80, parity, 0xca62c1d6)
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

/* ---- four rounds an instruction ---- */

/* Twenty groups of four rounds. w[g % 4] holds the four words of group g, made in place from those of the four groups
 * before. Unrolled by hand: the instructions want their kind of round as a constant. */
/* clang-format off */
#define TWENTY_GROUPS(GROUP) \
    GROUP(0, 0) GROUP(1, 0) GROUP(2, 0) GROUP(3, 0) GROUP(4, 0) \
    GROUP(5, 1) GROUP(6, 1) GROUP(7, 1) GROUP(8, 1) GROUP(9, 1) \
    GROUP(10, 2) GROUP(11, 2) GROUP(12, 2) GROUP(13, 2) GROUP(14, 2) \
    GROUP(15, 3) GROUP(16, 3) GROUP(17, 3) GROUP(18, 3) GROUP(19, 3)
/* clang-format on */

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

/* Here the words of a vector run downwards: the first is the highest. sha1nexte makes e from the a of four rounds
 * before and adds the words to it. */
#define X86_GROUP(g, kind)                                                                                             \
    if ((g) >= 4) {                                                                                                    \
        w[(g) % 4] = _mm_sha1msg1_epu32(w[(g) % 4], w[((g) + 1) % 4]);                                                 \
        w[(g) % 4] = _mm_xor_si128(w[(g) % 4], w[((g) + 2) % 4]);                                                      \
        w[(g) % 4] = _mm_sha1msg2_epu32(w[(g) % 4], w[((g) + 3) % 4]);                                                 \
    }                                                                                                                  \
    e = (g) == 0 ? _mm_add_epi32(e, w[0]) : _mm_sha1nexte_epu32(before, w[(g) % 4]);                                   \
    before = abcd;                                                                                                     \
    abcd = _mm_sha1rnds4_epu32(abcd, e, kind);

__attribute__((target("sha,sse4.1"))) static void sha1_x86(uint32_t state[5], const uint32_t block[16])
{
    __m128i w[4], before, start = _mm_loadu_si128((const __m128i *)(const void *)state);
    start = _mm_shuffle_epi32(start, 0x1b);
    __m128i abcd = start, e = _mm_set_epi32((int)state[4], 0, 0, 0);
    for (unsigned i = 0; i < 4; i++)
        w[i] = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(block + 4 * i)), 0x1b);
    before = start;
    TWENTY_GROUPS(X86_GROUP)
    e = _mm_sha1nexte_epu32(before, _mm_set_epi32((int)state[4], 0, 0, 0));
    abcd = _mm_shuffle_epi32(_mm_add_epi32(abcd, start), 0x1b);
    _mm_storeu_si128((__m128i *)(void *)state, abcd);
    state[4] = (uint32_t)_mm_extract_epi32(e, 3);
}

static sha1_function *sha1_by_instructions(const char **name)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1)) return NULL;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_SHA)) return NULL;
    *name = "x86-64 SHA instructions";
    return sha1_x86;
}

/* clang 14 has the functions only where all of the file may use them. */
#elif defined(__aarch64__) && defined(__linux__) && (!defined(__clang__) || defined(__ARM_FEATURE_SHA2))

#include <arm_neon.h>
#include <sys/auxv.h>

#define ARM_ROUNDS_0 vsha1cq_u32
#define ARM_ROUNDS_1 vsha1pq_u32
#define ARM_ROUNDS_2 vsha1mq_u32
#define ARM_ROUNDS_3 vsha1pq_u32
#define ARM_GROUP(g, kind)                                                                                             \
    if ((g) >= 4) {                                                                                                    \
        w[(g) % 4] = vsha1su0q_u32(w[(g) % 4], w[((g) + 1) % 4], w[((g) + 2) % 4]);                                    \
        w[(g) % 4] = vsha1su1q_u32(w[(g) % 4], w[((g) + 3) % 4]);                                                      \
    }                                                                                                                  \
    next_e = vsha1h_u32(vgetq_lane_u32(abcd, 0));                                                                      \
    abcd = ARM_ROUNDS_##kind(abcd, e, vaddq_u32(w[(g) % 4], vdupq_n_u32(constants[kind])));                            \
    e = next_e;

#ifdef __clang__
#define MAY_USE_SHA
#else
#define MAY_USE_SHA __attribute__((target("+crypto")))
#endif

MAY_USE_SHA static void sha1_arm(uint32_t state[5], const uint32_t block[16])
{
    static const uint32_t constants[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32x4_t w[4], start = vld1q_u32(state), abcd = start;
    uint32_t e = state[4], next_e;
    for (unsigned i = 0; i < 4; i++) w[i] = vld1q_u32(block + 4 * i);
    TWENTY_GROUPS(ARM_GROUP)
    vst1q_u32(state, vaddq_u32(abcd, start));
    state[4] += e;
}

static sha1_function *sha1_by_instructions(const char **name)
{
    if (!(getauxval(AT_HWCAP) & HWCAP_SHA1)) return NULL;
    *name = "AArch64 SHA instructions";
    return sha1_arm;
}

#else

static sha1_function *sha1_by_instructions(const char **name)
{
    (void)name;
    return NULL;
}

#endif

sha1_function *sha1_fastest(const char **name)
{
    const char *unasked;
    if (!name) name = &unasked;
    *name = "plain C";
    sha1_function *by_instructions = sha1_by_instructions(name);
    return by_instructions ? by_instructions : sha1_portable;
}
