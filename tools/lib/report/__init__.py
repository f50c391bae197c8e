"""report: makes a page of what heist-perf measured: figures, tables, and for each figure the sentence that says what is
to be seen. Standard library only; the figures are gnuplot's.

rows reads the measurements, machine says where they were made, noise says what can be told apart; each file in
sections/ is one part of the page, from its rows to its sentence; plot draws, page puts it together, files writes it.
"""
