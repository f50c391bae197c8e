"""Shared by the sections: one case for each workload, and the doubtful samples.

A workload may have been measured at several sizes and settings. Where only one of them can be shown, it has the default
settings and the largest of those sizes that were measured with most numbers of workers.
"""
import collections

from . import machine, noise, rows, words

# A part of a page. doubts: pairs of a name and a row, for the part about noise.
Section = collections.namedtuple('Section', 'id title sentences figure tables how doubts', defaults=((),))

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
    """A sort key: default settings come first."""
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
    """`2 workers on 2 cores`, and a word if there are more workers than cores."""
    have = cores(results)
    return '{} on {}{}'.format(words.plural(workers, 'worker'), words.plural(have, 'core'),
                               ' (oversubscribed)' if workers > have else '')


def doubts(samples):
    """The samples that are not reliable: noisy, measured once, or short of cores. Pairs of a name and a row."""
    return [(name, row) for name, row in samples if noise.doubtful(row)]


def had(row):
    """`1.02 of 2 cores`."""
    its, could = noise.cores(row)
    return '{:.2f} of {}'.format(its, words.plural(could, 'core'))


def poorly(ours, workers):
    """Workload -> an addition to sentences about slow rows of heist, for rows that were short of cores."""
    pairs = [(case.workload, case.runtimes['heist'].get(workers)) for case in ours]
    return {name: ', with ' + had(row) for name, row in pairs if row and noise.denied(row)}


def first_few(names):
    names = list(names)
    return words.listing(names[:3]) + (', and {} more'.format(len(names) - 3) if len(names) > 3 else '')
