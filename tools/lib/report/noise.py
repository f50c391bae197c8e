"""Decides which times differ.

The least time of several runs is the best estimate of the time of a program. The distance of the median above it shows
how much the machine disturbed the program. Two times that differ by less than their disturbance, or by less than two
percent, are called equal. A single run has no known disturbance: it is shown, and decides nothing.

One disturbance does not show in this way: another program that uses a core all the time makes every run equally slow.
It shows in the CPU time: a row that had fewer cores than its workers could have used, while other programs used some,
may be slow for that reason alone, by the share that was missing.
"""
FLOOR = 0.02  # smaller differences are ignored
NOISY = 0.15  # a sample with more is called noisy
OTHERS = 0.1  # cores: other programs that use less do no harm
DENIED_BELOW = 0.9  # a row with a smaller share of its cores was short of cores

# The reason why a goal is neither met nor missed, in words for a sentence.
UNCLEAR = 'too noisy to judge'
WITHIN = 'within the noise'
DENIED = 'not judged because other programs used its cores,'
REASONS = (WITHIN, UNCLEAR, DENIED)


# --- of one row -------------------------------------------------------------------------------------------------------

def spread(row):
    """The distance of the median above the least time, as a share; None for a single run."""
    if row.runs is not None and row.runs < 2 or not row.min_ns or not row.median_ns:
        return None
    return row.median_ns / row.min_ns - 1


def noisy(row):
    its = spread(row)
    return its is not None and its > NOISY


def single(row):
    """Measured once: it may well have been disturbed."""
    return spread(row) is None


def cores(row):
    """The cores that it used in its fastest run, and those that its workers could have used; None if not known."""
    return (row.cpu_ns / row.min_ns, min(row.workers, row.usable)) if row.cpu_ns and row.min_ns else None


def lack(row):
    """How many times as fast it may be with all its cores; 1 if no other program used them."""
    if not cores(row) or (row.others or 0) < OTHERS:
        return 1
    had, could = cores(row)
    return max(1, could / had)


def denied(row):
    return lack(row) > 1 / DENIED_BELOW


def told(row):
    """The noise of a row, for a tooltip."""
    its = spread(row)
    return 'measured once' if its is None else 'noise {:.0f}%'.format(its * 100)


def doubtful(row):
    """Whether a reader must be warned of this row."""
    return noisy(row) or single(row) or denied(row)


# --- of several -------------------------------------------------------------------------------------------------------

def tolerance(*rows):
    """The share by which times of these rows may differ by chance."""
    return max([FLOOR] + [spread(row) or 0 for row in rows])


def compare(a, b, ratio=None):
    """-1 if a is faster than b beyond the noise, 1 if it is slower, 0 otherwise. The ratio is that of their times,
    unless something else is compared, such as the time for each task."""
    if single(a) or single(b):
        return 0
    ratio = ratio or a.min_ns / b.min_ns
    limit = 1 + tolerance(a, b)
    return 1 if ratio > limit * lack(a) else -1 if ratio * lack(b) < 1 / limit else 0


def undecided(*rows):
    """The reason why such a comparison was not decided, in words."""
    if any(single(row) for row in rows):
        return ', with too few runs to compare'
    return ', which is equal within the noise' + (', because other programs used their cores' if any(denied(row)
            for row in rows)
                                             else '')


def verdict(met, miss, mine, *others):
    """Whether a goal is met, given a row and the rows it is compared with: True, False, or the reason why there is no
    verdict. `miss` is how many times as fast `mine` must be to meet the goal. The caller rounds, and so decides
    `met`."""
    rows = (mine,) + others
    if any(single(row) for row in rows):
        return UNCLEAR
    loud = any(noisy(row) for row in rows)
    if met:
        slow = max([1] + [lack(row) for row in others])  # the rows it is compared with may be too slow
        return UNCLEAR if loud else DENIED if slow * miss > 1 and slow > 1 else True
    both = 1
    for row in rows:
        both *= 1 + spread(row)
    if miss <= both:
        return UNCLEAR if loud else WITHIN
    return DENIED if miss <= both * lack(mine) else False
