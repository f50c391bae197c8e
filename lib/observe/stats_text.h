/* observe/stats_text.h: snapshots of counters as lines of a table. */
#ifndef HEIST_OBSERVE_STATS_TEXT_H
#define HEIST_OBSERVE_STATS_TEXT_H

#include <stdio.h>

#include <heist/stats.h>

/* Prints the names of the columns; one row; the steals by distance. */
void heist__stats_text_head(FILE *out);
void heist__stats_text_row(FILE *out, const char *name, const heist_stats *s);
void heist__stats_text_distances(FILE *out, const heist_stats *s);

#endif
