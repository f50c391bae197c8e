/* Packing for one type of elements. Before each inclusion:
 *
 *   PACK_ELEMENT               double or float
 *   PACK_NAME(x)               makes x a name of that type's
 *   PACK_LANES                 of a vector of 16 bytes
 *   PACK_LOW, PACK_HIGH        how two such vectors are shuffled into x0 y0 (x1 y1), and into what follows
 *
 * A lies in rows and is needed in columns. Two rows are shuffled at a time, in vectors that every machine has. */

typedef PACK_ELEMENT PACK_NAME(vector) __attribute__((vector_size(16), aligned(sizeof(PACK_ELEMENT)), may_alias));

/* Numbers of two neighbouring rows, PACK_LANES from each, to their places `rows` apart. */
static inline __attribute__((always_inline)) void PACK_NAME(zip)(const PACK_ELEMENT *upper, const PACK_ELEMENT *lower,
                                                                 size_t rows, PACK_ELEMENT *to)
{
    PACK_NAME(vector) x = *(const PACK_NAME(vector) *)(const void *)upper;
    PACK_NAME(vector) y = *(const PACK_NAME(vector) *)(const void *)lower;
    PACK_NAME(vector) pairs[2] = {__builtin_shufflevector(x, y, PACK_LOW), __builtin_shufflevector(x, y, PACK_HIGH)};
    for (size_t p = 0; p < PACK_LANES; p++)
        memcpy(to + p * rows, (const char *)pairs + p * 2 * sizeof *to, 2 * sizeof *to);
}

/* A whole panel: number p of each of its rows, then number p+1 ... `rows` is even, and a constant wherever this is
 * inlined. */
static inline __attribute__((always_inline)) void PACK_NAME(whole_panel)(const PACK_ELEMENT *from, size_t stride,
                                                                         size_t depth, size_t rows, PACK_ELEMENT *to)
{
    size_t p = 0;
    for (; p + PACK_LANES <= depth; p += PACK_LANES) {
        /* the rows of the next panel: these rows are too short for the hardware prefetcher */
        if (p % (GEMM_LINE / sizeof *from) == 0)
            for (size_t i = 0; i < rows; i++) __builtin_prefetch(from + (i + rows) * stride + p);
        for (size_t i = 0; i < rows; i += 2)
            PACK_NAME(zip)(from + i * stride + p, from + (i + 1) * stride + p, rows, to + p * rows + i);
    }
    for (; p < depth; p++)
        for (size_t i = 0; i < rows; i++) to[p * rows + i] = from[i * stride + p];
}

/* One of `count` rows, filled up with zeros to `rows`. */
static void PACK_NAME(part_panel)(const PACK_ELEMENT *from, size_t stride, size_t count, size_t depth, size_t rows,
                                  PACK_ELEMENT *to)
{
    for (size_t p = 0; p < depth; p++)
        for (size_t i = 0; i < rows; i++) to[p * rows + i] = i < count ? from[i * stride + p] : 0;
}

static void PACK_NAME(a_panel)(const PACK_ELEMENT *from, size_t stride, size_t count, size_t depth, size_t rows,
                               PACK_ELEMENT *to)
{
    switch (count < rows ? 0 : rows) {
    case 4: PACK_NAME(whole_panel)(from, stride, depth, 4, to); break;
    case 6: PACK_NAME(whole_panel)(from, stride, depth, 6, to); break;
    case 8: PACK_NAME(whole_panel)(from, stride, depth, 8, to); break;
    default: PACK_NAME(part_panel)(from, stride, count, depth, rows, to); break;
    }
}

/* Lines of B, cut into panels of `columns`, each panel `depth` deep. Line after line, as B lies in memory. `columns` is
 * a constant wherever this is inlined, so that copying them is a few instructions and no call. */
static inline __attribute__((always_inline)) void PACK_NAME(cut_lines)(const PACK_ELEMENT *from, size_t stride,
                                                                       size_t width, size_t depth, size_t columns,
                                                                       PACK_ELEMENT *to)
{
    size_t whole = width / columns, rest = width % columns;
    for (size_t p = 0; p < depth; p++, from += stride, to += columns) {
        for (size_t panel = 0; panel < whole; panel++) {
            /* more write streams than the processor can follow */
            __builtin_prefetch(to + (panel * depth + 16) * columns, 1);
            memcpy(to + panel * depth * columns, from + panel * columns, columns * sizeof *to);
        }
        if (rest == 0) continue;
        PACK_ELEMENT *last = to + whole * depth * columns;
        memcpy(last, from + whole * columns, rest * sizeof *to);
        memset(last + rest, 0, (columns - rest) * sizeof *to);
    }
}

static void PACK_NAME(b_panels)(const PACK_ELEMENT *from, size_t stride, size_t width, size_t depth, size_t columns,
                                PACK_ELEMENT *to)
{
    switch (columns) {
    case 4: PACK_NAME(cut_lines)(from, stride, width, depth, 4, to); break;
    case 8: PACK_NAME(cut_lines)(from, stride, width, depth, 8, to); break;
    case 16: PACK_NAME(cut_lines)(from, stride, width, depth, 16, to); break;
    case 24: PACK_NAME(cut_lines)(from, stride, width, depth, 24, to); break;
    case 48: PACK_NAME(cut_lines)(from, stride, width, depth, 48, to); break;
    default: PACK_NAME(cut_lines)(from, stride, width, depth, columns, to); break;
    }
}

#undef PACK_ELEMENT
#undef PACK_NAME
#undef PACK_LANES
#undef PACK_LOW
#undef PACK_HIGH
