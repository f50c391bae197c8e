/* What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput: libFuzzer and AFL++ bring a main function
 * that feeds it, and in ordinary builds replay.c does.
 *
 * Inputs are text, so that a person can write and read them: for most targets lines of name=value. A target turns them
 * into what the parser sees, calls it, and compares with what it knows must hold; fuzz_fail ends the process with a
 * sentence, which every engine takes for a finding. */
#ifndef HEIST_TEST_FUZZ_H
#define HEIST_TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0, always; the engines want an int. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A target may have changes of its own, which know what its inputs look like: they make another input of one, in its place,
 * with room for `most` bytes, and return its size. A target without has no such function: it is weak for who calls it. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* The finding: what did not hold. */
_Noreturn void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The input as a string of its own. What it has of zeros ends it early, as it would end an argument or a variable.
 * fuzz_unfold gives a part of it its line feeds, which inputs of lines write as carriage returns. */
char *fuzz_text(const uint8_t *data, size_t size);
void fuzz_unfold(char *part);

/* Takes the next line off *rest, parted at its first '='. A line without one has the value "". False at the end. */
bool fuzz_field(char **rest, char **name, char **value);

/* Any number, also a negative one; one that is too large is cut, rubbish is 0. */
uint64_t fuzz_number(const char *text);

/* From here on what is written to stdout and stderr goes to memory; fuzz_heard ends that and gives both, until the next
 * time. Sanitizers and engines are not affected. */
void fuzz_listen(void);
typedef struct fuzz_words {
    const char *out, *err;
} fuzz_words;
fuzz_words fuzz_heard(void);

/* How many lines a text has; the last one need not end. A control character in one is a finding: users' words are shown
 * without what a terminal would obey. */
size_t fuzz_lines(const char *text);

/* The path of an empty directory that is removed at exit. From the first call on it is the working directory, so that no
 * input can name a file elsewhere by accident. */
const char *fuzz_scratch(void);

/* Whether there is nothing in it. */
bool fuzz_scratch_is_empty(void);

#endif
