"""The share of the workers' time that is well spent: speed-up over one worker, divided by the workers with a core."""
import statistics

from .. import cases, noise, panels, plot, theme, words
from ..tables import Column, Table, plain

GOOD = 0.9


def share(results, row):
    """1 if `workers` workers are `workers` times as fast as one; workers beyond the cores do not count."""
    gained = results.over_one(row)
    return gained / min(row.workers, cases.cores(results)) if gained else None


def shares(results, case, runtime):
    found = [(count, share(results, row)) for count, row in sorted(case.runtimes[runtime].items())]
    return [(count, value) for count, value in found if value is not None]


def sentences(results, ours):
    counts = sorted({count for case in ours for count in case.runtimes['heist']})
    workers = cases.full_house(results, counts) or counts[0]
    if workers < 2:
        return ['Nothing was measured with two workers on two cores, so there is no efficiency to show.'], []
    at = {case.workload: dict(shares(results, case, 'heist')).get(workers) for case in ours}
    poor = cases.poorly(ours, workers)
    at = {name: value for name, value in at.items() if value is not None}
    if not at:
        return ['Nothing was measured with one worker, so there is no efficiency to show.'], []
    low = sorted((value, name) for name, value in at.items() if value < GOOD)
    said = 'Each of {} gives heist {} of a core in the median'.format(
        words.plural(workers, 'worker'), words.percent(statistics.median(at.values())))
    if low:
        said += '; below {} {} {}'.format(words.percent(GOOD), 'is' if len(low) == 1 else 'are', words.listing(
            '{} ({}{})'.format(name, words.percent(value), poor.get(name, '')) for value, name in low))
    else:
        said += ', and in none of {} less than {}'.format(len(at), words.percent(min(at.values())))
    doubtful = cases.doubts([(case.workload + ' with one worker', case.runtimes['heist'][1]) for case in ours
                             if 1 in case.runtimes['heist']])
    return [said + '.'] + of_peers(results, ours, workers), doubtful


def of_peers(results, ours, workers):
    """The medians of the peers, each over its workloads, and beside each the median of heist over the same ones."""
    parts = []
    for peer in theme.ordered({peer for case in ours for peer in case.peers()}):
        pairs = [(dict(shares(results, case, peer)).get(workers), dict(shares(results, case, 'heist')).get(workers))
                 for case in ours if peer in case.runtimes]
        pairs = [pair for pair in pairs if None not in pair]
        if len(pairs) > 1:
            parts.append('{} {} (heist on the same {}: {})'.format(
                theme.name(peer), words.percent(statistics.median(theirs for theirs, _ in pairs)), len(pairs),
                words.percent(statistics.median(mine for _, mine in pairs))))
    return ['The medians of the others: {}.'.format(words.listing(parts))] if parts else []


def tip(ours, title, runtime, count, value):
    """The words of a tooltip."""
    case = next(case for case in ours if case.name == title)
    return '{}, {} with {}: {}, {}'.format(title, theme.name(runtime), words.plural(count, 'worker'),
                                           words.percent(value / 100), noise.told(case.runtimes[runtime][count]))


def figure(results, ours, said):
    have = cases.cores(results)
    counts = cases.common_counts(ours) or sorted({count for case in ours for count in case.workers()})

    def percents(case, runtime):
        return [(count, value * 100) for count, value in shares(results, case, runtime)]
    drawn = [(case.name, panels.only([(runtime, percents(case, runtime)) for runtime in theme.ordered(case.runtimes)],
                                     counts)) for case in ours]
    drawn = [(name, its) for name, its in drawn if any(points for _, points in its)]
    if not drawn:
        return None
    highest = max([100] + [value for _, its in drawn for _, points in its for _, value in points])

    def draw(sheet):
        return panels.multiples(sheet, drawn, lambda count: 100, counts, have, min(highest * 1.1, 250), '50', '%g%%',
                                lambda *point: tip(ours, *point))
    alt = 'Efficiency by number of workers, one panel for each of {}. {}'.format(
        words.listing(name for name, _ in drawn), said)
    return plot.Figure('efficiency', alt, draw)


def table(results, ours):
    rows = [{'workload': case.workload, 'runtime': runtime, 'workers': count, 'efficiency': value,
             'spread': noise.spread(case.runtimes[runtime][count])}
            for case in ours for runtime in theme.ordered(case.runtimes)
            for count, value in shares(results, case, runtime)]
    return Table('Efficiency', [
        Column('workload', 'workload', plain), Column('runtime', 'runtime', theme.name),
        Column('workers', 'workers', plain),
        Column('efficiency', 'efficiency', words.percent), Column('median above least', 'spread', words.percent)], rows)


def make(results):
    ours = [case for case in cases.headlines(results) if len(case.runtimes['heist']) > 1]
    if not ours:
        return None
    said, doubts = sentences(results, ours)
    return cases.Section(
        'efficiency', 'Efficiency', said, figure(results, ours, said[0]), [table(results, ours)],
        'Speed-up over the same runtime with one worker, divided by the cores that can be used: 100% is ideal. A '
        'runtime that is slow with one worker can look good here; the figure above compares the times themselves.',
        doubts)
