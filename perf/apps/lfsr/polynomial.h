/* Polynomials over GF(p): the register's feedback, and the cycles that algebra gives without walking. */
#ifndef HEIST_PERF_LFSR_POLYNOMIAL_H
#define HEIST_PERF_LFSR_POLYNOMIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/lfsr/cycles.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LFSR_MOST_CELLS 40
#define LFSR_MOST_FIELD 31
#define LFSR_MOST_STATES (UINT64_C(1) << 40)

/* Monic, of degree `cells`, and with a constant term, so that a step has an inverse. */
struct lfsr_polynomial {
    unsigned field; /* p, a prime */
    unsigned cells;
    uint8_t coefficients[LFSR_MOST_CELLS + 1]; /* lowest first */
};

/* Whether GF(p) is a supported field. */
bool lfsr_field_known(unsigned p);

/* p^cells; 0 if that is above LFSR_MOST_STATES. */
uint64_t lfsr_states(unsigned field, unsigned cells);

/* Reads "0x1053" (GF(2): bit i stands for x^i) or the coefficients, highest first, each a digit 0-9a-u: "1021" over
 * GF(3) is x^3 + 2x + 1. field 0: not known yet, digits are not compared with it. Returns 0, or -EINVAL and a sentence
 * in `error`. */
int lfsr_polynomial_read(const char *text, unsigned field, struct lfsr_polynomial *polynomial, char *error,
                         size_t room);

/* The reverse: "0x1053" over GF(2), digits otherwise. `text` has room for LFSR_MOST_CELLS + 4. */
void lfsr_polynomial_write(const struct lfsr_polynomial *polynomial, char *text);

/* The least primitive polynomial, its coefficients read as a number. */
void lfsr_polynomial_primitive(unsigned field, unsigned cells, struct lfsr_polynomial *polynomial);

/* The cycles of s -> s*x mod polynomial on all polynomials s of lower degree, from the polynomial's factors. */
void lfsr_polynomial_cycles(const struct lfsr_polynomial *polynomial, struct lfsr_cycles *cycles);

#ifdef __cplusplus
}
#endif

#endif
