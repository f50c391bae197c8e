/* schedule/error.h: errors with a sentence for people. */
#ifndef HEIST_SCHEDULE_ERROR_H
#define HEIST_SCHEDULE_ERROR_H

/* Keeps the sentence for heist_explain; returns `error`. */
int heist__fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
