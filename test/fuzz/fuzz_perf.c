/* heist-perf's command line, up to the point where it would measure: an input is its arguments, a line each. The
 * target reads them, makes the plan and tries the place of --out. A refusal is one line on stderr, and leaves
 * nothing behind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lfsr/polynomial.h"
#include "fuzz.h"
#include "harness/cell.h"
#include "harness/command.h"
#include "harness/machine.h"
#include "harness/output.h"

enum { MOST_ARGUMENTS = 64 };

/* Replaces the function of the harness, which makes a pool in a process of its own. */
long perf_usual_workers(void)
{
    return 4;
}

/* Replaces the algebra of large registers, which takes a second under a sanitizer and is not part of the command
 * line. */
enum { LARGE = 12 };

void __real_lfsr_polynomial_primitive(unsigned field, unsigned cells, struct lfsr_polynomial *polynomial);
void __wrap_lfsr_polynomial_primitive(unsigned field, unsigned cells, struct lfsr_polynomial *polynomial);
void __wrap_lfsr_polynomial_primitive(unsigned field, unsigned cells, struct lfsr_polynomial *polynomial)
{
    if (cells <= LARGE && lfsr_states(field, cells) <= 1 << LARGE) {
        __real_lfsr_polynomial_primitive(field, cells, polynomial);
    } else {
        *polynomial = (struct lfsr_polynomial){.field = field, .cells = cells, .coefficients = {1}};
        polynomial->coefficients[cells] = 1;
    }
}

void __real_lfsr_polynomial_cycles(const struct lfsr_polynomial *polynomial, struct lfsr_cycles *cycles);
void __wrap_lfsr_polynomial_cycles(const struct lfsr_polynomial *polynomial, struct lfsr_cycles *cycles);
void __wrap_lfsr_polynomial_cycles(const struct lfsr_polynomial *polynomial, struct lfsr_cycles *cycles)
{
    memset(cycles, 0, sizeof *cycles);
    if (polynomial->cells <= LARGE && lfsr_states(polynomial->field, polynomial->cells) <= 1 << LARGE)
        __real_lfsr_polynomial_cycles(polynomial, cycles);
}

static void check_plan(const struct perf_plan *plan, const struct perf_command *command)
{
    if (!plan->count) fuzz_fail("nothing to measure");
    if (command->runs < 1 || command->limit < 1) fuzz_fail("%ld runs of %ld s", command->runs, command->limit);
    for (size_t i = 0; i < plan->count; i++) {
        const struct perf_cell *cell = plan->cells[i];
        if (!cell->workers || cell->workers > 4096) fuzz_fail("%u workers", cell->workers);
        if (!cell->size || !*cell->size || !cell->offer) fuzz_fail("a cell without size or program");
    }
}

/* Only a plain name lies in the scratch directory; any other is not tried. */
static int try_output(const char *name)
{
    struct perf_output output;
    if (name && strchr(name, '/')) return 0;
    int bad = perf_output_try(&output, name);
    free(output.path);
    return bad;
}

static bool refused(int count, char **arguments)
{
    struct perf_command command;
    struct perf_plan plan;
    enum perf_reading reading = perf_read_command(&command, count, arguments);
    if (reading != PERF_GO_ON) return reading == PERF_BAD;
    if (perf_make_plan(&plan, &command) || try_output(command.out)) return true;
    check_plan(&plan, &command);
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *arguments[MOST_ARGUMENTS + 2] = {(char[]){"heist-perf"}};
    int count = 1;
    fuzz_scratch();
    for (char *at = text; *at && count <= MOST_ARGUMENTS;) {
        arguments[count++] = at;
        at += strcspn(at, "\n");
        if (*at) *at++ = '\0';
        fuzz_unfold(arguments[count - 1]);
    }
    fuzz_listen();
    bool bad = refused(count, arguments);
    fuzz_words heard = fuzz_heard();
    if (bad && (fuzz_lines(heard.err) != 1 || *heard.out)) fuzz_fail("refused with: %s%s", heard.err, heard.out);
    bool noted = fuzz_lines(heard.err) == 1 && strstr(heard.err, "is left out"); /* less workers than two for a steal */
    if (!bad && *heard.err && !noted) fuzz_fail("taken, and told: %s", heard.err);
    if (bad && strncmp(heard.err, "heist-perf: ", 12) != 0)
        fuzz_fail("a complaint does not begin with the name of the program: %s", heard.err);
    if (!fuzz_scratch_is_empty()) fuzz_fail("something is left behind");
    perf_release();
    free(text);
    return 0;
}
