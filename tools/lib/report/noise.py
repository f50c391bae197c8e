"""What can be told apart.

The least time of several runs is the best guess at what a program needs; how far the median lies above it says how much
the machine disturbed it. Two times that differ by less than their disturbance, or by less than two percent, are called
equal. Of a single run nothing of the kind is known: it is shown, and decides nothing.

One disturbance does not show in this way: other programs that have a core all the time, so that every run is as slow as
the next. It shows in the CPU time: a row that had fewer cores than its workers could have had, while others had some, may
be slow for that alone, by as much as it lacked.
"""
FLOOR = 0.02  # no difference below this is spoken of
NOISY = 0.15  # beyond this a sample is called noisy
OTHERS = 0.1  # cores: others that have less do no harm
DENIED_BELOW = 0.9  # less than this part of its cores is clearly too few

# Of a goal that is neither met nor missed, why, in words that a sentence can have.
UNCLEAR = 'too noisy to judge'
WITHIN = 'within the noise'
DENIED = 'not to be judged, since other programs had its cores,'
REASONS = (WITHIN, UNCLEAR, DENIED)


# --- of one row -------------------------------------------------------------------------------------------------------

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


def cores(row):
    """The cores that it had in its fastest run, and those that its workers could have had; None when nobody knows."""
    return (row.cpu_ns / row.min_ns, min(row.workers, row.usable)) if row.cpu_ns and row.min_ns else None


def lack(row):
    """How many times as fast it may be with all the cores that it could have had; 1 where nobody else had them."""
    if not cores(row) or (row.others or 0) < OTHERS:
        return 1
    had, could = cores(row)
    return max(1, could / had)


def denied(row):
    return lack(row) > 1 / DENIED_BELOW


# --- of several -------------------------------------------------------------------------------------------------------

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
    return 1 if ratio > limit * lack(a) else -1 if ratio * lack(b) < 1 / limit else 0


def undecided(*rows):
    """In words, why such a comparison came to nothing."""
    if any(single(row) for row in rows):
        return ', of which too few runs were measured to compare them'
    return ', which cannot be told apart' + (', since other programs had their cores' if any(denied(row) for row in rows)
                                             else '')


def verdict(met, miss, mine, *others):
    """Whether a goal is met, as it was seen from a row and those it is compared with: True, False, or why it cannot be said.
    `miss` is how many times as fast `mine` must be to meet it; that it is met is decided by the caller, who rounds."""
    rows = (mine,) + others
    if any(single(row) for row in rows):
        return UNCLEAR
    loud = any(noisy(row) for row in rows)
    if met:
        slow = max([1] + [lack(row) for row in others])  # what it is compared with may have been too slow
        return UNCLEAR if loud else DENIED if slow * miss > 1 and slow > 1 else True
    both = 1
    for row in rows:
        both *= 1 + spread(row)
    if miss <= both:
        return UNCLEAR if loud else WITHIN
    return DENIED if miss <= both * lack(mine) else False
