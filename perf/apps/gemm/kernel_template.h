/* A micro-kernel, written once for all vector lengths with the compilers' vector extension. Before each inclusion:
 *
 *   KERNEL_FUNCTION     its name
 *   KERNEL_ELEMENT      double or float
 *   KERNEL_BYTES        length of a vector
 *   KERNEL_ROWS         rows of C in registers
 *   KERNEL_VECTORS      columns of C in registers, in vectors
 *   KERNEL_TARGET       the function attribute that allows the instructions, or nothing
 *
 * All loops but those over k are unrolled by the compiler, and sums[][] lies in registers: rows*vectors for the sums,
 * `vectors` for a line of B and at least one for the number of A that is spread over a vector. */

#define KERNEL_CAT(x, y) KERNEL_CAT_EXPANDED(x, y)
#define KERNEL_CAT_EXPANDED(x, y) x##_##y
#define KERNEL_VECTOR KERNEL_CAT(KERNEL_FUNCTION, vector)
#define KERNEL_LOOSE KERNEL_CAT(KERNEL_FUNCTION, loose)
#define KERNEL_LANES ((int)(KERNEL_BYTES / sizeof(KERNEL_ELEMENT)))

/* clang-format off */
#ifndef KERNEL_EACH_ROW
#define KERNEL_EACH_ROW(i) _Pragma("GCC unroll 32") for (int i = 0; i < KERNEL_ROWS; i++)
#define KERNEL_EACH_VECTOR(j) _Pragma("GCC unroll 32") for (int j = 0; j < KERNEL_VECTORS; j++)
#endif

typedef KERNEL_ELEMENT KERNEL_VECTOR __attribute__((vector_size(KERNEL_BYTES), may_alias));
/* C has the alignment of its elements only. */
typedef KERNEL_ELEMENT KERNEL_LOOSE
    __attribute__((vector_size(KERNEL_BYTES), aligned(sizeof(KERNEL_ELEMENT)), may_alias));

_Static_assert(KERNEL_ROWS * KERNEL_VECTORS * KERNEL_BYTES <= GEMM_KERNEL_ROOM, "a kernel's piece of C has its place");

KERNEL_TARGET
static void KERNEL_FUNCTION(size_t k, const void *packed_a, const void *packed_b, void *result, size_t ldc,
                            const void *fetch)
{
    const KERNEL_ELEMENT *a = packed_a;
    const KERNEL_VECTOR *b = packed_b;
    const char *ahead = fetch;
    KERNEL_ELEMENT *c = result;
    KERNEL_VECTOR sums[KERNEL_ROWS][KERNEL_VECTORS], line[KERNEL_VECTORS], spread;
    KERNEL_EACH_ROW(i) {
        KERNEL_EACH_VECTOR(j)
            if (j * KERNEL_BYTES % GEMM_LINE == 0) __builtin_prefetch(c + (size_t)i * ldc + j * KERNEL_LANES, 1);
        __builtin_prefetch(c + (size_t)i * ldc + KERNEL_VECTORS * KERNEL_LANES - 1, 1);
        KERNEL_EACH_VECTOR(j) sums[i][j] = (KERNEL_VECTOR){0};
    }
    while (k > 0) {
        size_t steps = k < GEMM_STEPS_A_LINE ? k : GEMM_STEPS_A_LINE;
        __builtin_prefetch(ahead, 0, 2);
        ahead += GEMM_LINE;
        k -= steps;
        /* one column of A times one line of B; unrolled by hand or by the compiler it gets no faster, but spills
         * sums */
        _Pragma("GCC unroll 1") for (; steps > 0; steps--) {
            KERNEL_EACH_VECTOR(j) line[j] = b[j];
            KERNEL_EACH_ROW(i) {
                spread = a[i] - (KERNEL_VECTOR){0}; /* x - 0 is x, also for -0: spread, and nothing subtracted */
                KERNEL_EACH_VECTOR(j) sums[i][j] = spread * line[j] + sums[i][j];
            }
            a += KERNEL_ROWS;
            b += KERNEL_VECTORS;
        }
    }
    KERNEL_EACH_ROW(i) {
        KERNEL_LOOSE *to = (KERNEL_LOOSE *)(void *)(c + (size_t)i * ldc);
        KERNEL_EACH_VECTOR(j) to[j] += sums[i][j];
    }
}
/* clang-format on */

#undef KERNEL_FUNCTION
#undef KERNEL_ELEMENT
#undef KERNEL_BYTES
#undef KERNEL_ROWS
#undef KERNEL_VECTORS
#undef KERNEL_TARGET
#undef KERNEL_VECTOR
#undef KERNEL_LOOSE
#undef KERNEL_LANES
