/* The algebra behind the cycles. A state s is back after d steps when (x^d - 1) s = 0 mod P, so p^deg gcd(x^d - 1, P)
 * states are; d counts only if it divides the order of x, and subtracting what is back earlier leaves those with
 * exactly this period. The order divides the product of p^i - 1 over the degrees i of P's irreducible factors, times a
 * power of p for repeated ones; taking primes away from that product while x^e stays 1 gives it. */
#include "apps/lfsr/polynomial.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool lfsr_field_known(unsigned p)
{
    if (p < 2 || p > LFSR_MOST_FIELD) return false;
    for (unsigned d = 2; d * d <= p; d++)
        if (p % d == 0) return false;
    return true;
}

uint64_t lfsr_states(unsigned field, unsigned cells)
{
    uint64_t states = 1;
    while (cells-- > 0) {
        states *= field;
        if (states > LFSR_MOST_STATES) return 0;
    }
    return states;
}

/* ---- text ---- */

static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c < 'a' + LFSR_MOST_FIELD - 10 ? c - 'a' + 10 : -1;
}

static int refuse(char *error, size_t room, const char *text, const char *why)
{
    snprintf(error, room, "polynomial '%s' %s", text, why);
    return -EINVAL;
}

static int read_bits(const char *text, struct lfsr_polynomial *p, char *error, size_t room)
{
    char *end;
    errno = 0;
    unsigned long long bits = strtoull(text + 2, &end, 16);
    /* strtoull would accept blanks, signs and a second 0x */
    if (!text[2] || !strchr("0123456789abcdefABCDEF", text[2]) || text[3] == 'x' || text[3] == 'X' || *end || errno)
        return refuse(error, room, text, "is not a number");
    if (bits < 2) return refuse(error, room, text, "has no power of x");
    if (bits >> LFSR_MOST_CELLS > 1) return refuse(error, room, text, "has too high a degree (40 is the most)");
    p->cells = 63 - (unsigned)__builtin_clzll(bits);
    for (unsigned i = 0; i <= p->cells; i++) p->coefficients[i] = bits >> i & 1;
    return 0;
}

static int read_digits(const char *text, struct lfsr_polynomial *p, char *error, size_t room)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < size; i++) {
        if (digit(text[i]) < 0) return refuse(error, room, text, "is neither 0x... nor digits from 0 to u");
        if (p->field && (unsigned)digit(text[i]) >= p->field) {
            snprintf(error, room, "polynomial '%s' has a digit that is not in GF(%u)", text, p->field);
            return -EINVAL;
        }
    }
    if (size < 2) return refuse(error, room, text, "has no power of x");
    if (size > LFSR_MOST_CELLS + 1) return refuse(error, room, text, "has too high a degree (40 is the most)");
    if (text[0] != '1') return refuse(error, room, text, "is not monic: its first digit is to be 1");
    p->cells = (unsigned)size - 1;
    for (size_t i = 0; i < size; i++) p->coefficients[i] = (uint8_t)digit(text[size - 1 - i]);
    return 0;
}

int lfsr_polynomial_read(const char *text, unsigned field, struct lfsr_polynomial *p, char *error, size_t room)
{
    memset(p, 0, sizeof *p);
    p->field = field;
    bool bits = text[0] == '0' && text[1] == 'x';
    if (bits && field > 2)
        return refuse(error, room, text, "is of GF(2): over other fields give its digits, like 1021");
    int result = bits ? read_bits(text, p, error, room) : read_digits(text, p, error, room);
    if (result) return result;
    if (p->coefficients[0] == 0)
        return refuse(error, room, text, "is without constant term: steps could not be undone");
    return 0;
}

void lfsr_polynomial_write(const struct lfsr_polynomial *p, char *text)
{
    if (p->field == 2) {
        uint64_t bits = 0;
        for (unsigned i = 0; i <= p->cells && i <= LFSR_MOST_CELLS; i++) bits |= (uint64_t)p->coefficients[i] << i;
        sprintf(text, "0x%" PRIx64, bits);
        return;
    }
    for (unsigned i = 0; i <= p->cells; i++) text[i] = "0123456789abcdefghijklmnopqrstu"[p->coefficients[p->cells - i]];
    text[p->cells + 1] = '\0';
}

/* ---- arithmetic: of any degree up to twice the cells ---- */

struct poly {
    int degree; /* -1: zero */
    unsigned c[2 * LFSR_MOST_CELLS + 1];
};

static void trim(struct poly *a)
{
    while (a->degree >= 0 && a->c[a->degree] == 0) a->degree--;
}

static unsigned inverse(unsigned p, unsigned a)
{
    unsigned result = 1;
    for (unsigned e = p - 2; e; e >>= 1, a = a * a % p)
        if (e & 1) result = result * a % p;
    return result;
}

/* a = a mod b; *quotient unless NULL. */
static void divide(unsigned p, struct poly *a, const struct poly *b, struct poly *quotient)
{
    unsigned lead = inverse(p, b->c[b->degree]);
    if (quotient) {
        memset(quotient, 0, sizeof *quotient);
        quotient->degree = a->degree - b->degree;
    }
    while (a->degree >= b->degree) {
        int shift = a->degree - b->degree;
        unsigned factor = a->c[a->degree] * lead % p;
        if (quotient) quotient->c[shift] = factor;
        for (int i = 0; i <= b->degree; i++) a->c[i + shift] = (a->c[i + shift] + (p - factor) * b->c[i]) % p;
        trim(a);
    }
}

static void multiply(unsigned p, struct poly *a, const struct poly *b, const struct poly *modulus)
{
    struct poly product = {.degree = a->degree < 0 || b->degree < 0 ? -1 : a->degree + b->degree};
    for (int i = 0; i <= a->degree; i++)
        for (int j = 0; j <= b->degree; j++) product.c[i + j] = (product.c[i + j] + a->c[i] * b->c[j]) % p;
    divide(p, &product, modulus, NULL);
    *a = product;
}

static struct poly power(unsigned p, struct poly base, uint64_t exponent, const struct poly *modulus)
{
    struct poly result = {.degree = 0, .c = {1}};
    divide(p, &result, modulus, NULL);
    divide(p, &base, modulus, NULL);
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) multiply(p, &result, &base, modulus);
        multiply(p, &base, &base, modulus);
    }
    return result;
}

static struct poly common_divisor(unsigned p, struct poly a, struct poly b)
{
    while (b.degree >= 0) {
        struct poly next = b;
        divide(p, &a, &b, NULL);
        b = a;
        a = next;
    }
    return a;
}

static const struct poly x = {.degree = 1, .c = {0, 1}};

static struct poly minus(unsigned p, struct poly a, struct poly b)
{
    if (a.degree < b.degree) a.degree = b.degree; /* terms above the degree are zero */
    for (int i = 0; i <= b.degree; i++) a.c[i] = (a.c[i] + p - b.c[i]) % p;
    trim(&a);
    return a;
}

static struct poly poly_of(const struct lfsr_polynomial *polynomial)
{
    struct poly a = {.degree = (int)polynomial->cells};
    for (unsigned i = 0; i <= polynomial->cells; i++) a.c[i] = polynomial->coefficients[i];
    return a;
}

/* x^e - 1 modulo the polynomial. */
static struct poly turn(unsigned p, uint64_t e, const struct poly *modulus)
{
    return minus(p, power(p, x, e, modulus), (struct poly){.degree = 0, .c = {1}});
}

/* ---- numbers ---- */

/* Primes of a number below 2^64, each once; a number has at most 15 different ones. */
struct primes {
    size_t count;
    uint64_t of[32];
};

static void add_prime(struct primes *primes, uint64_t q)
{
    for (size_t i = 0; i < primes->count; i++)
        if (primes->of[i] == q) return;
    primes->of[primes->count++] = q;
}

static void add_primes_of(struct primes *primes, uint64_t n)
{
    for (uint64_t q = 2; q * q <= n; q++)
        for (; n % q == 0; n /= q) add_prime(primes, q);
    if (n > 1) add_prime(primes, n);
}

static uint64_t common_number(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The order of x. *primes: those of the order, and perhaps some more. */
static uint64_t order_of_x(unsigned p, const struct poly *modulus, struct primes *primes)
{
    uint64_t order = 1, size = 1;
    struct poly rest = *modulus, h = x;
    memset(primes, 0, sizeof *primes);
    add_prime(primes, p);
    for (int degree = 1; rest.degree > 0;
         degree++) { /* h = x^(p^degree): gcd(h - x, rest) has the factors of this degree */
        size *= p;
        h = power(p, h, p, modulus);
        struct poly found = common_divisor(p, rest, minus(p, h, x));
        if (found.degree <= 0) continue;
        order = order / common_number(order, size - 1) * (size - 1);
        add_primes_of(primes, size - 1);
        while (found.degree > 0) { /* again: a factor may be there many times */
            struct poly quotient;
            divide(p, &rest, &found, &quotient);
            rest = quotient;
            found = common_divisor(p, rest, minus(p, h, x));
        }
    }
    for (int repeated = 1; repeated < modulus->degree; repeated *= (int)p) order *= p;
    for (size_t i = 0; i < primes->count; i++) {
        uint64_t q = primes->of[i];
        while (order % q == 0 && turn(p, order / q, modulus).degree < 0) order /= q;
    }
    return order;
}

void lfsr_polynomial_primitive(unsigned field, unsigned cells, struct lfsr_polynomial *polynomial)
{
    uint64_t period = lfsr_states(field, cells) - 1;
    struct primes primes = {0};
    add_primes_of(&primes, period);
    memset(polynomial, 0, sizeof *polynomial);
    polynomial->field = field;
    polynomial->cells = cells;
    polynomial->coefficients[cells] = 1;
    for (;;) { /* there is one for every field and degree */
        unsigned i = 0;
        while (++polynomial->coefficients[i] == field) polynomial->coefficients[i++] = 0;
        if (polynomial->coefficients[0] == 0) continue;
        struct poly modulus = poly_of(polynomial);
        bool full = turn(field, period, &modulus).degree < 0;
        for (size_t q = 0; full && q < primes.count; q++)
            full = turn(field, period / primes.of[q], &modulus).degree >= 0;
        if (full) return; /* of order p^cells - 1: only a primitive one is */
    }
}

static int by_size(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* All divisors of a number, in ascending order; NULL for want of memory. */
static uint64_t *divisors_of(uint64_t number, const struct primes *primes, size_t *count)
{
    size_t total = 1, filled = 1;
    for (size_t i = 0; i < primes->count; i++) {
        size_t exponent = 0;
        for (uint64_t n = number; n % primes->of[i] == 0; n /= primes->of[i]) exponent++;
        total *= exponent + 1;
    }
    uint64_t *divisors = malloc(total * sizeof *divisors);
    if (!divisors) return NULL;
    divisors[0] = 1;
    for (size_t i = 0; i < primes->count; i++) {
        size_t before = filled;
        uint64_t factor = 1;
        for (uint64_t n = number; n % primes->of[i] == 0; n /= primes->of[i]) {
            factor *= primes->of[i];
            for (size_t j = 0; j < before; j++) divisors[filled++] = divisors[j] * factor;
        }
    }
    qsort(divisors, filled, sizeof *divisors, by_size);
    *count = filled;
    return divisors;
}

void lfsr_polynomial_cycles(const struct lfsr_polynomial *polynomial, struct lfsr_cycles *cycles)
{
    unsigned p = polynomial->field;
    struct poly modulus = poly_of(polynomial);
    struct primes primes;
    uint64_t order = order_of_x(p, &modulus, &primes);
    size_t count = 0;
    uint64_t *divisors = divisors_of(order, &primes, &count);
    memset(cycles, 0, sizeof *cycles);
    if (!divisors) cycles->overflow = true;
    for (size_t i = 0; i < count; i++) {
        struct poly fixed = common_divisor(p, modulus, turn(p, divisors[i], &modulus));
        uint64_t states = lfsr_states(p, (unsigned)fixed.degree);
        for (size_t k = 0; k < cycles->lengths; k++) /* less those that are back earlier */
            if (divisors[i] % cycles->of[k].length == 0) states -= cycles->of[k].length * cycles->of[k].count;
        if (states) lfsr_cycles_add(cycles, divisors[i], states / divisors[i]);
    }
    free(divisors);
}
