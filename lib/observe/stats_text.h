/* observe/stats_text.h: snapshots of counters as lines on stderr. */
#ifndef HEIST_OBSERVE_STATS_TEXT_H
#define HEIST_OBSERVE_STATS_TEXT_H

#include <heist/stats.h>

/* Prints the names of the columns; one row; the steals by distance. */
void heist__stats_text_head(void);
void heist__stats_text_row(const char *name, const heist_stats *s);
void heist__stats_text_distances(const heist_stats *s);

#endif
