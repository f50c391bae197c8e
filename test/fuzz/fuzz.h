/* Shared by the fuzz targets. A target is one file with LLVMFuzzerTestOneInput: libFuzzer and AFL++ supply a main
 * function that feeds it, and in ordinary builds replay.c does.
 *
 * Inputs are text, so that a person can write and read them: for most targets lines of name=value. A target converts
 * them to the input of the parser, calls it, and compares the result with known properties; fuzz_fail ends the process
 * with a sentence, which every engine takes for a finding. */
#ifndef HEIST_TEST_FUZZ_H
#define HEIST_TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0, always; the engines want an int. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A target may have its own changes, which know the form of its inputs: they change an input in place, with room for
 * `most` bytes, and return its size. Other targets lack the function: it is weak for its callers. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* The finding: the property that did not hold. */
_Noreturn void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The input as a string of its own. A zero in it ends it early, as it would end an argument or a variable. fuzz_unfold
 * restores the line feeds of a part, which inputs of lines write as carriage returns. */
char *fuzz_text(const uint8_t *data, size_t size);
void fuzz_unfold(char *part);

/* Takes the next line off *rest, parted at its first '='. A line without one has the value "". False at the end. */
bool fuzz_field(char **rest, char **name, char **value);

/* Any number, also a negative one; too large a number is cut, other text is 0. */
uint64_t fuzz_number(const char *text);

/* From here on stdout and stderr go to memory; fuzz_heard ends that and returns both, valid until the next time.
 * Sanitizers and engines are not affected. */
void fuzz_listen(void);
typedef struct fuzz_words {
    const char *out, *err;
} fuzz_words;
fuzz_words fuzz_heard(void);

/* The number of lines of a text; the last one need not end. A control character in one is a finding: words of users are
 * shown without characters that a terminal would obey. */
size_t fuzz_lines(const char *text);

/* The path of an empty directory that is removed at exit. From the first call on it is the working directory, so that
 * no input can name a file elsewhere by accident. */
const char *fuzz_scratch(void);

/* Whether the directory is empty. */
bool fuzz_scratch_is_empty(void);

#endif
