"""What the sections have in common: one case for each workload, and what may be said of doubtful samples.

A workload may have been measured at several sizes and settings. Where only one of them can be shown, it is the one that
a user gets who chooses nothing, at the largest of those sizes that were measured with most numbers of workers.
"""
import collections

from . import machine, noise, rows, words

Section = collections.namedtuple('Section', 'id title sentences figure tables how')

USUAL = {'mode': ('auto', 'steal'), 'batch_size': ('auto',), 'aggregate': ('auto',), 'type': ('double',),
         'variant': ('tiles',), 'kernel': ('own',), 'algorithm': ('walk',), 'field': ('2',),
         'schedule': ('auto', 'steal'), 'threads': ('1',), 'to': ('pool',), 'from': ('worker',),
         'victim': ('answering',), 'join': ('newest',)}
SCALING = ('fib', 'nqueens', 'tree', 'wide', 'for', 'sort', 'strassen', 'uts', 'gemm', 'lfsr')


class Case:
    """One workload at one size and with one choice of settings, in every runtime: runtime -> workers -> row."""

    def __init__(self, results, workload, size, settings):
        self.results, self.workload, self.size, self.settings = results, workload, size, settings
        self.runtimes = collections.defaultdict(dict)
        for row in results.of(workload, size=size):
            if row.agrees_with(settings):
                self.runtimes[row.runtime].setdefault(row.workers, row)
        self.serial = self.runtimes.pop('serial', {}).get(1)

    @property
    def name(self):
        return '{} {}'.format(self.workload, words.size(self.size)).strip()

    def peers(self):
        return [runtime for runtime in self.runtimes if runtime != 'heist']

    def workers(self):
        return sorted({count for curve in self.runtimes.values() for count in curve})


def usual(row):
    """Sorts what a user gets who chooses nothing to the front."""
    key = []
    for name in sorted(row.settings):
        choices = USUAL.get(name, ())
        value = row.settings[name]
        key.append(choices.index(value) if value in choices else len(choices))
    return key


def headline(results, workload):
    """The case that stands for a workload; None when heist was not measured on it."""
    ours = results.of(workload, 'heist')
    if not ours:
        return None
    size = max({row.size for row in ours}, key=lambda its: (len({row.workers for row in ours if row.size == its}),
                                                            rows.size_key(its)))
    chosen = min((row for row in ours if row.size == size), key=usual)
    return Case(results, workload, size, chosen.settings)


def headlines(results, workloads=SCALING):
    return [case for case in (headline(results, workload) for workload in workloads) if case]


def cores(results):
    return machine.cores(results.machine)


def full_house(results, counts):
    """The most workers of these that have a core each."""
    fitting = [count for count in counts if count <= cores(results)]
    return max(fitting) if fitting else None


def common_counts(ours):
    """The numbers of workers that most of the cases have."""
    counts = [count for case in ours for count in case.workers()]
    return sorted(count for count in set(counts) if counts.count(count) * 2 > len(ours))


def on_cores(results, workers):
    """`2 workers on 2 cores`, with a word where there are too many of them."""
    have = cores(results)
    return '{} on {}{}'.format(words.plural(workers, 'worker'), words.plural(have, 'core'),
                               ' (oversubscribed)' if workers > have else '')


def doubts(samples):
    """Sentences about the samples that are too noisy to rely on, of which too little is known, or that had too few cores;
    pairs of what it is and its row."""
    samples = list(samples)
    bad = sorted(((noise.spread(row), name) for name, row in samples if noise.noisy(row)), reverse=True)
    said = []
    if bad:
        said.append('Noisy, the median far above the least time, so not to be relied on: {}.'.format(
            first_few('{} ({})'.format(name, words.percent(size)) for size, name in bad)))
    once = [name for name, row in samples if noise.single(row)]
    if once:
        said.append('Measured once, so not to be relied on: {}.'.format(first_few(once)))
    poor = sorted(((-noise.lack(row), name, row) for name, row in samples if noise.denied(row)), key=lambda its: its[:2])
    if poor:
        said.append('Other programs had cores of these, which may be slow for that alone: {}.'.format(
            first_few('{} ({})'.format(name, had(row)) for _, name, row in poor)))
    return said


def had(row):
    """`1.02 of 2 cores`."""
    its, could = noise.cores(row)
    return '{:.2f} of {}'.format(its, words.plural(could, 'core'))


def poorly(ours, workers):
    """Workload -> what is to be added where heist's slowness is spoken of; nothing of those that had their cores."""
    pairs = [(case.workload, case.runtimes['heist'].get(workers)) for case in ours]
    return {name: ', with ' + had(row) for name, row in pairs if row and noise.denied(row)}


def first_few(names):
    names = list(names)
    return words.listing(names[:3]) + (', and {} more'.format(len(names) - 3) if len(names) > 3 else '')
