"""report: makes a page from the measurements of heist-perf: figures, tables, and a sentence for each figure. It uses
the standard library only; gnuplot draws the figures.

rows reads the measurements, machine describes the machine, noise decides which times differ. Each file in sections/ is
one part of the page, from its rows to its sentences; goals/ has the parts of the second page. plot draws, page
assembles the page, files writes it, compare compares two reports.
"""
