"""What can be told apart.

The least time of several runs is the best guess at what a program needs; how far the median lies above it says how much
the machine disturbed it. Two times that differ by less than their disturbance, or by less than two percent, are called
equal. Of a single run nothing of the kind is known: it is shown, and decides nothing.
"""
FLOOR = 0.02  # no difference below this is spoken of
NOISY = 0.15  # beyond this a sample is called noisy
UNCLEAR = 'unclear'  # of a goal: neither met nor missed, since noise would decide


def spread(row):
    """How far the median lies above the least, as a share; None for a single run, of which nothing is known."""
    if row.runs is not None and row.runs < 2 or not row.min_ns or not row.median_ns:
        return None
    return row.median_ns / row.min_ns - 1


def noisy(row):
    its = spread(row)
    return its is not None and its > NOISY


def single(row):
    """Measured once: as likely as not it was disturbed."""
    return spread(row) is None


def uncertain(row):
    return single(row) or noisy(row)


def tolerance(*rows):
    """The share by which times of these rows may differ without meaning anything."""
    return max([FLOOR] + [spread(row) or 0 for row in rows])


def compare(a, b, ratio=None):
    """-1 when a is faster than b beyond doubt, 1 when it is slower, 0 when that cannot be told. The ratio is that of
    their times, unless they are compared in something else, such as the time for each task."""
    if single(a) or single(b):
        return 0
    ratio = ratio or a.min_ns / b.min_ns
    limit = 1 + tolerance(a, b)
    return 1 if ratio > limit else -1 if ratio < 1 / limit else 0


def undecided(*rows):
    """In words, why such a comparison came to nothing."""
    return ', of which too few runs were measured to compare them' if any(single(row) for row in rows) else (
        ', which cannot be told apart')


def verdict(met, *rows):
    """Whether a goal is met, as it was seen from these rows: True, False or UNCLEAR."""
    return UNCLEAR if any(uncertain(row) for row in rows) else bool(met)
