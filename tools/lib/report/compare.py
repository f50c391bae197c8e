"""Compares two reports: which rows became faster and which slower beyond the noise.

A row is called faster or slower only if two comparisons agree: its own times, and its times over those of the serial
program of the same report. Otherwise a machine that is slower today would make everything look slower.
"""
import os
import statistics

from . import machine, noise, rows, theme, words
from .tables import Column, Table, plain


def load(path):
    """The results of a report, given as its folder or as its file."""
    if os.path.isdir(path):
        path = os.path.join(path, 'results.json')
        if not os.path.exists(path):
            raise rows.Malformed('{}: there is no report'.format(os.path.dirname(path)))
    results = rows.merge([(path, rows.load(path))])
    if not results.rows:
        raise rows.Malformed('{}: nothing was measured'.format(path))
    return results


def key(row):
    return row.workload, row.size, row.runtime, row.workers, tuple(sorted(row.settings.items()))


def keyed(results):
    """Of rows with the same key, such as the serial program in two steps, takes the first."""
    found = {}
    for row in results.rows:
        found.setdefault(key(row), row)
    return found


def pairs(before, after):
    """The rows that both reports have."""
    old, new = keyed(before), keyed(after)
    return [(old[its], new[its]) for its in old if its in new]


def ratio(old, new):
    return new.min_ns / old.min_ns


def verdict(before, after, old, new):
    """-1: faster beyond the noise, 1: slower, 0: neither."""
    its = noise.compare(new, old)
    references = before.serial_of(old), after.serial_of(new)
    if its == 0 or None in references or old.runtime == 'serial':
        return its
    corrected = ratio(old, new) / ratio(*references)
    return its if noise.compare(new, old, corrected) == its else 0


def judged(before, after):
    """Rows of the table: those that changed beyond the noise, the largest gain first, the largest loss last."""
    found = []
    for old, new in pairs(before, after):
        its = verdict(before, after, old, new)
        if its:
            found.append({'verdict': 'faster' if its < 0 else 'slower', 'workload': old.workload, 'size': old.size,
                          'runtime': old.runtime, 'workers': old.workers,
                          'settings': ' '.join('{}={}'.format(*each) for each in sorted(old.settings.items())) or None,
                          'before_ns': old.min_ns, 'after_ns': new.min_ns, 'ratio': ratio(old, new),
                          'noise': noise.tolerance(old, new)})
    return sorted(found, key=lambda its: its['ratio'])


def signed(ratio_):
    """1.031 is +3.1%."""
    return '{}{}'.format('+' if ratio_ > 1 else '-', words.change(ratio_))


def table(listed):
    return Table('Changed beyond the noise, least time of all runs', [
        Column('', 'verdict', plain), Column('workload', 'workload', plain), Column('size', 'size', plain),
        Column('runtime', 'runtime', theme.name), Column('workers', 'workers', plain),
        Column('settings', 'settings', plain), Column('before', 'before_ns', words.duration),
        Column('after', 'after_ns', words.duration), Column('time', 'ratio', signed),
        Column('noise', 'noise', words.percent)], listed)


def counted(listed, both, ours):
    """`heist: 2 faster, 1 slower, 77 unchanged within the noise.`"""
    def of(name):
        return (name == 'heist') == ours
    total = sum(of(old.runtime) for old, _ in both)
    if not total:
        return []
    faster, slower = (sum(of(its['runtime']) and its['verdict'] == word for its in listed)
                      for word in ('faster', 'slower'))
    return ['{}: {} faster, {} slower, {} unchanged within the noise.'.format(
        'heist' if ours else 'Serial program and other runtimes', faster, slower, total - faster - slower)]


def about_machine(before, after, both):
    """Whether the machine itself changed: other processors, or other times of the serial programs."""
    said = []
    names = [machine.in_short(its.machine) for its in (before, after)]
    if names[0] != names[1]:
        said.append('The reports are of two machines ({}; {}): times cannot be compared.'.format(*names))
    changes = [ratio(old, new) for old, new in both if old.runtime == 'serial']
    if changes:
        said.append('The serial programs took {} of their time before in the median ({} to {}).'.format(
            words.percent(statistics.median(changes)), words.percent(min(changes)), words.percent(max(changes))))
    return said


def sentences(before, after):
    both = pairs(before, after)
    listed = judged(before, after)
    said = counted(listed, both, True) + counted(listed, both, False) + about_machine(before, after, both)
    lone = [len(keyed(its)) - len({key(old) for old, _ in both}) for its in (before, after)]
    if any(lone):
        said.append('Not compared: {} only in the first report, {} only in the second.'.format(*lone))
    return said


def run(options):
    before, after = load(options.before), load(options.after)
    if not pairs(before, after):
        raise rows.Malformed('{} and {} have no measurement in common'.format(options.before, options.after))
    listed = judged(before, after)
    if listed:
        its = table(listed)
        print('{}\n{}'.format(its.title, its.as_text()))
    print('\n'.join(sentences(before, after)))
    return 0
